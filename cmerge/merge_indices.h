// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// merge_indices: where each output of a merge comes from, under every Thrust policy. With that, any
// number of columns can be merged by one column of keys.
#pragma once

#include <cmerge/detail/policy/dispatch.h>
#include <cmerge/merge_source.h>

#include <cstdint>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {

/// Writes where each output of a merge comes from, instead of the output itself.
///
/// Output `k` is the word of a `merge_source`, which holds the range and the position in it. All
/// else is as for `merge`. Elements are compared but not moved. `source_element` then gathers the
/// elements, or any column that belongs to them.
///
/// - Preconditions: those of `merge`. The output has room for `m + n` words.
/// - Stability: as `merge`.
/// - Complexity: as `merge`. Each word is written once. No storage.
///
/// \tparam Policy     a Thrust policy, or one that `cmerge::tuned` returns
/// \tparam Iterator1  random-access iterator over the first range
/// \tparam Iterator2  random-access iterator over the second range
/// \tparam Output     random-access iterator to `std::uint32_t` or `std::uint64_t`. An iterator
///                    without a value type gets 64-bit words
/// \tparam Compare    type of the comparator
/// \param policy  where to run, as for `merge`
/// \param first1  beginning of the first sorted range, of `m = last1 - first1` elements
/// \param last1   end of the first sorted range
/// \param first2  beginning of the second sorted range, of `n = last2 - first2` elements
/// \param last2   end of the second sorted range
/// \param out     beginning of the output of words
/// \param comp    strict weak ordering, by default `<`
/// \returns the end of the output, `out + m + n`
/// \throws thrust::system_error as `merge`, and with `EINVAL` if a range is longer than
///         `merge_source::max_elements`
///
/// \snippet pipeline.cu gather
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

/// Writes where each output of a merge comes from, without a policy.
///
/// As `merge_indices` with a policy. The systems of the iterators select the policy, as in Thrust.
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
