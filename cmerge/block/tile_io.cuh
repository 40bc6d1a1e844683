// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cooperative copies between global and shared memory: 16-byte granules, asynchronous, for
// contiguous memory; element by element for any other iterator. Layer 3, includes
// detail/element.h and libcu++.
#pragma once

#include <cmerge/detail/element.h>

#include <cuda/ptx>
#include <cuda_pipeline.h>

#include <cstdint>
#include <type_traits>

namespace cmerge::detail {

/// Bytes that an asynchronous copy moves at a time, aligned, on both sides.
inline constexpr unsigned granule_bytes = 16;

/// The next multiple of a granule: buffers begin at one.
CMERGE_HOST_DEVICE constexpr unsigned round_up(unsigned bytes) {
  return (bytes + granule_bytes - 1) / granule_bytes * granule_bytes;
}

/// Elements per granule where ranges of `T` are copied by granules, else 1.
template <class T>
inline constexpr unsigned granule_items = sizeof(T) < granule_bytes && granule_bytes % sizeof(T) == 0
                                              ? granule_bytes / sizeof(T)
                                              : 1;

/// Whether ranges behind `Iterator` can be copied as bytes, granule by granule.
template <class Iterator>
inline constexpr bool is_granular = false;
template <class T>
inline constexpr bool is_granular<T*> =
    std::is_trivially_copyable_v<T> &&
    (granule_bytes % sizeof(T) == 0 || sizeof(T) % granule_bytes == 0);
template <class T>
inline constexpr bool is_granular<T* const> = is_granular<T*>;

/// Whether this particular range can: its elements must not straddle granules.
template <class T>
__device__ bool is_granule_aligned(const T* first) {
  return reinterpret_cast<std::uintptr_t>(first) %
             (sizeof(T) < granule_bytes ? sizeof(T) : granule_bytes) == 0;
}

/// How far, in elements, `first` lies behind the granule it is in; 0 where granules do not matter.
template <class Iterator>
__device__ unsigned granule_phase(Iterator first) {
  if constexpr (is_granular<Iterator>) {
    using T = value_t<Iterator>;
    if (granule_items<T> > 1 && is_granule_aligned(first)) {
      return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(first) % granule_bytes /
                                   sizeof(T));
    }
  }
  return 0;
}

/// A range cut at granule borders: `head` elements, `body` elements in whole granules, the rest.
struct granule_cut {
  unsigned head;
  unsigned body;

  template <class T>
  __device__ static granule_cut of(const T* first, unsigned count) {
    const unsigned phase = granule_phase(first);
    const unsigned head = phase == 0 ? 0 : granule_items<T> - phase;
    if (head >= count) return {count, 0};
    return {head, (count - head) / granule_items<T> * granule_items<T>};
  }
};

/// Loads tiles of a block's inputs into shared memory, in rounds of any number of copies.
///
/// A round is complete for all threads after `settle()`, a block barrier and `wait()`; other
/// work can stand between any two of them. Rounds complete in order, and at most two are open.
/// From sm_90 on one thread has the bulk-copy engine move whole granules; before, each thread
/// copies some granules asynchronously (sm_80) or at once (sm_75).
template <int Threads>
class tile_loader {
 public:
  /// Prepares the barriers of both open rounds; visible to the block after its next barrier.
  __device__ explicit tile_loader(std::uint64_t (&barriers)[2]) : barriers_(barriers) {
#if __CUDA_ARCH__ >= 900
    if (threadIdx.x == 0) {
      cuda::ptx::mbarrier_init(&barriers_[0], 1);
      cuda::ptx::mbarrier_init(&barriers_[1], 1);
      cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
    }
#endif
  }

  /// Adds to the round: `dst[0..count) = src[0..count)`, by all threads of the block.
  ///
  /// Preconditions: what `dst` held is no longer read by any thread; where the range is copied by
  /// granules, `dst` and `src` have the same phase.
  template <class T, class Iterator>
  __device__ void load(T* dst, Iterator src, unsigned count) {
    if constexpr (is_granular<Iterator>) {
      if (is_granule_aligned(src)) {
        load_granules(dst, src, count);
        return;
      }
    }
    load_elements(dst, src, count);
  }

  /// Ends the round.
  __device__ void commit() {
#if __CUDA_ARCH__ >= 900
    if (threadIdx.x == 0) {
      cuda::ptx::mbarrier_arrive(cuda::ptx::sem_release, cuda::ptx::scope_cta,
                                 cuda::ptx::space_shared, &barriers_[committed_ & 1]);
    }
#else
    __pipeline_commit();
#endif
    ++committed_;
  }

  /// Before the block barrier: this thread's own part of all committed rounds is in place.
  __device__ void settle() {
#if __CUDA_ARCH__ < 900
    __pipeline_wait_prior(0);
#endif
  }

  /// After the block barrier: the oldest open round is in place.
  __device__ void wait() {
#if __CUDA_ARCH__ >= 900
    while (!cuda::ptx::mbarrier_try_wait_parity(&barriers_[waited_ & 1], (waited_ >> 1) & 1)) {
    }
#endif
    ++waited_;
  }

  /// Waits for whatever is still under way; a block must not end before.
  __device__ void drain() {
    while (waited_ < committed_) wait();
  }

 private:
  template <class T, class Iterator>
  __device__ static void load_elements(T* dst, Iterator src, unsigned count) {
    // Batches of independent loads, so that their latencies overlap.
    constexpr int batch = sizeof(T) <= 16 ? 4 : 1;
#pragma unroll 1
    for (unsigned e = threadIdx.x; e < count; e += Threads * batch) {
      element_array<T, batch> held;
#pragma unroll
      for (int b = 0; b < batch; ++b) {
        if (e + b * Threads < count) construct(&held.items[b], src[e + b * Threads]);
      }
#pragma unroll
      for (int b = 0; b < batch; ++b) {
        if (e + b * Threads < count) construct(&dst[e + b * Threads], held.items[b]);
      }
    }
  }

  template <class T, class U>
  __device__ void load_granules(T* dst, const U* src, unsigned count) {
    const granule_cut cut = granule_cut::of(src, count);
    const unsigned body_end = cut.head + cut.body;
    if (cut.body > 0) {
#if __CUDA_ARCH__ >= 900
      if (threadIdx.x == 0) {
        const unsigned bytes = cut.body * unsigned{sizeof(T)};
        std::uint64_t* barrier = &barriers_[committed_ & 1];
        cuda::ptx::mbarrier_expect_tx(cuda::ptx::sem_relaxed, cuda::ptx::scope_cta,
                                      cuda::ptx::space_shared, barrier, bytes);
        cuda::ptx::cp_async_bulk(cuda::ptx::space_cluster, cuda::ptx::space_global,
                                 dst + cut.head, src + cut.head, bytes, barrier);
      }
#else
      const unsigned granules = cut.body * unsigned{sizeof(T)} / granule_bytes;
      for (unsigned g = threadIdx.x; g < granules; g += Threads) {
        __pipeline_memcpy_async(reinterpret_cast<char*>(dst + cut.head) + g * granule_bytes,
                                reinterpret_cast<const char*>(src + cut.head) + g * granule_bytes,
                                granule_bytes);
      }
#endif
    }
    // Fewer than a granule's elements at either end: one a thread.
    const unsigned e = threadIdx.x;
    if (e < cut.head) construct(&dst[e], src[e]);
    if (e < count - body_end) construct(&dst[body_end + e], src[body_end + e]);
#if __CUDA_ARCH__ >= 900
    // A later bulk copy may overwrite the slots that were written by hand.
    if (cut.head > 0 || body_end < count) cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
#endif
  }

  std::uint64_t (&barriers_)[2];
  unsigned committed_ = 0;
  unsigned waited_ = 0;
};

/// Writes tiles of a block's output from shared memory.
///
/// `staged` holds element `e` of the tile at `staged[granule_phase(out) + e]`.
template <int Threads>
struct tile_storer {
  template <class T, class Output>
  static constexpr bool is_bulk =
      is_granular<Output> && std::is_same_v<std::decay_t<Output>, T*>;

  /// Makes this thread's writes to shared memory visible to `store`; before the block barrier.
  template <class T, class Output>
  __device__ static void publish() {
#if __CUDA_ARCH__ >= 900
    if constexpr (is_bulk<T, Output>) cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
#endif
  }

  /// `out[0..count) = staged`, by all threads of the block, after the block barrier.
  template <class T, class Output>
  __device__ static void store(T* staged, Output out, unsigned count) {
    if constexpr (is_bulk<T, Output>) {
      if (is_granule_aligned(out)) {
        staged += granule_phase(out);
        const granule_cut cut = granule_cut::of(out, count);
        store_body(staged + cut.head, out + cut.head, cut.body);
        const unsigned e = threadIdx.x;
        const unsigned body_end = cut.head + cut.body;
        if (e < cut.head) out[e] = staged[e];
        if (e < count - body_end) out[body_end + e] = staged[body_end + e];
        return;
      }
    }
#pragma unroll 4
    for (unsigned e = threadIdx.x; e < count; e += Threads) *(out + e) = staged[e];
  }

  /// Waits until the stores before have read `staged`, so that it may be written again.
  template <class T, class Output>
  __device__ static void wait_read() {
#if __CUDA_ARCH__ >= 900
    if constexpr (is_bulk<T, Output>) {
      if (threadIdx.x == 0) {
        cuda::ptx::cp_async_bulk_wait_group_read(cuda::ptx::n32_t<0>{});
      }
    }
#endif
  }

 private:
  template <class T>
  __device__ static void store_body(const T* staged, T* out, unsigned count) {
#if __CUDA_ARCH__ >= 900
    if (threadIdx.x == 0 && count > 0) {
      cuda::ptx::cp_async_bulk(cuda::ptx::space_global, cuda::ptx::space_shared, out, staged,
                               count * unsigned{sizeof(T)});
      cuda::ptx::cp_async_bulk_commit_group();
    }
#else
    const auto* from = reinterpret_cast<const uint4*>(staged);
    auto* to = reinterpret_cast<uint4*>(out);
    const unsigned granules = count * unsigned{sizeof(T)} / granule_bytes;
    for (unsigned g = threadIdx.x; g < granules; g += Threads) to[g] = from[g];
#endif
  }
};

}  // namespace cmerge::detail
