// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The circular strategy: tiles through circular buffers, each input element loaded once.
// Layer 5, includes block/merge_tile.cuh, block/tile_window.h.
#pragma once

#include <cmerge/block/merge_tile.cuh>
#include <cmerge/block/tile_window.h>

#include <cstdint>

namespace cmerge::detail {

/// Merges a section of any length, tile by tile.
///
/// What a tile did not consume stays in its buffer; the room of what it did consume is refilled
/// behind the live data. With `Stages == 2` a buffer holds two tiles: the refill after tile `t` is
/// under way while tile `t + 1` is merged, and the block meets at one barrier a tile. With
/// `Stages == 1` it holds one tile, and the block meets twice.
template <int Threads, int Items, int Stages, class Key1, class Key2, bool HasValues>
class circular_merge {
  using merger = tile_merger<Threads, Items, Key1, Key2, HasValues>;
  using staging = typename merger::staging;
  static constexpr unsigned tile = merger::tile;
  static_assert(Stages == 1 || Stages == 2, "cmerge: a circular buffer holds one or two tiles");

  /// Slots of a buffer: after a refill up to `granule_items - 1` of them can be unusable.
  template <class Key>
  CMERGE_HOST_DEVICE static constexpr unsigned capacity(unsigned slots) {
    constexpr unsigned granule = granule_items<Key>;
    return (slots + granule - 1) / granule * granule + (granule > 1 ? granule : 0);
  }
  template <class Key>
  using window = tile_window<capacity<Key>(Stages * tile), granule_items<Key>>;

  struct layout {
    unsigned ring1, ring2, keys, sources, consumed, barriers, end;
    CMERGE_HOST_DEVICE constexpr layout(unsigned tile, unsigned stages)
        : ring1(0),
          ring2(round_up(capacity<Key1>(stages * tile) * unsigned{sizeof(Key1)})),
          keys(ring2 + round_up(capacity<Key2>(stages * tile) * unsigned{sizeof(Key2)})),
          sources(keys + stages * staging::key_bytes(tile)),
          consumed(sources + stages * staging::source_bytes(tile)),
          barriers(consumed + 2 * unsigned{sizeof(unsigned)}),
          end(barriers + 2 * unsigned{sizeof(std::uint64_t)}) {}
  };

 public:
  CMERGE_HOST_DEVICE static constexpr unsigned storage_bytes(unsigned tile, unsigned stages) {
    return layout(tile, stages).end;
  }

  template <class Problem>
  __device__ static void run(unsigned char* storage, Problem& problem, merge_range part) {
    constexpr layout at(tile, Stages);
    Key1* const ring1 = reinterpret_cast<Key1*>(storage + at.ring1);
    Key2* const ring2 = reinterpret_cast<Key2*>(storage + at.ring2);
    unsigned* const consumed = reinterpret_cast<unsigned*>(storage + at.consumed);
    tile_loader<Threads> loader(*reinterpret_cast<std::uint64_t(*)[2]>(storage + at.barriers));

    const auto keys1 = problem.keys1 + part.a_begin;
    const auto keys2 = problem.keys2 + part.b_begin;
    window<Key1> a(part.a_end - part.a_begin, granule_phase(keys1));
    window<Key2> b(part.b_end - part.b_begin, granule_phase(keys2));
    refill(loader, a, ring1, keys1);
    refill(loader, b, ring2, keys2);
    loader.commit();
    loader.settle();
    __syncthreads();

    std::int64_t left = part.size();
    for (unsigned t = 0; left > 0; ++t) {
      // Two stages: the refill after tile t - 1 serves tile t + 1, for a full buffer holds two.
      if (Stages == 1 || t != 1) loader.wait();
      const unsigned parity = t & 1;
      const unsigned stage = Stages == 2 ? parity : 0;
      Key1* const keys = reinterpret_cast<Key1*>(storage + at.keys + stage * staging::key_bytes(tile));
      auto* const sources = reinterpret_cast<std::uint16_t*>(storage + at.sources +
                                                             stage * staging::source_bytes(tile));
      const std::int64_t a_begin = part.a_begin + a.consumed();
      const std::int64_t b_begin = part.b_begin + b.consumed();
      const auto keys_out = problem.keys_out + (a_begin + b_begin);
      const unsigned count = left < tile ? static_cast<unsigned>(left) : tile;
      const auto a_view = a.view(ring1);
      const auto b_view = b.view(ring2);

      merger tile_outputs;
      const unsigned taken = tile_outputs.merge(a_view, a.available(tile), b_view,
                                                b.available(tile), count, problem.comp);
      if (threadIdx.x == Threads - 1) consumed[parity] = taken;
      tile_outputs.stage(keys, sources, keys_out);
      loader.settle();
      // The other stage's buffer is written next, in tile t + 1.
      if (Stages == 2) merger::template wait_stored<decltype(keys_out)>();
      __syncthreads();

      left -= count;
      if constexpr (!staging::has_keys) {
        // The outputs are still in the circular buffers.
        merger::store(problem, a_begin, b_begin, count, keys, sources, a_view, b_view);
        __syncthreads();
      }
      if (left > 0) {  // so this was a whole tile
        a.consume(consumed[parity]);
        b.consume(tile - consumed[parity]);
        refill(loader, a, ring1, keys1);
        refill(loader, b, ring2, keys2);
        loader.commit();
      }
      if constexpr (staging::has_keys) {
        merger::store(problem, a_begin, b_begin, count, keys, sources, a_view, b_view);
      }
      if constexpr (Stages == 1) {
        loader.settle();
        merger::template wait_stored<decltype(keys_out)>();
        __syncthreads();
      }
    }
    loader.drain();
    merger::template wait_stored<decltype(problem.keys_out)>();
  }

 private:
  /// Fills the free slots of one buffer: one copy, or two where it wraps around.
  template <class Window, class Key, class Iterator>
  __device__ static void refill(tile_loader<Threads>& loader, Window& window, Key* ring,
                                Iterator keys) {
    const unsigned count = window.refill();
    const unsigned slot = window.end_slot();
    const unsigned to_wrap = window.capacity - slot;
    const unsigned first = count < to_wrap ? count : to_wrap;
    const auto source = keys + window.next();
    loader.load(ring + slot, source, first);
    if (first < count) loader.load(ring, source + first, count - first);
    window.loaded(count);
  }
};

}  // namespace cmerge::detail
