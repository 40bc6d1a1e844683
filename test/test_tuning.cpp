// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tuning: what the default tuning says is launchable, for every architecture and size.
#include "oracle.h"

#include <cmerge/tuned.h>
#include <cmerge/tuning.h>

namespace {

using cmerge::problem_size;
using cmerge::strategy;
using cmerge::tuning;

constexpr int archs[] = {0, 60, 70, 75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121, 999};

TEST_CASE("the default tuning for all architectures and element sizes") {
  for (const int arch : archs) {
    for (int key_bytes = 1; key_bytes <= 4096; ++key_bytes) {
      for (const int value_bytes : {0, 1, 4, 16, 1024, 4096}) {
        for (const problem_size size : {problem_size::small, problem_size::large}) {
          for (const int kind : {0, 1, 2}) {  // behind iterators, contiguous, countable
            if (kind == 2 && (key_bytes > 2 || value_bytes > 0)) continue;
            const tuning t = cmerge::default_tuning::get(
                {arch, key_bytes, value_bytes, size, kind > 0, kind == 2});
            const bool is_launchable =
                t.threads >= 32 && t.threads <= 1024 && t.threads % 32 == 0 && t.items >= 1 &&
                (t.tile() <= 32768 || t.how == strategy::runs) && t.tile() == t.threads * t.items &&
                (t.stages == 1 || t.stages == 2);
            if (!is_launchable) {
              FAIL("arch ", arch, ", ", key_bytes, "-byte keys: ", t.threads, " threads, ", t.items,
                   " items");
            }
          }
        }
      }
    }
  }
}

TEST_CASE("a new architecture gets the values of the nearest known one") {
  const auto get = [](int arch) {
    return cmerge::default_tuning::get({arch, 4, 0, problem_size::large, true});
  };
  for (const int arch : {100, 103, 110}) {
    CHECK(get(arch).threads == get(90).threads);
    CHECK(get(arch).items == get(90).items);
  }
  CHECK(get(121).threads == get(120).threads);
  CHECK(get(87).threads == get(80).threads);
  CHECK(get(86).threads == get(89).threads);
}

TEST_CASE("shared memory of a block") {
  CHECK(cmerge::max_shared_bytes(75) == 65536);
  CHECK(cmerge::max_shared_bytes(80) == 101376);  // its code runs on 8.6 too
  CHECK(cmerge::max_shared_bytes(86) == 101376);
  CHECK(cmerge::max_shared_bytes(89) == 101376);
  CHECK(cmerge::max_shared_bytes(90) == 101376);  // and its PTX on 12.0
  CHECK(cmerge::max_shared_bytes(100) == 101376);
  CHECK(cmerge::max_shared_bytes(120) == 101376);
  CHECK(cmerge::max_shared_bytes(0) == 49152);
}

struct some_policy {
  int member;
};
struct some_tuning {
  static constexpr tuning get(cmerge::tuning_query) { return {strategy::tiled, 64, 3}; }
};

TEST_CASE("tuned attaches a tuning and keeps the policy") {
  const auto policy = cmerge::tuned<some_tuning>(some_policy{42});
  CHECK(policy.member == 42);
  static_assert(std::is_same_v<cmerge::detail::tuning_of<decltype(policy)>, some_tuning>);
  static_assert(std::is_same_v<cmerge::detail::tuning_of<some_policy>, cmerge::default_tuning>);
  static_assert(some_tuning::get({90, 4, 0, problem_size::small, true}).tile() == 192);
}

}  // namespace
