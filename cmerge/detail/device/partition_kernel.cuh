// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The small kernel that finds the ends of most tiles of a large merge, while the first blocks of
// the merge kernel already run. launch.cuh launches it.
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

/// Threads per block of the partition kernel, and number of tiles whose ends a block searches for.
inline constexpr int partition_threads = 256;
/// Number of these tiles whose slots the block fills. If there is prefetching (from sm_90 on), the
/// ends of the others only tell what to prefetch, and the next block finds them again.
constexpr int partition_tiles(int arch) {
  return arch >= 90 ? partition_threads - tiles_ahead : partition_threads;
}
/// Number of tiles in a stretch. A block has 32 stretches, so that the threads of one warp find
/// their ends.
inline constexpr int stretch_tiles = 8;

/// Finds bounds of both ends of all tiles from `first_slot` on, at most `width` elements apart.
/// Stores them in the tiles' slots, together with what to prefetch.
///
/// A block searches for the ends of 256 neighbouring tiles in three steps: two warps for the outer
/// ends, one thread for the end of each stretch, then one thread for each remaining end. Each step
/// searches between ends that are already known. If the inputs are evenly mixed, one or two rounds
/// per search are enough. The cost lies in rounds, since each waits for memory, and in memory
/// accesses, since they are scattered.
///
/// \param margin  minimum distance of both bounds from their middle, where possible. A thread
///                merges faster if neither input of the tile can end within its share
/// \param served  number of tiles per block whose slots are filled
template <class Problem>
__global__ void __launch_bounds__(partition_threads)
    partition_kernel(Problem problem, section_schedule schedule, std::int64_t first_slot,
                     std::int64_t width, std::int64_t margin, int served) {
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();  // the merge kernel may start
#endif
  problem.load_sizes();
  schedule.outputs = problem.outputs;
  __shared__ co_rank_bounds ends[partition_threads + 1];  // [e]: beginning of tile `first + e`
  const std::int64_t first = first_slot + std::int64_t{blockIdx.x} * served;
  const std::int64_t tiles_left = schedule.tiles() - first;
  if (tiles_left <= 0) return;
  const int tiles =
      tiles_left < partition_threads ? static_cast<int>(tiles_left) : partition_threads;
  const auto rank_of = [&](int e) { return schedule.tile_begin(first + e); };
  const auto possible = [&](std::int64_t k) { return possible_co_ranks(k, problem.m, problem.n); };
  // Finds end `e`, which lies between the known ends `e1` and `e2`.
  const auto search = [&](int e, int e1, int e2, std::int64_t to_within) {
    const known_stretch around{rank_of(e1), ends[e1], rank_of(e2), ends[e2]};
    const std::int64_t k = rank_of(e);
    return thread_co_rank(around.bounds(k, possible(k)), to_within, around.guess(k), k,
                          problem.keys_a, problem.keys_b, problem.comp);
  };
  const int thread = static_cast<int>(threadIdx.x);
  // Ends of stretches are found to within 64 elements: near enough to guess the ends between them.
  const std::int64_t close = min(std::int64_t{64}, width);

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
    const co_rank_bounds limits = possible(rank_of(e));
    const std::int64_t missing = max(std::int64_t{0}, margin - ends[e].range() / 2);
    return packed_bounds::pack(
        {max(ends[e].low - missing, limits.low), min(ends[e].high + missing, limits.high)});
  };
  const int ahead = min(thread + tiles_ahead, tiles);
  const std::int64_t ahead_begin = ends[ahead].middle();
  const std::int64_t ahead_end = max(ahead_begin, ends[min(ahead + 1, tiles)].middle());
  if (tile_slot* const slot = find_slot(problem, schedule.one_tile(first + thread))) {
    *slot = {
        pack(thread), pack(end),
        packed_bounds::pack({ahead_begin, min(ahead_end, ahead_begin + packed_bounds::max_range)})};
  }
}

}  // namespace detail
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
