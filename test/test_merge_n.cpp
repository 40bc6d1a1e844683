// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// merge_n under host policies: the first n outputs of the whole merge, and nothing after them.
#include "host_policies.h"
#include "oracle.h"

#include <cmerge/merge_n.h>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/system_error.h>

#include <array>
#include <limits>
#include <string>

namespace {

using oracle::for_each_host_system;
using oracle::shape;
using oracle::tagged;

/// Counts from 0 to more than `total`.
std::vector<std::size_t> counts_of(std::size_t total) {
  std::vector<std::size_t> counts{0, 1, total / 3, total / 2, total, total + 1, total + 1000};
  if (total > 0) counts.push_back(total - 1);
  return counts;
}

TEST_CASE("the first outputs: all shapes and sizes") {
  for (const shape s : oracle::all_shapes) {
    for (const auto& size : oracle::host_sizes) {
      INFO("shape ", oracle::name(s), ", seed ", oracle::seed(), ", m ", size.first, ", n ",
           size.second);
      const auto in = oracle::make_inputs(s, size.first, size.second);
      const auto all = oracle::merged(in.a, in.b, oracle::by_key{});
      for_each_host_system([&](const auto& policy) {
        for (const std::size_t count : counts_of(all.size())) {
          CAPTURE(count);
          const std::size_t made = std::min(count, all.size());
          oracle::guarded<tagged> out(made);
          CHECK(cmerge::merge_n(policy, in.a.begin(), in.a.end(), in.b.begin(), in.b.end(),
                                static_cast<std::int64_t>(count), out.data(),
                                oracle::by_key{}) == out.end());
          const std::vector<tagged> expected(all.begin(),
                                             all.begin() + static_cast<std::ptrdiff_t>(made));
          REQUIRE(oracle::first_difference(out.data(), expected) == made);
          REQUIRE(out.is_intact());
        }
      });
    }
  }
}

TEST_CASE("values go with their keys") {
  const auto in = oracle::make_inputs(shape::few, 30000, 20000);
  const auto all = oracle::merged(in.a, in.b, oracle::by_key{});
  std::vector<std::string> values1;
  std::vector<std::string> values2;
  for (const tagged& x : in.a) values1.push_back(std::to_string(x.tag));
  for (const tagged& x : in.b) values2.push_back(std::to_string(x.tag));
  for_each_host_system([&](const auto& policy) {
    for (const std::size_t count : counts_of(all.size())) {
      const std::size_t made = std::min(count, all.size());
      std::vector<tagged> keys(made);
      std::vector<std::string> values(made);
      const auto ends =
          cmerge::merge_by_key_n(policy, in.a.begin(), in.a.end(), in.b.begin(), in.b.end(),
                                 values1.begin(), values2.begin(), static_cast<std::int64_t>(count),
                                 keys.begin(), values.begin(), oracle::by_key{});
      CHECK(ends.first == keys.end());
      CHECK(ends.second == values.end());
      for (std::size_t k = 0; k < made; ++k) {
        REQUIRE(oracle::is_same(keys[k], all[k]));
        REQUIRE(values[k] == std::to_string(all[k].tag));
      }
    }
  });
}

TEST_CASE("no policy: the iterators select the system") {
  const std::vector<int> a{1, 4, 6};
  const std::vector<int> b{2, 3, 9};
  std::array<int, 4> out{};
  CHECK(cmerge::merge_n(a.begin(), a.end(), b.begin(), b.end(), 4, out.begin()) == out.end());
  CHECK(out == std::array<int, 4>{1, 2, 3, 4});
  std::array<int, 2> values{};
  const auto ends = cmerge::merge_by_key_n(a.begin(), a.end(), b.begin(), b.end(), b.begin(),
                                           a.begin(), 2, out.begin(), values.begin());
  CHECK(ends.second == values.end());
  CHECK(values == std::array<int, 2>{2, 1});
}

TEST_CASE("ranges with more than 2^63 - 1 elements together") {
  const std::int64_t max = std::numeric_limits<std::int64_t>::max();
  const thrust::counting_iterator<std::int64_t> first(0);
  const auto last = first + max;
  for_each_host_system([&](const auto& policy) {
    for (const std::int64_t count : {10, 100000}) {
      std::vector<std::int64_t> out(static_cast<std::size_t>(count));
      CHECK(cmerge::merge_n(policy, first, last, first, last, count, out.begin()) == out.end());
      for (std::size_t k = 0; k < out.size(); ++k) {
        REQUIRE(out[k] == static_cast<std::int64_t>(k / 2));
      }
    }
    const auto discarded = thrust::make_discard_iterator();
    CHECK_THROWS_WITH_AS(cmerge::merge_n(policy, first, last, first, last, max, discarded),
                         "cmerge::merge_n: more outputs than 63 bits can count: Invalid argument",
                         thrust::system_error);
  });
}

TEST_CASE("comparisons are limited by the number of outputs") {
  const auto in = oracle::make_inputs(shape::random, 100000, 100000);
  std::size_t comparisons = 0;
  std::vector<tagged> out(100);
  cmerge::merge_n(thrust::seq, in.a.begin(), in.a.end(), in.b.begin(), in.b.end(), 100, out.begin(),
                  [&](const tagged& x, const tagged& y) {
                    ++comparisons;
                    return x.key < y.key;
                  });
  CHECK(comparisons <= 100 + 8);  // 8 for the search among the first 100
}

}  // namespace
