// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cooperative loads from global to shared memory. Contiguous memory is copied asynchronously in
// 16-byte granules; elements of other iterators are loaded one by one. Used by all strategies that
// keep inputs in shared memory.
#pragma once

#include <cmerge/detail/block/granule.cuh>
#include <cmerge/detail/block/group.cuh>

#include <cuda_pipeline.h>
#include <cuda/ptx>

#include <cstdint>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

/// Where a load goes in a buffer: to the slots from `slot` on, wrapping from slot `capacity - 1` to
/// slot 0. The contents of the first `repeated` slots are repeated after the last one. The default
/// is a plain buffer, which does not wrap.
struct buffer_slot {
  unsigned slot = 0;
  unsigned capacity = ~0u;
  unsigned repeated = 0;

  /// A part of a load, possibly empty, that goes to consecutive slots.
  struct piece {
    unsigned slot;   // its first slot
    unsigned first;  // its first element
    unsigned count;  // its number of elements
  };
  /// One of the four pieces of a load of `count` elements. 0 and 1 are the elements before and
  /// after the wrap; 2 and 3 are the repetitions of these.
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

  /// Where the load goes from element `elements` on.
  __device__ buffer_slot advanced(unsigned elements) const {
    buffer_slot next = *this;
    next.slot += elements;
    if (next.slot >= capacity) next.slot -= capacity;
    return next;
  }

  /// Writes element `e` of the load, and its repetition.
  template <class T, class Source>
  __device__ void put(T* buffer, unsigned e, const Source& element) const {
    const unsigned at = advanced(e).slot;
    detail::construct(buffer + at, element);
    if (at < repeated) detail::construct(buffer + capacity + at, element);
  }
};

/// Makes this thread's writes to any memory visible to bulk copies that start after the next block
/// barrier, so that these can read or overwrite the same bytes.
__device__ inline void release_to_bulk_copies() {
#if __CUDA_ARCH__ >= 900
  cuda::ptx::fence_proxy_async();
#endif
}

/// Loads tiles of a group's two inputs into shared memory, in rounds. A round has one load per
/// input.
///
/// A round consists of both loads, `commit`, `settle`, a barrier of the group, and `wait`. Then the
/// inputs are in place for all threads. Other work may stand between any two of these. One round is
/// open at a time, and a block barrier must lie between `wait` and the next `load`.
///
/// With bulk copies (from sm_90 on), one warp per input makes the engine move whole granules.
/// Otherwise each thread copies some granules, asynchronously from sm_80 on and synchronously on
/// sm_75.
template <class Group, bool InAnyMemory>
class tile_loader {
 public:
  /// Initialises the mbarrier that the rounds use. All threads of the group call it together.
  __device__ explicit tile_loader(std::uint64_t* barrier) : barrier_(barrier) {
    if constexpr (is_bulk) {
      if (Group::rank() == 0) {
        cuda::ptx::mbarrier_init(barrier_, 2);  // one arrival per input
        cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
      }
      Group::sync();
    }
  }

  /// Whether a range is copied in granules.
  template <class T>
  __device__ static bool can_copy(const T* src) {
    return can_copy_granules<InAnyMemory>(src);
  }

  /// Adds to the round: `count` elements of input 0 or 1, from `src` to the slots of `target` in
  /// `buffer`.
  ///
  /// Preconditions: no thread reads these slots any more. If the range is copied in granules, `src`
  /// and the first slot have the same offset within a granule.
  template <int Input, class T, class Iterator>
  __device__ void load(T* buffer, buffer_slot target, Iterator src, unsigned count) {
    if constexpr (is_granular<Iterator>) {
      if (can_copy(src)) {
        load_granules<Input>(buffer, target, src, count);
        return;
      }
    }
    load_elements(buffer, target, src, count);
  }

  /// Adds to the round: all elements of both inputs, one by one, if both have the same iterator
  /// type. Each thread has up to `Batch` loads in flight, whichever input they are from.
  ///
  /// A thread with fewer elements reads the last one again. With branches, each load would wait for
  /// the one before.
  template <int Batch, class T, class Iterator>
  __device__ void load_both(T* buffer_a, Iterator src_a, unsigned count_a, T* buffer_b,
                            Iterator src_b, unsigned count_b) {
    const unsigned count = count_a + count_b;
#pragma unroll 1
    for (unsigned e = Group::rank(); e < count; e += threads * Batch) {
      element_array<T, Batch> held;
#pragma unroll
      for (int b = 0; b < Batch; ++b) {
        const unsigned i = min(e + b * threads, count - 1);
        Iterator from = i < count_a ? src_a + i : src_b + (i - count_a);
        detail::construct(held.items + b, *from);
      }
#pragma unroll
      for (int b = 0; b < Batch; ++b) {
        const unsigned i = e + b * threads;
        T* const to = i < count_a ? buffer_a + i : buffer_b + (i - count_a);
        if (i < count) detail::construct(to, held.items[b]);
      }
    }
  }

  /// Call it after the last load of the round.
  __device__ void commit() {
    if constexpr (is_bulk) {
      arrive<0>();
      arrive<1>();
    } else {
      __pipeline_commit();
    }
  }

  /// Call it before the group's barrier. Waits for the copies of this thread, except bulk copies.
  __device__ void settle() {
    if constexpr (!is_bulk) __pipeline_wait_prior(0);
  }

  /// Call it after the group's barrier. Waits for bulk copies. Then the round is complete.
  __device__ void wait() {
    if constexpr (is_bulk) {
      while (!cuda::ptx::mbarrier_try_wait_parity(barrier_, phase_)) {
      }
      phase_ ^= 1;
    }
  }

  /// Lets later rounds overwrite everything this thread has written, after the next block barrier.
  __device__ void release() { release_to_bulk_copies(); }

  /// Invalidates the mbarrier, so that another loader may use its memory. A block barrier must lie
  /// between the last `wait` and this call.
  __device__ void close() {
    if constexpr (is_bulk) {
      if (Group::rank() == 0) {
        // libcu++ has no function for this instruction.
        const auto address = static_cast<unsigned>(__cvta_generic_to_shared(barrier_));
        asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(address) : "memory");
      }
    }
  }

 private:
  /// Loads a range element by element.
  template <class T, class Iterator>
  __device__ static void load_elements(T* buffer, buffer_slot target, Iterator src,
                                       unsigned count) {
    // Batches of independent loads, so that their latencies overlap. Larger elements are loaded one
    // at a time: a batch takes at most 16 registers.
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
        if (e + b * threads < count) target.put(buffer, e + b * threads, held.items[b]);
      }
    }
  }

  /// Copies the whole granules of a range, and the elements at either end one by one.
  template <int Input, class T, class U>
  __device__ void load_granules(T* buffer, buffer_slot target, const U* src, unsigned count) {
    if (is_bulk && Group::rank() / 32 != warp_of<Input>) return;
    constexpr unsigned workers = is_bulk ? 32 : threads;
    const unsigned worker = Group::rank() % workers;
    const granule_cut cut = granule_cut::of(src, count);
    const unsigned body_end = cut.head + cut.body;
    const buffer_slot body_target = target.advanced(cut.head);
    // One copy per piece. Bulk copies are issued by one lane each.
    for (unsigned index = is_bulk ? worker : 0; index < 4; index += is_bulk ? workers : 1) {
      const buffer_slot::piece piece = body_target(index, cut.body);
      T* const to = buffer + piece.slot;
      const U* const from = src + cut.head + piece.first;
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
    // Each end has fewer elements than a granule: at most one per thread.
    const auto put = [&](unsigned e) { target.put(buffer, e, src[e]); };
    for_each_of_few<workers, granule_items<T>>(worker, cut.head, put);
    for_each_of_few<workers, granule_items<T>>(worker, count - body_end,
                                               [&](unsigned e) { put(body_end + e); });
    if constexpr (is_bulk) {
      // A later bulk copy may overwrite the slots written here. (A fence for all memory would cost
      // a block of one tile about 10 % of its speed: 90 to 81 % of a copy on an H200.)
      if (cut.head > 0 || body_end < count) cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
      Group::sync_warp();
    }
  }

  /// The warp that loads an input: one warp per input, if the group has two.
  template <int Input>
  static constexpr unsigned warp_of = Group::size >= 64 ? Input : 0;

  /// Arrives at the mbarrier for an input: its loading warp has issued all copies.
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
  unsigned phase_ = 0;  // parity of the open round's barrier phase
};

/// The loader of strategies that keep no inputs in shared memory. It does nothing.
struct no_loader {
  __device__ explicit no_loader(unsigned char*) {}
  __device__ void release() {}
  __device__ void close() {}
};

/// The loader of a strategy whose shared memory has the layout `Layout`.
template <class Config, class Layout, class Problem>
struct layout_loader : tile_loader<typename Config::group, Problem::in_any_memory> {
  __device__ explicit layout_loader(unsigned char* storage)
      : tile_loader<typename Config::group, Problem::in_any_memory>(
            reinterpret_cast<std::uint64_t*>(storage + Layout(Config::own_tuning).barrier)) {}
};

}  // namespace detail
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
