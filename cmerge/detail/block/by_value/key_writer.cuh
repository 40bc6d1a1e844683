// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the keys of a section, given where each value starts, granule by granule. Used by
// merge_keys.cuh and merge_pairs.cuh.
#pragma once

#include <cmerge/detail/block/by_value/key_search.cuh>
#include <cmerge/detail/block/granule.cuh>

#include <cstdint>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

/// Writes the keys of a section with all threads of a block.
template <int Threads, class Key, bool Descending>
class key_writer {
  using order = key_order<Key, Descending>;
  static constexpr int granule = granule_items<Key>;

 public:
  /// Writes `count` keys of one value: the key of `rank`.
  __device__ static void write_one(Key* out, int count, int rank) {
    const granule_cut cut = granule_cut::of(out, static_cast<unsigned>(count));
    auto* const to = reinterpret_cast<uint4*>(out + cut.head);
    const uint4 filled = fill(rank);
#pragma unroll 4
    for (unsigned g = threadIdx.x; g < cut.body / granule; g += Threads) to[g] = filled;
    const unsigned rest = cut.head + cut.body + threadIdx.x;
    if (threadIdx.x < cut.head) out[threadIdx.x] = order::key(rank);
    if (rest < static_cast<unsigned>(count)) out[rest] = order::key(rank);
  }

  /// The last of the values `value..last` that starts at output `e` or before, or `value` if none
  /// does. The result is mostly near `value`, so steps double until one is too far.
  __device__ static int value_at(int e, int value, int last, const int* starts) {
    int step = 1;
    for (; value + step <= last && starts[value + step] <= e; step *= 2) value += step;
    for (step /= 2; step > 0; step /= 2) {
      if (value + step <= last && starts[value + step] <= e) value += step;
    }
    return value;
  }

  /// Writes `count` keys with the values `0..last`, of ranks `first..first + last`. Value 0 starts
  /// at output 0, and value `v > 0` at output `starts[v]`. Stays in bounds whatever `starts`
  /// contains. Precondition: `last > 0`.
  __device__ static void write_values(Key* out, int count, int first, int last, const int* starts) {
    const granule_cut cut = granule_cut::of(out, static_cast<unsigned>(count));
    const auto head = static_cast<int>(cut.head);
    const int granules = static_cast<int>(cut.body) / granule;
    auto* const to = reinterpret_cast<uint4*>(out + head);
    int value = 0;
    int next = starts[1];  // where the value after `value` starts
    uint4 filled = fill(first);
    for (int g = static_cast<int>(threadIdx.x); g < granules; g += Threads) {
      const int e = head + g * granule;
      if (next <= e) {
        value = value_at(e, value, last, starts);
        next = value < last ? starts[value + 1] : above_all;
        filled = fill(first + value);
      }
      uint4 mixed = filled;
      for (int v = value, start = next; start < e + granule;) {
        start = max(start, e);
        v = value_at(start, v + 1, last, starts);
        replace_end(mixed, (start - e) * int{sizeof(Key)}, fill(first + v));
        start = v < last ? starts[v + 1] : above_all;
      }
      to[g] = mixed;
    }
    const auto write = [&](int e) { out[e] = order::key(first + value_at(e, 0, last, starts)); };
    const int thread = static_cast<int>(threadIdx.x);
    const int rest = head + granules * granule + thread;
    if (thread < head) write(thread);
    if (rest < count) write(rest);
  }

 private:
  /// A granule filled with the key of a rank.
  __device__ static uint4 fill(int rank) {
    const unsigned word = order::word(rank);
    return {word, word, word, word};
  }

  /// Replaces the bytes of a granule from byte `from` on by those of `by`.
  __device__ static void replace_end(uint4& to, int from, uint4 by) {
    const auto word = [from](unsigned old, unsigned now, int at) {
      const int skip = from - at;  // bytes of this word that stay
      const unsigned mask = skip <= 0 ? ~0u : skip >= 4 ? 0u : ~0u << (8 * skip);
      return (old & ~mask) | (now & mask);
    };
    to = {word(to.x, by.x, 0), word(to.y, by.y, 4), word(to.z, by.z, 8), word(to.w, by.w, 12)};
  }
};

}  // namespace detail
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
