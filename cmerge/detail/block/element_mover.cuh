// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves the elements of a merged tile, each once, from wherever its inputs lie to the output.
#pragma once

#include <cmerge/detail/core/element.h>
#include <cmerge/detail/block/group.cuh>

#include <cstdint>
#include <type_traits>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

/// Elements in shared memory. A few bytes behind the last one can be read.
template <class T>
struct shared_array {
  T* data;
  __device__ T& operator[](unsigned i) const { return data[i]; }
};

/// The elements behind an input, if they are plain memory: `get` gives their pointer.
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

/// Whether elements are moved as machine words, by all threads together: trivial ones that are not
/// one word for the compiler.
template <class Output, class InputA, class InputB>
inline constexpr bool is_moved_as_words = false;
template <class T, class InputA, class InputB>
inline constexpr bool is_moved_as_words<T*, InputA, InputB> =
    std::conjunction_v<std::is_same<T, typename input_memory<InputA>::element>,
                       std::is_same<T, typename input_memory<InputB>::element>,
                       std::bool_constant<is_copied_as_bytes<T>>,
                       std::bool_constant<(sizeof(T) > 16 || alignof(T) < sizeof(T))>>;

/// Moves tiles. For each output a number tells its source: `i` for element `i` of the first input,
/// `Second + j` for element `j` of the second.
template <class Group, unsigned Second>
class element_mover {
 public:
  /// `out[e] = ` the element that `sources[e]` tells, for `count` outputs, by all threads of the
  /// group. Neighbouring outputs come from at most two runs of neighbours, so that accesses
  /// coalesce.
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
        if (source < Second) {
          *(out + e) = a[source];
        } else {
          *(out + e) = b[source - Second];
        }
      }
    }
  }

 private:
  /// In the widest words that all places and the size are multiples of.
  template <bool IsShared, class T>
  __device__ static void move_memory(T* out, const T* a, const T* b, const std::uint16_t* sources,
                                     unsigned count) {
    const std::uintptr_t places = reinterpret_cast<std::uintptr_t>(out) |
                                  reinterpret_cast<std::uintptr_t>(a) |
                                  reinterpret_cast<std::uintptr_t>(b);
    if (move_words<uint4>(places, out, a, b, sources, count)) return;
    if (move_words<std::uint64_t>(places, out, a, b, sources, count)) return;
    if (move_words<std::uint32_t>(places, out, a, b, sources, count)) return;
    if constexpr (IsShared && sizeof(T) >= 4) {
      move_shifted(out, a, b, sources, count);
    } else {
      if (move_words<std::uint16_t>(places, out, a, b, sources, count)) return;
      move_words<std::uint8_t>(places, out, a, b, sources, count);
    }
  }

  /// Neighbouring threads move neighbouring words.
  template <class Word, class T>
  __device__ static bool move_words(std::uintptr_t places, T* out, const T* a, const T* b,
                                    const std::uint16_t* sources, unsigned count) {
    if constexpr (sizeof(T) % sizeof(Word) != 0) {
      return false;
    } else {
      if (alignof(T) % sizeof(Word) != 0 && places % sizeof(Word) != 0) return false;
      constexpr unsigned words = sizeof(T) / sizeof(Word);
      using index = index_of<words>;
      const auto* const from1 = reinterpret_cast<const Word*>(a);
      const auto* const from2 = reinterpret_cast<const Word*>(b);
      auto* const to = reinterpret_cast<Word*>(out);
#pragma unroll 4
      for (index w = Group::rank(); w < index{count} * words; w += Group::size) {
        const index source = sources[w / words];
        to[w] = source < Second ? from1[source * words + w % words]
                                : from2[(source - Second) * words + w % words];
      }
      return true;
    }
  }

  /// Moves bytes that are aligned in no way, as words of the output, each of which is cut out of
  /// the two words of shared memory that it lies in.
  template <class T>
  __device__ static void move_shifted(T* out, const T* a, const T* b, const std::uint16_t* sources,
                                      unsigned count) {
    using index = index_of<sizeof(T)>;
    auto* const to = reinterpret_cast<unsigned char*>(out);
    const auto place = [&](index at) {  // of byte `at` of the output
      const unsigned source = sources[at / sizeof(T)];
      const T* const element = source < Second ? a + source : b + (source - Second);
      return reinterpret_cast<const unsigned char*>(element) + at % sizeof(T);
    };
    const index bytes = index{count} * sizeof(T);
    const auto behind = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(to) % 4);
    const unsigned head = behind == 0 ? 0 : 4 - behind;
    const index words = bytes < head ? 0 : (bytes - head) / 4;
#pragma unroll 2
    for (index w = Group::rank(); w < words; w += Group::size) {
      const index at = head + 4 * w;
      unsigned word = 0;
      if (at % sizeof(T) + 4 <= sizeof(T)) {
        const unsigned char* const from = place(at);
        const auto phase = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(from) % 4);
        const auto* const pair = reinterpret_cast<const unsigned*>(from - phase);
        word = __funnelshift_r(pair[0], pair[1], 8 * phase);
      } else {
        for (unsigned byte = 0; byte < 4; ++byte) word |= unsigned{*place(at + byte)} << 8 * byte;
      }
      *reinterpret_cast<unsigned*>(to + at) = word;
    }
    const auto put = [&](index at) { to[at] = *place(at); };
    const index tail = bytes < head ? 0 : head + 4 * words;
    for_each_of_few<Group::size, 4>(Group::rank(), bytes < head ? bytes : head, put);
    for_each_of_few<Group::size, 4>(Group::rank(), static_cast<unsigned>(bytes - tail),
                                    [&](unsigned byte) { put(tail + byte); });
  }

  /// Counts the units of a tile's elements.
  template <unsigned Units>
  using index_of = std::conditional_t<(Second < (1u << 31) / Units), unsigned, std::uint64_t>;
};

}  // namespace detail
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
