// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cooperative loads from global to shared memory: 16-byte granules, asynchronous, from
// contiguous memory; element by element from any other iterator.
#pragma once

#include <cmerge/detail/block/granule.cuh>
#include <cmerge/detail/block/group.cuh>

#include <cuda_pipeline.h>
#include <cuda/ptx>

#include <cstdint>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

/// Where a load goes in a buffer: from `slot` on, and on at slot 0 behind slot `capacity - 1`. The
/// first `repeated` slots are also written behind the last one. A plain buffer does not wrap.
struct buffer_place {
  unsigned slot = 0;
  unsigned capacity = ~0u;
  unsigned repeated = 0;

  /// One of the four copies, some of them empty, that `count` elements need: the part before the
  /// wrap or the one behind it, to its place or to the repetition.
  struct piece {
    unsigned slot;
    unsigned begin;  // first element
    unsigned count;
  };
  __device__ piece operator()(unsigned index, unsigned count) const {
    const unsigned before = min(count, capacity - slot);
    piece p{slot, 0, before};
    if (index % 2 == 1) p = {0, before, count - before};
    if (index / 2 == 1) {
      p.count = p.slot < repeated ? min(p.count, repeated - p.slot) : 0;
      p.slot += capacity;
    }
    return p;
  }

  __device__ buffer_place advanced(unsigned elements) const {
    buffer_place place = *this;
    place.slot += elements;
    if (place.slot >= capacity) place.slot -= capacity;
    return place;
  }

  /// Writes element `e` of the load.
  template <class T, class Source>
  __device__ void put(T* buffer, unsigned e, const Source& element) const {
    const unsigned at = advanced(e).slot;
    detail::construct(buffer + at, element);
    if (at < repeated) detail::construct(buffer + capacity + at, element);
  }
};

/// Lets bulk copies read and overwrite what this thread has written to any memory, after a block
/// barrier.
__device__ inline void release_to_bulk_copies() {
#if __CUDA_ARCH__ >= 900
  cuda::ptx::fence_proxy_async();
#endif
}

/// Loads tiles of a group's two inputs into shared memory, in rounds of one load for each.
///
/// A round is complete for all threads after `settle()`, a barrier of the group and `wait()`; other
/// work can stand between any two of them. One round is open at a time, and a block barrier must
/// lie between `wait()` and the next `load()`. With bulk copies a warp for each input has the
/// engine move whole granules; else each thread copies some granules, asynchronously (from sm_80
/// on) or at once (sm_75).
template <class Group, bool InAnyMemory>
class tile_loader {
 public:
  /// Prepares the barrier of the open round, and meets the group.
  __device__ explicit tile_loader(std::uint64_t* barrier) : barrier_(barrier) {
    if constexpr (is_bulk) {
      if (Group::rank() == 0) {
        cuda::ptx::mbarrier_init(barrier_, 2);  // both inputs' warps arrive
        cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
      }
      Group::sync();
    }
  }

  /// Whether a range is copied by granules.
  template <class T>
  __device__ static bool can_copy(const T* src) {
    return can_copy_granules<InAnyMemory>(src);
  }

  /// Adds to the round: `count` elements of input 0 or 1, from `src`, to a place in `buffer`.
  ///
  /// Preconditions: what the place held is no longer read by any thread; where the range is copied
  /// by granules, its place and `src` have the same phase.
  template <int Input, class T, class Iterator>
  __device__ void load(T* buffer, buffer_place place, Iterator src, unsigned count) {
    if constexpr (is_granular<Iterator>) {
      if (can_copy(src)) {
        load_granules<Input>(buffer, place, src, count);
        return;
      }
    }
    load_elements(buffer, place, src, count);
  }

  /// Adds to the round, element by element, all of two inputs behind iterators of one type: up to
  /// `Batch` loads of a thread are under way at once, whichever input they are of.
  ///
  /// A thread that has fewer to load reads the last element again: with branches, each load would
  /// be waited for before the next.
  template <int Batch, class T, class Iterator>
  __device__ void load_both(T* buffer_a, Iterator src1, unsigned count_a, T* buffer_b,
                            Iterator src2, unsigned count_b) {
    const unsigned count = count_a + count_b;
#pragma unroll 1
    for (unsigned e = Group::rank(); e < count; e += threads * Batch) {
      element_array<T, Batch> held;
#pragma unroll
      for (int b = 0; b < Batch; ++b) {
        const unsigned i = min(e + b * threads, count - 1);
        Iterator place = i < count_a ? src1 + i : src2 + (i - count_a);
        detail::construct(held.items + b, *place);
      }
#pragma unroll
      for (int b = 0; b < Batch; ++b) {
        const unsigned i = e + b * threads;
        T* const place = i < count_a ? buffer_a + i : buffer_b + (i - count_a);
        if (i < count) detail::construct(place, held.items[b]);
      }
    }
  }

  /// Ends the round.
  __device__ void commit() {
    if constexpr (is_bulk) {
      arrive<0>();
      arrive<1>();
    } else {
      __pipeline_commit();
    }
  }

  /// Before the block barrier: this thread's own part of the round is in place.
  __device__ void settle() {
    if constexpr (!is_bulk) __pipeline_wait_prior(0);
  }

  /// After the block barrier: the round is in place.
  __device__ void wait() {
    if constexpr (is_bulk) {
      while (!cuda::ptx::mbarrier_try_wait_parity(barrier_, phase_)) {
      }
      phase_ ^= 1;
    }
  }

  /// Lets later rounds overwrite all that this thread has written, after a block barrier.
  __device__ void release() { release_to_bulk_copies(); }

  /// Ends the barrier's life, so that another loader may use its memory; after a block barrier that
  /// follows the last `wait`.
  __device__ void close() {
    if constexpr (is_bulk) {
      if (Group::rank() == 0) {
        // libcu++ has no function for this.
        const auto address = static_cast<unsigned>(__cvta_generic_to_shared(barrier_));
        asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(address) : "memory");
      }
    }
  }

 private:
  template <class T, class Iterator>
  __device__ static void load_elements(T* buffer, buffer_place place, Iterator src,
                                       unsigned count) {
    // Batches of independent loads, so that their latencies overlap.
    constexpr int batch = sizeof(T) <= 16 ? 4 : 1;
#pragma unroll 1
    for (unsigned e = Group::rank(); e < count; e += threads * batch) {
      element_array<T, batch> held;
#pragma unroll
      for (int b = 0; b < batch; ++b) {
        if (e + b * threads < count) detail::construct(held.items + b, src[e + b * threads]);
      }
#pragma unroll
      for (int b = 0; b < batch; ++b) {
        if (e + b * threads < count) place.put(buffer, e + b * threads, held.items[b]);
      }
    }
  }

  template <int Input, class T, class U>
  __device__ void load_granules(T* buffer, buffer_place place, const U* src, unsigned count) {
    if (is_bulk && Group::rank() / 32 != warp_of<Input>) return;
    constexpr unsigned workers = is_bulk ? 32 : threads;
    const unsigned worker = Group::rank() % workers;
    const granule_cut cut = granule_cut::of(src, count);
    const unsigned body_end = cut.head + cut.body;
    const buffer_place body_place = place.advanced(cut.head);
    // Four copies; in bulk, a lane each.
    for (unsigned index = is_bulk ? worker : 0; index < 4; index += is_bulk ? workers : 1) {
      const buffer_place::piece piece = body_place(index, cut.body);
      T* const to = buffer + piece.slot;
      const U* const from = src + cut.head + piece.begin;
      const unsigned bytes = piece.count * unsigned{sizeof(T)};
      if constexpr (is_bulk) {
        if (bytes == 0) break;
        cuda::ptx::mbarrier_expect_tx(cuda::ptx::sem_relaxed, cuda::ptx::scope_cta,
                                      cuda::ptx::space_shared, barrier_, bytes);
        cuda::ptx::cp_async_bulk(cuda::ptx::space_cluster, cuda::ptx::space_global, to, from, bytes,
                                 barrier_);
      } else {
        for (unsigned at = worker * granule_bytes; at < bytes; at += threads * granule_bytes) {
          __pipeline_memcpy_async(reinterpret_cast<char*>(to) + at,
                                  reinterpret_cast<const char*>(from) + at, granule_bytes);
        }
      }
    }
    // Fewer than a granule's elements at either end: one a thread.
    const auto put = [&](unsigned e) { place.put(buffer, e, src[e]); };
    for_each_of_few<workers, granule_items<T>>(worker, cut.head, put);
    for_each_of_few<workers, granule_items<T>>(worker, count - body_end,
                                               [&](unsigned e) { put(body_end + e); });
    if constexpr (is_bulk) {
      // A later bulk copy may overwrite the slots that were written by hand. (A fence for all
      // memory here costs a block of one tile 8 % of its speed.)
      if (cut.head > 0 || body_end < count) cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
      Group::sync_warp();
    }
  }

  /// Each input has a warp of its own to load it, where there are two.
  template <int Input>
  static constexpr unsigned warp_of = Group::size >= 64 ? Input : 0;

  template <int Input>
  __device__ void arrive() {
    if (Group::rank() == warp_of<Input> * 32) {
      cuda::ptx::mbarrier_arrive(cuda::ptx::sem_release, cuda::ptx::scope_cta,
                                 cuda::ptx::space_shared, barrier_);
    }
  }

  static constexpr bool is_bulk = has_bulk_copies<Group>;
  static constexpr unsigned threads = Group::size;

  std::uint64_t* barrier_;
  unsigned phase_ = 0;  // parity of the open round
};

/// The loader of strategies that keep no inputs in shared memory.
struct no_loader {
  __device__ explicit no_loader(unsigned char*) {}
  __device__ void release() {}
  __device__ void close() {}
};

/// The loader of a strategy whose shared memory is laid out as `Layout` says.
template <class Config, class Layout, class Problem>
struct layout_loader : tile_loader<typename Config::group, Problem::in_any_memory> {
  __device__ explicit layout_loader(unsigned char* storage)
      : tile_loader<typename Config::group, Problem::in_any_memory>(
            reinterpret_cast<std::uint64_t*>(storage + Layout(Config::own_tuning).barrier)) {}
};

}  // namespace detail
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
