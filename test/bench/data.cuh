// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inputs of the merge benchmarks, made on the GPU. Sorted 64-bit random numbers are drawn once
// for all key types, and monotone maps turn them into keys of any type and distribution.
#pragma once

#include "device.cuh"
#include "workload.h"

#include <cstdint>
#include <type_traits>

namespace bench {

/// 16-byte keys that are compared by a function object. The tag names the input of an element, so
/// that a merge that is not stable is detected.
struct record {
  std::int64_t key;
  std::int64_t tag;
};
struct record_less {
  __host__ __device__ bool operator()(const record& x, const record& y) const {
    return x.key < y.key;
  }
};

/// Values of `Bytes` bytes. All of them depend on the value's source.
template <int Bytes>
struct large_value {
  large_value() = default;
  __device__ explicit large_value(std::int64_t tag) {
    for (int i = 0; i < Bytes / 8; ++i) words[i] = tag * (2 * i + 1);
  }
  std::int64_t words[Bytes / 8];
};

/// Keys of `Bytes` bytes. They are compared by their first word, the widest that divides their
/// size. The other words depend on the key's source.
template <int Bytes>
struct element {
  using word = std::conditional_t<Bytes % 4 == 0, std::int32_t,
                                  std::conditional_t<Bytes % 2 == 0, std::int16_t, std::int8_t>>;
  word words[Bytes / sizeof(word)];
};
struct first_word_less {
  template <class Element>
  __host__ __device__ bool operator()(const Element& x, const Element& y) const {
    return x.words[0] < y.words[0];
  }
};
template <class Key>
inline constexpr bool is_element = false;
template <int Bytes>
inline constexpr bool is_element<element<Bytes>> = true;

/// `n` independent, uniform, sorted 64-bit numbers for input `side` (0 or 1).
///
/// They are kept until the same side needs another `n`.
const std::uint64_t* sorted_uniform(int side, std::int64_t n);

/// Whether two device arrays contain the same bytes. `bytes` is a multiple of eight.
bool same_bytes(const void* left, const void* right, std::size_t bytes);

/// The positions in the output of the elements of one of two equally long inputs, for
/// `distribution::worst`.
struct placement {
  const std::int32_t* places = nullptr;  ///< in a period of the output, of the elements of one side
  std::int64_t size = 1;                 ///< how many these are, half a period
  std::int64_t repeated = 0;             ///< elements in whole periods; those behind alternate

  __device__ std::int64_t operator()(std::int64_t i, int side) const {
    if (i >= repeated) return 2 * i + side;
    return i / size * 2 * size + places[i % size];
  }
};

/// The positions of `n` elements of one side. The period is the pattern of a warp, then the same
/// pattern with exchanged inputs. So the inputs are equally long.
placement worst_placement(int side, std::int64_t n, int items, int key_bytes);

/// One input: its side, number of elements and distribution.
struct input_shape {
  distribution keys;
  int side;
  std::int64_t n;
  std::int64_t longest;  ///< elements in the longer input
  placement worst;       ///< only for `distribution::worst`
};

/// Element `i` of one input, as a 64-bit number. `u` is its uniform draw. The result never
/// decreases with `i`.
inline __device__ std::uint64_t spread(const input_shape& input, std::int64_t i, std::uint64_t u,
                                       std::uint64_t few_keys) {
  constexpr std::uint64_t most = ~std::uint64_t{0};
  constexpr std::uint64_t upper_half = std::uint64_t{1} << 63;
  const auto index = static_cast<std::uint64_t>(i);
  const bool is_first = input.side == 0;
  switch (input.keys) {
    case distribution::random:
      return u;
    case distribution::few:
      return __umul64hi(u, few_keys) * (most / few_keys);
    case distribution::equal:
      return upper_half;
    case distribution::a_before_b:
      return u / 2 + (is_first ? 0 : upper_half);
    case distribution::b_before_a:
      return u / 2 + (is_first ? upper_half : 0);
    case distribution::alternating: {
      const std::uint64_t step = most / static_cast<std::uint64_t>(input.n);
      return index * step + (is_first ? 0 : step / 2);
    }
    case distribution::tiles: {
      constexpr std::uint64_t run = run_length;
      const std::uint64_t step = most / (2 * static_cast<std::uint64_t>(input.longest) + 2 * run);
      return ((index / run * 2 + (is_first ? 0 : 1)) * run + index % run) * step;
    }
    case distribution::skewed:
      return is_first ? u : __umul64hi(__umul64hi(u, u), u);
    case distribution::worst: {
      const std::uint64_t step = most / (2 * static_cast<std::uint64_t>(input.n));
      return static_cast<std::uint64_t>(input.worst(i, input.side)) * step;
    }
  }
  return 0;
}

/// The key for a 64-bit number: its most significant bits, with a sign.
template <class Key>
__device__ Key make_key(std::uint64_t place, std::int64_t tag) {
  const auto centred = static_cast<std::int64_t>(place ^ (std::uint64_t{1} << 63));
  if constexpr (std::is_same_v<Key, record>) {
    return {centred, tag};
  } else if constexpr (is_element<Key>) {
    using word = typename Key::word;
    Key key;
    key.words[0] = static_cast<word>(centred >> (64 - 8 * sizeof(word)));
    for (std::size_t i = 1; i < sizeof(Key) / sizeof(word); ++i) {
      key.words[i] = static_cast<word>(tag * static_cast<std::int64_t>(2 * i + 1));
    }
    return key;
  } else if constexpr (std::is_floating_point_v<Key>) {
    return static_cast<Key>(centred) / static_cast<Key>(std::uint64_t{1} << 63);
  } else if constexpr (std::is_unsigned_v<Key>) {
    return static_cast<Key>(place >> (64 - 8 * sizeof(Key)));
  } else if constexpr (sizeof(Key) > sizeof(place)) {
    return static_cast<Key>(centred) * (static_cast<Key>(1) << 62) + static_cast<Key>(place >> 2);
  } else {
    return static_cast<Key>(centred >> (64 - 8 * sizeof(Key)));
  }
}

template <class Value>
__device__ Value make_value(std::int64_t tag) {
  if constexpr (std::is_integral_v<Value>) {
    return static_cast<Value>(tag);
  } else {
    return Value(tag);
  }
}

/// Writes the keys of one input, and its values if there are any, into `sets` copies at distances
/// of `stride` bytes. A value encodes its index and its input.
template <class Key, class Value>
__global__ void fill_input(Key* keys, Value* values, input_shape input,
                           const std::uint64_t* uniform, int sets, std::size_t stride) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
       i < input.n; i += step) {
    const std::int64_t tag = input.side == 0 ? i : ~i;
    constexpr std::uint64_t few_keys = sizeof(Key) == 1 ? 10 : 1000;
    const Key key = make_key<Key>(spread(input, i, uniform[i], few_keys), tag);
    for (int set = 0; set < sets; ++set) {
      *reinterpret_cast<Key*>(reinterpret_cast<char*>(keys + i) + set * stride) = key;
      if constexpr (!std::is_void_v<Value>) {
        *reinterpret_cast<Value*>(reinterpret_cast<char*>(values + i) + set * stride) =
            make_value<Value>(tag);
      }
    }
  }
}

}  // namespace bench
