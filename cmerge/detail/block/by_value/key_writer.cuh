// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes runs of equal keys, granule by granule.
#pragma once

#include <cmerge/detail/block/by_value/key_search.cuh>
#include <cmerge/detail/block/granule.cuh>

#include <cstdint>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

/// Writes keys of a section, of which runs are known, with all threads of a block.
template <int Threads, class Key, bool Descending>
class key_writer {
  using order = key_order<Key, Descending>;
  static constexpr int granule = granule_items<Key>;

 public:
  /// One run: `out[0..count)` is the key of a rank.
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

  /// The last run from `run` on that begins at output `e` or before; `run` itself where none does.
  /// It is mostly near: steps double until one is too far.
  __device__ static int run_at(int e, int run, int runs, const int* begins) {
    int step = 1;
    for (; run + step <= runs && begins[run + step] <= e; step *= 2) run += step;
    for (step /= 2; step > 0; step /= 2) {
      if (run + step <= runs && begins[run + step] <= e) run += step;
    }
    return run;
  }

  /// Writes runs `0..runs`, of which run `r > 0` begins at `begins[r]`; in bounds, whatever these
  /// are.
  __device__ static void write_runs(Key* out, int count, int first, int runs, const int* begins) {
    const granule_cut cut = granule_cut::of(out, static_cast<unsigned>(count));
    const auto head = static_cast<int>(cut.head);
    const int granules = static_cast<int>(cut.body) / granule;
    auto* const to = reinterpret_cast<uint4*>(out + head);
    int run = 0;
    int next = begins[1];  // where the next run begins
    uint4 filled = fill(first);
    for (int g = static_cast<int>(threadIdx.x); g < granules; g += Threads) {
      const int e = head + g * granule;
      if (next <= e) {
        run = run_at(e, run, runs, begins);
        next = run < runs ? begins[run + 1] : above_all;
        filled = fill(first + run);
      }
      uint4 mixed = filled;
      for (int r = run, begin = next; begin < e + granule;) {
        begin = max(begin, e);
        r = run_at(begin, r + 1, runs, begins);
        replace_end(mixed, (begin - e) * int{sizeof(Key)}, fill(first + r));
        begin = r < runs ? begins[r + 1] : above_all;
      }
      to[g] = mixed;
    }
    const auto write = [&](int e) { out[e] = order::key(first + run_at(e, 0, runs, begins)); };
    const int thread = static_cast<int>(threadIdx.x);
    const int rest = head + granules * granule + thread;
    if (thread < head) write(thread);
    if (rest < count) write(rest);
  }

 private:
  __device__ static uint4 fill(int rank) {
    const unsigned word = order::word(rank);
    return {word, word, word, word};
  }

  /// Replaces what lies `from` bytes or more behind the granule's begin.
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
