// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// merge and merge_by_key for every Thrust policy: the drop-in calls.
#pragma once

#include <cmerge/detail/policy/dispatch.h>

#include <thrust/pair.h>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {

/// Merges two sorted ranges of keys into one, under any Thrust execution policy.
///
/// A drop-in replacement for `thrust::merge`: same parameters, same result, same synchronisation.
///
/// - Preconditions: both inputs are sorted by the strict weak order `comp`; the output has room for
///   all elements and does not overlap the inputs. The iterators are random-access and can be used
///   where the policy runs. Inputs that are not sorted, or a comparator that contradicts itself,
///   give unspecified elements in an unspecified order (unspecified values, where
///   `strategy::by_value` writes them); but it ends, and nothing outside the ranges is read,
///   compared or written.
/// - Comparator: copied, once a thread or section; called as `comp(element2, element1)` with
///   elements of the inputs or copies of them, as const lvalues.
/// - Elements: only elements of the inputs are copied, assigned and compared. On the host each is
///   read for the output once, after all comparisons that need it, so move iterators work. On a
///   device elements are read several times, so move iterators need trivially copyable elements.
/// - Stability: stable; equal elements keep their order, those of range 1 before those of range 2.
///   The same input gives the same output, bit by bit, under every policy.
/// - Complexity: O(m + n) work and at most `m + n - 1` comparisons plus O(log min(m, n)) for each
///   section of the output. CUDA policies: one kernel launch, or two if the output is memory, and
///   has several times as many tiles as the device holds blocks; no temporary storage. Host
///   policies: no allocation beyond what the policy's own loop needs.
/// - Synchronisation: as Thrust. `par` returns when the merge is done, `par_nosync` at once, and
///   only the policy's stream is used.
///
/// \param policy  where to run: `thrust::seq`, `host`, `device`, `cpp::par`, `omp::par`,
///                `tbb::par`, `cuda::par`, `cuda::par_nosync`, with `.on(stream)` or
///                `(allocator)`, or any of these through `cmerge::tuned`
/// \param first1  begin of the first sorted range
/// \param last1   end of the first sorted range
/// \param first2  begin of the second sorted range
/// \param last2   end of the second sorted range
/// \param out     begin of the output, `(last1 - first1) + (last2 - first2)` elements
/// \param comp    strict weak order, default `<`. Integers of one or two bytes are merged faster by
///                the default, or `less` or `greater` of Thrust or the standard library, than by a
///                comparator whose order has no such name
/// \returns the end of the output
/// \throws thrust::system_error where a range ends before it begins (`EINVAL` of Thrust's system
///         category), or a CUDA call fails; under CUDA policies a pointer that is not aligned as
///         its type is `cudaErrorMisalignedAddress`, a stream of another device than the one in use
///         `cudaErrorInvalidResourceHandle`. On the host, what the comparator or an element's copy
///         throws; the output is unspecified then. Inside a kernel nothing is thrown: ranges that
///         end before they begin are empty
///
/// Source: C. Siebert and J. L. Traeff, Parallel Processing Letters 24(1), 2014; D. Kirk, W. Hwu
/// and I. El Hajj, "Programming Massively Parallel Processors", 4th ed., 2022, chapter 12.
CMERGE_EXEC_CHECK_DISABLE
template <class Policy, class Iterator1, class Iterator2, class Output,
          class Compare = detail::less, detail::enable_if_policy<Policy> = 0>
CMERGE_HOST_DEVICE Output merge(const Policy& policy, Iterator1 first1, Iterator1 last1,
                                Iterator2 first2, Iterator2 last2, Output out, Compare comp = {}) {
  detail::check_arguments<Iterator1, Iterator2, Output, Compare>();
  const auto problem = detail::keys_problem(first1, first2, out, comp,
                                            detail::sizes_of(first1, last1, first2, last2));
  detail::dispatch(policy, problem, "cmerge::merge");
  return out + problem.outputs;
}

/// As above, without a policy: the iterators say where to run, as in Thrust.
CMERGE_EXEC_CHECK_DISABLE
template <class Iterator1, class Iterator2, class Output, class Compare = detail::less,
          detail::enable_if_not_policy<Iterator1> = 0>
CMERGE_HOST_DEVICE Output merge(Iterator1 first1, Iterator1 last1, Iterator2 first2,
                                Iterator2 last2, Output out, Compare comp = {}) {
  return cmerge::merge(detail::select_policy(first1, first2, out), first1, last1, first2, last2,
                       out, comp);
}

/// Merges two sorted ranges of keys, and the values that belong to them, into one.
///
/// A drop-in replacement for `thrust::merge_by_key`. As `merge`; each value goes where its key
/// goes, and is read and written once.
///
/// \param policy      where to run
/// \param keys_first1 begin of the first sorted range of keys
/// \param keys_last1  end of the first sorted range of keys
/// \param keys_first2 begin of the second sorted range of keys
/// \param keys_last2  end of the second sorted range of keys
/// \param values1     begin of the values of range 1, as many as keys
/// \param values2     begin of the values of range 2, as many as keys
/// \param keys_out    begin of the output keys
/// \param values_out  begin of the output values
/// \param comp        strict weak order on keys, default `<`
/// \returns a pair: the end of the output keys, the end of the output values
/// \throws thrust::system_error as `merge`
CMERGE_EXEC_CHECK_DISABLE
template <class Policy, class Keys1, class Keys2, class Values1, class Values2, class KeysOut,
          class ValuesOut, class Compare = detail::less, detail::enable_if_policy<Policy> = 0>
CMERGE_HOST_DEVICE thrust::pair<KeysOut, ValuesOut> merge_by_key(
    const Policy& policy, Keys1 keys_first1, Keys1 keys_last1, Keys2 keys_first2, Keys2 keys_last2,
    Values1 values1, Values2 values2, KeysOut keys_out, ValuesOut values_out, Compare comp = {}) {
  detail::check_arguments<Keys1, Keys2, KeysOut, Compare>();
  detail::check_values<Values1, Values2, ValuesOut>();
  const auto problem =
      detail::pairs_problem(keys_first1, values1, keys_first2, values2, keys_out, values_out, comp,
                            detail::sizes_of(keys_first1, keys_last1, keys_first2, keys_last2));
  detail::dispatch(policy, problem, "cmerge::merge_by_key");
  return {keys_out + problem.outputs, values_out + problem.outputs};
}

/// As above, without a policy: the iterators say where to run, as in Thrust.
CMERGE_EXEC_CHECK_DISABLE
template <class Keys1, class Keys2, class Values1, class Values2, class KeysOut, class ValuesOut,
          class Compare = detail::less, detail::enable_if_not_policy<Keys1> = 0>
CMERGE_HOST_DEVICE thrust::pair<KeysOut, ValuesOut> merge_by_key(
    Keys1 keys_first1, Keys1 keys_last1, Keys2 keys_first2, Keys2 keys_last2, Values1 values1,
    Values2 values2, KeysOut keys_out, ValuesOut values_out, Compare comp = {}) {
  return cmerge::merge_by_key(
      detail::select_policy(keys_first1, keys_first2, values1, values2, keys_out, values_out),
      keys_first1, keys_last1, keys_first2, keys_last2, values1, values2, keys_out, values_out,
      comp);
}

}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
