// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One CPU thread's merge of small, trivially copyable elements: several co-ranked sections advance
// in turn, branch-free, so that their latencies overlap. Host only.
// Layer 3, includes serial_merge.h and std alone.
#pragma once

#include <cmerge/serial_merge.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace cmerge::detail {

/// Outputs that are cut, galloped through or copied as one block. Larger blocks search less,
/// smaller ones follow local changes of the inputs sooner and stay in the cache.
inline constexpr std::int64_t interleaved_block = std::int64_t{1} << 16;
/// Sections of a block that advance in turn.
inline constexpr int interleaved_lanes = 4;
/// Below so many outputs the searches cost more than the branches that they save.
inline constexpr std::int64_t interleaved_least = 256;
/// A side that has less than one in so many of the outputs is galloped through.
inline constexpr std::int64_t gallop_ratio = 32;
/// Outputs per lane and turn where values follow their keys: the choices stay in the L1 cache.
inline constexpr std::int64_t values_per_turn = 512;
/// A turn shorter than this costs more to set up than its steps.
inline constexpr std::int64_t least_steps = 8;

/// Whether elements travel from both inputs to the output as they are, at the price of a register.
template <class Input1, class Input2, class Output>
inline constexpr bool is_small_copy = false;
template <class T1, class T2, class T>
inline constexpr bool is_small_copy<T1*, T2*, T*> =
    std::is_same_v<std::remove_const_t<T1>, T> && std::is_same_v<std::remove_const_t<T2>, T> &&
    std::is_trivially_copyable_v<T> && std::is_copy_assignable_v<T> && sizeof(T) <= 16;

/// Whether a problem can be merged by `interleaved_merge`: raw pointers to small elements.
template <class Problem>
inline constexpr bool can_interleave = false;
template <class K1, class K2, class K, class V1, class V2, class V, class Compare>
inline constexpr bool can_interleave<merge_problem<K1, K2, K, V1, V2, V, Compare>> =
    is_small_copy<K1, K2, K> && (std::is_same_v<V, no_values> || is_small_copy<V1, V2, V>);

/// Copies the elements `[i, i_end)` of the first input to the outputs from `k` on.
template <class Problem>
void copy_first(Problem& problem, std::int64_t k, std::int64_t i, std::int64_t i_end) {
  std::copy(problem.keys1 + i, problem.keys1 + i_end, problem.keys_out + k);
  if constexpr (Problem::has_values) {
    std::copy(problem.values1 + i, problem.values1 + i_end, problem.values_out + k);
  }
}

/// Copies the elements `[j, j_end)` of the second input to the outputs from `k` on.
template <class Problem>
void copy_second(Problem& problem, std::int64_t k, std::int64_t j, std::int64_t j_end) {
  std::copy(problem.keys2 + j, problem.keys2 + j_end, problem.keys_out + k);
  if constexpr (Problem::has_values) {
    std::copy(problem.values2 + j, problem.values2 + j_end, problem.values_out + k);
  }
}

/// The first of `n` indices that is not `before` some point, in a number of steps that grows with
/// the logarithm of the answer.
template <class Before>
std::int64_t gallop(std::int64_t n, Before before) {
  std::int64_t low = 0;
  std::int64_t step = 1;
  while (low + step <= n && before(low + step - 1)) {
    low += step;
    step *= 2;
  }
  std::int64_t high = std::min(n, low + step - 1);
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (before(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// Merges one part by copying whole runs of the larger side between elements of the smaller one.
template <class Problem>
void gallop_merge(Problem& problem, merge_range part) {
  auto& [i, i_end, j, j_end] = part;
  if (i_end - i < j_end - j) {
    for (; i < i_end; ++i) {
      const std::int64_t run = gallop(j_end - j, [&](std::int64_t r) {
        return takes_second(problem.keys1[i], problem.keys2[j + r], problem.comp);
      });
      copy_second(problem, i + j, j, j + run);
      j += run;
      problem.take_first(i + j, i);
    }
    copy_second(problem, i + j, j, j_end);
  } else {
    for (; j < j_end; ++j) {
      const std::int64_t run = gallop(i_end - i, [&](std::int64_t r) {
        return !takes_second(problem.keys1[i + r], problem.keys2[j], problem.comp);
      });
      copy_first(problem, i + j, i, i + run);
      i += run;
      problem.take_second(i + j, j);
    }
    copy_first(problem, i + j, i, i_end);
  }
}

/// Takes the first `count` outputs off `part` and returns the part that makes them.
template <class Problem>
merge_range split_front(Problem& problem, merge_range& part, std::int64_t count) {
  const std::int64_t i = co_rank_between(
      co_rank_low(count, part.b_end - part.b_begin), co_rank_high(count, part.a_end - part.a_begin),
      count, problem.keys1 + part.a_begin, problem.keys2 + part.b_begin, problem.comp);
  const merge_range front{part.a_begin, part.a_begin + i, part.b_begin, part.b_begin + count - i};
  part.a_begin = front.a_end;
  part.b_begin = front.b_end;
  return front;
}

/// Moves the values of the next `steps` outputs of a lane where their keys went. Nothing is
/// compared here, so that one lane at a time is fast enough.
template <class Problem>
void take_values(Problem& problem, merge_range lane, const unsigned char* second,
                 std::int64_t steps) {
  auto* first1 = problem.values1 + lane.a_begin;
  auto* first2 = problem.values2 + lane.b_begin;
  auto* out = problem.values_out + lane.out_begin();
  for (std::int64_t t = 0; t < steps; ++t) {
    out[t] = second[t] ? *first2 : *first1;
    first2 += second[t];
    first1 += 1 - second[t];
  }
}

/// Merges all lanes in turn until one of them has (nearly) exhausted a side; the lanes keep what
/// is left.
///
/// A merge step waits for a load, a comparison and the address of the next load. The lanes do not
/// wait for each other, and no step has a branch to mispredict. A turn has as many steps as the
/// shortest side of all lanes has elements: whatever the comparator answers, no step reads
/// beyond a side.
template <class Problem>
void merge_lanes(Problem& problem, merge_range (&lanes)[interleaved_lanes]) {
  using key = std::remove_reference_t<decltype(*problem.keys_out)>;
  constexpr bool has_values = Problem::has_values;
  constexpr std::int64_t most_steps =
      has_values ? values_per_turn : std::numeric_limits<std::int64_t>::max();
  unsigned char chosen[interleaved_lanes][has_values ? values_per_turn : 1];
  auto& comp = problem.comp;
  while (true) {
    std::int64_t steps = most_steps;
    const key* a[interleaved_lanes];
    const key* b[interleaved_lanes];
    key* out[interleaved_lanes];
    for (int s = 0; s < interleaved_lanes; ++s) {
      const merge_range& lane = lanes[s];
      steps = std::min({steps, lane.a_end - lane.a_begin, lane.b_end - lane.b_begin});
      a[s] = problem.keys1 + lane.a_begin;
      b[s] = problem.keys2 + lane.b_begin;
      out[s] = problem.keys_out + lane.out_begin();
    }
    if (steps < least_steps) return;
    for (std::int64_t t = 0; t < steps; ++t) {
#if defined(__clang__)
#pragma unroll
#elif defined(__GNUC__)
#pragma GCC unroll 8
#endif
      for (int s = 0; s < interleaved_lanes; ++s) {
        const bool second = takes_second(*a[s], *b[s], comp);
        out[s][t] = second ? *b[s] : *a[s];
        b[s] += second;
        a[s] += !second;
        if constexpr (has_values) chosen[s][t] = second;
      }
    }
    for (int s = 0; s < interleaved_lanes; ++s) {
      if constexpr (has_values) take_values(problem, lanes[s], chosen[s], steps);
      lanes[s].a_begin = a[s] - problem.keys1;
      lanes[s].b_begin = b[s] - problem.keys2;
    }
  }
}

/// Merges one block, in the way that suits its shape; what the lanes leave is a smaller block.
template <class Problem>
void merge_block(Problem& problem, merge_range part) {
  const std::int64_t size = part.size();
  const std::int64_t a_size = part.a_end - part.a_begin;
  if (a_size == 0) {
    copy_second(problem, part.out_begin(), part.b_begin, part.b_end);
  } else if (a_size == size) {
    copy_first(problem, part.out_begin(), part.a_begin, part.a_end);
  } else if (size < interleaved_least) {
    serial_merge(problem, part);
  } else if (std::min(a_size, size - a_size) < size / gallop_ratio) {
    gallop_merge(problem, part);
  } else {
    merge_range lanes[interleaved_lanes];
    for (int s = 0; s < interleaved_lanes - 1; ++s) {
      lanes[s] = split_front(problem, part, size / interleaved_lanes);
    }
    lanes[interleaved_lanes - 1] = part;
    merge_lanes(problem, lanes);
    for (const merge_range& rest : lanes) merge_block(problem, rest);
  }
}

/// Merges one part of a problem in the calling thread, block by block.
///
/// As `serial_merge`, for problems that `can_interleave`; inputs that are not sorted give a
/// permutation of their elements in an unspecified order.
///
/// - Complexity: at most one comparison for each output, plus O(log(block)) for each lane; linear
///   in the smaller side, times the logarithm of the runs, where that is much smaller.
template <class Problem>
void interleaved_merge(Problem& problem, merge_range part) {
  while (part.size() > interleaved_block) {
    merge_block(problem, split_front(problem, part, interleaved_block));
  }
  merge_block(problem, part);
}

}  // namespace cmerge::detail
