// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What chosen_tuning tells is what the kernel was compiled with.
#include <cmerge/chosen_tuning.cuh>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstring>

namespace {

using cmerge::strategy;

const auto policy = thrust::cuda::par_nosync;

/// The tuning of a merge of `m` and `n` keys of type `Key` with this policy. Reads no element.
template <class Key, class Policy>
cmerge::tuning chosen(const Policy& p, std::ptrdiff_t m, std::ptrdiff_t n) {
  Key* const none = nullptr;
  return cmerge::chosen_tuning(p, none, none + m, none, none + n, none);
}

struct circular_tuning {
  static constexpr cmerge::tuning get(cmerge::tuning_query) {
    return {strategy::circular, 128, 7, 1};
  }
};
struct too_large_tuning {
  static constexpr cmerge::tuning get(cmerge::tuning_query) { return {strategy::tiled, 1024, 32}; }
};

struct wide_key {
  int words[1000];
  __device__ friend bool operator<(const wide_key& a, const wide_key& b) {
    return a.words[0] < b.words[0];
  }
};

}  // namespace

TEST_CASE("tells the default tuning of each size class") {
  const cmerge::tuning moderate = chosen<int>(policy, 1000, 1000);
  const cmerge::tuning large = chosen<int>(policy, cmerge::large_problem, 0);
  CHECK(moderate.how == strategy::single);
  CHECK(large.how == strategy::single);
  CHECK(moderate.tile() < large.tile());
  CHECK(chosen<signed char>(policy, 1000, 1000).how == strategy::single);
  CHECK(chosen<signed char>(policy, cmerge::large_problem, 0).how == strategy::by_value);
  CHECK(chosen<short>(policy, cmerge::large_problem, 0).how == strategy::single);
  CHECK(chosen<short>(policy, cmerge::huge_problem, 0).how == strategy::by_value);
}

TEST_CASE("tells the tuning that the policy carries") {
  const cmerge::tuning t = chosen<int>(cmerge::tuned<circular_tuning>(policy), 1000, 1000);
  CHECK(std::strcmp(cmerge::name(t.how), "circular") == 0);
  CHECK(t.threads == 128);
  CHECK(t.items == 7);
  CHECK(t.stages == 1);
}

TEST_CASE("tells the tuning that fits, if the wanted one does not") {
  const auto p = cmerge::tuned<too_large_tuning>(policy);
  const cmerge::tuning t = chosen<long long>(p, 1000, 1000);
  CHECK(t.how == strategy::tiled);
  CHECK(t.tile() < 32768);
  CHECK(chosen<wide_key>(policy, 1000, 1000).how == strategy::indirect);
}

TEST_CASE("tells the tuning of a merge by key") {
  signed char* const keys = nullptr;
  int* const values = nullptr;
  const auto n = static_cast<std::ptrdiff_t>(cmerge::large_problem);
  const auto how = [&](auto* v) {
    return cmerge::chosen_tuning_by_key(policy, keys, keys + n, keys, keys, v, v, keys, v).how;
  };
  CHECK(how(values) == strategy::by_value);
}

TEST_CASE("tells a tuning for an empty merge, too") {
  CHECK(chosen<int>(policy, 0, 0).how == strategy::single);
}
