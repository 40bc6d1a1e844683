// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One CPU thread's merge of small, trivially copyable elements: block by block, each in the way
// that suits its shape. Host only.
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

/// Outputs that are judged as one block: larger ones search less (2^15 is 12 % slower on random
/// keys, 2^16 4 %), smaller ones follow local changes of the inputs sooner.
inline constexpr std::int64_t adaptive_block = std::int64_t{1} << 17;
/// Sections of a block that advance in turn: more of them run out of registers.
inline constexpr int interleaved_lanes = 4;
/// Below so many outputs the probe and the searches cost more than the branches that they save.
inline constexpr std::int64_t min_interleaved = 512;
/// A side that has less than one in so many of the outputs is merged by runs: 1.0 to 1.7 times as
/// fast as by branches at one in 1000, 0.8 times at one in 40 (2^25 outputs; in the cache, 2 to 5).
inline constexpr std::int64_t runs_ratio = 128;
/// Outputs that are merged to judge a block.
inline constexpr std::int64_t probe_steps = 256;

/// Whether elements travel from both inputs to the output as they are, at the price of a register.
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

/// What the first outputs of a part let expect of the others.
enum class outlook {
  run,       ///< a long run from one side begins here
  foreseen,  ///< each choice between the inputs follows from those before it
  open,
};

/// Merges the first outputs of a part and judges them, as the processor's branch prediction would.
///
/// An output costs 0.6 ns in a merge with branches where they are foreseen, 3.5 ns where it is
/// even odds, and 1.1 ns in `merge_lanes`, or 2.3 ns with values.
template <class Problem>
outlook merge_probe(Problem& problem, merge_range& part, std::int64_t steps) {
  constexpr std::int64_t most_surprises = Problem::has_values ? 3 : 7;  // one in so many outputs
  constexpr unsigned histories = 1 << 12;
  unsigned char next[histories] = {};  // what followed the last 12 choices: 1 or 2; 0 if unknown
  unsigned history = 0;
  std::int64_t surprises = 0;
  std::int64_t seconds = 0;
  for (std::int64_t t = 0; t < steps; ++t) {
    if (part.a_begin == part.a_end || part.b_begin == part.b_end) return outlook::foreseen;
    const bool second =
        takes_b(problem.keys_a[part.a_begin], problem.keys_b[part.b_begin], problem.comp);
    const bool guess = next[history] == 0 ? history % 2 == 1 : next[history] == 2;
    surprises += guess != second;
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
  // The run must go on for an eighth of the part, or cutting the part does not pay.
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
  return surprises * most_surprises < steps ? outlook::foreseen : outlook::open;
}

/// Takes the first `count` outputs off `part` and returns the part that makes them.
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

/// Merges one block, in the way that suits its shape; what the lanes leave is a smaller block.
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
    if (next == outlook::foreseen) return merge_branching(problem, part);
    merge_range lanes[interleaved_lanes];
    const std::int64_t lane = part.size() / interleaved_lanes;
    for (int s = 0; s < interleaved_lanes - 1; ++s) lanes[s] = split_front(problem, part, lane);
    lanes[interleaved_lanes - 1] = part;
    if (next == outlook::open) {
      merge_lanes(problem, lanes, std::make_index_sequence<interleaved_lanes>{});
    }
    for (const merge_range& rest : lanes) merge_block(problem, rest);
  }
}

/// Merges one part of a problem in the calling thread, block by block.
///
/// As `serial_merge`, for problems that `can_interleave`; inputs that are not sorted give a
/// permutation of their elements in an unspecified order.
///
/// - Complexity: O(size): about one comparison for each output, plus O(log(block)) for each lane.
///   Where one side is much smaller: one for each 128 bytes of the larger side, and some for each
///   element of the smaller one.
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
