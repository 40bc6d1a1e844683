// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The merge as a list of sources, for every Thrust policy: any number of columns can follow it.
#pragma once

#include <cmerge/detail/policy/dispatch.h>
#include <cmerge/merge_source.h>

#include <cstdint>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {

/// Writes, for each output of the merge of two sorted ranges, where it comes from.
///
/// Output `k` is the word of a `merge_source`: which range, and which position in it. The elements
/// themselves are compared, but not moved; `source_element` is for moving them, or columns that
/// belong to them.
///
/// As `merge` otherwise. Each word is written once; no storage.
///
/// \param policy  where to run, as for `merge`
/// \param first1  begin of the first sorted range
/// \param last1   end of the first sorted range
/// \param first2  begin of the second sorted range
/// \param last2   end of the second sorted range
/// \param out     begin of the output of `std::uint32_t` or `std::uint64_t` words: one for each
///                element. What has no value type gets 64-bit words
/// \param comp    strict weak order, default `<`
/// \returns the end of the output
/// \throws thrust::system_error where a range ends before it begins, or is longer than
///         `merge_source::max_elements`, or a CUDA call fails
CMERGE_EXEC_CHECK_DISABLE
template <class Policy, class Iterator1, class Iterator2, class Output,
          class Compare = detail::less, detail::enable_if_policy<Policy> = 0>
CMERGE_HOST_DEVICE Output merge_indices(const Policy& policy, Iterator1 first1, Iterator1 last1,
                                        Iterator2 first2, Iterator2 last2, Output out,
                                        Compare comp = {}) {
  using word = typename detail::source_word<Output>::type;
  using source = merge_source<word>;
  detail::check_inputs<Iterator1, Iterator2, Compare>();
  detail::check_words<Output, word>();
  const detail::source_iterator<word> sources1{0};
  const detail::source_iterator<word> sources2{source::second_bit};
  const auto problem =
      detail::pairs_problem(first1, sources1, first2, sources2, detail::no_output{}, out, comp,
                            detail::sizes_of(first1, last1, first2, last2));
  detail::dispatch(policy, problem, "cmerge::merge_indices", source::max_elements);
  return out + problem.outputs;
}

/// As above, without a policy: the iterators say where to run, as in Thrust.
CMERGE_EXEC_CHECK_DISABLE
template <class Iterator1, class Iterator2, class Output, class Compare = detail::less,
          detail::enable_if_not_policy<Iterator1> = 0>
CMERGE_HOST_DEVICE Output merge_indices(Iterator1 first1, Iterator1 last1, Iterator2 first2,
                                        Iterator2 last2, Output out, Compare comp = {}) {
  return cmerge::merge_indices(detail::select_policy(first1, first2, out), first1, last1, first2,
                               last2, out, comp);
}

}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
