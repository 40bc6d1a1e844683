// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The default tuning is launchable for every architecture and element size.
#include "oracle.h"

#include <cmerge/tuned.h>
#include <cmerge/tuning.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

namespace {

using cmerge::problem_size;
using cmerge::strategy;
using cmerge::tuning;
using cmerge::detail::tile_shape;
using cmerge::detail::tuned_tiles;

constexpr int archs[] = {0, 60, 70, 75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121, 999};

TEST_CASE("the default tuning is launchable for all architectures and element sizes") {
  for (const int arch : archs) {
    for (int key_bytes = 1; key_bytes <= 4096; ++key_bytes) {
      for (const int value_bytes : {0, 1, 4, 16, 1024, 4096}) {
        for (const problem_size size :
             {problem_size::moderate, problem_size::large, problem_size::huge}) {
          for (const int kind : {0, 1, 2}) {  // iterators, contiguous, by_value
            if (kind == 2 && (key_bytes > 2 || value_bytes > 0)) continue;
            const tuning t = cmerge::default_tuning::get(
                {arch, key_bytes, value_bytes, size, kind > 0, kind == 2});
            const bool is_launchable =
                t.threads >= 32 && t.threads <= 1024 && t.threads % 32 == 0 && t.items >= 1 &&
                (t.tile() <= 32768 || t.how == strategy::by_value) &&
                t.tile() == t.threads * t.items && (t.stages == 1 || t.stages == 2);
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

TEST_CASE("the entries of the table are launchable and distinct") {
  for (const tuned_tiles& tiles : cmerge::detail::tuning_table) {
    CAPTURE(tiles.key_bytes);
    CAPTURE(tiles.value_bytes);
    for (const tile_shape shape : {tiles.moderate, tiles.large}) {
      CHECK(shape.threads % 32 == 0);
      CHECK(shape.threads >= 32);
      CHECK(shape.threads <= 512);
      CHECK(shape.items >= 1);
      CHECK(shape.threads * shape.items <= 16384);
    }
    CHECK(std::count_if(std::begin(cmerge::detail::tuning_table),
                        std::end(cmerge::detail::tuning_table), [&](const tuned_tiles& other) {
                          return other.key_bytes == tiles.key_bytes &&
                                 other.value_bytes == tiles.value_bytes;
                        }) == 1);
  }
}

TEST_CASE("contiguous keys get the tiles of the table on compute capability 9.0") {
  for (const tuned_tiles& tiles : cmerge::detail::tuning_table) {
    CAPTURE(tiles.key_bytes);
    CAPTURE(tiles.value_bytes);
    const auto check = [&](problem_size size, tile_shape expected) {
      const tuning t =
          cmerge::default_tuning::get({90, tiles.key_bytes, tiles.value_bytes, size, true});
      CHECK(t.how == strategy::single);
      CHECK(t.threads == expected.threads);
      CHECK(t.items == expected.items);
    };
    check(problem_size::moderate, tiles.moderate);
    check(problem_size::large, tiles.large);
  }
}

TEST_CASE("element sizes between entries get the tiles of the next larger entry") {
  const auto covering = [](int key_bytes, int value_bytes) {
    const tuned_tiles tiles = cmerge::detail::find_tiles(key_bytes, value_bytes);
    return std::pair(tiles.key_bytes, tiles.value_bytes);
  };
  CHECK(covering(3, 0) == std::pair(4, 0));
  CHECK(covering(5, 0) == std::pair(8, 0));
  CHECK(covering(9, 0) == std::pair(16, 0));
  CHECK(covering(1, 1) == std::pair(1, 4));
  CHECK(covering(2, 2) == std::pair(4, 4));
  CHECK(covering(2, 8) == std::pair(4, 8));
  CHECK(covering(8, 2) == std::pair(8, 4));
  CHECK(covering(5, 5) == std::pair(8, 8));
  CHECK(covering(1, 12) == std::pair(4, 16));
}

TEST_CASE("elements larger than every entry get tiles of limited shared memory") {
  for (const int key_bytes : {1, 2, 4, 8, 12, 16}) {
    for (const int value_bytes : {1, 4, 8, 12, 16, 17, 32, 1024}) {
      const bool is_measured =
          std::any_of(std::begin(cmerge::detail::tuning_table),
                      std::end(cmerge::detail::tuning_table), [&](const tuned_tiles& tiles) {
                        return tiles.key_bytes >= key_bytes && tiles.value_bytes >= value_bytes;
                      });
      if (is_measured) continue;
      const tuned_tiles tiles = cmerge::detail::find_tiles(key_bytes, value_bytes);
      const int tile_bytes = tiles.large.threads * tiles.large.items * (key_bytes + value_bytes);
      CAPTURE(key_bytes);
      CAPTURE(value_bytes);
      CHECK(tile_bytes <= (tiles.large.items == 1 ? 66 << 10 : 60 << 10));
      CHECK(tile_bytes >= 30 << 10);
      CHECK(tiles.large.items % 2 == 1);
    }
  }
}

TEST_CASE("an unknown architecture gets the tuning of the nearest known one") {
  const auto get = [](int arch) {
    return cmerge::default_tuning::get({arch, 4, 0, problem_size::large, true});
  };
  for (const int arch : {100, 103, 110}) {
    CHECK(get(arch).threads == get(90).threads);
    CHECK(get(arch).items == get(90).items);
  }
  CHECK(get(120).threads == get(90).threads / 2);
  CHECK(get(120).items == get(90).items);
  CHECK(get(121).threads == get(120).threads);
  CHECK(get(87).threads == get(80).threads);
  CHECK(get(86).threads == get(89).threads);
}

TEST_CASE("every strategy has a name, and other values are unknown") {
  static_assert(std::string_view(cmerge::name(strategy::single)) == "single");
  const std::pair<strategy, std::string> names[] = {
      {strategy::basic, "basic"},       {strategy::tiled, "tiled"},
      {strategy::circular, "circular"}, {strategy::single, "single"},
      {strategy::indirect, "indirect"}, {strategy::by_value, "by_value"}};
  for (const auto& [how, name] : names) {
    CHECK(cmerge::is_known(how));
    CHECK(cmerge::name(how) == name);
  }
  for (const int value : {-1, static_cast<int>(std::size(names)), 99}) {
    CAPTURE(value);
    CHECK(!cmerge::is_known(static_cast<strategy>(value)));
    CHECK(std::string(cmerge::name(static_cast<strategy>(value))) == "unknown");
  }
}

TEST_CASE("maximum shared memory of a block") {
  CHECK(cmerge::max_shared_bytes(75) == 65536);
  CHECK(cmerge::max_shared_bytes(80) == 101376);  // its code also runs on 8.6
  CHECK(cmerge::max_shared_bytes(86) == 101376);
  CHECK(cmerge::max_shared_bytes(89) == 101376);
  CHECK(cmerge::max_shared_bytes(90) == 101376);  // its PTX also runs on 12.0
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
  static_assert(some_tuning::get({90, 4, 0, problem_size::moderate, true}).tile() == 192);
}

}  // namespace
