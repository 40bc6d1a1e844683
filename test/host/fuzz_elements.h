// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements and comparators of random cases under host policies. Used by test_fuzz.cpp.
#pragma once

#include "oracle.h"

#include <thrust/tuple.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <type_traits>
#include <utility>

namespace host_fuzz {

using oracle::tagged;

// ---- elements ---------------------------------------------------------------------------------

/// No default constructor, no `operator<`.
struct bare {
  bare(int k, unsigned t) : key(k), tag(t) {}
  int key;
  unsigned tag;
};

/// The largest key that an element of type `T` can hold. Keys passed to `make` start at 0.
template <class T>
constexpr std::int64_t max_key = 1 << 20;
template <>
constexpr std::int64_t max_key<bool> = 1;
template <>
constexpr std::int64_t max_key<signed char> = 255;
template <>
constexpr std::int64_t max_key<short> = 32767;

/// The element with this key. Types with room for a tag also hold the tag of its source.
template <class T>
T make(std::int64_t key, unsigned tag) {
  if constexpr (std::is_same_v<T, std::string>) {
    char text[32];
    std::snprintf(text, sizeof(text), "%07d%08x", static_cast<int>(key), tag);
    return key % 2 == 0 ? text : std::string(text) + " with a tail that needs the heap";
  } else if constexpr (std::is_same_v<T, bare>) {
    return bare(static_cast<int>(key), tag);
  } else if constexpr (std::is_same_v<T, signed char>) {
    return static_cast<T>(key - 128);
  } else if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<T>(key);
  } else {
    return oracle::make_record<sizeof(T)>(static_cast<int>(key), tag);
  }
}

/// The value that belongs to the key with this tag.
template <class T>
T make_value(unsigned tag) {
  return make<T>(tag, tag);
}

template <class T>
bool is_equal(const T& left, const T& right) {
  if constexpr (std::is_trivially_copyable_v<T>) {
    return oracle::is_same(left, right);
  } else {
    return left == right;
  }
}

// ---- comparators ------------------------------------------------------------------------------

/// Records the comparisons of one call. The threads of the call share it.
struct observer {
  std::size_t m = 0;
  std::size_t n = 0;
  int divisor = 1;  // for `coarse`
  std::atomic<std::int64_t> comparisons{0};
  std::atomic<bool> has_error{false};
};

/// Stands for the default comparator `<`. Calls get no comparator argument.
struct by_default {
  static constexpr bool is_descending = false;
  explicit by_default(observer&) {}
  template <class Left, class Right>
  bool operator()(const Left& left, const Right& right) const {
    return left < right;
  }
};

struct descending {
  static constexpr bool is_descending = true;
  explicit descending(observer&) {}
  template <class Left, class Right>
  bool operator()(const Left& left, const Right& right) const {
    return left > right;
  }
};

template <class T, class = void>
constexpr bool has_key = false;
template <class T>
constexpr bool has_key<T, std::void_t<decltype(std::declval<const T&>().key)>> = true;

template <class T>
int key_of(const T& element) {
  if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<int>(element);
  } else if constexpr (std::is_same_v<T, std::string>) {
    return std::atoi(element.substr(0, 7).c_str());
  } else if constexpr (has_key<T>) {
    return element.key;
  } else {
    return thrust::get<0>(element);  // an element of a zip iterator
  }
}

struct by_member {
  static constexpr bool is_descending = false;
  explicit by_member(observer&) {}
  template <class Left, class Right>
  bool operator()(const Left& left, const Right& right) const {
    return key_of(left) < key_of(right);
  }
};

/// Has state that each call changes. Different keys with the same quotient are equivalent.
struct coarse {
  static constexpr bool is_descending = false;
  explicit coarse(observer& o) : divisor(o.divisor) {}
  template <class Left, class Right>
  bool operator()(const Left& left, const Right& right) {
    ++calls;
    return key_of(left) / divisor < key_of(right) / divisor;
  }
  int divisor;
  int calls = 0;
};

/// Counts comparisons. Reports arguments that are no elements of the inputs, or that are not passed
/// as `comp(element2, element1)`.
struct watching {
  static constexpr bool is_descending = false;
  explicit watching(observer& o) : seen(&o) {}
  template <class T>
  bool operator()(const T& b, const T& a) const {
    seen->comparisons.fetch_add(1, std::memory_order_relaxed);
    if (a.tag >= seen->m || (b.tag ^ oracle::second_input) >= seen->n) seen->has_error = true;
    return b.key < a.key;
  }
  observer* seen;
};

}  // namespace host_fuzz
