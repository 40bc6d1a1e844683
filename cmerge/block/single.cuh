// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The single strategy: a section of at most one tile, whose exact inputs fit in one buffer.
// Layer 6, includes block/merge_tile.cuh.
#pragma once

#include <cmerge/block/merge_tile.cuh>

#include <cstdint>

namespace cmerge::detail {

/// Merges a section of at most one tile, at four barriers.
///
/// Both inputs share a buffer of one tile, since together they have as many elements as the
/// output, and the output is staged over them.
template <int Threads, int Items, class Key1, class Key2, bool HasValues>
class single_merge {
  using merger = tile_merger<Threads, Items, Key1, Key2, HasValues, false>;
  using staging = typename merger::staging;
  static constexpr unsigned tile = merger::tile;

  struct layout {
    unsigned sources, barrier, end;
    CMERGE_HOST_DEVICE constexpr explicit layout(unsigned tile)
        : sources(
              round_up(tile * unsigned{sizeof(Key1) > sizeof(Key2) ? sizeof(Key1) : sizeof(Key2)}) +
              4 * round_up(granule_bytes)),
          barrier(sources + staging::source_bytes(tile)),
          end(barrier + unsigned{sizeof(std::uint64_t)}) {}
  };

 public:
  CMERGE_HOST_DEVICE static constexpr unsigned storage_bytes(tuning_shape shape) {
    return layout(shape.tile).end;
  }

  /// Precondition: `part.size() <= tile`.
  template <class Problem>
  __device__ static void run(unsigned char* storage, Problem& problem, merge_range part) {
    constexpr layout at(tile);
    auto* const sources = reinterpret_cast<std::uint16_t*>(storage + at.sources);
    tile_loader<Threads, Problem::in_any_memory> loader(
        reinterpret_cast<std::uint64_t*>(storage + at.barrier));

    const auto keys1 = problem.keys1 + part.a_begin;
    const auto keys2 = problem.keys2 + part.b_begin;
    const auto keys_out = problem.keys_out + part.out_begin();
    const auto a_count = static_cast<unsigned>(part.a_end - part.a_begin);
    const auto b_count = static_cast<unsigned>(part.b_end - part.b_begin);
    Key1* const a = reinterpret_cast<Key1*>(storage) + granule_phase(keys1);
    Key2* const b = reinterpret_cast<Key2*>(storage + round_up((granule_phase(keys1) + a_count) *
                                                               unsigned{sizeof(Key1)})) +
                    granule_phase(keys2);
    loader.template load<0>(a, {}, keys1, a_count);
    loader.template load<1>(b, {}, keys2, b_count);
    loader.commit();
    loader.settle();
    __syncthreads();
    loader.wait();

    merger tile_outputs;
    tile_outputs.merge(a, a_count, b, b_count, a_count + b_count, problem.comp);
    if constexpr (staging::has_keys) __syncthreads();  // all have read what is written over now
    Key1* const keys = reinterpret_cast<Key1*>(storage);
    tile_outputs.stage(keys, sources, keys_out);
    __syncthreads();
    loader.close();
    merger::store(problem, part.a_begin, part.b_begin, a_count + b_count, keys, sources, a, b);
  }
};

}  // namespace cmerge::detail
