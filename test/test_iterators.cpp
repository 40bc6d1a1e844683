// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Input iterators under host policies: generated, adapted, zipped, moving, and with short
// distances.
#include "host_policies.h"
#include "oracle.h"

#include <cmerge/merge.h>
#include <cmerge/merge_n.h>

#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

#include <deque>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

namespace {

using oracle::for_each_host_system;
using oracle::shape;
using oracle::tagged;

// Large enough for several sections and blocks of the host merge.
constexpr int size = 50000;

/// `0, factor, 2 * factor, ...`
std::vector<int> multiples(int factor) {
  std::vector<int> v(size);
  for (int i = 0; i < size; ++i) v[static_cast<std::size_t>(i)] = i * factor;
  return v;
}

struct doubled {
  int operator()(int x) const { return 2 * x; }
};

/// Compares the first components of zipped elements.
struct by_first {
  template <class Left, class Right>
  bool operator()(const Left& left, const Right& right) const {
    return thrust::get<0>(left) < thrust::get<0>(right);
  }
};

TEST_CASE(
    "each range may have another kind of iterator: counting, transform, reverse, permutation") {
  const auto twos = multiples(2);
  const auto expected = oracle::merged(twos, multiples(1), std::less<int>{});
  std::vector<int> backward(twos.rbegin(), twos.rend());
  std::vector<int> positions(size);
  std::iota(positions.rbegin(), positions.rend(), 0);
  const thrust::counting_iterator<int> counting(0);
  for_each_host_system([&](const auto& policy) {
    std::vector<int> out(2 * size);
    const auto check = [&](auto first1) {
      std::fill(out.begin(), out.end(), -1);
      REQUIRE(cmerge::merge(policy, first1, first1 + size, counting, counting + size,
                            out.begin()) == out.end());
      REQUIRE(out == expected);
    };
    check(thrust::make_transform_iterator(counting, doubled{}));
    check(thrust::make_reverse_iterator(backward.cend()));
    check(thrust::make_permutation_iterator(backward.cbegin(), positions.cbegin()));
    check(twos.cbegin());
    check(twos.data());
  });
}

TEST_CASE("a deque, a constant iterator and a discarded output") {
  const auto ones = multiples(1);
  const std::deque<int> deque(ones.begin(), ones.end());
  for_each_host_system([&](const auto& policy) {
    std::deque<int> out(size + 10);
    const thrust::constant_iterator<int> seven(7);
    cmerge::merge(policy, deque.begin(), deque.end(), seven, seven + 10, out.begin());
    REQUIRE(std::is_sorted(out.begin(), out.end()));
    REQUIRE(std::count(out.begin(), out.end(), 7) == 11);
    const auto discarded = thrust::make_discard_iterator();
    REQUIRE(cmerge::merge(policy, deque.begin(), deque.end(), seven, seven + 10, discarded) ==
            discarded + (size + 10));
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
  for_each_host_system([&](const auto& policy) {
    std::vector<int> keys(expected.size());
    std::vector<unsigned> tags(expected.size());
    cmerge::merge(policy, first1, first1 + size, first2, first2 + size / 2,
                  thrust::make_zip_iterator(thrust::make_tuple(keys.begin(), tags.begin())),
                  by_first{});
    for (std::size_t k = 0; k < expected.size(); ++k) {
      REQUIRE(keys[k] == expected[k].key);
      REQUIRE(tags[k] == expected[k].tag);
    }
  });
}

/// Strings too long for the small-string buffer, so that a moved-from string is empty.
std::vector<std::string> heap_strings(int factor) {
  std::vector<std::string> strings(40000);
  for (std::size_t i = 0; i < strings.size(); ++i) {
    const std::string number = std::to_string(static_cast<std::int64_t>(i) * factor % 1000003);
    strings[i] = std::string(40 - number.size(), '0') + number;
  }
  std::sort(strings.begin(), strings.end());
  return strings;
}

TEST_CASE("move iterators: each element is compared only before its move, and moved once") {
  const std::vector<std::string> a = heap_strings(7919);
  const std::vector<std::string> b = heap_strings(104729);
  const auto expected = oracle::merged(a, b, std::less<std::string>{});
  const auto check = [&](const auto& policy, auto comp) {
    std::vector<std::string> from1 = a;
    std::vector<std::string> from2 = b;
    std::vector<std::string> out(expected.size());
    const auto first1 = std::make_move_iterator(from1.begin());
    const auto first2 = std::make_move_iterator(from2.begin());
    cmerge::merge(policy, first1, first1 + 40000, first2, first2 + 40000, out.begin(), comp);
    REQUIRE(out == expected);
    REQUIRE(std::all_of(from1.begin(), from1.end(), [](const auto& s) { return s.empty(); }));
  };
  // This comparator takes its arguments by value: it must receive lvalues, or it would move them.
  const auto by_value = [](std::string x, std::string y) { return x < y; };
  for_each_host_system([&](const auto& policy) {
    check(policy, std::less<std::string>{});
    check(policy, by_value);
  });
}

TEST_CASE("move iterators: move-only types as keys and as values") {
  using owner = std::unique_ptr<int>;
  const auto by_target = [](const owner& x, const owner& y) { return *x < *y; };
  const auto owners = [](const std::vector<int>& from) {
    std::vector<owner> made;
    for (const int x : from) made.push_back(std::make_unique<int>(x));
    return made;
  };
  const std::vector<int> a = multiples(2);
  const std::vector<int> b = multiples(3);
  const auto expected = oracle::merged(a, b, std::less<int>{});
  for_each_host_system([&](const auto& policy) {
    std::vector<owner> from1 = owners(a);
    std::vector<owner> from2 = owners(b);
    std::vector<owner> out(expected.size());
    const auto first1 = std::make_move_iterator(from1.begin());
    const auto first2 = std::make_move_iterator(from2.begin());
    cmerge::merge(policy, first1, first1 + size, first2, first2 + size, out.begin(), by_target);
    for (std::size_t k = 0; k < out.size(); ++k) REQUIRE(*out[k] == expected[k]);

    from1 = owners(a);
    from2 = owners(b);
    std::vector<int> keys(expected.size());
    cmerge::merge_by_key(policy, a.begin(), a.end(), b.begin(), b.end(),
                         std::make_move_iterator(from1.begin()),
                         std::make_move_iterator(from2.begin()), keys.begin(), out.begin());
    for (std::size_t k = 0; k < out.size(); ++k) REQUIRE(*out[k] == expected[k]);

    from1 = owners(a);
    from2 = owners(b);
    const std::int64_t some = size + 1;
    std::vector<owner> first_outputs(static_cast<std::size_t>(some));
    cmerge::merge_n(policy, std::make_move_iterator(from1.begin()),
                    std::make_move_iterator(from1.end()), std::make_move_iterator(from2.begin()),
                    std::make_move_iterator(from2.end()), some, first_outputs.begin(), by_target);
    for (std::size_t k = 0; k < first_outputs.size(); ++k) {
      REQUIRE(*first_outputs[k] == expected[k]);
    }
    // Elements that are not among these outputs keep their values.
    const auto left = [](const auto& from) {
      return std::count_if(from.begin(), from.end(), [](const owner& o) { return o != nullptr; });
    };
    REQUIRE(left(from1) + left(from2) == 2 * size - some);
  });
}

/// An iterator over `0, 1, 2, ...` with a 32-bit difference type.
struct narrow_iterator {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = int;
  using difference_type = int;
  using pointer = const int*;
  using reference = int;
  int position;
  int operator*() const { return position; }
  int operator[](std::ptrdiff_t i) const { return position + static_cast<int>(i); }
  narrow_iterator operator+(std::ptrdiff_t i) const { return {position + static_cast<int>(i)}; }
  int operator-(narrow_iterator other) const { return position - other.position; }
};

TEST_CASE("more than 2^31 outputs from iterators with 32-bit distances") {
  // The output stores nothing. It checks each assigned value.
  struct checking_output {
    std::int64_t position;
    std::int64_t* wrong;
    struct slot {
      std::int64_t k;
      std::int64_t* wrong;
      const slot& operator=(int key) const {
        if (key != static_cast<int>(k / 2)) ++*wrong;
        return *this;
      }
    };
    slot operator*() const { return {position, wrong}; }
    checking_output operator+(std::int64_t i) const { return {position + i, wrong}; }
  };
  const int half = std::numeric_limits<int>::max();
  std::int64_t wrong = 0;
#if defined(__SANITIZE_ADDRESS__)
  const int start = half - 100000;  // the whole range takes minutes under a sanitizer
#else
  const int start = 0;
#endif
  const narrow_iterator first{start};
  const narrow_iterator last{half};
  const auto end = cmerge::merge(thrust::seq, first, last, first, last,
                                 checking_output{2 * std::int64_t{start}, &wrong});
  CHECK(end.position == 2 * std::int64_t{half});
  CHECK(wrong == 0);
}

}  // namespace
