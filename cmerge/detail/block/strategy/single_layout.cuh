// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shared memory of the single strategy.
#pragma once

#include <cmerge/detail/core/merge_window.h>
#include <cmerge/detail/block/tile_merger.cuh>

#include <cstdint>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

/// How far apart the bounds of either end of a section may be. The elements between them are also
/// loaded by a neighbour, at about the same time. Large elements get no such room: it would take
/// too much shared memory, and too long to load.
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

/// Offsets in bytes. Keys begin at 0.
template <class Elements, bool HasSlack>
struct single_layout {
  using key = larger_of<typename Elements::key_a, typename Elements::key_b>;

  CMERGE_HOST_DEVICE constexpr explicit single_layout(tuning t)
      : values(room<key>(t)),
        sources(values + value_bytes(t)),
        barrier(sources + tile_staging<Elements>::source_bytes(static_cast<unsigned>(t.tile()))),
        end(barrier + unsigned{sizeof(std::uint64_t)}) {}

  CMERGE_HOST_DEVICE static constexpr unsigned value_bytes(tuning t) {
    if constexpr (is_buffered_value<typename Elements::value>) {
      return room<typename Elements::value>(t);
    } else {
      return 0;
    }
  }

  /// Bytes of a buffer. Either input can begin anywhere in a line. (The key or the word of values
  /// that is read ahead of the last one needs no more than that.)
  template <class T>
  CMERGE_HOST_DEVICE static constexpr unsigned room(tuning t) {
    const auto tile = static_cast<unsigned>(t.tile());
    return round_up((tile + 2 * single_slack<Elements, HasSlack>(tile)) * unsigned{sizeof(T)}) +
           2 * phase_bytes(t.threads);
  }

  /// A bulk copy has the same offset in a line on both sides. Groups smaller than a warp copy by
  /// hand, where the same offset in a granule is enough.
  CMERGE_HOST_DEVICE static constexpr unsigned phase_bytes(int threads) {
    return threads >= 32 ? line_bytes : granule_bytes;
  }

  unsigned values, sources, barrier, end;
};

}  // namespace detail
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
