// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first n outputs of a merge, for every Thrust policy.
#pragma once

#include <cmerge/detail/policy/dispatch.h>

#include <thrust/pair.h>

#include <cstdint>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {

/// Makes the first `count` outputs of a merge, or all if there are fewer: for instance the smallest
/// `count` elements of two sorted ranges.
///
/// As `merge`, and as if the outputs behind the first `count` had been thrown away: what lies
/// behind them in memory stays as it was, and the work is that of `count` outputs.
///
/// \param policy  where to run, as for `merge`
/// \param first1  begin of the first sorted range
/// \param last1   end of the first sorted range
/// \param first2  begin of the second sorted range
/// \param last2   end of the second sorted range
/// \param count   number of outputs, not negative (inside a kernel: 0 if it is); more than there
/// are
///                elements means all
/// \param out     begin of the output
/// \param comp    strict weak order, default `<`
/// \returns the end of the output, `out + min(count, m + n)`
/// \throws thrust::system_error where a range ends before it begins, `count` is negative or a CUDA
///         call fails
CMERGE_EXEC_CHECK_DISABLE
template <class Policy, class Iterator1, class Iterator2, class Output,
          class Compare = detail::less, detail::enable_if_policy<Policy> = 0>
CMERGE_HOST_DEVICE Output merge_n(const Policy& policy, Iterator1 first1, Iterator1 last1,
                                  Iterator2 first2, Iterator2 last2, std::int64_t count, Output out,
                                  Compare comp = {}) {
  detail::check_arguments<Iterator1, Iterator2, Output, Compare>();
  const auto problem = detail::keys_problem(first1, first2, out, comp,
                                            detail::sizes_of(first1, last1, first2, last2, count));
  detail::dispatch(policy, problem, "cmerge::merge_n");
  return out + problem.outputs;
}

/// As above, without a policy: the iterators say where to run, as in Thrust.
CMERGE_EXEC_CHECK_DISABLE
template <class Iterator1, class Iterator2, class Output, class Compare = detail::less,
          detail::enable_if_not_policy<Iterator1> = 0>
CMERGE_HOST_DEVICE Output merge_n(Iterator1 first1, Iterator1 last1, Iterator2 first2,
                                  Iterator2 last2, std::int64_t count, Output out,
                                  Compare comp = {}) {
  return cmerge::merge_n(detail::select_policy(first1, first2, out), first1, last1, first2, last2,
                         count, out, comp);
}

/// As `merge_n`, with values that go where their keys go, as in `merge_by_key`.
///
/// \returns a pair: the end of the output keys, the end of the output values
CMERGE_EXEC_CHECK_DISABLE
template <class Policy, class Keys1, class Keys2, class Values1, class Values2, class KeysOut,
          class ValuesOut, class Compare = detail::less, detail::enable_if_policy<Policy> = 0>
CMERGE_HOST_DEVICE thrust::pair<KeysOut, ValuesOut> merge_by_key_n(
    const Policy& policy, Keys1 keys_first1, Keys1 keys_last1, Keys2 keys_first2, Keys2 keys_last2,
    Values1 values1, Values2 values2, std::int64_t count, KeysOut keys_out, ValuesOut values_out,
    Compare comp = {}) {
  detail::check_arguments<Keys1, Keys2, KeysOut, Compare>();
  detail::check_values<Values1, Values2, ValuesOut>();
  const auto problem = detail::pairs_problem(
      keys_first1, values1, keys_first2, values2, keys_out, values_out, comp,
      detail::sizes_of(keys_first1, keys_last1, keys_first2, keys_last2, count));
  detail::dispatch(policy, problem, "cmerge::merge_by_key_n");
  return {keys_out + problem.outputs, values_out + problem.outputs};
}

/// As above, without a policy: the iterators say where to run, as in Thrust.
CMERGE_EXEC_CHECK_DISABLE
template <class Keys1, class Keys2, class Values1, class Values2, class KeysOut, class ValuesOut,
          class Compare = detail::less, detail::enable_if_not_policy<Keys1> = 0>
CMERGE_HOST_DEVICE thrust::pair<KeysOut, ValuesOut> merge_by_key_n(
    Keys1 keys_first1, Keys1 keys_last1, Keys2 keys_first2, Keys2 keys_last2, Values1 values1,
    Values2 values2, std::int64_t count, KeysOut keys_out, ValuesOut values_out,
    Compare comp = {}) {
  return cmerge::merge_by_key_n(
      detail::select_policy(keys_first1, keys_first2, values1, values2, keys_out, values_out),
      keys_first1, keys_last1, keys_first2, keys_last2, values1, values2, count, keys_out,
      values_out, comp);
}

}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
