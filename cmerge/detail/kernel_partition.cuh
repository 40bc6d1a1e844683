// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The small kernel that finds where the tiles of a large merge begin and end, while the merge
// kernel's first blocks already run. Layer 5, includes block/warp_co_rank.cuh,
// detail/arguments.h, detail/section_schedule.h and the CUDA runtime.
#pragma once

#include <cmerge/detail/arguments.h>
#include <cmerge/detail/section_schedule.h>
#include <cmerge/block/warp_co_rank.cuh>

#include <cuda_device_runtime_api.h>

#include <cstdint>
#include <type_traits>

namespace cmerge CMERGE_HIDDEN {
namespace detail {

/// Bounds of a co-rank in one word. A co-rank counts elements in memory, so it has no 48 bits.
struct packed_bounds {
  static constexpr std::int64_t most = 0xffff;  ///< the largest range; a tile has 32768 outputs

  std::int64_t word;

  CMERGE_HOST_DEVICE static packed_bounds pack(co_rank_bounds bounds) {
    return {bounds.low << 16 | bounds.range()};
  }
  CMERGE_HOST_DEVICE co_rank_bounds unpack() const {
    return {word >> 16, (word >> 16) + (word & most)};
  }
};

/// How many tiles behind the one that is being loaded the one lies that is prefetched meanwhile.
inline constexpr int tiles_ahead = 48;

/// What the partition kernel tells the merge kernel of a tile: both ends, and where in the first
/// input the tile `tiles_ahead` behind it is likely to begin and end. It stands in the place of the
/// tile's own first outputs, which only that block overwrites, after it has read them. So no
/// temporary storage is needed.
struct tile_slot {
  packed_bounds begin;
  packed_bounds end;
  packed_bounds ahead;
};

/// The memory behind an output iterator. Slots can stand there until the outputs are written, if
/// the memory is known and assigning a `Reference1` or `Reference2`, the references of the inputs,
/// overwrites all of an element. (For zip iterators see detail/cuda_merge.cuh.)
template <class Iterator, class Reference1, class Reference2>
struct output_memory {
  static constexpr bool is_known = false;
};
template <class T, class Reference1, class Reference2>
struct output_memory<T*, Reference1, Reference2> {
  static constexpr bool is_known =
      is_plainly_assigned<T, Reference1> && is_plainly_assigned<T, Reference2>;
  static constexpr std::int64_t bytes = sizeof(T);  ///< from one output to the next
  __device__ static unsigned char* begin(T* first) {
    return reinterpret_cast<unsigned char*>(first);
  }
};

/// The plain reference behind a proxy. (For Thrust's proxies see detail/cuda_merge.cuh.)
template <class Reference>
struct raw_reference {
  using type = Reference;
};

template <class Output, class Input1, class Input2>
using memory_of = output_memory<Output, typename raw_reference<reference_t<Input1>>::type,
                                typename raw_reference<reference_t<Input2>>::type>;

/// The memory of a problem's keys, and of its values.
template <class Problem>
using key_memory =
    memory_of<decltype(Problem::keys_out), decltype(Problem::keys1), decltype(Problem::keys2)>;
template <class Problem, bool HasValues = Problem::has_values>
struct value_memory : memory_of<decltype(Problem::values_out), decltype(Problem::values1),
                                decltype(Problem::values2)> {};
template <class Problem>
struct value_memory<Problem, false> : output_memory<no_values, void, void> {};

/// Whether slots stand in the keys. If not, they stand in the values, where possible.
template <class Problem>
inline constexpr bool has_key_slots = key_memory<Problem>::is_known;

/// Whether the outputs are a place for slots.
template <class Problem>
inline constexpr bool has_slots = has_key_slots<Problem> || value_memory<Problem>::is_known;

/// The output that slots stand in.
template <class Problem>
CMERGE_HOST_DEVICE auto slot_output(const Problem& problem) {
  if constexpr (has_key_slots<Problem>) {
    return problem.keys_out;
  } else {
    return problem.values_out;
  }
}

/// The slot of a tile, or null where its output is too small to hold one.
template <class Problem>
__device__ tile_slot* find_slot(const Problem& problem, section_schedule::section tile) {
  if constexpr (has_slots<Problem>) {
    const auto output = slot_output(problem);
    using memory =
        std::conditional_t<has_key_slots<Problem>, key_memory<Problem>, value_memory<Problem>>;
    unsigned char* const begin = memory::begin(output) + tile.begin * memory::bytes;
    const unsigned behind = reinterpret_cast<std::uintptr_t>(begin) % alignof(tile_slot);
    const unsigned skipped = behind == 0 ? 0 : unsigned{alignof(tile_slot)} - behind;
    const std::int64_t bytes = (tile.end - tile.begin) * memory::bytes;
    return bytes >= skipped + std::int64_t{sizeof(tile_slot)}
               ? reinterpret_cast<tile_slot*>(begin + skipped)
               : nullptr;
  } else {
    return nullptr;
  }
}

/// In the merge kernel: waits until the partition kernel has ended and its slots can be read.
__device__ inline void wait_for_partition() {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

/// What is known of both ends of a stretch of the output.
struct known_stretch {
  std::int64_t k_begin;
  co_rank_bounds begin;
  std::int64_t k_end;
  co_rank_bounds end;

  /// Bounds of the co-rank of a `k` inside.
  __device__ co_rank_bounds bounds(std::int64_t k, co_rank_bounds possible) const {
    const std::int64_t low = max(possible.low, max(begin.low, end.low - (k_end - k)));
    const std::int64_t high = min(possible.high, min(end.high, begin.high + (k - k_begin)));
    return low <= high ? co_rank_bounds{low, high}
                       : possible;  // only where the order contradicts itself
  }

  /// A guess of it, if inputs are alike here; they need not be so elsewhere.
  __device__ co_rank_guess guess(std::int64_t k) const {
    const std::int64_t size = k_end - k_begin;
    const std::int64_t m = max(std::int64_t{0}, min(end.middle() - begin.middle(), size));
    co_rank_guess result = guess_co_rank(k - k_begin, m, size - m);
    result.middle += begin.middle();
    result.reach += begin.range() / 2 + end.range() / 2;
    return result;
  }
};

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
/// A block has 256 neighbouring tiles. Two warps search for the two outer ends. Then 31 threads
/// search for the end of every eighth tile between these, and last 224 threads for the remaining
/// ends, each time between the ends that are known. Where inputs are mixed evenly, one or two
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
                          problem.keys1, problem.keys2, problem.comp);
  };
  const int thread = static_cast<int>(threadIdx.x);
  const std::int64_t close = min(std::int64_t{64}, width);  // enough to guess what lies between

  if (thread < 64) {
    const int e = thread < 32 ? 0 : tiles;
    const std::int64_t k = rank_of(e);
    const co_rank_bounds found =
        warp_co_rank(possible(k), close, guess_co_rank(k, problem.m, problem.n), k, problem.keys1,
                     problem.keys2, problem.comp);
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
}  // namespace cmerge
