// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runs strategy where keys of one byte have values: keys are written as runs, values are
// moved in whole runs of one input.
#pragma once

#include <cmerge/detail/block/by_value/key_writer.cuh>
#include <cmerge/detail/block/by_value/sections.cuh>
#include <cmerge/detail/block/co_rank_search.cuh>

#include <cstdint>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

/// The shared memory of `by_value_pairs`.
struct by_value_pairs_storage {
  static constexpr int max_values = 256;

  co_rank_bounds ends[2];        // of the section
  int begins[max_values];        // of each value, in the outputs of the section
  int a_begins[max_values + 1];  // in its first input; past the last value, its end
};

/// Merges sections of the output, whose inputs the block finds by itself.
///
/// 1. A warp for each end of a section finds its co-rank.
/// 2. A few threads for each key find where its run begins in either input.
/// 3. All write the runs of keys, and move values: those of a run from the first input, then those
///    from the second one.
///
/// Keys are read by searches only.
template <int Threads, class Key, bool Descending>
class by_value_pairs {
  using order = key_order<Key, Descending>;
  using writer = key_writer<Threads, Key, Descending>;
  using shared = by_value_pairs_storage;
  static constexpr int max_values = shared::max_values;
  static constexpr int lanes = 16;  // threads that search for a run's begin in one input
  static_assert(sizeof(Key) == 1);
  /// Values that a thread has under way at a time.
  template <class Value>
  static constexpr int batch = 64 / (sizeof(Value) < 4 ? 4 : int{sizeof(Value)});

 public:
  /// Makes a section of a `by_value_schedule`.
  template <class Problem>
  __device__ static void run(unsigned char* storage, Problem& problem,
                             section_schedule::section section) {
    const auto [k0, k1] = by_value_outputs(problem, section);
    if (k0 >= k1) return;
    auto& found = *reinterpret_cast<shared*>(storage);
    for (unsigned r = threadIdx.x; r < max_values; r += Threads) found.begins[r] = 0;
    if (threadIdx.x == 0) found.a_begins[0] = 0;
    find_section_ends<Threads>(found.ends, 0, problem, k0, k1);
    __syncthreads();
    const merge_range part = make_merge_range(k0, found.ends[0].low, k1, found.ends[1].low);
    const Key* const a = problem.keys_a + part.a_begin;
    const Key* const b = problem.keys_b + part.b_begin;
    const auto m = static_cast<int>(part.a_end - part.a_begin);
    const auto n = static_cast<int>(part.b_end - part.b_begin);

    const int first = min(m > 0 ? order::rank(read_key(a)) : above_all,
                          n > 0 ? order::rank(read_key(b)) : above_all);
    const int last = max(m > 0 ? order::rank(read_key(a + m - 1)) : first,
                         n > 0 ? order::rank(read_key(b + n - 1)) : first);
    const int runs = min(max(last - first, 0), max_values - 1);  // besides the first one
    if (threadIdx.x == 0) found.a_begins[runs + 1] = m;
    find_begins(found, a, m, b, n, first, runs);
    __syncthreads();
    if (runs == 0) {
      writer::write_one(problem.keys_out + k0, m + n, first);
    } else {
      writer::write_runs(problem.keys_out + k0, m + n, first, runs, found.begins);
    }
    move_values(problem.values_out + k0, problem.values_a + part.a_begin, m,
                problem.values_b + part.b_begin, n, runs, found);
  }

 private:
  /// Finds where runs `1..runs` begin; they are there after a block barrier.
  __device__ static void find_begins(shared& found, const Key* a, int m, const Key* b, int n,
                                     int first, int runs) {
    for (int base = 0; base < 2 * runs; base += Threads / lanes) {
      const int index = base + static_cast<int>(threadIdx.x) / lanes;
      const int s = min(index, 2 * runs - 1);
      const bool in_first = s % 2 == 0;
      const int r = s / 2 + 1;
      const int place = group_lower_bound<order, lanes, 4>(in_first ? a : b, first + r,
                                                           {0, in_first ? m : n}, {0, 0}, 0)
                            .low;
      if (index < 2 * runs && threadIdx.x % lanes == 0) {
        atomicAdd(&found.begins[r], place);
        if (in_first) found.a_begins[r] = place;
      }
    }
  }

  /// `out[0..m + n)`, in bounds whatever the begins are. A warp moves one stretch of outputs after
  /// the other, most of which are one part of one input.
  template <class Output, class ValuesA, class ValuesB>
  __device__ static void move_values(Output out, ValuesA a, int m, ValuesB b, int n, int runs,
                                     const shared& found) {
    constexpr int stretch = 32 * batch<value_t<ValuesA>>;
    const int count = m + n;
    int run = 0;
    for (int begin = static_cast<int>(threadIdx.x) / 32 * stretch; begin < count;
         begin += Threads / 32 * stretch) {
      const int end = min(begin + stretch, count);
      run = writer::run_at(begin, run, runs, found.begins);
      for (int from = begin; from < end;) {
        const int run_end = run < runs ? found.begins[run + 1] : count;
        const int a_shift = found.a_begins[run] - found.begins[run];
        const int a_end = found.a_begins[run + 1] - a_shift;
        const bool second = from >= a_end;
        const int to = min(end, second ? run_end : min(a_end, run_end));
        if (m == 0 || (second && n > 0)) {
          move_part(out, b, n, -found.a_begins[run + 1], from, to);
        } else {
          move_part(out, a, m, a_shift, from, to);
        }
        if (to >= run_end) ++run;
        from = max(from, to);
      }
    }
  }

  /// `out[e] = in[e + shift]` for `from <= e < to`, no more than a stretch, by a warp.
  template <class Output, class Values>
  __device__ static void move_part(Output out, Values in, int size, int shift, int from, int to) {
    using value = value_t<Values>;
    const int lane = static_cast<int>(threadIdx.x % 32);
    value held[batch<value>];
#pragma unroll
    for (int i = 0; i < batch<value>; ++i) {
      const int e = min(from + lane + 32 * i, to - 1);
      held[i] = in[max(0, min(e + shift, size - 1))];
    }
#pragma unroll
    for (int i = 0; i < batch<value>; ++i) {
      const int e = from + lane + 32 * i;
      if (e < to) *(out + e) = held[i];
    }
  }
};

}  // namespace detail
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
