// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bookkeeping of one input of a block: which elements its buffer holds, and which to load next.
// Used by the tiled and the circular strategy. Plain arithmetic, so that tests run it on the host.
#pragma once

#include <cmerge/circular_view.h>

#include <cstdint>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

/// A window of one sorted input, held in a block's buffer of `Capacity` slots.
///
/// Live elements are those in the buffer or in flight to it. New ones enter at the end: `refill`
/// says how many to load, `loading` adds them as in flight, and `settle` marks them as arrived.
/// `consume` removes elements from the start. The circular strategy keeps the others, and so loads
/// each element once. The tiled strategy calls `discard` and loads them again.
///
/// If `Granule > 1`, a refill that does not reach the end of the input ends at a multiple of
/// `Granule` slots. So all copies except the first and the last consist of whole 16-byte granules.
template <unsigned Capacity, unsigned Granule = 1>
class tile_window {
  static_assert(Capacity % Granule == 0, "the buffer must hold whole granules");

 public:
  static constexpr unsigned capacity = Capacity;

  /// \param size   number of elements in the block's section of this input
  /// \param phase  slot of the first element, less than `Granule`
  CMERGE_HOST_DEVICE constexpr explicit tile_window(std::int64_t size, unsigned phase = 0)
      : left_(size), start_(phase) {}

  /// Number of elements to load now: as many as fit.
  CMERGE_HOST_DEVICE constexpr unsigned refill() const {
    // The granule that contains the first live element must not be overwritten.
    const unsigned room = Capacity - live_ - start_ % Granule;
    return left_ < room ? static_cast<unsigned>(left_) : room;
  }

  /// Slot of the next element to load.
  CMERGE_HOST_DEVICE constexpr unsigned end_slot() const { return wrap(start_ + live_); }

  /// Index within the section of the next element to load.
  CMERGE_HOST_DEVICE constexpr std::int64_t next() const { return next_; }

  /// Index within the section of the first live element.
  CMERGE_HOST_DEVICE constexpr std::int64_t consumed() const { return next_ - live_; }

  /// Number of elements that can be merged now, at most `tile`.
  CMERGE_HOST_DEVICE constexpr unsigned available(unsigned tile) const {
    const unsigned settled = live_ - in_flight_;
    return settled < tile ? settled : tile;
  }

  /// Whether a tile can be merged without waiting for elements in flight.
  CMERGE_HOST_DEVICE constexpr bool is_ready(unsigned tile) const {
    return in_flight_ == 0 || live_ - in_flight_ >= tile;
  }

  /// Adds `count` elements that are in flight.
  CMERGE_HOST_DEVICE constexpr void loading(unsigned count) {
    next_ += count;
    left_ -= count;
    live_ += count;
    in_flight_ += count;
  }

  /// All elements in flight have arrived.
  CMERGE_HOST_DEVICE constexpr void settle() { in_flight_ = 0; }

  /// Adds `count` elements that have arrived.
  CMERGE_HOST_DEVICE constexpr void loaded(unsigned count) {
    loading(count);
    settle();
  }

  /// Removes the first `count` live elements.
  CMERGE_HOST_DEVICE constexpr void consume(unsigned count) {
    start_ = wrap(start_ + count);
    live_ -= count;
  }

  /// Removes all live elements, which will be loaded again from slot 0 on.
  CMERGE_HOST_DEVICE constexpr void discard() {
    next_ -= live_;
    left_ += live_;
    live_ = 0;
    start_ = 0;
  }

  /// The live elements as a sequence.
  template <class T>
  CMERGE_HOST_DEVICE constexpr circular_view<T> view(T* buffer) const {
    return {buffer, start_, Capacity};
  }

 private:
  CMERGE_HOST_DEVICE static constexpr unsigned wrap(unsigned slot) {
    return slot < Capacity ? slot : slot - Capacity;
  }

  std::int64_t next_ = 0;   // index within the section of the next element to load
  std::int64_t left_;       // number of elements not yet loaded
  unsigned start_;          // slot of the first live element
  unsigned live_ = 0;       // number of live elements
  unsigned in_flight_ = 0;  // how many of these, the last ones, have not arrived
};

}  // namespace detail
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
