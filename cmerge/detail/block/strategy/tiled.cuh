// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tiled strategy: a tile of each input is loaded, one tile of output is merged, and what was
// not consumed is loaded again.
#pragma once

#include <cmerge/detail/block/tile_window.h>
#include <cmerge/detail/block/tile_merger.cuh>

#include <cstdint>
#include <type_traits>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

/// Merges a section of any length, tile by tile, at three barriers a tile.
///
/// Both buffers must hold a whole tile, for the next tile of output may come from one side alone;
/// so half of what is loaded is thrown away. Kept as the plain form of the algorithm, to measure
/// the others against.
template <class Group, int Items, class KeyA, class KeyB, class Value>
class tiled_merge {
  static constexpr bool has_values = !std::is_void_v<Value>;
  using merger = tile_merger<Group, Items, KeyA, KeyB, has_values, true>;
  using staging = typename merger::staging;
  static constexpr unsigned tile = merger::tile;

  struct layout {
    unsigned tile_a, tile_b, keys, sources, consumed, barrier, end;
    CMERGE_HOST_DEVICE constexpr explicit layout(unsigned tile)
        : tile_a(0),
          tile_b(round_up(tile * unsigned{sizeof(KeyA)} + granule_bytes)),
          keys(tile_b + round_up(tile * unsigned{sizeof(KeyB)} + granule_bytes)),
          sources(keys + staging::key_bytes(tile)),
          consumed(sources + staging::source_bytes(tile)),
          barrier(consumed + 2 * unsigned{sizeof(unsigned)}),
          end(barrier + unsigned{sizeof(std::uint64_t)}) {}
  };

 public:
  CMERGE_HOST_DEVICE static constexpr unsigned storage_bytes(tuning_shape shape) {
    return layout(shape.tile).end;
  }

  template <class Problem>
  __device__ static void run(unsigned char* storage, Problem& problem, merge_range part) {
    constexpr layout at(tile);
    KeyA* const buffer_a = reinterpret_cast<KeyA*>(storage + at.tile_a);
    KeyB* const buffer_b = reinterpret_cast<KeyB*>(storage + at.tile_b);
    KeyA* const keys = reinterpret_cast<KeyA*>(storage + at.keys);
    auto* const sources = reinterpret_cast<std::uint16_t*>(storage + at.sources);
    unsigned* const consumed = reinterpret_cast<unsigned*>(storage + at.consumed);
    tile_loader<Group, Problem::in_any_memory> loader(
        reinterpret_cast<std::uint64_t*>(storage + at.barrier));

    tile_window<tile> a(part.a_end - part.a_begin);
    tile_window<tile> b(part.b_end - part.b_begin);
    for (std::int64_t left = part.size(); left > 0;) {
      const std::int64_t a_begin = part.a_begin + a.next();
      const std::int64_t b_begin = part.b_begin + b.next();
      const auto keys_a = problem.keys_a + a_begin;
      const auto keys_b = problem.keys_b + b_begin;
      const auto keys_out = problem.keys_out + (a_begin + b_begin);
      const unsigned count = left < tile ? static_cast<unsigned>(left) : tile;
      KeyA* const a_tile = buffer_a + granule_phase(keys_a);
      KeyB* const b_tile = buffer_b + granule_phase(keys_b);
      loader.template load<0>(a_tile, {}, keys_a, a.refill());
      loader.template load<1>(b_tile, {}, keys_b, b.refill());
      loader.commit();
      a.loaded(a.refill());
      b.loaded(b.refill());
      loader.settle();
      Group::sync();
      loader.wait();

      merger tile_outputs;
      const unsigned taken = tile_outputs.merge(a_tile, a.available(tile), b_tile,
                                                b.available(tile), 0, count, problem.comp);
      if (Group::rank() == Group::size - 1) *consumed = taken;
      tile_outputs.stage(keys, sources, keys_out);
      Group::sync();

      left -= count;
      if (left > 0) {  // so this was a whole tile
        a.consume(*consumed);
        b.consume(tile - *consumed);
        a.discard();
        b.discard();
      }
      merger::store_keys(problem, a_begin + b_begin, count, keys, sources, a_tile, b_tile);
      if constexpr (has_values) {
        merger::store_values(problem, a_begin + b_begin, count, sources, problem.values_a + a_begin,
                             problem.values_b + b_begin);
      }
      merger::wait_stored();
      Group::sync();
    }
    merger::finish();
    loader.close();
  }
};

}  // namespace detail
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
