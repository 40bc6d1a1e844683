// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The merge by value of pairs with 1-byte keys. A block writes keys as in merge_keys.cuh. The
// values of the pairs are moved range by range: one range for each key value and input.
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
  int starts[max_values];        // where each key value starts in the section's outputs
  int a_starts[max_values + 1];  // the same in its part of a; then the end of that part
};

/// Merges sections of the output. A block finds the inputs of its section.
///
/// 1. One warp for each end of the section finds its co-rank.
/// 2. A group of `lanes` threads for each key value and input finds where the value starts there.
/// 3. All threads write the keys. Then they move the pairs' values: for each key value first those
///    from a, then those from b.
///
/// Only the searches read keys. Key values are numbered from 0, the first one in the section.
template <int Threads, class Key, bool Descending>
class by_value_pairs {
  using order = key_order<Key, Descending>;
  using writer = key_writer<Threads, Key, Descending>;
  using shared = by_value_pairs_storage;
  static constexpr int max_values = shared::max_values;
  /// Threads per search, each with four probes per round. With 64 probes a round, four rounds are
  /// enough for a section of 2^22 outputs.
  static constexpr int lanes = 16;
  static_assert(sizeof(Key) == 1);
  /// Number of values that a thread has in flight: 64 bytes, but at most 16 values. (H200: with 16
  /// 4-byte values in flight, the merge reaches 91 % of a copy's speed.)
  template <class Value>
  static constexpr int batch = 64 / (sizeof(Value) < 4 ? 4 : int{sizeof(Value)});

 public:
  /// Merges one section of a `by_value_schedule`, with all threads of a block.
  template <class Problem>
  __device__ static void run(unsigned char* storage, Problem& problem,
                             section_schedule::section section) {
    const auto [k0, k1] = by_value_outputs(problem, section);
    if (k0 >= k1) return;
    auto& found = *reinterpret_cast<shared*>(storage);
    for (unsigned v = threadIdx.x; v < max_values; v += Threads) found.starts[v] = 0;
    if (threadIdx.x == 0) found.a_starts[0] = 0;
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
    const int last_value = min(max(last - first, 0), max_values - 1);
    if (threadIdx.x == 0) found.a_starts[last_value + 1] = m;
    find_starts(found, a, m, b, n, first, last_value);
    __syncthreads();
    if (last_value == 0) {
      writer::write_one(problem.keys_out + k0, m + n, first);
    } else {
      writer::write_values(problem.keys_out + k0, m + n, first, last_value, found.starts);
    }
    move_values(problem.values_out + k0, problem.values_a + part.a_begin, m,
                problem.values_b + part.b_begin, n, last_value, found);
  }

 private:
  /// Finds where the key values `1..last_value` start. The results can be read after a block
  /// barrier.
  __device__ static void find_starts(shared& found, const Key* a, int m, const Key* b, int n,
                                     int first, int last_value) {
    for (int base = 0; base < 2 * last_value; base += Threads / lanes) {
      const int index = base + static_cast<int>(threadIdx.x) / lanes;
      const int s = min(index, 2 * last_value - 1);
      const bool in_a = s % 2 == 0;
      const int v = s / 2 + 1;
      const int start =
          group_lower_bound<order, lanes, 4>(in_a ? a : b, first + v, {0, in_a ? m : n}, {0, 0}, 0)
              .low;
      if (index < 2 * last_value && threadIdx.x % lanes == 0) {
        atomicAdd(&found.starts[v], start);
        if (in_a) found.a_starts[v] = start;
      }
    }
  }

  /// Writes the pairs' values to `out[0..m + n)`. Stays in bounds whatever `found` contains. Each
  /// warp moves one stretch of outputs after another. Most stretches come from one key value of one
  /// input.
  template <class Output, class ValuesA, class ValuesB>
  __device__ static void move_values(Output out, ValuesA a, int m, ValuesB b, int n, int last_value,
                                     const shared& found) {
    constexpr int stretch = 32 * batch<value_t<ValuesA>>;
    const int count = m + n;
    int v = 0;  // the key value at `from`
    for (int begin = static_cast<int>(threadIdx.x) / 32 * stretch; begin < count;
         begin += Threads / 32 * stretch) {
      const int end = min(begin + stretch, count);
      v = writer::value_at(begin, v, last_value, found.starts);
      for (int from = begin; from < end;) {
        const int v_end = v < last_value ? found.starts[v + 1] : count;
        const int a_shift = found.a_starts[v] - found.starts[v];
        const int a_end = found.a_starts[v + 1] - a_shift;
        const bool from_b = from >= a_end;
        const int to = min(end, from_b ? v_end : min(a_end, v_end));
        if (m == 0 || (from_b && n > 0)) {
          move_part(out, b, n, -found.a_starts[v + 1], from, to);
        } else {
          move_part(out, a, m, a_shift, from, to);
        }
        if (to >= v_end) ++v;
        from = max(from, to);
      }
    }
  }

  /// Moves `in[e + shift]` to `out[e]` for `from <= e < to`, at most one stretch, with a warp.
  /// Indices into `in` are clamped to its `size` elements.
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
