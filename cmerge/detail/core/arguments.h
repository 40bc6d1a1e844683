// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the argument types of the public calls, with readable errors, and computes the sizes of a
// call.
#pragma once

#include <cmerge/detail/core/element.h>
#include <cmerge/detail/core/merge_problem.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <utility>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

/// The default order: `a < b`, for any two types. It is callable only if `a < b` compiles, so that
/// `is_order` can detect whether it does.
struct less {
  CMERGE_EXEC_CHECK_DISABLE
  template <class Left, class Right>
  CMERGE_HOST_DEVICE constexpr auto operator()(const Left& left, const Right& right) const
      -> decltype(static_cast<bool>(left < right)) {
    return static_cast<bool>(left < right);
  }
};

/// The reverse order: `a > b`.
struct greater {
  CMERGE_EXEC_CHECK_DISABLE
  template <class Left, class Right>
  CMERGE_HOST_DEVICE constexpr auto operator()(const Left& left, const Right& right) const
      -> decltype(static_cast<bool>(left > right)) {
    return static_cast<bool>(left > right);
  }
};

template <class Iterator>
using reference_t = decltype(*std::declval<Iterator&>());

template <class Iterator, class = void>
inline constexpr bool is_random_access = false;
template <class Iterator>
inline constexpr bool is_random_access<
    Iterator, std::void_t<decltype(std::declval<Iterator&>()[std::ptrdiff_t{}]),
                          decltype(std::declval<Iterator&>() + std::ptrdiff_t{}),
                          decltype(std::declval<Iterator&>() - std::declval<Iterator&>())>> = true;

/// Whether an iterator has a value type and a reference type other than void.
template <class Iterator, class = void>
inline constexpr bool has_elements = false;
template <class Iterator>
inline constexpr bool has_elements<Iterator, std::void_t<value_t<Iterator>>> =
    !std::is_void_v<value_t<Iterator>> && !std::is_void_v<reference_t<Iterator>>;

/// Whether an iterator can be an input of a merge.
template <class Iterator>
inline constexpr bool is_input = is_random_access<Iterator>&& has_elements<Iterator>;

/// Whether the difference type of an iterator has at most 64 bits.
template <class Iterator>
inline constexpr bool has_short_distance = sizeof(std::declval<Iterator&>() -
                                                  std::declval<Iterator&>()) <=
                                           sizeof(std::int64_t);

template <class Output, class Reference, class = void>
inline constexpr bool is_writable = false;
template <class Output, class Reference>
inline constexpr bool
    is_writable<Output, Reference,
                std::void_t<decltype(*(std::declval<Output&>() + std::ptrdiff_t{}) =
                                         std::declval<Reference>())>> = true;

/// The reference to const that a comparator receives for an iterator's reference.
template <class Iterator>
using const_reference_t = const std::remove_reference_t<reference_t<Iterator>>&;

/// Whether a comparator can compare two ranges. It must be callable as `comp(element2, element1)`,
/// with elements or with the references that the iterators return.
template <class Compare, class IteratorA, class IteratorB>
inline constexpr bool is_order = std::disjunction_v<
    std::is_invocable_r<bool, Compare&, const value_t<IteratorB>&, const value_t<IteratorA>&>,
    std::is_invocable_r<bool, Compare&, const_reference_t<IteratorB>,
                        const_reference_t<IteratorA>>>;

/// Rejects unsuitable keys and comparators with a readable error.
template <class IteratorA, class IteratorB, class Compare>
CMERGE_HOST_DEVICE constexpr bool check_inputs() {
  static_assert(is_random_access<IteratorA> && is_random_access<IteratorB>,
                "cmerge: both inputs need random-access iterators: first[i], first + i and "
                "last - first");
  if constexpr (is_random_access<IteratorA> && is_random_access<IteratorB>) {
    static_assert(has_elements<IteratorA> && has_elements<IteratorB>,
                  "cmerge: both inputs need elements: *first must not be void, and "
                  "std::iterator_traits must name the iterator's value_type");
  }
  if constexpr (is_input<IteratorA> && is_input<IteratorB>) {
    if constexpr (std::is_same_v<Compare, less>) {
      static_assert(is_order<Compare, IteratorA, IteratorB>,
                    "cmerge: the keys cannot be compared by <, and no comparator is given: "
                    "element2 < element1, of const elements, must compile and give a bool");
    } else {
#if !defined(__CUDACC_EXTENDED_LAMBDA__)
      // Not checked with extended lambdas. If a comparator is or contains one, the host compiler
      // sees a placeholder type, which does not reveal how it can be called.
      static_assert(is_order<Compare, IteratorA, IteratorB>,
                    "cmerge: comp(element2, element1) must compile and give a bool: the comparator "
                    "cannot be called with the elements of these ranges, which are const");
#endif
    }
  }
  return true;
}

/// Rejects an unsuitable output of source words with a readable error.
template <class Output, class Word>
CMERGE_HOST_DEVICE constexpr void check_words() {
  static_assert(is_writable<Output, Word>,
                "cmerge: the output of merge_indices must be a random-access iterator to which "
                "words can be assigned: *(out + i) = word");
}

/// Rejects unsuitable keys, outputs and comparators with a readable error.
template <class IteratorA, class IteratorB, class Output, class Compare>
CMERGE_HOST_DEVICE constexpr void check_arguments() {
  static_assert(check_inputs<IteratorA, IteratorB, Compare>(), "checked first");
  if constexpr (is_input<IteratorA> && is_input<IteratorB>) {
    static_assert(
        is_writable<Output, reference_t<IteratorA>> && is_writable<Output, reference_t<IteratorB>>,
        "cmerge: the output must be a random-access iterator to which elements of both "
        "inputs can be assigned: *(out + i) = element");
  }
}

/// Rejects unsuitable value iterators with a readable error.
template <class ValuesA, class ValuesB, class ValuesOut>
CMERGE_HOST_DEVICE constexpr void check_values() {
  static_assert(is_random_access<ValuesA> && is_random_access<ValuesB>,
                "cmerge: the values of both ranges need random-access iterators");
  if constexpr (is_random_access<ValuesA> && is_random_access<ValuesB>) {
    static_assert(has_elements<ValuesA> && has_elements<ValuesB>,
                  "cmerge: the values of both ranges need elements: *values must not be void, and "
                  "std::iterator_traits must name the iterator's value_type");
  }
  if constexpr (is_input<ValuesA> && is_input<ValuesB>) {
    static_assert(is_writable<ValuesOut, reference_t<ValuesA>> &&
                      is_writable<ValuesOut, reference_t<ValuesB>>,
                  "cmerge: the value output must be a random-access iterator to which values of "
                  "both inputs can be assigned: *(values_out + i) = value");
  }
}

/// Whether no size is negative, and the number of outputs is below `all_outputs`.
template <class Problem>
CMERGE_HOST_DEVICE constexpr bool has_valid_sizes(const Problem& problem) {
  return problem.m >= 0 && problem.n >= 0 && problem.outputs >= 0 && problem.outputs < all_outputs;
}

/// The sizes of a call that makes the first `count` outputs of a merge, or all if there are fewer.
/// (The return type is not deduced from the body. Otherwise an error in the body would hide the
/// readable one.)
CMERGE_EXEC_CHECK_DISABLE
template <class IteratorA, class IteratorB>
CMERGE_HOST_DEVICE problem_sizes sizes_of(IteratorA first_a, IteratorA last_a, IteratorB first_b,
                                          IteratorB last_b, std::int64_t count = all_outputs) {
  static_assert(has_short_distance<IteratorA> && has_short_distance<IteratorB>,
                "cmerge: last - first of both inputs must have a type of at most 64 bits");
  auto m = static_cast<std::int64_t>(last_a - first_a);
  auto n = static_cast<std::int64_t>(last_b - first_b);
#if defined(__CUDA_ARCH__)
  // On the host, negative sizes are an error.
  m = m < 0 ? 0 : m;
  n = n < 0 ? 0 : n;
  count = count < 0 ? 0 : count;
#endif
  const std::int64_t all = m < 0 || n < 0 ? 0 : saturating_sum(m, n);
  return {m, n, count < all ? count : all};
}

}  // namespace detail
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
