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

  /// Merges one tile. Precondition: `part.size() <= tile`.
  template <class Problem>
  __device__ static void run(unsigned char* storage, Problem& problem, merge_range part) {
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
      merge_one(loader, storage, problem, part);
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

  template <class Loader, class Problem>
  __device__ static void merge_one(Loader& loader, unsigned char* storage, Problem& problem,
                                   merge_range part) {
    constexpr layout at(tile);
    auto* const sources = reinterpret_cast<std::uint16_t*>(storage + at.sources);
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
    merger::store(problem, part.a_begin, part.b_begin, a_count + b_count, keys, sources, a, b);
  }
};

}  // namespace cmerge::detail
