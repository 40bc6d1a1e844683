// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements in uninitialised storage.
#pragma once

#include <cmerge/config.h>

#include <iterator>
#include <new>
#include <type_traits>
#include <utility>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

template <class Iterator>
using value_t = typename std::iterator_traits<std::decay_t<Iterator>>::value_type;

/// Whether assigning `Source` to an element overwrites all of it and runs no user-defined code.
template <class T, class Source>
inline constexpr bool is_plainly_assigned =
    std::is_trivially_copyable_v<T>&& std::is_trivially_assignable_v<T&, Source>;

/// Whether copying bytes can replace assignment between elements of type `T`, const or not.
template <class T>
inline constexpr bool is_copied_as_bytes =
    is_plainly_assigned<T, T&>&& is_plainly_assigned<T, const T&>;

/// Storage for `Count` elements, which it neither constructs nor destroys. So `T` needs no default
/// constructor. Elements are put there by `construct`.
template <class T, unsigned Count>
union element_array {
  CMERGE_HOST_DEVICE element_array() {}
  T items[Count];
};

/// Constructs an element at `place`.
CMERGE_EXEC_CHECK_DISABLE
template <class T, class Source>
CMERGE_HOST_DEVICE void construct(T* place, Source&& source) {
  ::new (static_cast<void*>(place)) T(std::forward<Source>(source));
}

}  // namespace detail
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
