// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The circular strategy: tiles pass through circular buffers, so that each input element is loaded
// only once.
#pragma once

#include <cmerge/detail/block/tile_window.h>
#include <cmerge/detail/core/merge_window.h>
#include <cmerge/detail/block/tile_merger.cuh>

#include <cstdint>
#include <type_traits>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

/// The shared memory of the circular strategy. Members are offsets in bytes.
template <class Elements>
struct circular_layout {
  using staging = tile_staging<Elements>;

  CMERGE_HOST_DEVICE constexpr explicit circular_layout(tuning t)
      : ring_a(0),
        ring_b(ring_bytes<typename Elements::key_a>(t)),
        keys(ring_b + ring_bytes<typename Elements::key_b>(t)),
        sources(keys + staging::key_bytes(static_cast<unsigned>(t.tile()))),
        consumed(sources + staging::source_bytes(static_cast<unsigned>(t.tile()))),
        barrier(consumed + 2 * unsigned{sizeof(unsigned)}),
        end(barrier + unsigned{sizeof(std::uint64_t)}) {}

  /// Number of slots of a buffer. Up to `granule_items - 1` slots can be unusable after a refill.
  ///
  /// With two stages, a buffer holds half a tile and 128 elements more than a tile. Half a tile is
  /// the mean share of one input, and 128 covers deviations: the standard deviation is about
  /// `sqrt(tile) / 2`, 32 elements in a tile of 4096. Tiles below 1024 outputs simply get a second
  /// whole tile.
  template <class Key>
  CMERGE_HOST_DEVICE static constexpr unsigned capacity(tuning t) {
    constexpr unsigned granule = granule_items<Key>;
    const auto tile = static_cast<unsigned>(t.tile());
    const unsigned ahead = t.stages == 1 ? 0 : tile < 1024 ? tile : tile / 2 + 128;
    return whole_granules<Key>(tile + ahead) + (granule > 1 ? granule : 0);
  }

  /// Bytes of a buffer. The first slots are repeated after the last one, so that a thread can read
  /// its keys, and one key ahead, without wrapping.
  template <class Key>
  CMERGE_HOST_DEVICE static constexpr unsigned ring_bytes(tuning t) {
    return round_up((capacity<Key>(t) + whole_granules<Key>(static_cast<unsigned>(t.items) + 1)) *
                    unsigned{sizeof(Key)});
  }

  unsigned ring_a, ring_b, keys, sources, consumed, barrier, end;
};

/// Merges a section of any length, tile by tile. A tile takes two block barriers, or four if its
/// keys do not travel through registers.
///
/// Elements that a tile did not consume stay in their buffer. The free slots after them are
/// refilled. With one stage a buffer holds one tile, and each tile waits for the refill before it.
/// With two stages a buffer holds more (see `capacity`). Then, from sm_90 on, the refill is in
/// flight while the next tile is merged.
template <class Config>
class circular_merge {
  using group = typename Config::group;
  using key_a = typename Config::key_a;
  using key_b = typename Config::key_b;
  using layout = circular_layout<typename Config::elements>;
  using merger = tile_merger<Config, true>;
  using staging = typename merger::staging;
  static constexpr unsigned tile = Config::tile;
  static_assert(Config::stages == 1 || Config::stages == 2,
                "cmerge: circular buffers have one or two stages");

  template <class Key>
  using window_of =
      tile_window<layout::template capacity<Key>(Config::own_tuning), granule_items<Key>>;

 public:
  static constexpr bool makes_one_tile = false;

  template <class Problem>
  using loader = layout_loader<Config, layout, Problem>;

  template <class Problem, class PartAhead>
  __device__ static void run(loader<Problem>& loader, unsigned char* storage, Problem& problem,
                             const merge_window& window, const PartAhead&) {
    constexpr layout at(Config::own_tuning);
    const merge_range part = window.inputs;
    key_a* const keys = reinterpret_cast<key_a*>(storage + at.keys);
    auto* const sources = reinterpret_cast<std::uint16_t*>(storage + at.sources);
    unsigned* const consumed = reinterpret_cast<unsigned*>(storage + at.consumed);
    auto in = make_buffers(loader, storage, problem, part);
    in.refill();
    loader.settle();
    group::sync();
    in.wait();

    for (std::int64_t left = part.size(); left > 0;) {
      if (in.is_filling && !(in.a.is_ready(tile) && in.b.is_ready(tile))) in.wait();
      const std::int64_t a_begin = part.a_begin + in.a.consumed();
      const std::int64_t b_begin = part.b_begin + in.b.consumed();
      const unsigned count = left < tile ? static_cast<unsigned>(left) : tile;
      const auto a_view = in.a.view(in.ring_a);
      const auto b_view = in.b.view(in.ring_b);
      merger tile_outputs;
      const unsigned taken = tile_outputs.merge(a_view, in.a.available(tile), b_view,
                                                in.b.available(tile), 0, count, problem.comp);
      if (group::rank() == group::size - 1) *consumed = taken;
      merger::wait_stored();
      loader.settle();
      // Every thread waits before the barrier, so that none starts the next round while another one
      // is still waiting.
      if (in.is_filling) in.wait();
      group::sync();  // the buffers have been read, and the previous tile is stored

      if constexpr (!staging::has_keys) {
        // The elements of the tile are still in the circular buffers.
        tile_outputs.stage(keys, sources, problem.keys_out);
        group::sync();
        store(problem, a_begin, b_begin, count, keys, sources, a_view, b_view);
        group::sync();
      }
      left -= count;
      if (left > 0) {  // then this was a whole tile
        in.a.consume(*consumed);
        in.b.consume(tile - *consumed);
        in.refill();
      }
      if constexpr (staging::has_keys) {
        tile_outputs.stage(keys, sources, problem.keys_out + (a_begin + b_begin));
      }
      loader.settle();
      group::sync();  // the output is staged
      if constexpr (staging::has_keys) {
        store(problem, a_begin, b_begin, count, keys, sources, a_view, b_view);
      }
    }
    merger::finish();
    group::sync();
  }

 private:
  /// The circular buffers of both inputs, and how they are refilled.
  template <class Loader, class KeysA, class KeysB>
  struct buffers {
    /// Starts to fill the free slots of both buffers, after their live elements.
    __device__ void refill() {
      fill<0>(loader, a, ring_a, keys_a);
      fill<1>(loader, b, ring_b, keys_b);
      loader.commit();
      is_filling = true;
    }
    /// Waits for the refill. All threads call it, between two barriers.
    __device__ void wait() {
      loader.wait();
      a.settle();
      b.settle();
      is_filling = false;
    }

    Loader& loader;
    KeysA keys_a;
    KeysB keys_b;
    key_a* ring_a;
    key_b* ring_b;
    window_of<key_a> a;
    window_of<key_b> b;
    bool is_filling = false;  // whether a refill is in flight
  };

  template <class Loader, class Problem>
  __device__ static auto make_buffers(Loader& loader, unsigned char* storage, Problem& problem,
                                      const merge_range& part) {
    constexpr layout at(Config::own_tuning);
    const auto keys_a = problem.keys_a + part.a_begin;
    const auto keys_b = problem.keys_b + part.b_begin;
    return buffers<Loader, std::decay_t<decltype(keys_a)>, std::decay_t<decltype(keys_b)>>{
        loader,
        keys_a,
        keys_b,
        reinterpret_cast<key_a*>(storage + at.ring_a),
        reinterpret_cast<key_b*>(storage + at.ring_b),
        window_of<key_a>(part.a_end - part.a_begin, granule_phase(keys_a)),
        window_of<key_b>(part.b_end - part.b_begin, granule_phase(keys_b))};
  }

  /// Stores a staged tile. Its inputs begin at elements `a_begin` and `b_begin`.
  template <class Problem, class ViewA, class ViewB>
  __device__ static void store(Problem& problem, std::int64_t a_begin, std::int64_t b_begin,
                               unsigned count, key_a* keys, const std::uint16_t* sources, ViewA a,
                               ViewB b) {
    merger::store_keys(problem, a_begin + b_begin, count, keys, sources, a, b);
    if constexpr (Config::has_values) {
      merger::store_values(problem, a_begin + b_begin, count, sources, problem.values_a + a_begin,
                           problem.values_b + b_begin);
    }
  }

  /// Starts to fill the free slots of one buffer, after its live elements.
  template <int Input, class Loader, class Window, class Key, class Iterator>
  __device__ static void fill(Loader& loader, Window& window, Key* ring, Iterator keys) {
    constexpr unsigned repeated =
        staging::has_keys ? whole_granules<Key>(unsigned{Config::items} + 1) : 0;
    const unsigned count = window.refill();
    loader.template load<Input>(ring, {window.end_slot(), window.capacity, repeated},
                                keys + window.next(), count);
    window.loading(count);
  }
};

}  // namespace detail
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
