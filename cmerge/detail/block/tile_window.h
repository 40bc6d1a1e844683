// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bookkeeping of one input of a block: which elements its buffer holds, and which to load
// next. Plain arithmetic, so that it runs and is tested on the host.
#pragma once

#include <cmerge/circular_view.h>

#include <cstdint>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

/// The window of one sorted input that a block's buffer of `Capacity` slots holds.
///
/// Elements enter at the end (`refill` says how many, `loading` that they are under way, `settle`
/// that they are there) and leave at the start (`consume`). A circular strategy keeps what was not
/// consumed, so that each element is loaded once; a tiled one calls `discard`, and loads it again.
///
/// With `Granule` above 1 a refill ends at a multiple of `Granule` slots, unless it reaches the end
/// of the input: then all but the first and the last copy consist of whole 16-byte granules.
template <unsigned Capacity, unsigned Granule = 1>
class tile_window {
  static_assert(Capacity % Granule == 0, "the buffer must hold whole granules");

 public:
  static constexpr unsigned capacity = Capacity;

  /// \param size   elements in the block's section of this input
  /// \param phase  slot of the first element, `< Granule`
  CMERGE_HOST_DEVICE constexpr explicit tile_window(std::int64_t size, unsigned phase = 0)
      : left_(size), start_(phase) {}

  /// Elements to load now: as many as there is room for.
  CMERGE_HOST_DEVICE constexpr unsigned refill() const {
    // The granule that the first live element lies in must not be overwritten.
    const unsigned room = Capacity - live_ - start_ % Granule;
    return left_ < room ? static_cast<unsigned>(left_) : room;
  }

  /// The slot that the next loaded element goes to.
  CMERGE_HOST_DEVICE constexpr unsigned end_slot() const { return wrap(start_ + live_); }

  /// Index, in the section, of the next element to load.
  CMERGE_HOST_DEVICE constexpr std::int64_t next() const { return next_; }

  /// Index, in the section, of the first live element.
  CMERGE_HOST_DEVICE constexpr std::int64_t consumed() const { return next_ - live_; }

  /// Elements that can be merged now, at most `tile`.
  CMERGE_HOST_DEVICE constexpr unsigned available(unsigned tile) const {
    const unsigned settled = live_ - under_way_;
    return settled < tile ? settled : tile;
  }

  /// Whether a tile can be merged before what is under way has arrived.
  CMERGE_HOST_DEVICE constexpr bool is_ready(unsigned tile) const {
    return under_way_ == 0 || live_ - under_way_ >= tile;
  }

  CMERGE_HOST_DEVICE constexpr void loading(unsigned count) {
    next_ += count;
    left_ -= count;
    live_ += count;
    under_way_ += count;
  }

  CMERGE_HOST_DEVICE constexpr void settle() { under_way_ = 0; }

  CMERGE_HOST_DEVICE constexpr void loaded(unsigned count) {
    loading(count);
    settle();
  }

  CMERGE_HOST_DEVICE constexpr void consume(unsigned count) {
    start_ = wrap(start_ + count);
    live_ -= count;
  }

  /// Forgets what was loaded and not consumed.
  CMERGE_HOST_DEVICE constexpr void discard() {
    next_ -= live_;
    left_ += live_;
    live_ = 0;
    start_ = 0;
  }

  /// The live elements as a plain sequence.
  template <class T>
  CMERGE_HOST_DEVICE constexpr circular_view<T> view(T* buffer) const {
    return {buffer, start_, Capacity};
  }

 private:
  CMERGE_HOST_DEVICE static constexpr unsigned wrap(unsigned slot) {
    return slot < Capacity ? slot : slot - Capacity;
  }

  std::int64_t next_ = 0;   // section index of the next element to load
  std::int64_t left_;       // elements not yet loaded
  unsigned start_;          // slot of the first live element
  unsigned live_ = 0;       // elements in the buffer, or under way to it
  unsigned under_way_ = 0;  // the last of them, which have not arrived
};

}  // namespace detail
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
