// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A key that a thread holds while it merges, in a form that compilers keep in a register.
#pragma once

#include <cmerge/detail/core/element.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

/// The machine word of `Bytes` bytes, or void if there is none.
template <int Bytes>
struct word_of {
  using type = void;
};
template <>
struct word_of<2> {
  using type = std::uint16_t;
};
template <>
struct word_of<4> {
  using type = std::uint32_t;
};
template <>
struct word_of<8> {
  using type = std::uint64_t;
};
template <>
struct word_of<16> {
  struct type {
    std::uint64_t low;
    std::uint64_t high;
  };
};

/// Whether a key is held as a word, and aligned in buffers to its size. This is for trivial
/// structs. A compiler often selects one of two structs by address, and so keeps both in memory. It
/// does so above all if they contain an array.
template <class Key>
inline constexpr bool is_held_as_word = std::is_class_v<Key>&& std::is_trivially_copyable_v<Key> &&
                                        !std::is_void_v<typename word_of<sizeof(Key)>::type>;

/// A key in a register. This version is for any key.
template <class Key, bool AsWord = is_held_as_word<Key>>
struct register_key {
  Key key;

  CMERGE_EXEC_CHECK_DISABLE
  CMERGE_HOST_DEVICE static constexpr register_key load(const Key* place) { return {*place}; }
  CMERGE_HOST_DEVICE constexpr Key& get() { return key; }
};

/// A trivial struct, held as a word.
template <class Key>
struct register_key<Key, true> {
  using word = typename word_of<sizeof(Key)>::type;
  word bits;

  /// Precondition: in device code, `place` is aligned to the size of a key.
  CMERGE_HOST_DEVICE static register_key load(const Key* place) {
    register_key held;
#if defined(__CUDA_ARCH__)
    std::memcpy(&held.bits, __builtin_assume_aligned(place, sizeof(Key)), sizeof(Key));
#else
    std::memcpy(&held.bits, place, sizeof(Key));
#endif
    return held;
  }
  CMERGE_HOST_DEVICE Key get() const {
    element_array<Key, 1> copy;
    std::memcpy(static_cast<void*>(copy.items), &bits, sizeof(Key));
    return copy.items[0];
  }
};

}  // namespace detail
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
