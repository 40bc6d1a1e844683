// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The single strategy: a section of at most one tile, whose inputs fit in one buffer.
// Layer 6, includes block/merge_tile.cuh, detail/merge_window.h.
#pragma once

#include <cmerge/detail/merge_window.h>
#include <cmerge/block/merge_tile.cuh>

#include <cstdint>
#include <type_traits>

namespace cmerge::detail {

/// How far apart the bounds of either end of a section may be. Wide enough for what one round of a
/// search leaves of alike inputs; what is loaded in vain is loaded by a neighbour, too. The largest
/// tiles have no room for that.
template <class Key1, class Key2>
CMERGE_HOST_DEVICE constexpr unsigned single_slack(unsigned tile) {
  const unsigned slack = keys_in_registers<Key1, Key2> ? 128 + tile / 16 : 0;
  return tile + 2 * slack <= 32768 ? slack : 0;
}

/// Elements of both inputs that a buffer of the single strategy holds.
template <class Key1, class Key2>
CMERGE_HOST_DEVICE constexpr unsigned single_capacity(unsigned tile) {
  return tile + 2 * single_slack<Key1, Key2>(tile);
}

/// Merges a section of at most one tile, at four barriers.
///
/// Both inputs share one buffer, since together they have hardly more elements than the output; the
/// keys of the output are staged over them. Small values have another such buffer, from which they
/// go straight to the output. The ends of the section need to be known between bounds only: the
/// buffers have room for `single_slack` elements more at either end, and each thread finds its
/// share anyway.
template <int Threads, int Items, class Key1, class Key2, class Value>
class single_merge {
  static constexpr bool has_values = !std::is_void_v<Value>;
  using staging = tile_staging<Key1, Key2, has_values>;
  static constexpr unsigned tile = Threads * Items;

  using merger = tile_merger<Threads, Items, Key1, Key2, has_values, false,
                             single_capacity<Key1, Key2>(Threads* Items)>;

  struct layout {
    unsigned values, sources, barrier, end;
    CMERGE_HOST_DEVICE constexpr explicit layout(unsigned tile)
        : values(room<larger_of<Key1, Key2>>(tile)),
          sources(values + value_bytes(tile)),
          barrier(sources + staging::source_bytes(tile)),
          end(barrier + unsigned{sizeof(std::uint64_t)}) {}

    CMERGE_HOST_DEVICE static constexpr unsigned value_bytes(unsigned tile) {
      if constexpr (is_buffered_value<Value>) {
        return room<Value>(tile);
      } else {
        return 0;
      }
    }
    /// Bytes of a buffer: each of two inputs can begin and end inside a granule.
    template <class T>
    CMERGE_HOST_DEVICE static constexpr unsigned room(unsigned tile) {
      return round_up(single_capacity<Key1, Key2>(tile) * unsigned{sizeof(T)}) + 4 * granule_bytes;
    }
  };

 public:
  CMERGE_HOST_DEVICE static constexpr unsigned storage_bytes(tuning_shape shape) {
    return layout(shape.tile).end;
  }

  /// Merges one tile. Preconditions: `part.count <= tile`, and `inputs` has no more than
  /// `single_capacity` elements.
  template <class Problem>
  __device__ static void run(unsigned char* storage, Problem& problem, const merge_window& part) {
    loader_of<Problem> loader(barrier(storage));
    merge_one(loader, storage, problem, part);
    loader.close();
  }

  /// Merges a whole problem of any size, tile by tile; every thread searches for each tile's end.
  template <class Problem>
  __device__ static void run_all(unsigned char* storage, Problem& problem) {
    loader_of<Problem> loader(barrier(storage));
    const std::int64_t outputs = problem.m + problem.n;
    std::int64_t i = 0;
    for (std::int64_t k = 0; k < outputs; k += tile) {
      const std::int64_t k_end = k + tile < outputs ? k + tile : outputs;
      const merge_range part = make_merge_range(
          k, i, k_end,
          co_rank_between(co_rank_low(k_end, problem.n), co_rank_high(k_end, problem.m), k_end,
                          problem.keys1, problem.keys2, problem.comp));
      i = part.a_end;
      merge_one(loader, storage, problem, {part, 0, k_end - k});
      release_to_bulk_copies();
      __syncthreads();
    }
    loader.close();
  }

 private:
  template <class Problem>
  using loader_of = tile_loader<Threads, Problem::in_any_memory>;

  __device__ static std::uint64_t* barrier(unsigned char* storage) {
    constexpr layout at(tile);
    return reinterpret_cast<std::uint64_t*>(storage + at.barrier);
  }

  /// Elements of other iterators that a thread holds at a time while it loads: all, or half of
  /// them.
  static constexpr int most_held = Items > 16 ? Items / 2 + 2 : Items + 2;

  /// The place of `in` in a buffer, at the first granule that begins at `offset` bytes or behind.
  /// (Offsets, not pointers that are made from numbers: these the compiler would not know to lead
  /// to shared memory, and its loads from there would be slower.)
  template <class T, class Iterator>
  __device__ static T* place(unsigned char* buffer, unsigned offset, Iterator in) {
    return reinterpret_cast<T*>(buffer + round_up(offset)) + granule_phase(in);
  }

  /// The bytes of a buffer that `count` elements of `in` take at its beginning.
  template <class T, class Iterator>
  __device__ static unsigned bytes_of(Iterator in, unsigned count) {
    return (granule_phase(in) + count) * unsigned{sizeof(T)};
  }

  template <class Loader, class Problem>
  __device__ static void merge_one(Loader& loader, unsigned char* storage, Problem& problem,
                                   const merge_window& part) {
    constexpr layout at(tile);
    const std::int64_t a_begin = part.inputs.a_begin;
    const std::int64_t b_begin = part.inputs.b_begin;
    const auto a_count = static_cast<unsigned>(part.inputs.a_end - a_begin);
    const auto b_count = static_cast<unsigned>(part.inputs.b_end - b_begin);
    const auto count = static_cast<unsigned>(part.count);
    const std::int64_t k = part.out_begin();

    // The second input behind the last granule of the first one.
    const auto keys1 = problem.keys1 + a_begin;
    const auto keys2 = problem.keys2 + b_begin;
    Key1* const a = place<Key1>(storage, 0, keys1);
    Key2* const b = place<Key2>(storage, bytes_of<Key1>(keys1, a_count), keys2);
    using in1 = std::decay_t<decltype(keys1)>;
    using in2 = std::decay_t<decltype(keys2)>;
    if constexpr (staging::has_keys && !is_granular<in1> && std::is_same_v<in1, in2>) {
      loader.template load_both<most_held>(a, keys1, a_count, b, keys2, b_count);
    } else {
      loader.template load<0>(a, {}, keys1, a_count);
      loader.template load<1>(b, {}, keys2, b_count);
    }
    const auto values = load_values(loader, storage + at.values, problem, part.inputs);
    loader.commit();
    loader.settle();
    __syncthreads();
    loader.wait();

    merger outputs;
    outputs.merge(a, a_count, b, b_count, part.skipped, count, problem.comp);
    if constexpr (staging::has_keys) __syncthreads();  // all have read what is written over now
    Key1* const keys = reinterpret_cast<Key1*>(storage);
    auto* const sources = reinterpret_cast<std::uint16_t*>(storage + at.sources);
    outputs.stage(keys, sources, problem.keys_out + k);
    __syncthreads();
    merger::store_keys(problem, k, count, keys, sources, a, b);
    if constexpr (has_values) {
      merger::store_values(problem, k, count, sources, values.first, values.second);
    }
  }

  /// Where the values of both inputs begin.
  template <class View1, class View2>
  struct value_views {
    View1 first;
    View2 second;
  };

  /// Loads the values if they are small; others stay where they are.
  template <class Loader, class Problem>
  __device__ static auto load_values(Loader& loader, unsigned char* buffer, Problem& problem,
                                     const merge_range& inputs) {
    if constexpr (!has_values) {
      return no_values{};
    } else {
      const auto in1 = problem.values1 + inputs.a_begin;
      const auto in2 = problem.values2 + inputs.b_begin;
      if constexpr (is_buffered_value<Value> && has_buffered_values<Problem, Value>) {
        const auto count1 = static_cast<unsigned>(inputs.a_end - inputs.a_begin);
        const auto count2 = static_cast<unsigned>(inputs.b_end - inputs.b_begin);
        const value_views<Value*, Value*> views{
            place<Value>(buffer, 0, in1), place<Value>(buffer, bytes_of<Value>(in1, count1), in2)};
        loader.template load<0>(views.first, {}, in1, count1);
        loader.template load<1>(views.second, {}, in2, count2);
        return views;
      } else {
        return value_views<std::decay_t<decltype(in1)>, std::decay_t<decltype(in2)>>{in1, in2};
      }
    }
  }
};

}  // namespace cmerge::detail
