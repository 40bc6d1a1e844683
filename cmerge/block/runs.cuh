// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runs strategy: keys with few possible values are not merged one by one; a block finds where
// the run of each value begins, and writes runs. Layer 7, includes block/circular.cuh,
// block/value_search.cuh, detail/arguments.h, detail/section_schedule.h.
#pragma once

#include <cmerge/detail/arguments.h>
#include <cmerge/detail/section_schedule.h>
#include <cmerge/block/circular.cuh>
#include <cmerge/block/value_search.cuh>

#include <cstdint>
#include <type_traits>

namespace cmerge::detail {

/// Whether equal keys of a problem cannot be told apart and have few possible values: integers of
/// 1 or 2 bytes in plain order, without values, read and written through pointers.
template <class Problem>
constexpr bool is_value_domain_problem() {
  using keys_out = std::decay_t<decltype(Problem::keys_out)>;
  using keys1 = std::decay_t<decltype(Problem::keys1)>;
  using keys2 = std::decay_t<decltype(Problem::keys2)>;
  using compare = std::decay_t<decltype(Problem::comp)>;
  if constexpr (Problem::has_values || !std::is_pointer_v<keys_out> || !std::is_pointer_v<keys1> ||
                !std::is_pointer_v<keys2>) {
    return false;
  } else {
    using key = std::remove_pointer_t<keys_out>;
    return is_countable<key> &&
           std::is_same_v<key, std::remove_const_t<std::remove_pointer_t<keys1>>> &&
           std::is_same_v<key, std::remove_const_t<std::remove_pointer_t<keys2>>> &&
           (std::is_same_v<compare, less> || std::is_same_v<compare, greater>);
  }
}
template <class Problem>
inline constexpr bool is_value_domain = is_value_domain_problem<Problem>();

/// The sections of `strategy::runs`, which begin at whole granules of the output. They are as short
/// as it takes to have `rows` for each block that the device holds, but not longer than `most`, and
/// not shorter than what is written in the time of a search.
template <class Key>
section_schedule runs_schedule(const Key* out, std::int64_t outputs, std::int64_t most,
                               std::int64_t resident) {
  constexpr std::int64_t rows = 2;
  constexpr std::int64_t least = (8 << 10) / sizeof(Key);
  const std::int64_t even = (outputs / (rows * resident) + least - 1) / least * least;
  const std::int64_t section = even < least ? least : even;
  const auto phase = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(out) %
                                               granule_bytes / sizeof(Key));
  return {outputs + phase, section < most ? section : most, 0};
}

/// Writes sections of the output, whose inputs the block finds by itself.
///
/// 1. A warp for each end of a section finds the value there: many sections have one only.
/// 2. Else all threads find where the run of each value begins (`value_search`).
/// 3. They write granules, most of which have one value.
///
/// A section with too many values for that is merged by the circular strategy. There can be few,
/// for there are only 65,536 values.
template <int Threads, class Key, bool Descending,
          class Shape = runs_shape<static_cast<int>(sizeof(Key))>>
class runs_merge {
  using search = value_search<Threads, Key, Descending, Shape>;
  using order = key_order<Key, Descending>;
  static constexpr int granule = granule_items<Key>;

  // Keys of one byte never need the merge of keys one by one.
  static constexpr bool can_merge = sizeof(Key) > 1;
  static constexpr int merge_items = 7;
  using merger = circular_merge<block_group<Threads>, merge_items, 1, Key, Key, void>;

 public:
  CMERGE_HOST_DEVICE static constexpr unsigned storage_bytes(int threads) {
    const auto own = static_cast<unsigned>(sizeof(typename search::shared));
    if (!can_merge) return own;
    const auto merging = merger::storage_bytes(
        {static_cast<unsigned>(threads * merge_items), unsigned{merge_items}, 1});
    return own > merging ? own : merging;
  }

  /// Makes a section of a `runs_schedule`.
  template <class Problem>
  __device__ static void run(unsigned char* storage, Problem& problem,
                             section_schedule::section section) {
    const auto phase = static_cast<std::int64_t>(granule_phase(problem.keys_out));
    const std::int64_t k0 = max(std::int64_t{0}, section.begin - phase);
    const std::int64_t k1 = min(section.end - phase, problem.outputs);
    if (k0 >= k1) return;

    auto& shared = *reinterpret_cast<typename search::shared*>(storage);
    const search values(shared, problem, k0, k1);
    Key* const out = problem.keys_out + k0;
    const auto count = static_cast<int>(k1 - k0);
    if (values.count() == 0) {
      write_one(out, count, values.first());
      return;
    }
    if constexpr (can_merge) {
      if (values.count() > search::room) {
        __syncthreads();  // all have read the storage
        merge(storage, problem, k0, k1);
        return;
      }
    }
    values.find_begins();
    __syncthreads();
    write_runs(out, count, values.first(), values.count(), shared.begins);
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

  template <class Problem>
  __device__ static void merge(unsigned char* storage, Problem& problem, std::int64_t k0,
                               std::int64_t k1) {
    __shared__ std::int64_t ends[2];
    for (unsigned e = threadIdx.x / 32; e < 2; e += Threads / 32) {
      const std::int64_t k = e == 0 ? k0 : k1;
      const co_rank_bounds found = warp_co_rank(possible_co_ranks(k, problem.m, problem.n), 0,
                                                guess_co_rank(k, problem.m, problem.n), k,
                                                problem.keys1, problem.keys2, problem.comp);
      if (threadIdx.x % 32 == 0) ends[e] = found.low;
    }
    release_to_bulk_copies();
    __syncthreads();
    merger::run(storage, problem, make_merge_range(k0, ends[0], k1, ends[1]));
  }
};

}  // namespace cmerge::detail
