// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reference of every test, on host and GPU: keys tagged with their source, input shapes,
// std::merge and guard bytes. Includes cmerge/config.h, the standard library and doctest only.
#pragma once

#include <cmerge/config.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

namespace oracle {

/// The seed of all random inputs. CMERGE_TEST_SEED overrides it. Failing tests print it.
inline unsigned seed() {
  static const unsigned value = [] {
    const char* text = std::getenv("CMERGE_TEST_SEED");
    return text != nullptr ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : 20260u;
  }();
  return value;
}

/// Whether to run only a sample of the cases, as under compute-sanitizer (CMERGE_TEST_QUICK=1).
inline bool quick() {
  static const bool value = std::getenv("CMERGE_TEST_QUICK") != nullptr;
  return value;
}

// ---- provenance -------------------------------------------------------------------------------

/// The top bit of a tag: set for elements of input 2. The other bits are the index in the input.
constexpr unsigned second_input = 1u << 31;

/// A key of `Bytes` bytes, tagged with its source. Comparators use only `key`.
template <int Bytes>
struct record {
  int key;
  unsigned tag;
  unsigned padding[(Bytes - 8) / 4];
};
template <>
struct record<8> {
  int key;
  unsigned tag;
};
using tagged = record<8>;

template <int Bytes>
CMERGE_HOST_DEVICE constexpr record<Bytes> make_record(int key, unsigned tag) {
  record<Bytes> r{};
  r.key = key;
  r.tag = tag;
  if constexpr (Bytes > 8) {
    for (int i = 0; i < (Bytes - 8) / 4; ++i) r.padding[i] = tag * 7u + static_cast<unsigned>(i);
  }
  return r;
}

/// Whether two elements are equal bit by bit.
template <class T>
bool is_same(const T& left, const T& right) {
  return std::memcmp(static_cast<const void*>(&left), static_cast<const void*>(&right),
                     sizeof(T)) == 0;
}

/// Compares tagged keys. They have no `operator<`, so a call without a comparator does not compile.
struct by_key {
  template <class Left, class Right>
  CMERGE_HOST_DEVICE constexpr bool operator()(const Left& left, const Right& right) const {
    return left.key < right.key;
  }
};

/// Compares like `by_key`. Reports arguments that are no elements of the given ranges, or not
/// passed as `comp(element of input 2, element of input 1)`.
struct checked_by_key {
  unsigned a_begin;
  unsigned a_end;
  unsigned b_begin;
  unsigned b_end;
  unsigned* errors;  // set to 1; accessible where the comparator runs

  template <class Left, class Right>
  CMERGE_HOST_DEVICE bool operator()(const Left& b, const Right& a) const {
    const unsigned j = b.tag ^ second_input;
    if (a.tag < a_begin || a.tag >= a_end || j < b_begin || j >= b_end) *errors = 1;
    return b.key < a.key;
  }
};

// ---- input shapes -----------------------------------------------------------------------------

enum class shape {
  random,
  few,          ///< three distinct keys
  equal,        ///< one key
  disjoint,     ///< all of input 1 before all of input 2
  disjoint2,    ///< all of input 2 before all of input 1
  alternating,  ///< one element of each input in turn
  blocks,       ///< 64 elements of each input in turn
  skewed,       ///< most keys are small
};

inline constexpr shape all_shapes[] = {shape::random,   shape::few,       shape::equal,
                                       shape::disjoint, shape::disjoint2, shape::alternating,
                                       shape::blocks,   shape::skewed};

/// The name of a shape, for messages. A string, since doctest prints the address of a `const
/// char*`.
inline std::string name(shape s) {
  constexpr const char* names[] = {"random",    "few",         "equal",  "disjoint",
                                   "disjoint2", "alternating", "blocks", "skewed"};
  return names[static_cast<int>(s)];
}

struct key_pair {
  std::vector<std::int64_t> a;
  std::vector<std::int64_t> b;
};

/// Sorted keys of both inputs in [0, max_key].
inline key_pair make_keys(shape s, std::size_t m, std::size_t n, std::int64_t max_key,
                          unsigned salt = 0) {
  std::mt19937_64 random(seed() + 977 * static_cast<unsigned>(s) + salt);
  const auto total = static_cast<std::int64_t>(m + n) + 1;
  // Spreads ranks over [0, max_key]. Ranks share keys if there are more ranks than keys.
  const auto spread = [=](std::int64_t rank) {
    return total <= max_key
               ? rank
               : static_cast<std::int64_t>(static_cast<double>(rank) / static_cast<double>(total) *
                                           static_cast<double>(max_key));
  };
  const auto below = [&](std::int64_t end) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(end));
  };
  const auto key = [&](std::int64_t i, std::int64_t size, bool second) -> std::int64_t {
    switch (s) {
      case shape::random:
        return below(max_key + 1);
      case shape::few:
        return below(3) * (max_key / 3);
      case shape::equal:
        return max_key / 2;
      case shape::disjoint:
        return spread(second ? total - size + i : i);
      case shape::disjoint2:
        return spread(second ? i : total - size + i);
      case shape::alternating:
        return spread(std::min(total - 1, 2 * i + (second ? 1 : 0)));
      case shape::blocks:
        return spread(std::min(total - 1, i / 64 * 128 + (second ? 64 : 0) + i % 64));
      default: {
        const double u = static_cast<double>(below(1 << 30)) / (1 << 30);
        return static_cast<std::int64_t>(u * u * u * u * static_cast<double>(max_key));
      }
    }
  };
  key_pair keys;
  for (std::size_t i = 0; i < m; ++i) {
    keys.a.push_back(key(static_cast<std::int64_t>(i), static_cast<std::int64_t>(m), false));
  }
  for (std::size_t i = 0; i < n; ++i) {
    keys.b.push_back(key(static_cast<std::int64_t>(i), static_cast<std::int64_t>(n), true));
  }
  std::sort(keys.a.begin(), keys.a.end());
  std::sort(keys.b.begin(), keys.b.end());
  return keys;
}

template <class Key>
struct inputs {
  std::vector<Key> a;
  std::vector<Key> b;
};

/// Tagged keys of both inputs.
template <int Bytes = 8>
inputs<record<Bytes>> make_inputs(const key_pair& keys) {
  inputs<record<Bytes>> in;
  for (std::size_t i = 0; i < keys.a.size(); ++i) {
    in.a.push_back(make_record<Bytes>(static_cast<int>(keys.a[i]), static_cast<unsigned>(i)));
  }
  for (std::size_t j = 0; j < keys.b.size(); ++j) {
    in.b.push_back(
        make_record<Bytes>(static_cast<int>(keys.b[j]), static_cast<unsigned>(j) | second_input));
  }
  return in;
}

template <int Bytes = 8>
inputs<record<Bytes>> make_inputs(shape s, std::size_t m, std::size_t n, unsigned salt = 0) {
  return make_inputs<Bytes>(make_keys(s, m, n, 1 << 20, salt));
}

// ---- reference --------------------------------------------------------------------------------

/// The result of std::merge.
template <class T, class Compare>
std::vector<T> merged(const std::vector<T>& a, const std::vector<T>& b, Compare comp) {
  std::vector<T> out;
  out.reserve(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out), comp);
  return out;
}

/// The first index at which two sequences differ, or their size.
template <class T>
std::size_t first_difference(const T* left, const std::vector<T>& right) {
  std::size_t i = 0;
  while (i < right.size() && is_same(left[i], right[i])) ++i;
  return i;
}

/// All sorted sequences of at most `max_size` of the values 0, 1, 2.
inline std::vector<std::vector<int>> all_sorted(std::size_t max_size) {
  std::vector<std::vector<int>> all;
  for (std::size_t size = 0; size <= max_size; ++size) {
    for (std::size_t ones = 0; ones <= size; ++ones) {
      for (std::size_t twos = 0; ones + twos <= size; ++twos) {
        std::vector<int> v(size - ones - twos, 0);
        v.insert(v.end(), ones, 1);
        v.insert(v.end(), twos, 2);
        all.push_back(v);
      }
    }
  }
  return all;
}

/// Tags the keys of two plain sequences.
inline inputs<tagged> tag(const std::vector<int>& a, const std::vector<int>& b) {
  return make_inputs<8>({{a.begin(), a.end()}, {b.begin(), b.end()}});
}

// ---- guard bytes ------------------------------------------------------------------------------

inline constexpr unsigned char guard_byte = 0xa5;
inline constexpr std::size_t guard_size = 64;

inline bool is_guard(const unsigned char* first, const unsigned char* last) {
  return std::all_of(first, last, [](unsigned char c) { return c == guard_byte; });
}

/// Host memory for an output, between guard bytes.
template <class T>
class guarded {
  static_assert(std::is_trivially_copyable_v<T>, "guarded memory is not constructed");

 public:
  explicit guarded(std::size_t size)
      : size_(size), bytes_(guard_size * 2 + size * sizeof(T) + alignof(T), guard_byte) {
    void* start = bytes_.data() + guard_size;
    std::size_t space = size * sizeof(T) + alignof(T);
    data_ = static_cast<T*>(std::align(alignof(T), size * sizeof(T), start, space));
  }

  T* data() { return data_; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }

  bool is_intact() const {
    const auto* first = reinterpret_cast<const unsigned char*>(data_);
    const auto* last = reinterpret_cast<const unsigned char*>(data_ + size_);
    return is_guard(bytes_.data(), first) && is_guard(last, bytes_.data() + bytes_.size());
  }

 private:
  std::size_t size_;
  std::vector<unsigned char> bytes_;
  T* data_;
};

}  // namespace oracle
