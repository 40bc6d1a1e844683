// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels: the merge itself, and the small one that finds the sections of a large merge.
// Layer 8, includes block_merge.cuh, block/warp_co_rank.cuh, detail/section_schedule.h.
#pragma once

#include <cmerge/detail/section_schedule.h>
#include <cmerge/block/warp_co_rank.cuh>
#include <cmerge/block_merge.cuh>

#include <cstdint>
#include <type_traits>

namespace cmerge::detail {

/// The tuning that a kernel has on an architecture: what the policy's tuning says, made to fit.
///
/// The kernel evaluates it at compile time, the host at run time for the device in use.
template <class Tuning, problem_size Size, class Problem>
struct kernel_tuning {
  using key1 = value_t<decltype(Problem::keys1)>;
  using key2 = value_t<decltype(Problem::keys2)>;
  template <class T>
  static constexpr bool fits_shared_memory =
      std::is_trivially_destructible_v<T>&& std::is_copy_constructible_v<T>;

  static constexpr int value_bytes() {
    if constexpr (Problem::has_values) {
      using value1 = value_t<decltype(Problem::values1)>;
      using value2 = value_t<decltype(Problem::values2)>;
      return static_cast<int>(sizeof(value1) > sizeof(value2) ? sizeof(value1) : sizeof(value2));
    } else {
      return 0;
    }
  }

  static constexpr unsigned storage_bytes(tuning t) {
    return block_merge<key1, 32, 1, Problem::has_values, strategy::basic, 2, key2>::storage_bytes(
        t);
  }

  static constexpr tuning get(int arch) {
    constexpr bool contiguous = is_granular<decltype(Problem::keys1)> &&
                                is_granular<decltype(Problem::keys2)> &&
                                std::is_pointer_v<decltype(Problem::keys_out)>;
    tuning t = Tuning::get(
        {arch, static_cast<int>(sizeof(key1) > sizeof(key2) ? sizeof(key1) : sizeof(key2)),
         value_bytes(), Size, contiguous});
    if (!fits_shared_memory<key1> || !fits_shared_memory<key2>) t.how = strategy::basic;
    // What does not fit gets smaller tiles; elements of which not even 32 fit are merged where
    // they are.
    const auto limit = static_cast<unsigned>(max_shared_bytes(arch)) - 64;
    while (storage_bytes(t) > limit && t.items > 1) t.items = t.items / 2;
    while (storage_bytes(t) > limit && t.threads > 32) t.threads = t.threads / 64 * 32;
    if (storage_bytes(t) > limit) t.how = strategy::basic;
    return t;
  }
};

#if defined(__CUDA_ARCH__)
inline constexpr int compiled_arch = __CUDA_ARCH__ / 10;
#else
inline constexpr int compiled_arch = 0;
#endif

/// Whether a block merges many tiles, which its strategy reads in one go.
CMERGE_HOST_DEVICE constexpr bool has_long_sections(tuning t) {
  return t.how == strategy::tiled || t.how == strategy::circular;
}

/// The tuning of a kernel in the architecture that is being compiled.
template <class Tuning, problem_size Size, class Problem>
inline constexpr tuning compiled_tuning = kernel_tuning<Tuning, Size, Problem>::get(compiled_arch);

/// Where the co-ranks of both ends of a tile are handed from the partition kernel to the merge
/// kernel: in the place of the tile's own first outputs, which only that block overwrites, after
/// it has read them. So no temporary storage is needed.
template <class Problem>
inline constexpr bool has_slots = std::is_pointer_v<decltype(Problem::keys_out)>&&
    std::is_trivially_copyable_v<std::remove_pointer_t<decltype(Problem::keys_out)>>;

/// The two co-ranks of a tile, or null where its output is too small to hold them.
template <class Problem>
__device__ std::int64_t* split_slot(const Problem& problem, section_schedule::section tile) {
  if constexpr (has_slots<Problem>) {
    const auto begin = reinterpret_cast<std::uintptr_t>(problem.keys_out + tile.begin);
    const auto end = reinterpret_cast<std::uintptr_t>(problem.keys_out + tile.end);
    const std::uintptr_t slot = (begin + alignof(std::int64_t) - 1) & ~(alignof(std::int64_t) - 1);
    return end - slot >= 2 * sizeof(std::int64_t) && slot <= end
               ? reinterpret_cast<std::int64_t*>(slot)
               : nullptr;
  } else {
    return nullptr;
  }
}

/// Merges one section: block-level co-rank, then the strategy of the tuning.
///
/// With `presplit` the partition kernel has left each tile's co-ranks in its slot; else, and where
/// a tile has none, the block searches for both ends of its section.
template <class Tuning, problem_size Size, class Problem>
CMERGE_KERNEL void __launch_bounds__(compiled_tuning<Tuning, Size, Problem>.threads)
    merge_kernel(Problem problem, section_schedule schedule, bool presplit) {
  using config = kernel_tuning<Tuning, Size, Problem>;
  constexpr tuning t = compiled_tuning<Tuning, Size, Problem>;
  using collective = block_merge<typename config::key1, t.threads, t.items, Problem::has_values,
                                 t.how, t.stages, typename config::key2>;
  extern __shared__ __align__(16) unsigned char dynamic_shared[];
  auto& storage = *reinterpret_cast<typename collective::TempStorage*>(dynamic_shared);

  section_schedule::section section;
  if constexpr (has_long_sections(t)) {
    section = schedule[blockIdx.x];
  } else {
    section = schedule.one_tile(blockIdx.x);
  }
  const std::int64_t* const slot = presplit ? split_slot(problem, section) : nullptr;
  std::int64_t i0;
  std::int64_t i1;
  if (slot != nullptr) {
    i0 = slot[0];
    i1 = slot[1];
  } else {
    __shared__ std::int64_t ends[2];
    for (unsigned end = threadIdx.x / 32; end < 2; end += t.threads / 32) {
      const std::int64_t k = end == 0 ? section.begin : section.end;
      const std::int64_t i =
          group_co_rank<32>(k, problem.keys1, problem.m, problem.keys2, problem.n, problem.comp);
      if (threadIdx.x % 32 == 0) ends[end] = i;
    }
    __syncthreads();
    i0 = ends[0];
    i1 = ends[1];
  }
  collective(storage).run(problem, make_merge_range(section.begin, i0, section.end, i1));
}

/// The co-rank of `k` between two known ones: near the straight line between them, if it is there.
///
/// Inputs that are alike nearby keep within a few standard deviations of the line, which are
/// `sqrt(k_end - k_begin) / 4` for independent keys.
template <class Problem>
__device__ std::int64_t co_rank_inside(Problem& problem, std::int64_t k, std::int64_t k_begin,
                                       std::int64_t i_begin, std::int64_t k_end,
                                       std::int64_t i_end) {
  constexpr std::int64_t reach = 512;
  const std::int64_t low_k = co_rank_low(k, problem.n);
  const std::int64_t high_k = co_rank_high(k, problem.m);
  std::int64_t low = max(low_k, max(i_begin, i_end - (k_end - k)));
  std::int64_t high = min(high_k, min(i_end, i_begin + (k - k_begin)));
  if (low > high) {  // only where the order contradicts itself
    low = low_k;
    high = high_k;
  }
  if (high - low > 4 * reach) {
    const double slope =
        static_cast<double>(i_end - i_begin) / static_cast<double>(k_end - k_begin);
    const auto guess =
        i_begin + static_cast<std::int64_t>(slope * static_cast<double>(k - k_begin));
    const std::int64_t probe1 = max(low, min(guess - reach, high - 1));
    const std::int64_t probe2 = max(low, min(guess + reach, high - 1));
    const bool above1 = is_among_first(probe1, k, problem.keys1, problem.keys2, problem.comp);
    const bool above2 = is_among_first(probe2, k, problem.keys1, problem.keys2, problem.comp);
    if (above1) low = probe1 + 1;
    if (above2) low = max(low, probe2 + 1);
    if (!above2) high = max(low, probe2);
    if (!above1) high = max(low, probe1);
  }
  return wide_co_rank_between(low, high, k, problem.keys1, problem.keys2, problem.comp);
}

/// Threads of a block of the partition kernel. Few, so that its warps spread over the device.
inline constexpr int partition_threads = 64;

/// Finds the co-ranks of all tiles and leaves them in the tiles' slots.
///
/// Each warp serves 32 neighbouring tiles: both halves of the warp search for one outer end, then
/// each thread for the end of one tile between them.
template <class Problem>
CMERGE_KERNEL void __launch_bounds__(partition_threads)
    partition_kernel(Problem problem, section_schedule schedule) {
  const std::int64_t tiles = schedule.tiles();
  const std::int64_t first_tile =
      (std::int64_t{blockIdx.x} * partition_threads + threadIdx.x) / 32 * 32;
  if (first_tile >= tiles) return;
  const std::int64_t last_tile = first_tile + 32 < tiles ? first_tile + 31 : tiles - 1;
  const std::int64_t k_begin = schedule.one_tile(first_tile).begin;
  const std::int64_t k_end = schedule.one_tile(last_tile).end;

  const unsigned lane = threadIdx.x % 32;
  const std::int64_t outer = group_co_rank<16>(lane < 16 ? k_begin : k_end, problem.keys1,
                                               problem.m, problem.keys2, problem.n, problem.comp);
  const std::int64_t i_begin = __shfl_sync(~0u, outer, 0);
  const std::int64_t i_end = __shfl_sync(~0u, outer, 16);

  const std::int64_t tile = first_tile + lane < last_tile ? first_tile + lane : last_tile;
  const std::int64_t end = tile == last_tile ? i_end
                                             : co_rank_inside(problem, schedule.one_tile(tile).end,
                                                              k_begin, i_begin, k_end, i_end);
  std::int64_t begin = __shfl_up_sync(~0u, end, 1);
  if (lane == 0) begin = i_begin;
  if (first_tile + lane > last_tile) return;
  if (std::int64_t* const slot = split_slot(problem, schedule.one_tile(tile))) {
    slot[0] = begin;
    slot[1] = end;
  }
}

}  // namespace cmerge::detail
