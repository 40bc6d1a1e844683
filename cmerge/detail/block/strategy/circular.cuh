// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The circular strategy: tiles through circular buffers, each input element loaded once.
#pragma once

#include <cmerge/detail/block/tile_window.h>
#include <cmerge/detail/core/merge_window.h>
#include <cmerge/detail/block/tile_merger.cuh>

#include <cstdint>
#include <type_traits>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

/// The shared memory of the circular strategy: offsets in bytes.
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

  /// Slots of a buffer. After a refill up to `granule_items - 1` of them can be unusable. With two
  /// stages the buffer holds half a tile more than a tile, and 128 elements: the share of one input
  /// in a tile deviates from its mean by a few standard deviations.
  template <class Key>
  CMERGE_HOST_DEVICE static constexpr unsigned capacity(tuning t) {
    constexpr unsigned granule = granule_items<Key>;
    const auto tile = static_cast<unsigned>(t.tile());
    const unsigned ahead = t.stages == 1 ? 0 : tile < 1024 ? tile : tile / 2 + 128;
    return whole_granules<Key>(tile + ahead) + (granule > 1 ? granule : 0);
  }

  /// Bytes of a buffer. The first slots are repeated after the last one. So a thread can read its
  /// keys, and one key ahead, without wrapping around.
  template <class Key>
  CMERGE_HOST_DEVICE static constexpr unsigned ring_bytes(tuning t) {
    return round_up((capacity<Key>(t) + whole_granules<Key>(static_cast<unsigned>(t.items) + 1)) *
                    unsigned{sizeof(Key)});
  }

  unsigned ring_a, ring_b, keys, sources, consumed, barrier, end;
};

/// Merges a section of any length, tile by tile, at two block barriers a tile.
///
/// Elements that a tile did not consume stay in their buffer. The slots that it did consume are
/// refilled past the live elements. With one stage a buffer holds one tile, and each tile waits for
/// the refill before it. With two stages it holds half a tile more, which is the share of either
/// input in a tile if both are identically distributed. Then, from sm_90 on, the refill is in
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
    key_a* const ring_a = reinterpret_cast<key_a*>(storage + at.ring_a);
    key_b* const ring_b = reinterpret_cast<key_b*>(storage + at.ring_b);
    key_a* const keys = reinterpret_cast<key_a*>(storage + at.keys);
    auto* const sources = reinterpret_cast<std::uint16_t*>(storage + at.sources);
    unsigned* const consumed = reinterpret_cast<unsigned*>(storage + at.consumed);

    const auto keys_a = problem.keys_a + part.a_begin;
    const auto keys_b = problem.keys_b + part.b_begin;
    window_of<key_a> a(part.a_end - part.a_begin, granule_phase(keys_a));
    window_of<key_b> b(part.b_end - part.b_begin, granule_phase(keys_b));
    const auto refill = [&] {
      fill<0>(loader, a, ring_a, keys_a);
      fill<1>(loader, b, ring_b, keys_b);
      loader.commit();
    };
    const auto wait = [&] {
      loader.wait();
      a.settle();
      b.settle();
    };
    refill();
    loader.settle();
    group::sync();
    wait();

    bool open = false;  // whether a refill is under way
    for (std::int64_t left = part.size(); left > 0;) {
      if (open && !(a.is_ready(tile) && b.is_ready(tile))) {
        wait();
        open = false;
      }
      const std::int64_t a_begin = part.a_begin + a.consumed();
      const std::int64_t b_begin = part.b_begin + b.consumed();
      const unsigned count = left < tile ? static_cast<unsigned>(left) : tile;
      const auto a_view = a.view(ring_a);
      const auto b_view = b.view(ring_b);
      merger tile_outputs;
      const unsigned taken = tile_outputs.merge(a_view, a.available(tile), b_view,
                                                b.available(tile), 0, count, problem.comp);
      if (group::rank() == group::size - 1) *consumed = taken;
      merger::wait_stored();
      loader.settle();
      if (open) {  // every thread, before a barrier: the next round must not overtake a waiting one
        wait();
        open = false;
      }
      group::sync();  // the buffers have been read, and the tile before is stored

      if constexpr (!staging::has_keys) {
        // The outputs are still in the circular buffers.
        tile_outputs.stage(keys, sources, problem.keys_out);
        group::sync();
        store(problem, a_begin, b_begin, count, keys, sources, a_view, b_view);
        group::sync();
      }
      left -= count;
      if (left > 0) {  // so this was a whole tile
        a.consume(*consumed);
        b.consume(tile - *consumed);
        refill();
        open = true;
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
  /// Stores a staged tile, whose inputs begin at `a_begin` and `b_begin`.
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

  /// Fills the free slots of one buffer, behind its live data.
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
