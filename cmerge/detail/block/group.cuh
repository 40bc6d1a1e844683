// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The threads that merge together, as the strategies see them: a block, a warp, or a part of a
// warp.
#pragma once

#include <cmerge/config.h>

#include <cuda/ptx>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

/// All threads of a one-dimensional block.
template <int Threads>
struct CMERGE_VISIBLE block_group {
  static constexpr int size = Threads;
  __device__ static unsigned rank() { return threadIdx.x; }
  __device__ static void sync() { __syncthreads(); }
  /// A barrier for the threads of this block in the calling thread's warp. (If the last warp is
  /// incomplete, the barrier does not wait for the missing lanes.)
  __device__ static void sync_warp() { __syncwarp(); }
};

/// Neighbouring lanes of a warp: all 32, or 16, 8, 4, 2 or 1.
template <int Lanes>
struct CMERGE_VISIBLE warp_group {
  static_assert(Lanes >= 1 && Lanes <= 32 && (Lanes & (Lanes - 1)) == 0,
                "cmerge: a warp is divided into groups of 1, 2, 4, 8, 16 or 32 lanes");
  static constexpr int size = Lanes;
  __device__ static unsigned rank() { return cuda::ptx::get_sreg_laneid() % Lanes; }
  __device__ static void sync() {
    __syncwarp((~0u >> (32 - Lanes)) << (cuda::ptx::get_sreg_laneid() / Lanes * Lanes));
  }
  __device__ static void sync_warp() { sync(); }
};

/// Whether the bulk-copy engine moves a group's tiles: from sm_90 on, for groups of at least 32
/// threads. For a part of a warp, preparing a bulk copy takes longer than copying without it.
template <class Group>
inline constexpr bool has_bulk_copies =
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    Group::size >= 32;
#else
    false;
#endif

/// Calls `f(e)` for all `e < count`, one per thread if there are enough threads. `Workers`
/// threads call this function together, with their ranks. Precondition: `count <= Few`.
template <unsigned Workers, unsigned Few, class Function>
__device__ void for_each_of_few(unsigned rank, unsigned count, Function f) {
  if constexpr (Workers >= Few) {
    if (rank < count) f(rank);
  } else {
    for (unsigned e = rank; e < count; e += Workers) f(e);
  }
}

}  // namespace detail
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
