// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Outputs under host policies: packed bits, write-only outputs, and assignments that set a part.
#include "host_policies.h"
#include "oracle.h"

#include <cmerge/merge.h>

#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <mutex>
#include <set>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using oracle::for_each_host_system;

// Large enough for several sections and blocks of the host merge.
constexpr int size = 50000;

/// `0, factor, 2 * factor, ...`
std::vector<int> multiples(int factor) {
  std::vector<int> v(size);
  for (int i = 0; i < size; ++i) v[static_cast<std::size_t>(i)] = i * factor;
  return v;
}

struct identity {
  bool operator()(bool x) const { return x; }
};
struct negated {
  int operator()(int x) const { return -x; }
};

/// Compares the first components of zipped elements.
struct by_first {
  template <class Left, class Right>
  bool operator()(const Left& left, const Right& right) const {
    return thrust::get<0>(left) < thrust::get<0>(right);
  }
};

TEST_CASE("a transform output iterator is only written") {
  const auto ones = multiples(1);
  for_each_host_system([&](const auto& policy) {
    std::vector<int> out(2 * size);
    const auto first = thrust::make_transform_output_iterator(out.begin(), negated{});
    cmerge::merge(policy, ones.begin(), ones.end(), ones.begin(), ones.end(), first);
    for (int k = 0; k < 2 * size; ++k) REQUIRE(out[static_cast<std::size_t>(k)] == -(k / 2));
  });
}

/// `count` bits: `zeros` times false, then true.
std::vector<bool> sorted_bits(std::size_t count, std::size_t zeros) {
  std::vector<bool> bits(count, true);
  std::fill_n(bits.begin(), zeros, false);
  return bits;
}

TEST_CASE("std::vector<bool>") {
  const std::vector<bool> a = sorted_bits(1000, 300);
  const std::vector<bool> b = sorted_bits(500, 400);
  for_each_host_system([&](const auto& policy) {
    std::vector<bool> out(1500);
    CHECK(cmerge::merge(policy, a.begin(), a.end(), b.begin(), b.end(), out.begin()) == out.end());
    CHECK(out == sorted_bits(1500, 700));
  });
}

TEST_CASE("parallel policies write packed bits correctly") {
  // With odd sizes, sections begin inside words. All inputs are true and all outputs start as
  // false, so a lost write shows.
  const std::size_t m = 30011;
  const std::size_t n = 10007;
  const std::vector<bool> a(m, true);
  const std::vector<bool> b(n, true);
  const std::vector<bool> expected(m + n, true);
  const int rounds = 10;  // a race on a word shows in some rounds only
  for_each_host_system([&](const auto& policy) {
    for (int round = 0; round < rounds; ++round) {
      std::vector<bool> out(m + n);
      const auto merge_to = [&](auto first) {
        std::fill(out.begin(), out.end(), false);
        cmerge::merge(policy, a.begin(), a.end(), b.begin(), b.end(), first);
        REQUIRE(out == expected);
      };
      merge_to(out.begin());
      merge_to(std::make_reverse_iterator(out.end()));
      merge_to(thrust::make_transform_output_iterator(out.begin(), identity{}));
      // As values, and as a component of a zip iterator.
      std::vector<bool> keys(m + n);
      cmerge::merge_by_key(policy, a.begin(), a.end(), b.begin(), b.end(), a.begin(), b.begin(),
                           thrust::make_discard_iterator(), keys.begin());
      REQUIRE(keys == expected);
      std::vector<char> other(m + n);
      std::fill(keys.begin(), keys.end(), false);
      const auto first1 = thrust::make_zip_iterator(thrust::make_tuple(a.begin(), a.begin()));
      const auto first2 = thrust::make_zip_iterator(thrust::make_tuple(b.begin(), b.begin()));
      cmerge::merge(policy, first1, first1 + std::ptrdiff_t(m), first2, first2 + std::ptrdiff_t(n),
                    thrust::make_zip_iterator(thrust::make_tuple(other.begin(), keys.begin())),
                    by_first{});
      REQUIRE(keys == expected);
    }
  });
}

/// A user-defined output of bits. It records the threads that write to it.
struct counted_bits {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = bool;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  struct reference {
    std::mutex* mutex;
    std::set<std::thread::id>* writers;
    const reference& operator=(bool) const {
      const std::lock_guard<std::mutex> lock(*mutex);
      writers->insert(std::this_thread::get_id());
      return *this;
    }
  };
  std::mutex* mutex;
  std::set<std::thread::id>* writers;
  reference operator*() const { return {mutex, writers}; }
  counted_bits operator+(std::ptrdiff_t) const { return *this; }
};

TEST_CASE("one thread writes an output of bits") {
  const std::vector<bool> a(40000, true);
  for_each_host_system([&](const auto& policy) {
    std::mutex mutex;
    std::set<std::thread::id> writers;
    const counted_bits out{&mutex, &writers};
    cmerge::merge(policy, a.begin(), a.end(), a.begin(), a.end(), out);
    CHECK(writers.size() == 1);
    writers.clear();
    cmerge::merge_by_key(policy, a.begin(), a.end(), a.begin(), a.end(), a.begin(), a.begin(),
                         thrust::make_discard_iterator(), out);
    CHECK(writers.size() == 1);
  });
}

using cmerge::detail::writes_bits;
using bits = std::vector<bool>::iterator;
static_assert(writes_bits<bits>() && writes_bits<std::reverse_iterator<bits>>());
static_assert(writes_bits<thrust::zip_iterator<thrust::tuple<int*, bits>>>());
static_assert(!writes_bits<bool*>() && !writes_bits<thrust::discard_iterator<>>());
static_assert(!writes_bits<thrust::zip_iterator<thrust::tuple<int*, bool*>>>());

/// Trivially copyable, but assignment from an int, or from an element that is not const, sets only
/// the key. A template is never a copy assignment, so the type stays trivially copyable.
struct partly_set {
  int key = 0;
  int payload = 0;
  partly_set& operator=(int k) {
    key = k;
    return *this;
  }
  template <class Other, std::enable_if_t<std::is_same_v<Other, partly_set>, int> = 0>
  partly_set& operator=(Other& other) {
    key = other.key;
    return *this;
  }
};
static_assert(std::is_trivially_copyable_v<partly_set>);
static_assert(std::is_trivially_assignable_v<partly_set&, const partly_set&>);
static_assert(!std::is_trivially_assignable_v<partly_set&, partly_set&>);

TEST_CASE("an assignment that sets a part of an output keeps the rest") {
  const auto twos = multiples(2);
  // Not const: the reference type of its iterators selects the assignment that sets the key alone.
  std::vector<partly_set> in(size);
  for (int i = 0; i < size; ++i) in[static_cast<std::size_t>(i)].key = 2 * i;
  for_each_host_system([&](const auto& policy) {
    std::vector<partly_set> out(2 * size);
    const auto reset = [&] { std::fill(out.begin(), out.end(), partly_set{-1, 7}); };
    const auto check = [&] {
      for (std::size_t k = 0; k < out.size(); ++k) {
        REQUIRE(out[k].payload == 7);
        REQUIRE(out[k].key == static_cast<int>(k / 2) * 2);
      }
    };
    reset();
    cmerge::merge(policy, twos.begin(), twos.end(), twos.begin(), twos.end(), out.begin());
    check();
    // The same type on both sides, as values. Keys alone would go to std::merge, which is allowed
    // to copy trivially copyable elements as bytes and does so for the rest of one input.
    reset();
    std::vector<int> keys(out.size());
    cmerge::merge_by_key(policy, twos.begin(), twos.end(), twos.begin(), twos.end(), in.begin(),
                         in.begin(), keys.begin(), out.begin());
    check();
    // Keys of the same type to an output that is not contiguous, so that std::merge has no part.
    std::deque<partly_set> far(out.begin(), out.end());
    std::fill(far.begin(), far.end(), partly_set{-1, 7});
    cmerge::merge(policy, in.begin(), in.end(), in.begin(), in.end(), far.begin(),
                  oracle::by_key{});
    std::copy(std::as_const(far).begin(), std::as_const(far).end(), out.begin());
    check();
  });
}

}  // namespace
