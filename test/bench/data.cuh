// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inputs of the merge benchmarks, made on the GPU. Sorted 64-bit random numbers are drawn once
// for all key types, and monotone maps turn them into keys of any type and distribution.
#pragma once

#include "device.cuh"

#include <cstdint>
#include <type_traits>

namespace bench {

enum class distribution {
  random,       ///< two independent uniform draws
  few,          ///< 1000 distinct keys (10 of one byte)
  equal,        ///< one key
  a_before_b,   ///< every key of the first input before every key of the second
  b_before_a,   ///< the other way round
  alternating,  ///< one from the first, one from the second
  tiles,        ///< `run_length` from the first, as many from the second
  skewed,       ///< the first uniform, the second the cube of a uniform draw
};

struct distribution_name {
  distribution id;
  const char* name;
};
inline constexpr distribution_name distributions[] = {
    {distribution::random, "random"},         {distribution::few, "few"},
    {distribution::equal, "equal"},           {distribution::a_before_b, "a_before_b"},
    {distribution::b_before_a, "b_before_a"}, {distribution::alternating, "alternating"},
    {distribution::tiles, "tiles"},           {distribution::skewed, "skewed"}};

/// Of `distribution::tiles`: about a tile of the library, and a multiple of none.
inline constexpr std::int64_t run_length = 2000;

/// Keys that are 16 bytes long and compared through a function object; the tag shows which input
/// an element came from, and so whether a merge is stable.
struct record {
  std::int64_t key;
  std::int64_t tag;
};
struct record_less {
  __host__ __device__ bool operator()(const record& x, const record& y) const {
    return x.key < y.key;
  }
};

/// `n` sorted independent uniform 64-bit numbers; `side` (0 or 1) says which input draws.
///
/// Kept until the same side is asked for another `n`.
const std::uint64_t* sorted_uniform(int side, std::int64_t n);

/// Whether two device arrays hold the same bytes; `bytes` is a multiple of eight.
bool same_bytes(const void* left, const void* right, std::size_t bytes);

/// Element `i` of `n` of one input, on a scale of 64 bits. Never falls as `i` grows.
///
/// \param u        the element's uniform draw
/// \param longest  elements in the longer input
inline __device__ std::uint64_t spread(distribution d, int side, std::int64_t i, std::int64_t n,
                                       std::int64_t longest, std::uint64_t u,
                                       std::uint64_t few_keys) {
  constexpr std::uint64_t most = ~std::uint64_t{0};
  constexpr std::uint64_t upper_half = std::uint64_t{1} << 63;
  const auto index = static_cast<std::uint64_t>(i);
  switch (d) {
    case distribution::random:
      return u;
    case distribution::few:
      return __umul64hi(u, few_keys) * (most / few_keys);
    case distribution::equal:
      return upper_half;
    case distribution::a_before_b:
      return u / 2 + (side == 0 ? 0 : upper_half);
    case distribution::b_before_a:
      return u / 2 + (side == 0 ? upper_half : 0);
    case distribution::alternating: {
      const std::uint64_t step = most / static_cast<std::uint64_t>(n);
      return index * step + (side == 0 ? 0 : step / 2);
    }
    case distribution::tiles: {
      constexpr std::uint64_t run = run_length;
      const std::uint64_t step = most / (2 * static_cast<std::uint64_t>(longest) + 2 * run);
      return ((index / run * 2 + (side == 0 ? 0 : 1)) * run + index % run) * step;
    }
    case distribution::skewed:
      return side == 0 ? u : __umul64hi(__umul64hi(u, u), u);
  }
  return 0;
}

/// The key at a place on the 64-bit scale: the most significant bits, with a sign.
template <class Key>
__device__ Key make_key(std::uint64_t place, std::int64_t tag) {
  const auto centred = static_cast<std::int64_t>(place ^ (std::uint64_t{1} << 63));
  if constexpr (std::is_same_v<Key, record>) {
    return {centred, tag};
  } else if constexpr (std::is_floating_point_v<Key>) {
    return static_cast<Key>(centred) / static_cast<Key>(std::uint64_t{1} << 63);
  } else if constexpr (sizeof(Key) > sizeof(place)) {
    return static_cast<Key>(centred) * (static_cast<Key>(1) << 62) + static_cast<Key>(place >> 2);
  } else {
    return static_cast<Key>(centred >> (64 - 8 * sizeof(Key)));
  }
}

/// Writes one input's keys, and its values if there are any, into each of `sets` copies that lie
/// `stride` bytes apart. A value tells its index and its input.
template <class Key, class Value>
__global__ void fill_input(Key* keys, Value* values, distribution d, int side,
                           const std::uint64_t* uniform, std::int64_t n, std::int64_t longest,
                           int sets, std::size_t stride) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
       i += step) {
    const std::int64_t tag = side == 0 ? i : ~i;
    constexpr std::uint64_t few_keys = sizeof(Key) == 1 ? 10 : 1000;
    const Key key = make_key<Key>(spread(d, side, i, n, longest, uniform[i], few_keys), tag);
    for (int set = 0; set < sets; ++set) {
      *reinterpret_cast<Key*>(reinterpret_cast<char*>(keys + i) + set * stride) = key;
      if constexpr (!std::is_void_v<Value>) {
        *reinterpret_cast<Value*>(reinterpret_cast<char*>(values + i) + set * stride) =
            static_cast<Value>(tag);
      }
    }
  }
}

}  // namespace bench
