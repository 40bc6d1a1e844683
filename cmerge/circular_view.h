// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A circular buffer seen as a plain sequence.
#pragma once

#include <cmerge/config.h>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {

/// The elements of a circular buffer in order, beginning at any slot: element `i` of the view is
/// slot `(start + i) mod capacity`.
///
/// The wrap happens in `operator[]` and nowhere else, so that searches and merges are written once
/// for pointers, iterators and circular buffers. Non-owning and trivially copyable: pass it by
/// value.
///
/// Preconditions: `0 <= start < capacity`, and `0 <= i < capacity` at each access.
///
/// Source: D. Kirk, W. Hwu and I. El Hajj, "Programming Massively Parallel Processors", 4th ed.,
/// 2022, section 12.7 ("simplified buffer access model").
template <class T>
class CMERGE_VISIBLE circular_view {
 public:
  using value_type = T;

  /// \param data      the first slot
  /// \param start     the slot of the view's first element
  /// \param capacity  number of slots, at most 2^31
  [[gnu::always_inline]] CMERGE_HOST_DEVICE constexpr circular_view(T* data, unsigned start,
                                                                    unsigned capacity)
      : data_(data), start_(start), capacity_(capacity) {}

  template <class Index>
  [[gnu::always_inline]] CMERGE_HOST_DEVICE constexpr T& operator[](Index i) const {
    return *run(static_cast<unsigned>(i));
  }

  /// Element `i <= capacity` as the begin of a run in memory, where the buffer repeats its first
  /// slots behind its last one so that short runs need not wrap.
  [[gnu::always_inline]] CMERGE_HOST_DEVICE constexpr T* run(unsigned i) const {
    // The smaller of the two, unsigned: below the capacity, the difference wraps to a huge value.
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
