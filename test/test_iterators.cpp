// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Iterators, element types and comparators of all kinds, under host policies.
#include "host_policies.h"
#include "oracle.h"

#include <cmerge/merge.h>

#include <thrust/host_vector.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

#include <deque>
#include <functional>
#include <limits>
#include <numeric>
#include <string>

namespace {

using oracle::for_each_host_policy;
using oracle::shape;
using oracle::tagged;

// Enough for several sections and blocks.
constexpr int size = 50000;

std::vector<int> multiples(int factor) {
  std::vector<int> v(size);
  for (int i = 0; i < size; ++i) v[static_cast<std::size_t>(i)] = i * factor;
  return v;
}

struct doubled {
  int operator()(int x) const { return 2 * x; }
};
struct negated {
  int operator()(int x) const { return -x; }
};

TEST_CASE("counting, transform, reverse, permutation iterators, one kind for each range") {
  const auto twos = multiples(2);
  const auto expected = oracle::merged(twos, multiples(1), std::less<int>{});
  std::vector<int> backward(twos.rbegin(), twos.rend());
  std::vector<int> places(size);
  std::iota(places.rbegin(), places.rend(), 0);
  const thrust::counting_iterator<int> counting(0);
  for_each_host_policy([&](const auto& policy) {
    std::vector<int> out(2 * size);
    const auto check = [&](auto first1) {
      std::fill(out.begin(), out.end(), -1);
      REQUIRE(cmerge::merge(policy, first1, first1 + size, counting, counting + size,
                            out.begin()) == out.end());
      REQUIRE(out == expected);
    };
    check(thrust::make_transform_iterator(counting, doubled{}));
    check(thrust::make_reverse_iterator(backward.cend()));
    check(thrust::make_permutation_iterator(backward.cbegin(), places.cbegin()));
    check(twos.cbegin());
    check(twos.data());
  });
}

TEST_CASE("a deque, a constant iterator, an output that is thrown away") {
  const auto ones = multiples(1);
  const std::deque<int> deque(ones.begin(), ones.end());
  for_each_host_policy([&](const auto& policy) {
    std::deque<int> out(size + 10);
    const thrust::constant_iterator<int> seven(7);
    cmerge::merge(policy, deque.begin(), deque.end(), seven, seven + 10, out.begin());
    REQUIRE(std::is_sorted(out.begin(), out.end()));
    REQUIRE(std::count(out.begin(), out.end(), 7) == 11);
    const auto nowhere = thrust::make_discard_iterator();
    REQUIRE(cmerge::merge(policy, deque.begin(), deque.end(), seven, seven + 10, nowhere) ==
            nowhere + (size + 10));
  });
}

TEST_CASE("a transforming output is written, not read") {
  const auto ones = multiples(1);
  for_each_host_policy([&](const auto& policy) {
    std::vector<int> out(2 * size);
    const auto first = thrust::make_transform_output_iterator(out.begin(), negated{});
    cmerge::merge(policy, ones.begin(), ones.end(), ones.begin(), ones.end(), first);
    for (int k = 0; k < 2 * size; ++k) REQUIRE(out[static_cast<std::size_t>(k)] == -(k / 2));
  });
}

TEST_CASE("zipped keys") {
  const auto in = oracle::make_inputs(shape::few, size, size / 2);
  std::vector<int> keys1;
  std::vector<int> keys2;
  std::vector<unsigned> tags1;
  std::vector<unsigned> tags2;
  for (const tagged& x : in.a) keys1.push_back(x.key), tags1.push_back(x.tag);
  for (const tagged& x : in.b) keys2.push_back(x.key), tags2.push_back(x.tag);
  const auto expected = oracle::merged(in.a, in.b, oracle::by_key{});
  const auto first1 = thrust::make_zip_iterator(thrust::make_tuple(keys1.begin(), tags1.begin()));
  const auto first2 = thrust::make_zip_iterator(thrust::make_tuple(keys2.begin(), tags2.begin()));
  for_each_host_policy([&](const auto& policy) {
    std::vector<int> keys(expected.size());
    std::vector<unsigned> tags(expected.size());
    cmerge::merge(
        policy, first1, first1 + size, first2, first2 + size / 2,
        thrust::make_zip_iterator(thrust::make_tuple(keys.begin(), tags.begin())),
        [](const auto& x, const auto& y) { return thrust::get<0>(x) < thrust::get<0>(y); });
    for (std::size_t k = 0; k < expected.size(); ++k) {
      REQUIRE(keys[k] == expected[k].key);
      REQUIRE(tags[k] == expected[k].tag);
    }
  });
}

TEST_CASE("std::vector<bool>") {
  std::vector<bool> a(1000);
  std::vector<bool> b(500);
  std::fill(a.begin() + 300, a.end(), true);
  std::fill(b.begin() + 400, b.end(), true);
  std::vector<bool> out(1500);
  CHECK(cmerge::merge(thrust::seq, a.begin(), a.end(), b.begin(), b.end(), out.begin()) ==
        out.end());
  CHECK(std::is_sorted(out.begin(), out.end()));
  CHECK(std::count(out.begin(), out.end(), true) == 800);
}

TEST_CASE("strings") {
  std::vector<std::string> a;
  std::vector<std::string> b;
  for (int i = 0; i < 20000; ++i) {
    a.push_back(std::to_string(i * 7919 % 100003));
    b.push_back(std::to_string(i * 104729 % 100003) + " with a tail that needs the heap");
  }
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  const auto expected = oracle::merged(a, b, std::less<std::string>{});
  for_each_host_policy([&](const auto& policy) {
    std::vector<std::string> out(40000);
    cmerge::merge(policy, a.begin(), a.end(), b.begin(), b.end(), out.begin());
    REQUIRE(out == expected);
  });
}

/// No default constructor, no `operator<`, assignable only.
struct bare {
  explicit bare(int k) : key(k) {}
  bare(const bare&) = default;
  bare& operator=(const bare&) = default;
  bool operator<(const bare&) const = delete;
  int key;
};

TEST_CASE("a type without default constructor and without order") {
  std::vector<bare> a;
  std::vector<bare> b;
  for (int i = 0; i < size; ++i) a.emplace_back(i), b.emplace_back(i * 2);
  for_each_host_policy([&](const auto& policy) {
    std::vector<bare> out(2 * size, bare(-1));
    cmerge::merge(policy, a.begin(), a.end(), b.begin(), b.end(), out.begin(), oracle::by_key{});
    REQUIRE(std::is_sorted(out.begin(), out.end(), oracle::by_key{}));
    REQUIRE(out.back().key == 2 * size - 2);
  });
}

TEST_CASE("comparators: state, no const, function pointers, std::function") {
  const auto in = oracle::make_inputs(shape::few, size, size);
  const auto expected = oracle::merged(in.a, in.b, oracle::by_key{});
  struct stateful {
    int calls = 0;
    const int* sign;
    bool operator()(const tagged& y, const tagged& x) {
      ++calls;
      return *sign * y.key < *sign * x.key;
    }
  };
  const int sign = 1;
  for_each_host_policy([&](const auto& policy) {
    const auto check = [&](auto comp) {
      std::vector<tagged> out(2 * size);
      cmerge::merge(policy, in.a.begin(), in.a.end(), in.b.begin(), in.b.end(), out.begin(), comp);
      REQUIRE(oracle::first_difference(out.data(), expected) == expected.size());
    };
    check(stateful{0, &sign});
    check(+[](const tagged& y, const tagged& x) { return y.key < x.key; });
    check(std::function<bool(const tagged&, const tagged&)>(oracle::by_key{}));
    check([](tagged y, tagged x) { return y.key < x.key; });
    check([](const auto& y, const auto& x) { return y.key < x.key; });
  });
}

TEST_CASE("int and double: compared as they are, converted once") {
  // As int, 2.5 would be 2; as float, 16777217 would be 16777216.
  const std::vector<int> a{1, 2, 3, 16777217};
  const std::vector<double> b{1.5, 2.5, 16777216.5};
  const std::vector<double> expected{1, 1.5, 2, 2.5, 3, 16777216.5, 16777217};
  for_each_host_policy([&](const auto& policy) {
    std::vector<double> out(7);
    cmerge::merge(policy, a.begin(), a.end(), b.begin(), b.end(), out.begin());
    CHECK(out == expected);
    cmerge::merge(policy, b.begin(), b.end(), a.begin(), a.end(), out.begin());
    CHECK(out == expected);
  });
}

/// An iterator over `0, 1, 2, ...` whose distances have 32 bits.
struct narrow_iterator {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = int;
  using difference_type = int;
  using pointer = const int*;
  using reference = int;
  int at;
  int operator*() const { return at; }
  int operator[](std::ptrdiff_t i) const { return at + static_cast<int>(i); }
  narrow_iterator operator+(std::ptrdiff_t i) const { return {at + static_cast<int>(i)}; }
  int operator-(narrow_iterator other) const { return at - other.at; }
};

TEST_CASE("more than 2^31 outputs, from iterators whose distances have 32 bits") {
  // Nothing is stored: the output checks what it is given.
  struct checking_output {
    std::int64_t at;
    std::int64_t* wrong;
    struct place {
      std::int64_t k;
      std::int64_t* wrong;
      const place& operator=(int key) const {
        if (key != static_cast<int>(k / 2)) ++*wrong;
        return *this;
      }
    };
    place operator*() const { return {at, wrong}; }
    checking_output operator+(std::int64_t i) const { return {at + i, wrong}; }
  };
  const int half = std::numeric_limits<int>::max();
  std::int64_t wrong = 0;
#if defined(__SANITIZE_ADDRESS__)
  const int begin = half - 100000;  // the whole range takes too long under a sanitizer
#else
  const int begin = 0;
#endif
  const narrow_iterator first{begin};
  const narrow_iterator last{half};
  const auto end = cmerge::merge(thrust::seq, first, last, first, last,
                                 checking_output{2 * std::int64_t{begin}, &wrong});
  CHECK(end.at == 2 * std::int64_t{half});
  CHECK(wrong == 0);
}

}  // namespace
