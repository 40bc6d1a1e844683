// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranges of random cases under host policies: elements behind iterators of one kind each, and the
// guarded output. Used by test_fuzz.cpp.
#pragma once

#include "host/fuzz_elements.h"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

#include <cstddef>
#include <deque>
#include <type_traits>
#include <utility>
#include <vector>

namespace host_fuzz {

template <class T>
struct pointers {
  explicit pointers(std::vector<T> v) : held(std::move(v)) {}
  const T* begin() const { return held.data(); }
  T* begin() { return held.data(); }
  const std::vector<T>& elements() const { return held; }
  std::vector<T> held;
};

template <class T>
struct iterators {
  explicit iterators(std::vector<T> v) : held(std::move(v)) {}
  auto begin() const { return held.begin(); }
  auto begin() { return held.begin(); }
  const std::vector<T>& elements() const { return held; }
  std::vector<T> held;
};

template <class T>
struct deques {
  explicit deques(const std::vector<T>& v) : held(v.begin(), v.end()) {}
  auto begin() const { return held.begin(); }
  auto begin() { return held.begin(); }
  std::vector<T> elements() const { return {held.begin(), held.end()}; }
  std::deque<T> held;
};

template <class T>
struct reversed {
  explicit reversed(const std::vector<T>& v) : held(v.rbegin(), v.rend()) {}
  auto begin() const { return thrust::make_reverse_iterator(held.end()); }
  auto begin() { return thrust::make_reverse_iterator(held.end()); }
  std::vector<T> elements() const { return {held.rbegin(), held.rend()}; }
  std::vector<T> held;
};

/// Elements generated when read, from a counting iterator.
template <class T>
struct transformed {
  struct load {
    const T* held;
    T operator()(std::ptrdiff_t i) const { return held[i]; }
  };
  explicit transformed(std::vector<T> v) : held(std::move(v)) {}
  auto begin() const {
    return thrust::make_transform_iterator(thrust::counting_iterator<std::ptrdiff_t>(0),
                                           load{held.data()});
  }
  std::vector<T> held;
};

/// Tagged keys as zipped keys and tags.
template <class T>
struct zipped {
  static_assert(std::is_same_v<T, tagged>);
  explicit zipped(const std::vector<T>& v) {
    for (const T& x : v) keys.push_back(x.key), tags.push_back(x.tag);
  }
  auto begin() const {
    return thrust::make_zip_iterator(thrust::make_tuple(keys.begin(), tags.begin()));
  }
  auto begin() { return thrust::make_zip_iterator(thrust::make_tuple(keys.begin(), tags.begin())); }
  std::vector<T> elements() const {
    std::vector<T> v;
    for (std::size_t k = 0; k < keys.size(); ++k) v.push_back({keys[k], tags[k]});
    return v;
  }
  std::vector<int> keys;
  std::vector<unsigned> tags;
};

/// Room for `size` elements between guard elements that must keep their values.
template <template <class> class Range, class T>
class output {
 public:
  explicit output(std::size_t size) : range_(std::vector<T>(size + 2 * guards, guard())) {}

  auto begin() { return range_.begin() + guards; }

  /// Requires that the contents are `expected` and that the guard elements are unchanged.
  void require(const std::vector<T>& expected) const {
    const auto& all = range_.elements();
    std::size_t k = 0;
    while (k < expected.size() && is_equal<T>(all[guards + k], expected[k])) ++k;
    REQUIRE(k == expected.size());
    for (k = 0; k < guards; ++k) {
      REQUIRE(is_equal<T>(all[k], guard()));
      REQUIRE(is_equal<T>(all[all.size() - 1 - k], guard()));
    }
  }

 private:
  static constexpr std::ptrdiff_t guards = 3;
  static T guard() { return make<T>(1, ~0u); }
  Range<T> range_;
};

}  // namespace host_fuzz
