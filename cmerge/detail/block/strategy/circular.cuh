// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The circular strategy: tiles through circular buffers, each input element loaded once.
#pragma once

#include <cmerge/detail/block/tile_window.h>
#include <cmerge/detail/block/tile_merger.cuh>

#include <cstdint>
#include <type_traits>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

/// Merges a section of any length, tile by tile, at two block barriers a tile.
///
/// What a tile did not consume stays in its buffer; the room of what it did consume is refilled
/// behind the live data. With `Stages == 1` a buffer holds one tile, and each tile waits for the
/// refill before it. With `Stages == 2` it holds half a tile more, which is what a tile takes from
/// either input where both are alike: then, from sm_90 on, the refill is under way while the next
/// tile is merged.
template <class Group, int Items, int Stages, class KeyA, class KeyB, class Value>
class circular_merge {
  static constexpr bool has_values = !std::is_void_v<Value>;
  using merger = tile_merger<Group, Items, KeyA, KeyB, has_values, true>;
  using staging = typename merger::staging;
  static constexpr unsigned tile = merger::tile;
  static_assert(Stages == 1 || Stages == 2, "cmerge: circular buffers have one or two stages");

  /// Slots of a buffer: after a refill up to `granule_items - 1` of them can be unusable, and what
  /// two alike inputs give to a tile strays from its half by a few standard deviations.
  template <class Key>
  CMERGE_HOST_DEVICE static constexpr unsigned capacity(unsigned tile, unsigned stages) {
    constexpr unsigned granule = granule_items<Key>;
    const unsigned ahead = stages == 1 ? 0 : tile < 1024 ? tile : tile / 2 + 128;
    return whole_granules<Key>(tile + ahead) + (granule > 1 ? granule : 0);
  }

  /// Bytes of a buffer. The first slots are repeated behind the last one, so that a thread's run
  /// of keys, and the one that is read ahead, need not wrap.
  template <class Key>
  CMERGE_HOST_DEVICE static constexpr unsigned ring_bytes(tuning_shape shape) {
    return round_up(
        (capacity<Key>(shape.tile, shape.stages) + whole_granules<Key>(shape.items + 1)) *
        unsigned{sizeof(Key)});
  }

  template <class Key>
  using window = tile_window<capacity<Key>(tile, Stages), granule_items<Key>>;

  struct layout {
    unsigned ring_a, ring_b, keys, sources, consumed, barrier, end;
    CMERGE_HOST_DEVICE constexpr explicit layout(tuning_shape shape)
        : ring_a(0),
          ring_b(ring_bytes<KeyA>(shape)),
          keys(ring_b + ring_bytes<KeyB>(shape)),
          sources(keys + staging::key_bytes(shape.tile)),
          consumed(sources + staging::source_bytes(shape.tile)),
          barrier(consumed + 2 * unsigned{sizeof(unsigned)}),
          end(barrier + unsigned{sizeof(std::uint64_t)}) {}
  };

 public:
  CMERGE_HOST_DEVICE static constexpr unsigned storage_bytes(tuning_shape shape) {
    return layout(shape).end;
  }

  template <class Problem>
  __device__ static void run(unsigned char* storage, Problem& problem, merge_range part) {
    constexpr layout at({tile, Items, Stages});
    KeyA* const ring_a = reinterpret_cast<KeyA*>(storage + at.ring_a);
    KeyB* const ring_b = reinterpret_cast<KeyB*>(storage + at.ring_b);
    KeyA* const keys = reinterpret_cast<KeyA*>(storage + at.keys);
    auto* const sources = reinterpret_cast<std::uint16_t*>(storage + at.sources);
    unsigned* const consumed = reinterpret_cast<unsigned*>(storage + at.consumed);
    tile_loader<Group, Problem::in_any_memory> loader(
        reinterpret_cast<std::uint64_t*>(storage + at.barrier));

    const auto keys_a = problem.keys_a + part.a_begin;
    const auto keys_b = problem.keys_b + part.b_begin;
    window<KeyA> a(part.a_end - part.a_begin, granule_phase(keys_a));
    window<KeyB> b(part.b_end - part.b_begin, granule_phase(keys_b));
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
    Group::sync();
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
      if (Group::rank() == Group::size - 1) *consumed = taken;
      merger::wait_stored();
      loader.settle();
      if (open) {  // every thread, before a barrier: the next round must not overtake a waiting one
        wait();
        open = false;
      }
      Group::sync();  // the buffers have been read, and the tile before is stored

      if constexpr (!staging::has_keys) {
        // The outputs are still in the circular buffers.
        tile_outputs.stage(keys, sources, problem.keys_out);
        Group::sync();
        store(problem, a_begin, b_begin, count, keys, sources, a_view, b_view);
        Group::sync();
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
      Group::sync();  // the output is staged
      if constexpr (staging::has_keys) {
        store(problem, a_begin, b_begin, count, keys, sources, a_view, b_view);
      }
    }
    merger::finish();
    Group::sync();
    loader.close();
  }

 private:
  /// Stores a staged tile, whose inputs begin at `a_begin` and `b_begin`.
  template <class Problem, class ViewA, class ViewB>
  __device__ static void store(Problem& problem, std::int64_t a_begin, std::int64_t b_begin,
                               unsigned count, KeyA* keys, const std::uint16_t* sources, ViewA a,
                               ViewB b) {
    merger::store_keys(problem, a_begin + b_begin, count, keys, sources, a, b);
    if constexpr (has_values) {
      merger::store_values(problem, a_begin + b_begin, count, sources, problem.values_a + a_begin,
                           problem.values_b + b_begin);
    }
  }

  /// Fills the free slots of one buffer, behind its live data.
  template <int Input, class Loader, class Window, class Key, class Iterator>
  __device__ static void fill(Loader& loader, Window& window, Key* ring, Iterator keys) {
    constexpr unsigned repeated = staging::has_keys ? whole_granules<Key>(Items + 1) : 0;
    const unsigned count = window.refill();
    loader.template load<Input>(ring, {window.end_slot(), window.capacity, repeated},
                                keys + window.next(), count);
    window.loading(count);
  }
};

}  // namespace detail
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
