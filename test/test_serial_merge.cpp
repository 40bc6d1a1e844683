// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// serial_merge: all small inputs, the number of comparisons, the result, and iterators.
#include "oracle.h"

#include <cmerge/serial_merge.h>

#include <array>
#include <functional>
#include <string>

namespace {

using oracle::tagged;

TEST_CASE("all pairs of sequences of up to 8 of the values 0, 1, 2") {
  const auto all = oracle::all_sorted(8);
  for (const auto& keys1 : all) {
    for (const auto& keys2 : all) {
      const auto in = oracle::tag(keys1, keys2);
      const auto m = static_cast<std::int64_t>(in.a.size());
      const auto n = static_cast<std::int64_t>(in.b.size());
      std::int64_t comparisons = 0;
      unsigned errors = 0;
      const oracle::checked_by_key checked{0, static_cast<unsigned>(m), 0, static_cast<unsigned>(n),
                                           &errors};
      const auto counting = [&](const tagged& b, const tagged& a) {
        ++comparisons;
        return checked(b, a);
      };
      oracle::guarded<tagged> out(in.a.size() + in.b.size());
      const tagged* const end =
          cmerge::serial_merge(in.a.data(), m, in.b.data(), n, out.data(), counting);
      const auto expected = oracle::merged(in.a, in.b, oracle::by_key{});
      REQUIRE(end == out.end());
      REQUIRE(oracle::first_difference(out.data(), expected) == expected.size());
      REQUIRE(out.is_intact());
      REQUIRE(errors == 0);
      REQUIRE(comparisons <= std::max<std::int64_t>(0, m + n - 1));
      if (m == 0 || n == 0) REQUIRE(comparisons == 0);
    }
  }
}

TEST_CASE("an inconsistent comparator: every element comes out exactly once") {
  std::mt19937 random(oracle::seed());
  INFO("seed ", oracle::seed());
  for (int round = 0; round < 20000; ++round) {
    const auto in = oracle::make_inputs(oracle::shape::random, random() % 20, random() % 20);
    oracle::guarded<tagged> out(in.a.size() + in.b.size());
    cmerge::serial_merge(in.a.data(), static_cast<std::int64_t>(in.a.size()), in.b.data(),
                         static_cast<std::int64_t>(in.b.size()), out.data(),
                         [&](const tagged&, const tagged&) { return random() % 2 == 0; });
    REQUIRE(out.is_intact());
    std::sort(out.begin(), out.end(),
              [](const tagged& x, const tagged& y) { return x.tag < y.tag; });
    std::vector<tagged> all = in.a;
    all.insert(all.end(), in.b.begin(), in.b.end());
    REQUIRE(oracle::first_difference(out.data(), all) == all.size());
  }
}

constexpr std::array<int, 5> merged_at_compile_time() {
  struct less {
    constexpr bool operator()(int x, int y) const { return x < y; }
  };
  const int a[] = {1, 4};
  const int b[] = {2, 3, 9};
  int out[5] = {};
  cmerge::serial_merge(a, 2, b, 3, out, less{});
  return {out[0], out[1], out[2], out[3], out[4]};
}
static_assert(merged_at_compile_time()[0] == 1 && merged_at_compile_time()[3] == 4,
              "serial_merge can be a constant expression");

TEST_CASE("strings and a stateful comparator that is not const") {
  struct descending {
    int* calls;
    bool operator()(const std::string& x, const std::string& y) {
      ++*calls;
      return x > y;
    }
  };
  const std::vector<std::string> a{"pear", "fig", "apple"};
  const std::vector<std::string> b{"plum", "lime"};
  std::vector<std::string> out(5);
  int calls = 0;
  CHECK(cmerge::serial_merge(a.begin(), 3, b.begin(), 2, out.begin(), descending{&calls}) ==
        out.end());
  CHECK(out == std::vector<std::string>{"plum", "pear", "lime", "fig", "apple"});
  CHECK(calls > 0);
  CHECK(calls <= 4);
}

TEST_CASE("parts of a problem make the whole merge") {
  const auto in = oracle::make_inputs(oracle::shape::few, 20, 30);
  std::vector<tagged> out(50);
  auto problem = cmerge::detail::keys_problem(in.a.data(), in.b.data(), out.data(),
                                              oracle::by_key{}, {20, 30, 50});
  for (std::int64_t k = 0; k < 50; k += 7) {
    const auto rank = [&](std::int64_t r) {
      return cmerge::co_rank<std::int64_t>(r, in.a.data(), 20, in.b.data(), 30, oracle::by_key{});
    };
    const std::int64_t end = std::min<std::int64_t>(50, k + 7);
    cmerge::detail::serial_merge(problem,
                                 cmerge::detail::make_merge_range(k, rank(k), end, rank(end)));
  }
  const auto expected = oracle::merged(in.a, in.b, oracle::by_key{});
  CHECK(oracle::first_difference(out.data(), expected) == 50);
}

}  // namespace
