// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranges of contiguous memory as 16-byte granules, which asynchronous copies move.
#pragma once

#include <cmerge/detail/core/element.h>

#include <cstdint>
#include <type_traits>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

/// Bytes that an asynchronous copy moves at a time, aligned, on both sides.
inline constexpr unsigned granule_bytes = 16;

/// Bytes of a line of the caches. A bulk copy whose sides lie at different offsets in their sectors
/// of 32 bytes reads some of its source twice, and it is fastest where they have the same in a
/// line.
inline constexpr unsigned line_bytes = 128;

/// The next multiple of a granule: buffers begin at one.
CMERGE_HOST_DEVICE constexpr unsigned round_up(unsigned bytes) {
  return (bytes + granule_bytes - 1) / granule_bytes * granule_bytes;
}

/// Elements per granule where ranges of `T` are copied by granules, else 1.
template <class T>
inline constexpr unsigned granule_items = sizeof(T) < granule_bytes&& granule_bytes % sizeof(T) == 0
                                              ? granule_bytes / sizeof(T)
                                              : 1;

/// The next multiple of a granule's elements.
template <class T>
CMERGE_HOST_DEVICE constexpr unsigned whole_granules(unsigned items) {
  return (items + granule_items<T> - 1) / granule_items<T> * granule_items<T>;
}

/// Whether ranges behind `Iterator` can be copied as bytes.
template <class Iterator>
inline constexpr bool is_memory = false;
template <class T>
inline constexpr bool is_memory<T*> = std::is_trivially_copyable_v<T>;
template <class T>
inline constexpr bool is_memory<T* const> = is_memory<T*>;

/// Whether they can be copied granule by granule, without cutting an element.
template <class Iterator>
inline constexpr bool is_granular = false;
template <class T>
inline constexpr bool is_granular<T*> = is_memory<T*> && (granule_bytes % sizeof(T) == 0 ||
                                                          sizeof(T) % granule_bytes == 0);
template <class T>
inline constexpr bool is_granular<T* const> = is_granular<T*>;

/// Whether the elements of this particular range lie so that none straddles a granule.
template <class T>
__device__ bool is_granule_aligned(const T* first) {
  constexpr unsigned needed = sizeof(T) < granule_bytes ? sizeof(T) : granule_bytes;
  return alignof(T) >= needed || reinterpret_cast<std::uintptr_t>(first) % needed == 0;
}

/// Whether a pointer points to global memory, not to shared memory of this block or of another
/// block of the cluster. In PTX because nvcc 13.0 fails ("Invalid bitcast") when `__isGlobal` gets
/// a pointer from `map_shared_rank`.
__device__ inline bool is_global(const void* pointer) {
  unsigned result = 0;
  asm("{\n.reg .pred is_in;\nisspacep.global is_in, %1;\nselp.u32 %0, 1, 0, is_in;\n}"
      : "=r"(result)
      : "l"(pointer));
  return result != 0;
}

/// Whether the asynchronous copies can move it: they go to and from global memory alone.
template <bool InAnyMemory, class T>
__device__ bool can_copy_granules(const T* first) {
  return is_granule_aligned(first) && (!InAnyMemory || is_global(first));
}

/// Has the L2 cache fetch the whole granules of a range, which nothing waits for. Does nothing
/// before sm_90, and for other iterators. Precondition: the range has less than 4 GiB.
template <class Iterator>
__device__ void prefetch_granules([[maybe_unused]] Iterator first,
                                  [[maybe_unused]] std::int64_t count) {
#if __CUDA_ARCH__ >= 900
  if constexpr (is_memory<Iterator>) {
    constexpr std::uintptr_t granule = granule_bytes;
    const auto begin = (reinterpret_cast<std::uintptr_t>(first) + granule - 1) / granule * granule;
    const auto end = reinterpret_cast<std::uintptr_t>(first + count) / granule * granule;
    // libcu++ has no function for this.
    if (count > 0 && begin < end) {
      asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(
                       __cvta_generic_to_global(reinterpret_cast<const void*>(begin))),
                   "r"(static_cast<unsigned>(end - begin)));
    }
  }
#endif
}

/// How far, in elements, `first` lies behind the granule it is in; 0 where granules do not matter.
template <class Iterator>
__device__ unsigned granule_phase(Iterator first) {
  if constexpr (is_granular<Iterator>) {
    using T = value_t<Iterator>;
    if (sizeof(T) < granule_bytes && is_granule_aligned(first)) {
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

}  // namespace detail
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
