// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shared memory of the single strategy: how many extra elements it has room for, and where its
// parts lie. Used by single.cuh and strategies.cuh.
#pragma once

#include <cmerge/detail/core/merge_window.h>
#include <cmerge/detail/block/tile_merger.cuh>

#include <cstdint>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

/// Maximum distance between the bounds of either end of a section, in elements. 0 means that ends
/// must be exact.
///
/// A neighbouring block loads the elements between the bounds too, at about the same time. Large
/// elements get no slack, because it would take too much shared memory and too long to load.
template <class Elements, bool HasSlack>
CMERGE_HOST_DEVICE constexpr unsigned single_slack(unsigned tile) {
  using value = typename Elements::value;
  if constexpr (!HasSlack ||
                !keys_in_registers<typename Elements::key_a, typename Elements::key_b>) {
    return 0;
  } else if constexpr (is_buffered_value<value>) {
    return sizeof(value) <= granule_bytes ? tile_slack(tile) : 0;
  } else {
    return tile_slack(tile);
  }
}

/// The shared memory of the single strategy. Members are offsets in bytes; keys are at offset 0.
template <class Elements, bool HasSlack>
struct single_layout {
  using key = larger_of<typename Elements::key_a, typename Elements::key_b>;

  CMERGE_HOST_DEVICE constexpr explicit single_layout(tuning t)
      : values(room<key>(t)),
        sources(values + value_bytes(t)),
        barrier(sources + tile_staging<Elements>::source_bytes(static_cast<unsigned>(t.tile()))),
        end(barrier + unsigned{sizeof(std::uint64_t)}) {}

  /// Bytes for values; 0 if they are not loaded.
  CMERGE_HOST_DEVICE static constexpr unsigned value_bytes(tuning t) {
    if constexpr (is_buffered_value<typename Elements::value>) {
      return room<typename Elements::value>(t);
    } else {
      return 0;
    }
  }

  /// Bytes of a buffer for both inputs. Each can begin at any offset within `phase_bytes`. The room
  /// for these offsets also covers the key, or the word of a value, that a thread reads past the
  /// last one.
  template <class T>
  CMERGE_HOST_DEVICE static constexpr unsigned room(tuning t) {
    const auto tile = static_cast<unsigned>(t.tile());
    return round_up((tile + 2 * single_slack<Elements, HasSlack>(tile)) * unsigned{sizeof(T)}) +
           2 * phase_bytes(t.threads);
  }

  /// The unit within which source and destination of a copy have the same offset: a line for bulk
  /// copies. Groups smaller than a warp use no bulk copies, so a granule is enough.
  CMERGE_HOST_DEVICE static constexpr unsigned phase_bytes(int threads) {
    return threads >= 32 ? line_bytes : granule_bytes;
  }

  unsigned values, sources, barrier, end;
};

}  // namespace detail
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
