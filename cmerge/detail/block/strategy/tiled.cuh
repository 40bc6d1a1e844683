// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tiled strategy: a tile of each input is loaded, one tile of output is merged, and what was
// not consumed is loaded again.
#pragma once

#include <cmerge/detail/block/tile_window.h>
#include <cmerge/detail/core/merge_window.h>
#include <cmerge/detail/block/tile_merger.cuh>

#include <cstdint>
#include <type_traits>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

/// The shared memory of the tiled strategy: offsets in bytes.
template <class Elements>
struct tiled_layout {
  using staging = tile_staging<Elements>;

  CMERGE_HOST_DEVICE constexpr explicit tiled_layout(tuning t)
      : tile_a(0),
        tile_b(input_bytes<typename Elements::key_a>(t)),
        keys(tile_b + input_bytes<typename Elements::key_b>(t)),
        sources(keys + staging::key_bytes(static_cast<unsigned>(t.tile()))),
        consumed(sources + staging::source_bytes(static_cast<unsigned>(t.tile()))),
        barrier(consumed + 2 * unsigned{sizeof(unsigned)}),
        end(barrier + unsigned{sizeof(std::uint64_t)}) {}

  template <class Key>
  CMERGE_HOST_DEVICE static constexpr unsigned input_bytes(tuning t) {
    return round_up(static_cast<unsigned>(t.tile()) * unsigned{sizeof(Key)} + granule_bytes);
  }

  unsigned tile_a, tile_b, keys, sources, consumed, barrier, end;
};

/// Merges a section of any length, tile by tile, at three barriers a tile.
///
/// Each buffer holds a whole tile, because the next tile of output may come from one side alone. So
/// half of the loaded elements are discarded. Kept as the plain form of the algorithm, to measure
/// the other strategies against.
template <class Config>
class tiled_merge {
  using group = typename Config::group;
  using key_a = typename Config::key_a;
  using key_b = typename Config::key_b;
  using merger = tile_merger<Config, true>;
  using layout = tiled_layout<typename Config::elements>;
  static constexpr unsigned tile = Config::tile;

 public:
  static constexpr bool makes_one_tile = false;

  template <class Problem>
  using loader = layout_loader<Config, layout, Problem>;

  template <class Problem, class PartAhead>
  __device__ static void run(loader<Problem>& loader, unsigned char* storage, Problem& problem,
                             const merge_window& window, const PartAhead&) {
    constexpr layout at(Config::own_tuning);
    const merge_range part = window.inputs;
    key_a* const buffer_a = reinterpret_cast<key_a*>(storage + at.tile_a);
    key_b* const buffer_b = reinterpret_cast<key_b*>(storage + at.tile_b);
    key_a* const keys = reinterpret_cast<key_a*>(storage + at.keys);
    auto* const sources = reinterpret_cast<std::uint16_t*>(storage + at.sources);
    unsigned* const consumed = reinterpret_cast<unsigned*>(storage + at.consumed);

    tile_window<tile> a(part.a_end - part.a_begin);
    tile_window<tile> b(part.b_end - part.b_begin);
    for (std::int64_t left = part.size(); left > 0;) {
      const std::int64_t a_begin = part.a_begin + a.next();
      const std::int64_t b_begin = part.b_begin + b.next();
      const auto keys_a = problem.keys_a + a_begin;
      const auto keys_b = problem.keys_b + b_begin;
      const auto keys_out = problem.keys_out + (a_begin + b_begin);
      const unsigned count = left < tile ? static_cast<unsigned>(left) : tile;
      key_a* const a_tile = buffer_a + granule_phase(keys_a);
      key_b* const b_tile = buffer_b + granule_phase(keys_b);
      loader.template load<0>(a_tile, {}, keys_a, a.refill());
      loader.template load<1>(b_tile, {}, keys_b, b.refill());
      loader.commit();
      a.loaded(a.refill());
      b.loaded(b.refill());
      loader.settle();
      group::sync();
      loader.wait();

      merger tile_outputs;
      const unsigned taken = tile_outputs.merge(a_tile, a.available(tile), b_tile,
                                                b.available(tile), 0, count, problem.comp);
      if (group::rank() == group::size - 1) *consumed = taken;
      tile_outputs.stage(keys, sources, keys_out);
      group::sync();

      left -= count;
      if (left > 0) {  // so this was a whole tile
        a.consume(*consumed);
        b.consume(tile - *consumed);
        a.discard();
        b.discard();
      }
      merger::store_keys(problem, a_begin + b_begin, count, keys, sources, a_tile, b_tile);
      if constexpr (Config::has_values) {
        merger::store_values(problem, a_begin + b_begin, count, sources, problem.values_a + a_begin,
                             problem.values_b + b_begin);
      }
      merger::wait_stored();
      group::sync();
    }
    merger::finish();
  }
};

}  // namespace detail
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
