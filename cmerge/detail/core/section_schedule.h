// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The division of the output into one section per block of a grid.
#pragma once

#include <cmerge/config.h>

#include <cstdint>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

/// The output, divided into sections of whole tiles. There is one section per block, in the order
/// in which blocks start.
///
/// With `resident == 0`, each section is one tile. Otherwise sections become shorter: each row of
/// `resident` blocks takes three quarters of the remaining tiles. So long sections come first; they
/// rarely search and rarely fill their buffers. Short sections balance the load at the end. (A row
/// does not take more, because SMs run at different speeds. On an H200 the slowest takes a fifth
/// longer.)
struct section_schedule {
  static constexpr std::int64_t shortest = 8;  // minimum number of tiles in a section, if possible

  std::int64_t outputs;
  std::int64_t tile;
  std::int64_t resident;  // number of blocks that run at the same time, or 0: one tile per block

  struct section {
    std::int64_t begin;  // first output
    std::int64_t end;

    /// The part of the section that exists if there are only `count` outputs.
    CMERGE_HOST_DEVICE constexpr section clipped(std::int64_t count) const {
      return {begin < count ? begin : count, end < count ? end : count};
    }
  };

  // Unsigned, because the end of the last tile may need 64 bits even if the outputs need only 63.
  CMERGE_HOST_DEVICE constexpr std::int64_t tiles() const {
    const auto end = static_cast<std::uint64_t>(outputs) + static_cast<std::uint64_t>(tile) - 1;
    return static_cast<std::int64_t>(end / static_cast<std::uint64_t>(tile));
  }

  /// Number of blocks.
  CMERGE_HOST_DEVICE constexpr std::int64_t blocks() const {
    if (resident == 0) return tiles();
    std::int64_t count = 0;
    std::int64_t left = tiles();
    for (; left > row_length(left) * resident; left -= row_length(left) * resident) {
      count += resident;
    }
    return count + (left + row_length(left) - 1) / row_length(left);
  }

  /// The section of a block. Precondition: `resident > 0`.
  CMERGE_HOST_DEVICE constexpr section operator[](std::int64_t block) const {
    std::int64_t first = 0;
    std::int64_t left = tiles();
    std::int64_t length = row_length(left);
    for (; block >= resident; length = row_length(left)) {
      block -= resident;
      first += length * resident;
      left -= length * resident;
    }
    const std::int64_t index = first + block * length;
    return {tile_begin(index), tile_begin(index + length)};
  }

  /// The first output of a tile. For `tiles()` it is the end of the last tile.
  CMERGE_HOST_DEVICE constexpr std::int64_t tile_begin(std::int64_t index) const {
    const auto begin = static_cast<std::uint64_t>(index) * static_cast<std::uint64_t>(tile);
    return begin < static_cast<std::uint64_t>(outputs) ? static_cast<std::int64_t>(begin) : outputs;
  }

  /// One tile, which is the section of a block if `resident == 0`.
  CMERGE_HOST_DEVICE constexpr section one_tile(std::int64_t index) const {
    return {tile_begin(index), tile_begin(index + 1)};
  }

 private:
  /// Number of tiles in each section of the next row of blocks, if `left` tiles remain.
  CMERGE_HOST_DEVICE constexpr std::int64_t row_length(std::int64_t left) const {
    const std::int64_t most = left * 3 / (4 * resident);
    if (most >= shortest) return most;
    const std::int64_t even = (left + resident - 1) / resident;
    return even < 1 ? 1 : even < shortest ? even : shortest;
  }
};

}  // namespace detail
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
