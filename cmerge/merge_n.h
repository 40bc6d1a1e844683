// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// merge_n and merge_by_key_n: the first outputs of a merge, under every Thrust policy.
#pragma once

#include <cmerge/detail/policy/dispatch.h>

#include <thrust/pair.h>

#include <cstdint>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {

/// Makes only the first `count` outputs of a merge, for example the `count` smallest elements.
///
/// As `merge`, but memory after the first `count` outputs stays unchanged. If there are fewer
/// elements, all are merged.
///
/// - Preconditions: those of `merge`. The output has room for `min(count, m + n)` elements.
/// - Stability: as `merge`.
/// - Complexity: that of a merge with `count` outputs.
///
/// \tparam Policy     a Thrust policy, or one that `cmerge::tuned` returns
/// \tparam Iterator1  random-access iterator over the first range
/// \tparam Iterator2  random-access iterator over the second range
/// \tparam Output     random-access iterator to which elements of both ranges can be assigned
/// \tparam Compare    type of the comparator
/// \param policy  where to run, as for `merge`
/// \param first1  beginning of the first sorted range, of `m = last1 - first1` elements
/// \param last1   end of the first sorted range
/// \param first2  beginning of the second sorted range, of `n = last2 - first2` elements
/// \param last2   end of the second sorted range
/// \param count   number of outputs, at least 0
/// \param out     beginning of the output
/// \param comp    strict weak ordering, by default `<`
/// \returns the end of the output, `out + min(count, m + n)`
/// \throws thrust::system_error as `merge`, and with `EINVAL` if `count` is negative. In a kernel,
///         a negative `count` is 0
///
/// \snippet host_calls.cpp merge_n
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

/// Makes only the first `count` outputs of a merge, without a policy.
///
/// As `merge_n` with a policy. The systems of the iterators select the policy, as in Thrust.
CMERGE_EXEC_CHECK_DISABLE
template <class Iterator1, class Iterator2, class Output, class Compare = detail::less,
          detail::enable_if_not_policy<Iterator1> = 0>
CMERGE_HOST_DEVICE Output merge_n(Iterator1 first1, Iterator1 last1, Iterator2 first2,
                                  Iterator2 last2, std::int64_t count, Output out,
                                  Compare comp = {}) {
  return cmerge::merge_n(detail::select_policy(first1, first2, out), first1, last1, first2, last2,
                         count, out, comp);
}

/// Makes only the first `count` outputs of a merge of keys and values.
///
/// It is to `merge_by_key` what `merge_n` is to `merge`.
///
/// - Preconditions: those of `merge_by_key`. Both outputs have room for `min(count, m + n)`
///   elements.
/// - Stability and complexity: as `merge_n`.
///
/// \tparam Policy     a Thrust policy, or one that `cmerge::tuned` returns
/// \tparam Keys1      random-access iterator over the keys of range 1
/// \tparam Keys2      random-access iterator over the keys of range 2
/// \tparam Values1    random-access iterator over the values of range 1
/// \tparam Values2    random-access iterator over the values of range 2
/// \tparam KeysOut    random-access iterator to which keys of both ranges can be assigned
/// \tparam ValuesOut  random-access iterator to which values of both ranges can be assigned
/// \tparam Compare    type of the comparator
/// \param policy      where to run, as for `merge`
/// \param keys_first1 beginning of the sorted keys of range 1, `m = keys_last1 - keys_first1` keys
/// \param keys_last1  end of the keys of range 1
/// \param keys_first2 beginning of the sorted keys of range 2, `n = keys_last2 - keys_first2` keys
/// \param keys_last2  end of the keys of range 2
/// \param values1     beginning of the `m` values of range 1
/// \param values2     beginning of the `n` values of range 2
/// \param count       number of outputs, at least 0
/// \param keys_out    beginning of the output of keys
/// \param values_out  beginning of the output of values
/// \param comp        strict weak ordering of keys, by default `<`
/// \returns a pair of the end of the output keys and the end of the output values
/// \throws thrust::system_error as `merge_n`
///
/// \snippet host_calls.cpp merge_by_key_n
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

/// Makes only the first `count` outputs of a merge of keys and values, without a policy.
///
/// As `merge_by_key_n` with a policy. The systems of the iterators select the policy, as in Thrust.
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
