// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A circular buffer seen as a plain sequence. The block merges search and merge through it.
#pragma once

#include <cmerge/config.h>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {

/// A circular buffer seen as a sequence: element `i` is slot `(start + i) mod capacity`.
///
/// Only this class handles the wrap. So searches and merges are written once, for pointers,
/// iterators and circular buffers. A view does not own the buffer and is trivially copyable: pass
/// it by value.
///
/// - Preconditions: `0 <= start < capacity`, and `0 <= i < capacity` at each access.
/// - Complexity: constant. No storage.
///
/// \tparam T  type of the elements; const for a view that does not write
///
/// \snippet host_calls.cpp circular_view
///
/// Source: D. Kirk, W. Hwu and I. El Hajj, "Programming Massively Parallel Processors", 4th ed.,
/// 2022, section 12.7 ("simplified buffer access model").
template <class T>
class CMERGE_VISIBLE circular_view {
 public:
  /// The type of the elements.
  using value_type = T;

  /// Makes a view of a buffer.
  ///
  /// \param data      pointer to slot 0 of the buffer
  /// \param start     slot of the view's first element
  /// \param capacity  number of slots, at most 2^31, so that `start + i` does not overflow
  [[gnu::always_inline]] CMERGE_HOST_DEVICE constexpr circular_view(T* data, unsigned start,
                                                                    unsigned capacity)
      : data_(data), start_(start), capacity_(capacity) {}

  /// Accesses one element.
  ///
  /// \tparam Index  an integer type
  /// \param i       index of the element in the view, `0 <= i < capacity`
  /// \returns a reference to the element
  template <class Index>
  [[gnu::always_inline]] CMERGE_HOST_DEVICE constexpr T& operator[](Index i) const {
    return *run(static_cast<unsigned>(i));
  }

  /// Gives a pointer to an element, from which several consecutive elements can be read.
  ///
  /// This needs a buffer that repeats its first slots after its last slot. As many elements can be
  /// read without a wrap as slots are repeated, and one more.
  ///
  /// \param i  index of the element in the view, `0 <= i <= capacity`
  /// \returns a pointer to the slot of the element
  [[gnu::always_inline]] CMERGE_HOST_DEVICE constexpr T* run(unsigned i) const {
    // The minimum selects the right slot without a branch: if `slot` is below the capacity, the
    // unsigned difference wraps to a huge value.
    const unsigned slot = start_ + i;
    const unsigned wrapped = slot - capacity_;
    return data_ + (slot < wrapped ? slot : wrapped);
  }

 private:
  T* data_;
  unsigned start_;
  unsigned capacity_;
};

}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
