// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves each element of a merged tile once, from its input to the output. Used by tile_merger.cuh
// for values, and for keys that do not pass through registers.
#pragma once

#include <cmerge/detail/core/element.h>
#include <cmerge/detail/block/group.cuh>

#include <cstdint>
#include <type_traits>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

/// Elements in shared memory. At least four more bytes are readable after the last one.
template <class T>
struct shared_array {
  T* data;
  __device__ T& operator[](unsigned i) const { return data[i]; }
};

/// The memory of an input, if the input is a pointer or a `shared_array`. `get` returns a pointer
/// to its first element.
template <class Input>
struct input_memory {
  using element = void;
  static constexpr bool is_shared = false;
};
template <class T>
struct input_memory<T*> {
  using element = std::remove_const_t<T>;
  static constexpr bool is_shared = false;
  __device__ static const element* get(const T* input) { return input; }
};
template <class T>
struct input_memory<shared_array<T>> {
  using element = std::remove_const_t<T>;
  static constexpr bool is_shared = true;
  __device__ static const element* get(shared_array<T> input) { return input.data; }
};

/// Whether all threads together move the elements as machine words. This is for trivial elements
/// that the compiler would not move as one word: they are larger than 16 bytes, the widest word, or
/// less aligned than a word.
template <class Output, class InputA, class InputB>
inline constexpr bool is_moved_as_words = false;
template <class T, class InputA, class InputB>
inline constexpr bool is_moved_as_words<T*, InputA, InputB> =
    std::conjunction_v<std::is_same<T, typename input_memory<InputA>::element>,
                       std::is_same<T, typename input_memory<InputB>::element>,
                       std::bool_constant<is_copied_as_bytes<T>>,
                       std::bool_constant<(sizeof(T) > 16 || alignof(T) < sizeof(T))>>;

/// Moves tiles. The source of each output is a number: `i` for element `i` of a, and `BSource + j`
/// for element `j` of b.
template <class Group, unsigned BSource>
class element_mover {
 public:
  /// For each `e < count`, assigns to `out[e]` the element whose source is `sources[e]`. All
  /// threads of the group call it. The outputs of a tile come from one range of each input, so the
  /// accesses of neighbouring threads mostly coalesce.
  template <class Output, class InputA, class InputB>
  __device__ static void move(Output out, InputA a, InputB b, const std::uint16_t* sources,
                              unsigned count) {
    if constexpr (is_moved_as_words<Output, InputA, InputB>) {
      move_memory<input_memory<InputA>::is_shared && input_memory<InputB>::is_shared>(
          out, input_memory<InputA>::get(a), input_memory<InputB>::get(b), sources, count);
    } else {
#pragma unroll 4
      for (unsigned e = Group::rank(); e < count; e += Group::size) {
        const unsigned source = sources[e];
        if (source < BSource) {
          *(out + e) = a[source];
        } else {
          *(out + e) = b[source - BSource];
        }
      }
    }
  }

 private:
  /// Moves elements in the widest words that divide their size and all three addresses.
  template <bool IsShared, class T>
  __device__ static void move_memory(T* out, const T* a, const T* b, const std::uint16_t* sources,
                                     unsigned count) {
    const std::uintptr_t addresses = reinterpret_cast<std::uintptr_t>(out) |
                                     reinterpret_cast<std::uintptr_t>(a) |
                                     reinterpret_cast<std::uintptr_t>(b);
    if (move_words<uint4>(addresses, out, a, b, sources, count)) return;
    if (move_words<std::uint64_t>(addresses, out, a, b, sources, count)) return;
    if (move_words<std::uint32_t>(addresses, out, a, b, sources, count)) return;
    if constexpr (IsShared && sizeof(T) >= 4) {
      move_shifted(out, a, b, sources, count);
    } else {
      if (move_words<std::uint16_t>(addresses, out, a, b, sources, count)) return;
      move_words<std::uint8_t>(addresses, out, a, b, sources, count);
    }
  }

  /// Moves elements as words. Neighbouring threads move neighbouring words. Does nothing and
  /// returns false if the size or an address is not a multiple of the word. `addresses` is the
  /// bitwise OR of the three addresses.
  template <class Word, class T>
  __device__ static bool move_words(std::uintptr_t addresses, T* out, const T* a, const T* b,
                                    const std::uint16_t* sources, unsigned count) {
    if constexpr (sizeof(T) % sizeof(Word) != 0) {
      return false;
    } else {
      if (alignof(T) % sizeof(Word) != 0 && addresses % sizeof(Word) != 0) return false;
      constexpr unsigned words = sizeof(T) / sizeof(Word);
      using index = index_of<words>;
      const auto* const words_a = reinterpret_cast<const Word*>(a);
      const auto* const words_b = reinterpret_cast<const Word*>(b);
      auto* const to = reinterpret_cast<Word*>(out);
#pragma unroll 4
      for (index w = Group::rank(); w < index{count} * words; w += Group::size) {
        const index source = sources[w / words];
        to[w] = source < BSource ? words_a[source * words + w % words]
                                 : words_b[(source - BSource) * words + w % words];
      }
      return true;
    }
  }

  /// Moves bytes between any addresses, from shared memory. Each aligned word of the output is cut
  /// out of two aligned words of shared memory. The second one can end up to four bytes after the
  /// last element.
  template <class T>
  __device__ static void move_shifted(T* out, const T* a, const T* b, const std::uint16_t* sources,
                                      unsigned count) {
    using index = index_of<sizeof(T)>;
    auto* const to = reinterpret_cast<unsigned char*>(out);
    const auto source_of = [&](index at) {  // the address of byte `at` of the output
      const unsigned source = sources[at / sizeof(T)];
      const T* const element = source < BSource ? a + source : b + (source - BSource);
      return reinterpret_cast<const unsigned char*>(element) + at % sizeof(T);
    };
    const index bytes = index{count} * sizeof(T);
    const auto phase_out = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(to) % 4);
    const unsigned head = phase_out == 0 ? 0 : 4 - phase_out;
    const index words = bytes < head ? 0 : (bytes - head) / 4;
#pragma unroll 2
    for (index w = Group::rank(); w < words; w += Group::size) {
      const index at = head + 4 * w;
      unsigned word = 0;
      if (at % sizeof(T) + 4 <= sizeof(T)) {
        const unsigned char* const from = source_of(at);
        const auto phase = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(from) % 4);
        const auto* const pair = reinterpret_cast<const unsigned*>(from - phase);
        word = __funnelshift_r(pair[0], pair[1], 8 * phase);
      } else {
        for (unsigned byte = 0; byte < 4; ++byte)
          word |= unsigned{*source_of(at + byte)} << 8 * byte;
      }
      *reinterpret_cast<unsigned*>(to + at) = word;
    }
    const auto put = [&](index at) { to[at] = *source_of(at); };
    const index tail = bytes < head ? 0 : head + 4 * words;
    for_each_of_few<Group::size, 4>(Group::rank(), bytes < head ? bytes : head, put);
    for_each_of_few<Group::size, 4>(Group::rank(), static_cast<unsigned>(bytes - tail),
                                    [&](unsigned byte) { put(tail + byte); });
  }

  /// Type of an index to the words or bytes of a tile, which has `Units` of them per element.
  template <unsigned Units>
  using index_of = std::conditional_t<(BSource < (1u << 31) / Units), unsigned, std::uint64_t>;
};

}  // namespace detail
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
