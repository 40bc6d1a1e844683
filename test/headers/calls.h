// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instantiates every call with some types. Compiled only, never run: including a header alone does
// not check its templates.
#pragma once

#include <cmerge/cmerge.h>

#include <cstddef>
#include <cstdint>

namespace calls {

namespace thrust = THRUST_NS_QUALIFIER;  // may be in another namespace

/// A struct that is copied as bytes.
struct bytes_3 {
  unsigned char bytes[3];
  CMERGE_HOST_DEVICE bool operator<(const bytes_3& other) const {
    return bytes[0] < other.bytes[0];
  }
};

/// A struct that is held as a word.
struct words_2 {
  std::uint32_t high;
  std::uint32_t low;
  CMERGE_HOST_DEVICE bool operator<(const words_2& other) const { return high < other.high; }
};

/// A key that cannot be copied to shared memory.
struct with_destructor {
  int number;
  CMERGE_HOST_DEVICE with_destructor(int value) : number(value) {}
  CMERGE_HOST_DEVICE ~with_destructor() {}
  CMERGE_HOST_DEVICE with_destructor(const with_destructor& other) : number(other.number) {}
  CMERGE_HOST_DEVICE with_destructor& operator=(const with_destructor& other) {
    number = other.number;
    return *this;
  }
  CMERGE_HOST_DEVICE bool operator<(const with_destructor& other) const {
    return number < other.number;
  }
};

/// Descending.
struct after {
  template <class T>
  CMERGE_HOST_DEVICE bool operator()(const T& a, const T& b) const {
    return b < a;
  }
};

/// Instantiates all calls with a policy for these iterators.
template <class Policy, class Keys, class Values, class KeysOut, class ValuesOut, class... Compare>
void merge_with(const Policy& policy, Keys keys, Values values, KeysOut keys_out,
                ValuesOut values_out, Compare... comp) {
  std::uint32_t* const words_32 = nullptr;
  std::uint64_t* const words_64 = nullptr;
  cmerge::merge(policy, keys, keys, keys, keys, keys_out, comp...);
  cmerge::merge_n(policy, keys, keys, keys, keys, 0, keys_out, comp...);
  cmerge::merge_by_key(policy, keys, keys, keys, keys, values, values, keys_out, values_out,
                       comp...);
  cmerge::merge_by_key_n(policy, keys, keys, keys, keys, values, values, 0, keys_out, values_out,
                         comp...);
  cmerge::merge_indices(policy, keys, keys, keys, keys, words_32, comp...);
  cmerge::merge_indices(policy, keys, keys, keys, keys, words_64, comp...);
}

template <class Key, class Value, class Policy, class... Compare>
void merge_pointers(const Policy& policy, Compare... comp) {
  const Key* const keys = nullptr;
  const Value* const values = nullptr;
  calls::merge_with(policy, keys, values, static_cast<Key*>(nullptr), static_cast<Value*>(nullptr),
                    comp...);
}

}  // namespace calls
