// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// merge under host policies: results equal those of std::merge and thrust::merge.
#include "host_policies.h"
#include "oracle.h"

#include <cmerge/merge.h>

#include <thrust/host_vector.h>
#include <thrust/merge.h>

#include <atomic>
#include <functional>
#include <stdexcept>
#include <string>

namespace {

using oracle::for_each_host_policy;
using oracle::for_each_host_system;
using oracle::shape;
using oracle::tagged;

/// Sizes around every limit of the host merge: blocks, lanes, sections.
const std::pair<std::size_t, std::size_t> sizes[] = {
    {0, 0},     {0, 9},         {9, 0},         {1, 1},         {255, 1},       {128, 127},
    {128, 128}, {1000, 1000},   {32767, 1},     {16384, 16383}, {16384, 16384}, {20000, 30000},
    {65536, 7}, {65536, 65536}, {200000, 1500}, {1500, 200000}, {99999, 150001}};

/// Compares by key. Clears `is_inside` if an argument is no element of the input that it should
/// come from. The arguments may be elements or copies of them.
struct inside_order {
  const oracle::inputs<tagged>* in;
  std::atomic<bool>* is_inside;

  bool operator()(const tagged& y, const tagged& x) const {
    const unsigned j = y.tag ^ oracle::second_input;
    if (x.tag >= in->a.size() || j >= in->b.size() || in->a[x.tag].key != x.key ||
        in->b[j].key != y.key) {
      *is_inside = false;
    }
    return y.key < x.key;
  }
};

TEST_CASE("tagged keys: all policies, shapes and sizes") {
  for (const shape s : oracle::all_shapes) {
    for (const auto& size : sizes) {
      const auto in = oracle::make_inputs(s, size.first, size.second);
      const auto expected = oracle::merged(in.a, in.b, oracle::by_key{});
      INFO("shape ", oracle::name(s), ", m ", size.first, ", n ", size.second, ", seed ",
           oracle::seed());
      for_each_host_policy([&](const auto& policy) {
        oracle::guarded<tagged> out(expected.size());
        std::atomic<bool> is_inside{true};
        const tagged* const a = in.a.data();
        const tagged* const b = in.b.data();
        const tagged* const end = cmerge::merge(policy, a, a + size.first, b, b + size.second,
                                                out.data(), inside_order{&in, &is_inside});
        REQUIRE(end == out.end());
        REQUIRE(oracle::first_difference(out.data(), expected) == expected.size());
        REQUIRE(out.is_intact());
        REQUIRE(is_inside);
      });
    }
  }
}

TEST_CASE("all sizes up to 70") {
  const auto pool = oracle::make_inputs(shape::few, 70, 70);
  for (std::ptrdiff_t m = 0; m <= 70; ++m) {
    for (std::ptrdiff_t n = 0; n <= 70; ++n) {
      const std::vector<tagged> a(pool.a.begin() + (70 - m), pool.a.end());
      const std::vector<tagged> b(pool.b.begin(), pool.b.begin() + n);
      const auto expected = oracle::merged(a, b, oracle::by_key{});
      oracle::guarded<tagged> out(expected.size());
      cmerge::merge(thrust::seq, a.begin(), a.end(), b.begin(), b.end(), out.data(),
                    oracle::by_key{});
      REQUIRE(oracle::first_difference(out.data(), expected) == expected.size());
      REQUIRE(out.is_intact());
    }
  }
}

template <class T>
T convert(std::int64_t key) {
  return static_cast<T>(key);
}

TEST_CASE_TEMPLATE("arithmetic types: results equal those of std::merge and thrust::merge", T,
                   signed char, unsigned short, int, long long, float, double, long double) {
  for (const shape s : oracle::all_shapes) {
    const auto keys = oracle::make_keys(s, 30000, 20000, sizeof(T) == 1 ? 100 : 30000);
    std::vector<T> a(keys.a.size());
    std::vector<T> b(keys.b.size());
    std::transform(keys.a.begin(), keys.a.end(), a.begin(), convert<T>);
    std::transform(keys.b.begin(), keys.b.end(), b.begin(), convert<T>);
    const auto expected = oracle::merged(a, b, std::less<T>{});
    std::vector<T> theirs(50000);
    thrust::merge(thrust::seq, a.begin(), a.end(), b.begin(), b.end(), theirs.begin());
    REQUIRE(theirs == expected);
    for_each_host_system([&](const auto& policy) {
      std::vector<T> out(50000);
      REQUIRE(cmerge::merge(policy, a.begin(), a.end(), b.begin(), b.end(), out.begin()) ==
              out.end());
      REQUIRE(out == expected);
    });
  }
}

TEST_CASE("descending keys with std::greater") {
  for (const shape s : oracle::all_shapes) {
    const auto keys = oracle::make_keys(s, 30000, 20000, 30000);
    const std::vector<std::int64_t> a(keys.a.rbegin(), keys.a.rend());
    const std::vector<std::int64_t> b(keys.b.rbegin(), keys.b.rend());
    const auto expected = oracle::merged(a, b, std::greater<std::int64_t>{});
    for_each_host_system([&](const auto& policy) {
      std::vector<std::int64_t> out(50000);
      cmerge::merge(policy, a.begin(), a.end(), b.begin(), b.end(), out.begin(),
                    std::greater<std::int64_t>{});
      REQUIRE(out == expected);
    });
  }
}

TEST_CASE("no policy: the iterators select the system") {
  const auto in = oracle::make_inputs(shape::random, 30000, 40000);
  const auto expected = oracle::merged(in.a, in.b, oracle::by_key{});
  std::vector<tagged> out(70000);
  SUBCASE("std::vector") {
    CHECK(cmerge::merge(in.a.begin(), in.a.end(), in.b.begin(), in.b.end(), out.begin(),
                        oracle::by_key{}) == out.end());
  }
  SUBCASE("thrust::host_vector") {
    const thrust::host_vector<tagged> a(in.a.begin(), in.a.end());
    thrust::host_vector<tagged> b(in.b.begin(), in.b.end());
    CHECK(cmerge::merge(a.begin(), a.end(), b.begin(), b.end(), out.begin(), oracle::by_key{}) ==
          out.end());
  }
  CHECK(oracle::first_difference(out.data(), expected) == expected.size());
}

/// Throws at its call number 1000.
struct throwing_order {
  std::atomic<int>* calls;
  bool operator()(const tagged& y, const tagged& x) const {
    if (++*calls == 1000) throw std::domain_error("comparison failed");
    return y.key < x.key;
  }
};

TEST_CASE("an exception from the comparator reaches the caller") {
  const auto in = oracle::make_inputs(shape::random, 100000, 100000);
  for_each_host_policy([&](const auto& policy) {
    std::vector<tagged> out(200000);
    std::atomic<int> calls{0};
    CHECK_THROWS_AS(cmerge::merge(policy, in.a.begin(), in.a.end(), in.b.begin(), in.b.end(),
                                  out.begin(), throwing_order{&calls}),
                    std::domain_error);
  });
}

TEST_CASE("empty inputs and null pointers") {
  int* const none = nullptr;
  for_each_host_policy([&](const auto& policy) {
    CHECK(cmerge::merge(policy, none, none, none, none, none) == nullptr);
  });
}

}  // namespace
