// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// merge_by_key under host policies.
#include "host_policies.h"
#include "oracle.h"

#include <cmerge/merge.h>

#include <thrust/merge.h>

#include <string>

namespace {

using oracle::for_each_host_policy;
using oracle::for_each_host_system;
using oracle::shape;
using oracle::tagged;

/// Keys as plain ints, and values whose tags name the source of each pair.
struct pairs {
  std::vector<int> keys1;
  std::vector<int> keys2;
  std::vector<tagged> values1;
  std::vector<tagged> values2;

  explicit pairs(const oracle::inputs<tagged>& in) : values1(in.a), values2(in.b) {
    for (const tagged& x : in.a) keys1.push_back(x.key);
    for (const tagged& x : in.b) keys2.push_back(x.key);
  }
};

/// Merges under one policy and compares with the result of std::merge on the values.
template <class Policy, class... Compare>
void check_pairs(const Policy& policy, const pairs& in, Compare... comp) {
  const auto expected = oracle::merged(in.values1, in.values2, oracle::by_key{});
  oracle::guarded<int> keys(expected.size());
  oracle::guarded<tagged> values(expected.size());
  const auto ends =
      cmerge::merge_by_key(policy, in.keys1.data(), in.keys1.data() + in.keys1.size(),
                           in.keys2.data(), in.keys2.data() + in.keys2.size(), in.values1.data(),
                           in.values2.data(), keys.data(), values.data(), comp...);
  REQUIRE(ends.first == keys.end());
  REQUIRE(ends.second == values.end());
  REQUIRE(oracle::first_difference(values.data(), expected) == expected.size());
  for (std::size_t k = 0; k < expected.size(); ++k) {
    if (keys.data()[k] != expected[k].key) FAIL("key ", k, " is wrong");
  }
  REQUIRE(keys.is_intact());
  REQUIRE(values.is_intact());
}

TEST_CASE("all sizes up to 70") {
  const auto pool = oracle::make_inputs(shape::few, 70, 70);
  for (std::ptrdiff_t m = 0; m <= 70; ++m) {
    for (std::ptrdiff_t n = 0; n <= 70; ++n) {
      const pairs in(
          {{pool.a.begin() + (70 - m), pool.a.end()}, {pool.b.begin(), pool.b.begin() + n}});
      for_each_host_system([&](const auto& policy) { check_pairs(policy, in); });
    }
  }
}

TEST_CASE("all policies, shapes, and sizes around the limits of blocks and sections") {
  for (const shape s : oracle::all_shapes) {
    INFO("shape ", oracle::name(s), ", seed ", oracle::seed());
    for (const auto& size : {std::pair<std::size_t, std::size_t>{128, 128},
                             {255, 513},
                             {16384, 16383},
                             {16384, 16384},
                             {70000, 3},
                             {100, 70000},
                             {65536, 65536},
                             {123456, 65432}}) {
      const pairs in(oracle::make_inputs(s, size.first, size.second));
      for_each_host_policy([&](const auto& policy) { check_pairs(policy, in); });
    }
  }
}

TEST_CASE("random sizes and shapes") {
  std::mt19937 random(oracle::seed());
  for (unsigned round = 0; round < 100; ++round) {
    const shape s = oracle::all_shapes[random() % 8];
    const std::size_t m = random() % 40000;
    const std::size_t n = random() % 40000;
    INFO("seed ", oracle::seed(), ", round ", round, ", m ", m, ", n ", n);
    const pairs in(oracle::make_inputs(s, m, n, round));
    for_each_host_system([&](const auto& policy) { check_pairs(policy, in); });
  }
}

TEST_CASE("with a comparator, results equal those of thrust::merge_by_key") {
  const std::vector<int> keys1{9, 7, 7, 1};
  const std::vector<int> keys2{8, 7, 1, 0};
  const std::vector<std::string> values1{"a0", "a1", "a2", "a3"};
  const std::vector<std::string> values2{"b0", "b1", "b2", "b3"};
  std::vector<int> their_keys(8);
  std::vector<std::string> their_values(8);
  thrust::merge_by_key(thrust::seq, keys1.begin(), keys1.end(), keys2.begin(), keys2.end(),
                       values1.begin(), values2.begin(), their_keys.begin(), their_values.begin(),
                       std::greater<int>{});
  for_each_host_system([&](const auto& policy) {
    std::vector<int> keys(8);
    std::vector<std::string> values(8);
    cmerge::merge_by_key(policy, keys1.begin(), keys1.end(), keys2.begin(), keys2.end(),
                         values1.begin(), values2.begin(), keys.begin(), values.begin(),
                         std::greater<int>{});
    CHECK(keys == std::vector<int>{9, 8, 7, 7, 7, 1, 1, 0});
    CHECK(values == std::vector<std::string>{"a0", "b0", "a1", "a2", "b1", "a3", "b2", "b3"});
    CHECK(keys == their_keys);
    CHECK(values == their_values);
  });
}

TEST_CASE("large values, and keys and values of different types") {
  const auto in = oracle::make_inputs<96>(shape::few, 20000, 20000);
  std::vector<short> keys1;
  std::vector<int> keys2;
  for (const auto& x : in.a) keys1.push_back(static_cast<short>(x.key >> 10));
  for (const auto& x : in.b) keys2.push_back(x.key >> 10);
  const auto expected = oracle::merged(in.a, in.b, oracle::by_key{});
  for_each_host_system([&](const auto& policy) {
    std::vector<double> keys(40000);
    std::vector<oracle::record<96>> values(40000);
    cmerge::merge_by_key(policy, keys1.begin(), keys1.end(), keys2.begin(), keys2.end(),
                         in.a.begin(), in.b.begin(), keys.begin(), values.begin());
    REQUIRE(oracle::first_difference(values.data(), expected) == expected.size());
    for (std::size_t k = 0; k < keys.size(); ++k) REQUIRE(keys[k] == expected[k].key >> 10);
  });
}

}  // namespace
