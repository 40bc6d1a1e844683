// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The merge of small, trivially copyable elements by one CPU thread. It merges block by block, and
// selects a method for each block. Host only.
#pragma once

#include <cmerge/detail/core/element.h>
#include <cmerge/detail/host/galloping_merge.h>
#include <cmerge/detail/host/interleaved_merge.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

/// Number of outputs in a block. One method is selected per block. Larger blocks need fewer
/// searches: for random keys, 2^15 is 12 % slower, and 2^16 is 4 % slower. Smaller blocks adapt
/// sooner to changes within the inputs.
inline constexpr std::int64_t adaptive_block = std::int64_t{1} << 17;
/// Number of lanes: sections of a block that advance in turn. More lanes would need more registers
/// than there are.
inline constexpr int interleaved_lanes = 4;
/// Minimum number of outputs for lanes. Below it, the probe and the searches cost more than the
/// mispredicted branches that they avoid.
inline constexpr std::int64_t min_interleaved = 512;
/// If less than one output in `runs_ratio` comes from one input, the block is merged by copying
/// runs of the other. With one output in 1000, that is 1.0 to 1.7 times as fast as a merge with
/// branches (2^25 outputs), or 2 to 5 times as fast in the cache. With one in 40 it is 0.8 times as
/// fast.
inline constexpr std::int64_t runs_ratio = 128;
/// Number of outputs that are merged to select the method for a block.
inline constexpr std::int64_t probe_steps = 256;

/// Whether elements are copied unchanged from both inputs to the output, and are small enough for
/// registers.
template <class InputA, class InputB, class Output>
inline constexpr bool is_small_copy = false;
template <class T1, class T2, class T>
inline constexpr bool is_small_copy<T1*, T2*, T*> =
    std::is_same_v<std::remove_const_t<T1>, T>&& std::is_same_v<std::remove_const_t<T2>, T>&&
        is_copied_as_bytes<T> &&
    sizeof(T) <= 16;

/// Whether a problem can be merged by `adaptive_merge`: raw pointers to small elements.
template <class Problem>
inline constexpr bool can_interleave = false;
template <class K1, class K2, class K, class V1, class V2, class V, class Compare>
inline constexpr bool can_interleave<merge_problem<K1, K2, K, V1, V2, V, Compare>> =
    is_small_copy<K1, K2, K> && (std::is_same_v<V, no_values> || is_small_copy<V1, V2, V>);

/// The prediction that the first outputs of a part allow for the others.
enum class outlook {
  run,            ///< a long run from one input starts here
  predictable,    ///< a branch predictor will foresee most choices between the inputs
  unpredictable,  ///< it will not
};

/// Merges the first outputs of a part, and predicts each choice as the processor's branch predictor
/// would.
///
/// In a merge with branches, an output takes 0.6 ns if its branch is predicted, and 3.5 ns if both
/// choices are equally likely. In `merge_lanes` it takes 1.1 ns, or 2.3 ns with values.
template <class Problem>
outlook merge_probe(Problem& problem, merge_range& part, std::int64_t steps) {
  // With fewer wrong predictions than one in so many outputs, branches are faster than lanes.
  constexpr std::int64_t outputs_per_miss = Problem::has_values ? 3 : 7;
  constexpr unsigned histories = 1 << 12;
  unsigned char next[histories] = {};  // the choice after a history: 1 or 2, or 0 if unknown
  unsigned history = 0;
  std::int64_t misses = 0;
  std::int64_t seconds = 0;
  for (std::int64_t t = 0; t < steps; ++t) {
    if (part.a_begin == part.a_end || part.b_begin == part.b_end) return outlook::predictable;
    const bool second =
        takes_b(problem.keys_a[part.a_begin], problem.keys_b[part.b_begin], problem.comp);
    const bool guess = next[history] == 0 ? history % 2 == 1 : next[history] == 2;
    misses += guess != second;
    seconds += second;
    next[history] = static_cast<unsigned char>(1 + second);
    history = (2 * history + second) % histories;
    if (second) {
      problem.take_b(part.out_begin(), part.b_begin);
      ++part.b_begin;
    } else {
      problem.take_a(part.out_begin(), part.a_begin);
      ++part.a_begin;
    }
  }
  // Cutting the part pays only if the run continues for an eighth of it.
  const std::int64_t i = part.a_begin + part.size() / 8;
  const std::int64_t j = part.b_begin + part.size() / 8;
  if (seconds == 0 && part.b_begin < part.b_end && i < part.a_end &&
      !takes_b(problem.keys_a[i], problem.keys_b[part.b_begin], problem.comp)) {
    return outlook::run;
  }
  if (seconds == steps && part.a_begin < part.a_end && j < part.b_end &&
      takes_b(problem.keys_a[part.a_begin], problem.keys_b[j], problem.comp)) {
    return outlook::run;
  }
  return misses * outputs_per_miss < steps ? outlook::predictable : outlook::unpredictable;
}

/// Removes the first `count` outputs from `part`, and returns the part that contains them.
template <class Problem>
merge_range split_front(Problem& problem, merge_range& part, std::int64_t count) {
  const std::int64_t i = co_rank_between(
      co_rank_low(count, part.b_end - part.b_begin), co_rank_high(count, part.a_end - part.a_begin),
      count, problem.keys_a + part.a_begin, problem.keys_b + part.b_begin, problem.comp);
  const merge_range front{part.a_begin, part.a_begin + i, part.b_begin, part.b_begin + count - i};
  part.a_begin = front.a_end;
  part.b_begin = front.b_end;
  return front;
}

/// Merges one block with the method that suits it. The rest of each lane is a smaller block.
template <class Problem>
void merge_block(Problem& problem, merge_range part) {
  const std::int64_t size = part.size();
  const std::int64_t a_size = part.a_end - part.a_begin;
  if (a_size == 0) {
    copy_b(problem, part.out_begin(), part.b_begin, part.b_end);
  } else if (a_size == size) {
    copy_a(problem, part.out_begin(), part.a_begin, part.a_end);
  } else if (size < min_interleaved) {
    detail::merge_small(problem, part);
  } else if ((std::min)(a_size, size - a_size) < size / runs_ratio) {
    merge_galloping(problem, part);
  } else {
    const outlook next = merge_probe(problem, part, (std::min)(probe_steps, size / 4));
    if (next == outlook::predictable) return merge_branching(problem, part);
    merge_range lanes[interleaved_lanes];
    const std::int64_t lane = part.size() / interleaved_lanes;
    for (int s = 0; s < interleaved_lanes - 1; ++s) lanes[s] = split_front(problem, part, lane);
    lanes[interleaved_lanes - 1] = part;
    if (next == outlook::unpredictable) {
      merge_lanes(problem, lanes, std::make_index_sequence<interleaved_lanes>{});
    }
    for (const merge_range& rest : lanes) merge_block(problem, rest);
  }
}

/// Merges one part of a problem in the calling thread, block by block.
///
/// It has the result of `serial_merge`. The problem must satisfy `can_interleave`. If the inputs
/// are not sorted, the output is a permutation of their elements in unspecified order.
///
/// - Complexity: O(size). It makes about one comparison per output, and O(log(block)) per lane. If
/// one
///   input is much smaller, it makes one comparison per 128 bytes of the larger input, and
///   O(log(128 bytes)) per element of the smaller one.
template <class Problem>
void adaptive_merge(Problem& problem, merge_range part) {
  std::int64_t block = adaptive_block;
  while (part.size() > block && part.a_begin < part.a_end && part.b_begin < part.b_end) {
    const merge_range front = split_front(problem, part, block);
    merge_block(problem, front);
    const bool is_run = front.a_begin == front.a_end || front.b_begin == front.b_end;
    block = is_run ? 2 * block : adaptive_block;
  }
  merge_block(problem, part);
}

}  // namespace detail
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
