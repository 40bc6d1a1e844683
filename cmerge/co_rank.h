// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stability rule and the co-rank search built on it.
#pragma once

#include <cmerge/config.h>

#include <type_traits>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {

/// The stability rule: whether the next output comes from the second input.
///
/// `b` goes first only where it is strictly smaller, so that on ties `a` does. Every merge and
/// every search for a co-rank asks this one function. Temporary and movable elements are passed to
/// `comp` as const lvalues: a comparison must not move from an element.
CMERGE_EXEC_CHECK_DISABLE
template <class Element1, class Element2, class Compare>
CMERGE_HOST_DEVICE constexpr bool takes_b(Element1&& a, Element2&& b, Compare& comp) {
  static_assert(std::is_invocable_v<Compare&, const Element2&, const Element1&>,
                "cmerge: comp(element2, element1) must compile: the comparator cannot be called "
                "with the elements of these ranges");
  // For an lvalue, `Element1` is a reference type, to which `const` adds nothing.
  return static_cast<bool>(comp(static_cast<const Element2&>(b), static_cast<const Element1&>(a)));
}

/// Whether element `i` of the first input is among the first `k` outputs.
///
/// It is, unless element `k - 1 - i` of the second input goes before it; true for all `i` below
/// the co-rank of `k` and false from there on.
///
/// Preconditions: `0 <= i < m` and `0 <= k - 1 - i < n`.
CMERGE_EXEC_CHECK_DISABLE
template <class Index, class Iterator1, class Iterator2, class Compare>
CMERGE_HOST_DEVICE constexpr bool is_among_first(Index i, Index k, Iterator1 first1,
                                                 Iterator2 first2, Compare& comp) {
  return !takes_b(first1[i], first2[k - 1 - i], comp);
}

/// The smallest value that the co-rank of `k` can have: the second input gives at most `n`.
template <class Index>
CMERGE_HOST_DEVICE constexpr Index co_rank_low(Index k, Index n) {
  return k > n ? k - n : Index{0};
}

/// The largest value that the co-rank of `k` can have: the first input gives at most `m`.
template <class Index>
CMERGE_HOST_DEVICE constexpr Index co_rank_high(Index k, Index m) {
  return k < m ? k : m;
}

/// The co-rank of `k`, searched between two bounds that are known to enclose it.
///
/// As `co_rank` below, with the preconditions
/// `co_rank_low(k, n) <= low <= co_rank(k, ...) <= high <= co_rank_high(k, m)`.
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

/// How many elements of the first input are among the first `k` outputs of the ordered merge.
///
/// The first `k` outputs are the merge of the first `co_rank` elements of the first input and the
/// first `k - co_rank` elements of the second one; for each `k` there is exactly one such pair.
///
/// - Preconditions: both inputs are sorted by the strict weak order `comp`; `m` and `n` are not
///   negative, `0 <= k <= m + n`, and all three have one signed type, `Index`. For other inputs the
///   result is unspecified, but still lies in
///   `[max(0, k - n), min(k, m)]`, and only elements of the inputs are compared.
/// - Stability: of equal elements, those of the first input come first.
/// - Complexity: at most `ceil(log2(min(k, m, n, m + n - k) + 1))` comparisons; no storage.
///
/// \param k       a rank: an index into the outputs, `0 <= k <= m + n`
/// \param first1  random access to the `m` elements of the first input: a pointer, an iterator or
///                a `circular_view`
/// \param m       number of elements in the first input
/// \param first2  random access to the `n` elements of the second input
/// \param n       number of elements in the second input
/// \param comp    strict weak order, called as `comp(element2, element1)`
/// \returns the co-rank `i` of `k` in the first input; in the second one it is `k - i`
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
