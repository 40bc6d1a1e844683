// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One thread's merge: of whole ranges, and of a few outputs that stay in registers.
// Layer 2, includes co_rank.h and detail/merge_problem.h.
#pragma once

#include <cmerge/co_rank.h>
#include <cmerge/detail/merge_problem.h>

#include <cstdint>

namespace cmerge {
namespace detail {

/// Merges one part of a problem, element by element.
CMERGE_EXEC_CHECK_DISABLE
template <class Problem>
CMERGE_HOST_DEVICE constexpr void serial_merge(Problem& problem, merge_range part) {
  std::int64_t i = part.a_begin;
  std::int64_t j = part.b_begin;
  std::int64_t k = part.out_begin();
  while (i < part.a_end && j < part.b_end) {
    if (takes_second(problem.keys1[i], problem.keys2[j], problem.comp)) {
      problem.take_second(k++, j++);
    } else {
      problem.take_first(k++, i++);
    }
  }
  while (i < part.a_end) problem.take_first(k++, i++);
  while (j < part.b_end) problem.take_second(k++, j++);
}

/// `Items` outputs from `a[i..a_end)` and `b[j..b_end)`, one step each; only the first `count` of
/// them are meaningful.
///
/// Each step `s` is a constant after unrolling, so that `emit` can keep its results in registers:
/// `emit.source(s, second, index)` says which element of which input comes next. With `CacheKeys`
/// the next key of either side is held in a register, loaded once, and passed to
/// `emit.key(s, key)`; there are no branches. Without, keys are compared where they are.
///
/// Precondition: `count <= a_end - i + b_end - j`. Returns `i` as it is after `Items` steps.
CMERGE_EXEC_CHECK_DISABLE
template <int Items, bool CacheKeys, class View1, class View2, class Compare, class Emit>
CMERGE_HOST_DEVICE constexpr unsigned serial_merge_steps(View1 a, unsigned i, unsigned a_end,
                                                         View2 b, unsigned j, unsigned b_end,
                                                         unsigned count, Compare& comp,
                                                         Emit& emit) {
  if (count == 0) return i;
  if constexpr (CacheKeys) {
    auto a_key = a[i];
    auto b_key = b[j];
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
    for (int s = 0; s < Items; ++s) {
      const bool second = j < b_end && (i >= a_end || takes_second(a_key, b_key, comp));
      emit.source(s, second, second ? j : i);
      emit.key(s, second ? b_key : a_key);
      i += !second;
      j += second;
      const auto next = second ? b[j] : a[i];
      a_key = second ? a_key : next;
      b_key = second ? next : b_key;
    }
  } else {
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
    for (int s = 0; s < Items; ++s) {
      const bool second = j < b_end && (i >= a_end || takes_second(a[i], b[j], comp));
      emit.source(s, second, second ? j : i);
      i += !second;
      j += second;
    }
  }
  return i;
}

}  // namespace detail

/// Merges two sorted ranges into one, in the calling thread, host or device.
///
/// - Preconditions: both inputs are sorted by the strict weak order `comp`; the output does not
///   overlap them.
/// - Stability: stable; of equal elements those of the first input come first.
/// - Complexity: at most `m + n - 1` comparisons; each element is read and written once; no storage.
///
/// \param first1  random access to the `m` elements of the first input
/// \param m       number of elements in the first input
/// \param first2  random access to the `n` elements of the second input
/// \param n       number of elements in the second input
/// \param out     random-access output for `m + n` elements
/// \param comp    strict weak order
/// \returns `out + m + n`
CMERGE_EXEC_CHECK_DISABLE
template <class Iterator1, class Iterator2, class Output, class Compare>
CMERGE_HOST_DEVICE constexpr Output serial_merge(Iterator1 first1, std::int64_t m,
                                                 Iterator2 first2, std::int64_t n, Output out,
                                                 Compare comp) {
  using none = detail::no_values;
  detail::merge_problem<Iterator1, Iterator2, Output, none, none, none, Compare> problem{
      first1, first2, out, {}, {}, {}, m, n, comp};
  detail::serial_merge(problem, {0, m, 0, n});
  return out + (m + n);
}

}  // namespace cmerge
