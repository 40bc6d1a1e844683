// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prepares a problem for kernels: raw pointers instead of iterators, one name for each plain order,
// and the memory of outputs that are zip iterators.
#pragma once

#include <cmerge/detail/policy/thrust_namespace.h>
#include <cmerge/detail/device/tile_slot.cuh>

#include <thrust/device_reference.h>
#include <thrust/functional.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/memory.h>
#include <thrust/tuple.h>
#include <thrust/type_traits/is_contiguous_iterator.h>

#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

/// The pointer of a contiguous iterator, so that all such iterators share kernels, and their
/// elements can be copied as memory. Other iterators are returned unchanged.
/// (`thrust::unwrap_contiguous_iterator` of CCCL 3.5 does not accept retagged iterators.)
CMERGE_EXEC_CHECK_DISABLE
template <class Iterator>
CMERGE_HOST_DEVICE auto unwrap(Iterator iterator) {
  if constexpr (std::is_pointer_v<Iterator> || !thrust::is_contiguous_iterator_v<Iterator>) {
    return iterator;
  } else if constexpr (std::is_lvalue_reference_v<decltype(*iterator)>) {
    return __builtin_addressof(*iterator);  // std::addressof is not for device code
  } else {
    return thrust::raw_pointer_cast(&*iterator);
  }
}

/// Whether `Compare` is the order `<` of numbers of type `Key`, under any of its names. Then the
/// same for `>`.
template <class Compare, class Key>
inline constexpr bool is_plain_less =
    std::disjunction_v<std::is_same<Compare, less>, std::is_same<Compare, std::less<>>,
                       std::is_same<Compare, std::less<Key>>, std::is_same<Compare, thrust::less<>>,
                       std::is_same<Compare, thrust::less<Key>>>;
template <class Compare, class Key>
inline constexpr bool is_plain_greater =
    std::disjunction_v<std::is_same<Compare, greater>, std::is_same<Compare, std::greater<>>,
                       std::is_same<Compare, std::greater<Key>>,
                       std::is_same<Compare, thrust::greater<>>,
                       std::is_same<Compare, thrust::greater<Key>>>;

/// The comparator for kernels. It is `less` or `greater` for the plain orders of numbers, because
/// `strategy::by_value` knows only these two, and `std::less` has no `__device__`. Any other
/// comparator is returned unchanged.
CMERGE_EXEC_CHECK_DISABLE
template <class IteratorA, class IteratorB, class Compare>
CMERGE_HOST_DEVICE auto plain_order(const Compare& comp) {
  using key = value_t<IteratorA>;
  if constexpr (!std::is_same_v<key, value_t<IteratorB>> || !std::is_arithmetic_v<key>) {
    return comp;
  } else if constexpr (is_plain_less<Compare, key>) {
    return less{};
  } else if constexpr (is_plain_greater<Compare, key>) {
    return greater{};
  } else {
    return comp;
  }
}

/// Whether reading an element moves it away.
template <class Iterator>
inline constexpr bool is_moved_by_reading = std::is_rvalue_reference_v<reference_t<Iterator>> &&
                                            !std::is_trivially_copyable_v<value_t<Iterator>>;

/// Rejects an input that can be read only once, because kernels read some elements several times.
template <class Iterator>
CMERGE_HOST_DEVICE constexpr void check_rereadable() {
  static_assert(!is_moved_by_reading<Iterator>,
                "cmerge: move iterators need a host policy, unless their elements are trivially "
                "copyable: kernels read elements more than once");
}

CMERGE_EXEC_CHECK_DISABLE
template <class Problem>
CMERGE_HOST_DEVICE auto unwrap_problem(const Problem& p) {
  check_rereadable<decltype(Problem::keys_a)>();
  check_rereadable<decltype(Problem::keys_b)>();
  if constexpr (Problem::has_values) {
    check_rereadable<decltype(Problem::values_a)>();
    check_rereadable<decltype(Problem::values_b)>();
  }
  auto keys_a = detail::unwrap(p.keys_a);
  auto keys_b = detail::unwrap(p.keys_b);
  return pairs_problem(keys_a, detail::unwrap(p.values_a), keys_b, detail::unwrap(p.values_b),
                       detail::unwrap(p.keys_out), detail::unwrap(p.values_out),
                       plain_order<decltype(keys_a), decltype(keys_b)>(p.comp),
                       {p.m, p.n, p.outputs});
}

template <class T>
struct raw_reference<thrust::device_reference<T>> {
  using type = T&;
};
template <class T, class Tag>
struct raw_reference<thrust::tagged_reference<T, Tag>> {
  using type = T&;
};

/// The type that is assigned to the first component of a zipped output. It is void if the reference
/// type of the input is not a tuple.
template <class Reference, class = void>
struct first_of {
  using type = void;
};
template <class Reference>
struct first_of<Reference,
                std::void_t<typename thrust::tuple_element<0, std::decay_t<Reference>>::type>> {
  using type = typename raw_reference<
      typename thrust::tuple_element<0, std::decay_t<Reference>>::type>::type;
};

/// The memory of a zip iterator is that of its first component.
template <class Iterators, class ReferenceA, class ReferenceB>
struct output_memory<thrust::zip_iterator<Iterators>, ReferenceA, ReferenceB> {
  using first = decltype(detail::unwrap(thrust::get<0>(std::declval<const Iterators&>())));
  using memory = output_memory<std::decay_t<first>, typename first_of<ReferenceA>::type,
                               typename first_of<ReferenceB>::type>;

  static constexpr bool is_known = memory::is_known;
  static constexpr std::int64_t bytes = [] {
    if constexpr (is_known) {
      return memory::bytes;
    } else {
      return std::int64_t{0};
    }
  }();
  __device__ static unsigned char* begin(const thrust::zip_iterator<Iterators>& zipped) {
    return memory::begin(detail::unwrap(thrust::get<0>(zipped.get_iterator_tuple())));
  }
};

}  // namespace detail
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
