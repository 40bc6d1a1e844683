// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element types of random merges.
#pragma once

#include "../oracle.h"

#include <thrust/tuple.h>

#include <cstdint>
#include <type_traits>

namespace fuzz {

struct alignas(16) wide {
  long long key;
  unsigned tag;
  unsigned zero;

  __host__ __device__ friend bool operator<(const wide& left, const wide& right) {
    return left.key < right.key;
  }
};

/// Nine bytes; no member but the first is aligned.
#pragma pack(push, 1)
struct packed {
  signed char zero;
  int key;
  unsigned tag;
};
#pragma pack(pop)
static_assert(sizeof(packed) == 9 && alignof(packed) == 1);

/// The greatest key that fits in a type.
template <class T>
inline constexpr std::int64_t greatest_key = sizeof(T) == 1   ? 0xff
                                             : sizeof(T) == 2 ? 0xffff
                                                              : 1 << 24;

/// An element for a key. It holds the tag too, if its type has room.
template <class T>
T make(std::int64_t key, unsigned tag) {
  constexpr std::int64_t zero = (greatest_key<T> + 1) / 2;  // so that there are negative keys
  if constexpr (std::is_same_v<T, unsigned>) {
    return tag;  // only used for values
  } else if constexpr (std::is_floating_point_v<T>) {
    const T x = static_cast<T>(key - zero) / 2;
    return x == 0 && tag % 2 != 0 ? -x : x;  // equal zeros that can be told apart
  } else if constexpr (std::is_integral_v<T>) {
    constexpr std::int64_t factor = sizeof(T) == 8 ? 0x100000001 : 1;
    return static_cast<T>((std::is_signed_v<T> ? key - zero : key) * factor);
  } else if constexpr (std::is_same_v<T, wide>) {
    return {(key - zero) * 0x100000001, tag, 0};
  } else if constexpr (std::is_same_v<T, packed>) {
    return {0, static_cast<int>(key - zero), tag};
  } else {
    return oracle::make_record<int{sizeof(T)}>(static_cast<int>(key - zero), tag);
  }
}

template <class T>
bool are_same(const T& left, const T& right) {
  return oracle::is_same(left, right);
}
/// Tuples can have padding.
template <class... T>
bool are_same(const thrust::tuple<T...>& left, const thrust::tuple<T...>& right) {
  return left == right;
}

}  // namespace fuzz
