// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The small kernel that finds where the tiles of a large merge begin and end, while the first
// blocks of the merge kernel already run.
#pragma once

#include <cmerge/detail/core/arguments.h>
#include <cmerge/detail/core/section_schedule.h>
#include <cmerge/detail/block/co_rank_search.cuh>
#include <cmerge/detail/device/tile_slot.cuh>

#include <cuda_device_runtime_api.h>

#include <cstdint>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

/// Threads of a block of the partition kernel, and tiles whose ends it looks for.
inline constexpr int partition_threads = 256;
/// Tiles whose slots it fills. Where there is prefetching, the others only say what to prefetch,
/// and the next block looks for their ends once more.
constexpr int partition_tiles(int arch) {
  return arch >= 90 ? partition_threads - tiles_ahead : partition_threads;
}
/// Neighbouring tiles between two ends that are searched for in any case.
inline constexpr int stretch_tiles = 8;

/// Finds bounds, no farther apart than `width`, for both ends of all tiles from `first_slot` on,
/// and leaves them in the tiles' slots, with what to prefetch.
///
/// A block has 256 neighbouring tiles. Two warps search for both ends of these; then a thread for
/// each of 32 stretches of 8 tiles for the end of that, and last each thread for the end of one
/// tile, each time between the ends that are known. Where inputs are mixed evenly, one or two
/// rounds of each search are enough: what costs here are rounds, since they wait for memory one
/// after the other, and accesses to memory, which are scattered.
///
/// \param margin  bounds are at least twice that far apart, where that is possible: a tile that has
///                more than a thread's share of either input is merged faster
/// \param served  of the tiles of a block, how many have their slots filled
template <class Problem>
__global__ void __launch_bounds__(partition_threads)
    partition_kernel(Problem problem, section_schedule schedule, std::int64_t first_slot,
                     std::int64_t width, std::int64_t margin, int served) {
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();  // the merge kernel may start
#endif
  problem.load_sizes();
  schedule.outputs = problem.outputs;
  __shared__ co_rank_bounds ends[partition_threads + 1];  // [e]: where tile `first + e` begins
  const std::int64_t first = first_slot + std::int64_t{blockIdx.x} * served;
  const std::int64_t tiles_left = schedule.tiles() - first;
  if (tiles_left <= 0) return;
  const int tiles =
      tiles_left < partition_threads ? static_cast<int>(tiles_left) : partition_threads;
  const auto rank_of = [&](int e) { return schedule.tile_begin(first + e); };
  const auto possible = [&](std::int64_t k) { return possible_co_ranks(k, problem.m, problem.n); };
  // End `e`, searched between two known ones.
  const auto search = [&](int e, int e1, int e2, std::int64_t to_within) {
    const known_stretch around{rank_of(e1), ends[e1], rank_of(e2), ends[e2]};
    const std::int64_t k = rank_of(e);
    return thread_co_rank(around.bounds(k, possible(k)), to_within, around.guess(k), k,
                          problem.keys_a, problem.keys_b, problem.comp);
  };
  const int thread = static_cast<int>(threadIdx.x);
  const std::int64_t close = min(std::int64_t{64}, width);  // enough to guess what lies between

  if (thread < 64) {
    const int e = thread < 32 ? 0 : tiles;
    const std::int64_t k = rank_of(e);
    const co_rank_bounds found =
        warp_co_rank(possible(k), close, guess_co_rank(k, problem.m, problem.n), k, problem.keys_a,
                     problem.keys_b, problem.comp);
    if (thread % 32 == 0) ends[e] = found;
  }
  __syncthreads();
  const int stretch_end = (thread + 1) * stretch_tiles;
  if (stretch_end < tiles) ends[stretch_end] = search(stretch_end, 0, tiles, close);
  __syncthreads();
  const int end = thread + 1;
  if (end < tiles && end % stretch_tiles != 0) {
    const int stretch = thread / stretch_tiles * stretch_tiles;
    ends[end] = search(end, stretch, min(stretch + stretch_tiles, tiles), width);
  }
  __syncthreads();

  if (thread >= min(tiles, served)) return;
  const auto pack = [&](int e) {
    const co_rank_bounds most = possible(rank_of(e));
    const std::int64_t missing = max(std::int64_t{0}, margin - ends[e].range() / 2);
    return packed_bounds::pack(
        {max(ends[e].low - missing, most.low), min(ends[e].high + missing, most.high)});
  };
  const int ahead = min(thread + tiles_ahead, tiles);
  const std::int64_t ahead_begin = ends[ahead].middle();
  const std::int64_t ahead_end = max(ahead_begin, ends[min(ahead + 1, tiles)].middle());
  if (tile_slot* const slot = find_slot(problem, schedule.one_tile(first + thread))) {
    *slot = {pack(thread), pack(end),
             packed_bounds::pack({ahead_begin, min(ahead_end, ahead_begin + packed_bounds::most)})};
  }
}

}  // namespace detail
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
