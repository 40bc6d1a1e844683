// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// co_rank: all small inputs, bounds under any comparator, the number of comparisons, and 64-bit
// indices.
#include "oracle.h"

#include <cmerge/co_rank.h>
#include <cmerge/detail/core/merge_problem.h>

namespace {

using oracle::tagged;

TEST_CASE("a worked example") {
  const int a[] = {1, 7, 8, 9, 10};
  const int b[] = {7, 10, 10, 12};
  const auto less = [](int x, int y) { return x < y; };
  CHECK(cmerge::co_rank(8, a, 5, b, 4, less) == 5);
  const int expected[] = {0, 1, 2, 2, 3, 4, 5, 5, 5, 5};
  for (int k = 0; k <= 9; ++k) CHECK(cmerge::co_rank(k, a, 5, b, 4, less) == expected[k]);
}

struct constexpr_less {
  constexpr bool operator()(int x, int y) const { return x < y; }
};
constexpr int primes[] = {2, 3, 5, 7};
constexpr int odds[] = {1, 3, 5};
static_assert(cmerge::co_rank(4, primes, 4, odds, 3, constexpr_less{}) == 2,
              "co_rank can be a constant expression");

/// The minimum number of halvings that reduce `range + 1` candidates to one.
int halvings(std::int64_t range) {
  int count = 0;
  while ((std::int64_t{1} << count) < range + 1) ++count;
  return count;
}

TEST_CASE("all pairs of sequences of up to 8 of the values 0, 1, 2, all ranks") {
  const auto all = oracle::all_sorted(8);
  for (const auto& keys1 : all) {
    for (const auto& keys2 : all) {
      const auto in = oracle::tag(keys1, keys2);
      const auto merged = oracle::merged(in.a, in.b, oracle::by_key{});
      const auto m = static_cast<std::int64_t>(in.a.size());
      const auto n = static_cast<std::int64_t>(in.b.size());
      std::int64_t expected = 0;
      for (std::int64_t k = 0; k <= m + n; ++k) {
        if (k > 0) expected += (merged[static_cast<std::size_t>(k - 1)].tag >> 31) == 0;
        int comparisons = 0;
        unsigned errors = 0;
        const oracle::checked_by_key checked{0, static_cast<unsigned>(m), 0,
                                             static_cast<unsigned>(n), &errors};
        const auto counting = [&](const tagged& b, const tagged& a) {
          ++comparisons;
          return checked(b, a);
        };
        const std::int64_t i = cmerge::co_rank(k, in.a.data(), m, in.b.data(), n, counting);
        if (i != expected || errors != 0 ||
            comparisons > halvings(std::min({k, m, n, m + n - k}))) {
          FAIL("m ", m, ", n ", n, ", k ", k, ": ", i, " instead of ", expected, " with ",
               comparisons, " comparisons");
        }
      }
    }
  }
}

TEST_CASE("results and parts stay within the inputs under an inconsistent comparator") {
  std::mt19937 random(oracle::seed());
  INFO("seed ", oracle::seed());
  for (int round = 0; round < 200000; ++round) {
    const std::int64_t m = random() % 12;
    const std::int64_t n = random() % 12;
    std::int64_t k[] = {static_cast<std::int64_t>(random() % static_cast<unsigned>(m + n + 1)),
                        static_cast<std::int64_t>(random() % static_cast<unsigned>(m + n + 1))};
    if (k[0] > k[1]) std::swap(k[0], k[1]);
    std::vector<int> a(static_cast<std::size_t>(m));
    std::vector<int> b(static_cast<std::size_t>(n));
    const int* const a_data = a.data();
    const int* const b_data = b.data();
    bool is_inside = true;
    const auto inconsistent = [&](const int& y, const int& x) {
      is_inside = is_inside && &x >= a_data && &x < a_data + m && &y >= b_data && &y < b_data + n;
      return random() % 2 == 0;
    };
    std::int64_t i[2];
    for (int end = 0; end < 2; ++end) {
      i[end] = cmerge::co_rank(k[end], a_data, m, b_data, n, inconsistent);
      REQUIRE(i[end] >= std::max<std::int64_t>(0, k[end] - n));
      REQUIRE(i[end] <= std::min(k[end], m));
    }
    REQUIRE(is_inside);
    const auto part = cmerge::detail::make_merge_range(k[0], i[0], k[1], i[1]);
    REQUIRE(part.size() == k[1] - k[0]);
    REQUIRE(part.out_begin() == k[0]);
    REQUIRE((0 <= part.a_begin && part.a_begin <= part.a_end && part.a_end <= m));
    REQUIRE((0 <= part.b_begin && part.b_begin <= part.b_end && part.b_end <= n));
  }
}

TEST_CASE("a merge range lies between its co-ranks") {
  const auto part = cmerge::detail::make_merge_range(3, 1, 8, 5);
  CHECK(part.a_begin == 1);
  CHECK(part.a_end == 5);
  CHECK(part.b_begin == 2);
  CHECK(part.b_end == 3);
}

/// A sorted sequence of any length without memory: element `i` is `i`.
struct numbers {
  std::int64_t size;
  bool* is_inside;
  std::int64_t operator[](std::int64_t i) const {
    if (i < 0 || i >= size) *is_inside = false;
    return i;
  }
};

TEST_CASE("sizes near 2^31, 2^32 and 2^62") {
  const std::int64_t max = (std::int64_t{1} << 62) - 1;
  std::vector<std::int64_t> sizes{3, max - 1, max};
  for (const int bits : {30, 31, 32, 33}) {
    for (std::int64_t d = -2; d <= 2; ++d) sizes.push_back((std::int64_t{1} << bits) + d);
  }
  const auto less = [](std::int64_t x, std::int64_t y) { return x < y; };
  for (const std::int64_t m : sizes) {
    for (const std::int64_t n : sizes) {
      CAPTURE(m);
      CAPTURE(n);
      bool is_inside = true;
      std::vector<std::int64_t> ranks{0, 1, m, n, m + n - 1, m + n};
      for (const std::int64_t size : sizes) {
        for (const std::int64_t k : {size - 1, size, size + 1}) {
          if (k <= m + n) ranks.push_back(k);
        }
      }
      for (const std::int64_t k : ranks) {
        // Outputs alternate between the inputs, starting with the first, until one input ends.
        const std::int64_t half = k / 2 + k % 2;
        const std::int64_t expected = k / 2 >= n ? k - n : std::min(half, m);
        const std::int64_t i =
            cmerge::co_rank(k, numbers{m, &is_inside}, m, numbers{n, &is_inside}, n, less);
        if (i != expected) FAIL("k ", k, ": ", i, " instead of ", expected);
      }
      REQUIRE(is_inside);
    }
  }
}

TEST_CASE("stability: an element of b is taken only if it is less") {
  const auto less = [](int x, int y) { return x < y; };
  CHECK_FALSE(cmerge::takes_b(1, 1, less));
  CHECK_FALSE(cmerge::takes_b(1, 2, less));
  CHECK(cmerge::takes_b(2, 1, less));
}

}  // namespace
