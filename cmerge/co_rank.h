// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rule of stability, and the co-rank search that is built on it. All merges use both.
#pragma once

#include <cmerge/config.h>

#include <type_traits>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {

/// The rule of stability: decides whether the next output comes from the second input.
///
/// `b` goes first only if it is strictly smaller. So `a` goes first if the two are equal. Every
/// merge and every co-rank search calls this function. It passes both elements to `comp` as const
/// lvalues, because a comparison must not move from an element.
///
/// \tparam Element1  type of an element of the first input, or a reference to one
/// \tparam Element2  type of an element of the second input, or a reference to one
/// \tparam Compare   type of the comparator
/// \param a     next element of the first input
/// \param b     next element of the second input
/// \param comp  strict weak ordering, called once as `comp(b, a)`
/// \returns true if `b` goes before `a`
///
/// \snippet host_calls.cpp takes_b
CMERGE_EXEC_CHECK_DISABLE
template <class Element1, class Element2, class Compare>
CMERGE_HOST_DEVICE constexpr bool takes_b(Element1&& a, Element2&& b, Compare& comp) {
  static_assert(std::is_invocable_v<Compare&, const Element2&, const Element1&>,
                "cmerge: comp(element2, element1) must compile: the comparator cannot be called "
                "with the elements of these ranges");
  // For an lvalue, `Element1` is a reference type, and `const` adds nothing to it.
  return static_cast<bool>(comp(static_cast<const Element2&>(b), static_cast<const Element1&>(a)));
}

/// Tests whether element `i` of the first input is among the first `k` outputs.
///
/// It is, unless element `k - 1 - i` of the second input goes before it. So the result is true for
/// all `i` below the co-rank of `k`, and false from the co-rank on.
///
/// - Preconditions: `0 <= i < m` and `0 <= k - 1 - i < n`.
/// - Complexity: one comparison.
///
/// \tparam Index      a signed integer type
/// \tparam Iterator1  random access to the first input
/// \tparam Iterator2  random access to the second input
/// \tparam Compare    type of the comparator
/// \param i       index into the first input
/// \param k       number of outputs
/// \param first1  the `m` elements of the first input
/// \param first2  the `n` elements of the second input
/// \param comp    strict weak ordering, called as `comp(element2, element1)`
/// \returns true if element `i` of the first input is among the first `k` outputs
///
/// \snippet host_calls.cpp co_rank_between
CMERGE_EXEC_CHECK_DISABLE
template <class Index, class Iterator1, class Iterator2, class Compare>
CMERGE_HOST_DEVICE constexpr bool is_among_first(Index i, Index k, Iterator1 first1,
                                                 Iterator2 first2, Compare& comp) {
  return !takes_b(first1[i], first2[k - 1 - i], comp);
}

/// The smallest value that the co-rank of `k` can have: the second input gives at most `n` outputs.
///
/// \tparam Index  a signed integer type
/// \param k  number of outputs, at least 0
/// \param n  number of elements in the second input, at least 0
/// \returns `max(0, k - n)`
///
/// \snippet host_calls.cpp co_rank_between
template <class Index>
CMERGE_HOST_DEVICE constexpr Index co_rank_low(Index k, Index n) {
  return k > n ? k - n : Index{0};
}

/// The largest value that the co-rank of `k` can have: the first input gives at most `m` outputs.
///
/// \tparam Index  a signed integer type
/// \param k  number of outputs, at least 0
/// \param m  number of elements in the first input, at least 0
/// \returns `min(k, m)`
///
/// \snippet host_calls.cpp co_rank_between
template <class Index>
CMERGE_HOST_DEVICE constexpr Index co_rank_high(Index k, Index m) {
  return k < m ? k : m;
}

/// Finds the co-rank of `k` between two known bounds.
///
/// It is `co_rank` with fewer comparisons.
///
/// - Preconditions: those of `co_rank`, and
///   `co_rank_low(k, n) <= low <= co_rank(k, ...) <= high <= co_rank_high(k, m)`.
/// - Complexity: at most `ceil(log2(high - low + 1))` comparisons. No storage.
///
/// \tparam Index      a signed integer type
/// \tparam Iterator1  random access to the first input
/// \tparam Iterator2  random access to the second input
/// \tparam Compare    type of the comparator
/// \param low     lower bound of the co-rank
/// \param high    upper bound of the co-rank
/// \param k       number of outputs
/// \param first1  the `m` elements of the first input
/// \param first2  the `n` elements of the second input
/// \param comp    strict weak ordering, called as `comp(element2, element1)`
/// \returns the co-rank of `k` in the first input
///
/// \snippet host_calls.cpp co_rank_between
CMERGE_EXEC_CHECK_DISABLE
template <class Index, class Iterator1, class Iterator2, class Compare>
CMERGE_HOST_DEVICE constexpr Index co_rank_between(Index low, Index high, Index k, Iterator1 first1,
                                                   Iterator2 first2, Compare& comp) {
  while (low < high) {
    const Index i = low + ((high - low) >> 1);
    if (is_among_first(i, k, first1, first2, comp)) {
      low = i + 1;
    } else {
      high = i;
    }
  }
  return low;
}

/// Finds the co-rank of `k`: how many of the first `k` outputs come from the first input.
///
/// Call the result `i`. The first `k` outputs of the stable merge are the merge of the first `i`
/// elements of the first input and the first `k - i` elements of the second input. For each `k`
/// there is exactly one such `i`. So a merge can be cut into independent parts at any `k`.
///
/// - Preconditions: both inputs are sorted by `comp`, a strict weak ordering. `m >= 0`, `n >= 0`
///   and `0 <= k <= m + n`. All three have one signed type, `Index`, which can hold `m + n`. If the
///   inputs are not sorted, the result is unspecified. It still lies in
///   `[max(0, k - n), min(k, m)]`, and only elements of the inputs are compared.
/// - Stability: equal elements of the first input come before those of the second.
/// - Complexity: at most `ceil(log2(min(k, m, n, m + n - k) + 1))` comparisons. No storage.
///
/// \tparam Index      a signed integer type
/// \tparam Iterator1  random access to the first input
/// \tparam Iterator2  random access to the second input
/// \tparam Compare    type of the comparator
/// \param k       number of outputs, `0 <= k <= m + n`
/// \param first1  the `m` elements of the first input: a pointer, an iterator or a `circular_view`
/// \param m       number of elements in the first input
/// \param first2  the `n` elements of the second input, as for the first
/// \param n       number of elements in the second input
/// \param comp    strict weak ordering, called as `comp(element2, element1)`
/// \returns the co-rank `i` of `k` in the first input; the co-rank in the second is `k - i`
///
/// \snippet host_calls.cpp co_rank
///
/// Source: C. Siebert and J. L. Traeff, "Perfectly load-balanced, stable, synchronization-free
/// parallel merge", Parallel Processing Letters 24(1), 2014; D. Kirk, W. Hwu and I. El Hajj,
/// "Programming Massively Parallel Processors", 4th ed., 2022, chapter 12.
CMERGE_EXEC_CHECK_DISABLE
template <class Index, class Iterator1, class Iterator2, class Compare>
CMERGE_HOST_DEVICE constexpr Index co_rank(Index k, Iterator1 first1, Index m, Iterator2 first2,
                                           Index n, Compare comp) {
  return co_rank_between(co_rank_low(k, n), co_rank_high(k, m), k, first1, first2, comp);
}

}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
