// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows of the inputs, made from bounds of co-ranks. They hold the elements that a part needs,
// and lie within the inputs for any bounds.
#include "oracle.h"

#include <cmerge/detail/core/merge_window.h>

#include <algorithm>
#include <random>
#include <vector>

namespace {

using cmerge::detail::co_rank_bounds;
using cmerge::detail::make_merge_window;
using cmerge::detail::merge_window;
using cmerge::detail::possible_co_ranks;

bool is_valid(const merge_window& window, std::int64_t m, std::int64_t n) {
  const auto& in = window.inputs;
  return 0 <= in.a_begin && in.a_begin <= in.a_end && in.a_end <= m && 0 <= in.b_begin &&
         in.b_begin <= in.b_end && in.b_end <= n && window.skipped + window.count <= in.size();
}

/// All bounds within `possible` that enclose the co-rank `i` and are at most 3 apart.
std::vector<co_rank_bounds> enclosing(std::int64_t i, co_rank_bounds possible) {
  std::vector<co_rank_bounds> all;
  for (std::int64_t low = std::max(i - 3, possible.low); low <= i; ++low) {
    for (std::int64_t high = i; high <= std::min(low + 3, possible.high); ++high) {
      all.push_back({low, high});
    }
  }
  return all;
}

/// Checks all parts of one merge with all bounds.
void check_parts(const std::vector<int>& a, const std::vector<int>& b) {
  const auto m = static_cast<std::int64_t>(a.size());
  const auto n = static_cast<std::int64_t>(b.size());
  std::vector<int> expected(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), expected.begin());
  const auto rank = [&](std::int64_t k) {
    return cmerge::co_rank(k, a.data(), m, b.data(), n, std::less<>{});
  };
  for (std::int64_t k0 = 0; k0 <= m + n; ++k0) {
    for (std::int64_t k1 = k0; k1 <= m + n; ++k1) {
      for (const co_rank_bounds begin : enclosing(rank(k0), possible_co_ranks(k0, m, n))) {
        for (const co_rank_bounds end : enclosing(rank(k1), possible_co_ranks(k1, m, n))) {
          const merge_window window = make_merge_window(k0, begin, k1, end);
          const auto& in = window.inputs;
          REQUIRE(is_valid(window, m, n));
          REQUIRE(window.out_begin() == k0);
          REQUIRE(window.count == k1 - k0);
          REQUIRE(in.size() <= k1 - k0 + begin.range() + end.range());
          std::vector<int> merged(static_cast<std::size_t>(in.size()));
          std::merge(a.begin() + in.a_begin, a.begin() + in.a_end, b.begin() + in.b_begin,
                     b.begin() + in.b_end, merged.begin());
          REQUIRE(std::equal(merged.begin() + window.skipped,
                             merged.begin() + window.skipped + window.count,
                             expected.begin() + k0));
        }
      }
    }
  }
}

TEST_CASE("windows hold the elements of their parts for all bounds") {
  for (int m = 0; m <= 5; ++m) {
    for (int n = 0; n <= 4; ++n) {
      for (unsigned choice = 0; choice < 1u << (m + n);
           ++choice) {  // bit i: whether key i is larger
        std::vector<int> a;
        std::vector<int> b;
        int key = 0;
        for (int i = 0; i < m + n; ++i) {
          key += static_cast<int>(choice >> i & 1);
          // Keys alternate between the inputs until one input is full.
          const bool first =
              static_cast<int>(a.size()) < m && (i % 2 == 0 || static_cast<int>(b.size()) == n);
          (first ? a : b).push_back(key);
        }
        check_parts(a, b);
      }
    }
  }
}

TEST_CASE("windows lie within the inputs even if bounds contradict each other") {
  std::mt19937 random(oracle::seed());
  INFO("seed ", oracle::seed());
  const auto below = [&](std::int64_t bound) {
    return static_cast<std::int64_t>(random() % static_cast<unsigned>(bound));
  };
  const auto some_bounds = [&](co_rank_bounds possible) {
    co_rank_bounds bounds{possible.low + below(possible.range() + 1),
                          possible.low + below(possible.range() + 1)};
    if (bounds.low > bounds.high) std::swap(bounds.low, bounds.high);
    return bounds;
  };
  for (int round = 0; round < 200000; ++round) {
    const std::int64_t m = below(12);
    const std::int64_t n = below(12);
    std::int64_t k0 = below(m + n + 1);
    std::int64_t k1 = below(m + n + 1);
    if (k0 > k1) std::swap(k0, k1);
    const co_rank_bounds begin = some_bounds(possible_co_ranks(k0, m, n));
    const co_rank_bounds end = some_bounds(possible_co_ranks(k1, m, n));
    const merge_window window = make_merge_window(k0, begin, k1, end);
    REQUIRE(is_valid(window, m, n));
    REQUIRE(window.count == k1 - k0);
    REQUIRE(window.out_begin() == k0);
    REQUIRE(window.inputs.size() <= k1 - k0 + begin.range() + end.range());
  }
}

TEST_CASE("windows near 2^62 are shifted windows near 0") {
  constexpr std::int64_t base = (std::int64_t{1} << 62) - 64;
  std::mt19937 random(oracle::seed());
  INFO("seed ", oracle::seed());
  const auto below = [&](std::int64_t bound) {
    return static_cast<std::int64_t>(random() % static_cast<unsigned>(bound));
  };
  const auto shifted = [](co_rank_bounds bounds) {
    return co_rank_bounds{bounds.low + base, bounds.high + base};
  };
  for (int round = 0; round < 20000; ++round) {
    const std::int64_t m = below(12) + 1;
    const std::int64_t n = below(12) + 1;
    std::int64_t k[] = {below(m + n + 1), below(m + n + 1)};
    if (k[0] > k[1]) std::swap(k[0], k[1]);
    co_rank_bounds ends[2];
    for (int e = 0; e < 2; ++e) {
      const co_rank_bounds possible = possible_co_ranks(k[e], m, n);
      // `base` more elements lie before these in each input, so either could supply all outputs.
      const co_rank_bounds far = possible_co_ranks(k[e] + 2 * base, m + base, n + base);
      REQUIRE(far.low == base + k[e] - n);
      REQUIRE(far.high == base + m);
      ends[e].low = possible.low + below(possible.range() + 1);
      ends[e].high = ends[e].low + below(possible.high - ends[e].low + 1);
    }
    const merge_window near = make_merge_window(k[0], ends[0], k[1], ends[1]);
    const merge_window far =
        make_merge_window(k[0] + 2 * base, shifted(ends[0]), k[1] + 2 * base, shifted(ends[1]));
    REQUIRE(far.skipped == near.skipped);
    REQUIRE(far.count == near.count);
    REQUIRE(far.out_begin() == near.out_begin() + 2 * base);
    REQUIRE(far.inputs.a_begin == near.inputs.a_begin + base);
    REQUIRE(far.inputs.a_end == near.inputs.a_end + base);
    REQUIRE(far.inputs.b_begin == near.inputs.b_begin + base);
    REQUIRE(far.inputs.b_end == near.inputs.b_end + base);
  }
}

}  // namespace
