// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tells which tuning a merge gets: for logs, and for users who attach their own tunings.
#pragma once

#include <cmerge/tuned.h>
#include <cmerge/detail/policy/cuda_merge.cuh>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

template <class Policy, class Problem>
tuning chosen_tuning_of(const Problem& problem, const char* name) {
  tuning found{};
  throw_on_error(find_tuning<tuning_of<Policy>>(unwrap_problem(problem), found), name);
  return found;
}

}  // namespace detail

/// The tuning with which `merge` would run under a CUDA policy on the current device.
///
/// It depends on the types, on the size of the problem, on the GPU, and on the tuning that the
/// policy carries. It can differ from that tuning: a tile that does not fit in shared memory is
/// made smaller, and a strategy that cannot merge the keys is replaced. `name(strategy)` prints it.
///
/// - Preconditions: both ranges are valid. Their elements are not read, and nothing is launched.
/// - Synchronisation: none. The first call for a kernel asks the CUDA runtime about it.
///
/// \tparam Policy     a CUDA policy, or one that `cmerge::tuned` returns for one
/// \tparam Iterator1  as for `merge`
/// \tparam Iterator2  as for `merge`
/// \tparam Output     as for `merge`
/// \tparam Compare    as for `merge`
/// \param first1  beginning of the first range
/// \param last1   end of the first range
/// \param first2  beginning of the second range
/// \param last2   end of the second range
/// \param out     beginning of the output
/// \param comp    strict weak ordering, by default `<`
/// \returns the tuning
/// \throws thrust::system_error if the program has no code for this GPU, or a CUDA call fails
///
/// \snippet custom_tuning.cu chosen_tuning
template <class Policy, class Iterator1, class Iterator2, class Output,
          class Compare = detail::less>
tuning chosen_tuning(const Policy&, Iterator1 first1, Iterator1 last1, Iterator2 first2,
                     Iterator2 last2, Output out, Compare comp = {}) {
  detail::check_arguments<Iterator1, Iterator2, Output, Compare>();
  return detail::chosen_tuning_of<Policy>(
      detail::keys_problem(first1, first2, out, comp,
                           detail::sizes_of(first1, last1, first2, last2)),
      "cmerge::chosen_tuning");
}

/// The tuning with which `merge_by_key` would run. As `chosen_tuning` otherwise.
///
/// \tparam Policy     a CUDA policy, or one that `cmerge::tuned` returns for one
/// \tparam Keys1      as for `merge_by_key`
/// \tparam Keys2      as for `merge_by_key`
/// \tparam Values1    as for `merge_by_key`
/// \tparam Values2    as for `merge_by_key`
/// \tparam KeysOut    as for `merge_by_key`
/// \tparam ValuesOut  as for `merge_by_key`
/// \tparam Compare    as for `merge_by_key`
/// \param keys_first1  beginning of the first range of keys
/// \param keys_last1   end of the first range of keys
/// \param keys_first2  beginning of the second range of keys
/// \param keys_last2   end of the second range of keys
/// \param values1      beginning of the values of the first range
/// \param values2      beginning of the values of the second range
/// \param keys_out     beginning of the output keys
/// \param values_out   beginning of the output values
/// \param comp         strict weak ordering, by default `<`
/// \returns the tuning
/// \throws thrust::system_error as `chosen_tuning`
///
/// \snippet custom_tuning.cu chosen_tuning_by_key
template <class Policy, class Keys1, class Keys2, class Values1, class Values2, class KeysOut,
          class ValuesOut, class Compare = detail::less>
tuning chosen_tuning_by_key(const Policy&, Keys1 keys_first1, Keys1 keys_last1, Keys2 keys_first2,
                            Keys2 keys_last2, Values1 values1, Values2 values2, KeysOut keys_out,
                            ValuesOut values_out, Compare comp = {}) {
  detail::check_arguments<Keys1, Keys2, KeysOut, Compare>();
  detail::check_values<Values1, Values2, ValuesOut>();
  return detail::chosen_tuning_of<Policy>(
      detail::pairs_problem(keys_first1, values1, keys_first2, values2, keys_out, values_out, comp,
                            detail::sizes_of(keys_first1, keys_last1, keys_first2, keys_last2)),
      "cmerge::chosen_tuning_by_key");
}

}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
