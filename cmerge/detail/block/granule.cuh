// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contiguous memory as 16-byte granules, the unit of asynchronous copies. Used by the loader, the
// storer and the merge by value.
#pragma once

#include <cmerge/detail/core/element.h>

#include <cstdint>
#include <type_traits>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

/// Bytes that an asynchronous copy moves at a time. Both addresses must be multiples of this.
inline constexpr unsigned granule_bytes = 16;

/// Bytes of a cache line. A bulk copy whose source and destination have different offsets within
/// 32-byte sectors reads some sectors twice. It is fastest if they have the same offset within a
/// line.
inline constexpr unsigned line_bytes = 128;

/// Rounds up to a multiple of `granule_bytes`, where buffers begin.
CMERGE_HOST_DEVICE constexpr unsigned round_up(unsigned bytes) {
  return (bytes + granule_bytes - 1) / granule_bytes * granule_bytes;
}

/// Elements of type `T` per granule, or 1 if their size is at least a granule or does not divide
/// it.
template <class T>
inline constexpr unsigned granule_items = sizeof(T) < granule_bytes&& granule_bytes % sizeof(T) == 0
                                              ? granule_bytes / sizeof(T)
                                              : 1;

/// Rounds up to a multiple of `granule_items`.
template <class T>
CMERGE_HOST_DEVICE constexpr unsigned whole_granules(unsigned items) {
  return (items + granule_items<T> - 1) / granule_items<T> * granule_items<T>;
}

/// Whether a range can be copied as bytes: `Iterator` is a pointer to trivially copyable elements.
template <class Iterator>
inline constexpr bool is_memory = false;
template <class T>
inline constexpr bool is_memory<T*> = std::is_trivially_copyable_v<T>;
template <class T>
inline constexpr bool is_memory<T* const> = is_memory<T*>;

/// Whether a range can be copied in granules that do not cut an element.
template <class Iterator>
inline constexpr bool is_granular = false;
template <class T>
inline constexpr bool is_granular<T*> = is_memory<T*> && (granule_bytes % sizeof(T) == 0 ||
                                                          sizeof(T) % granule_bytes == 0);
template <class T>
inline constexpr bool is_granular<T* const> = is_granular<T*>;

/// Whether `first` is aligned so that no element of its range straddles a granule.
template <class T>
__device__ bool is_granule_aligned(const T* first) {
  constexpr unsigned needed = sizeof(T) < granule_bytes ? sizeof(T) : granule_bytes;
  return alignof(T) >= needed || reinterpret_cast<std::uintptr_t>(first) % needed == 0;
}

/// Whether a pointer leads to global memory, not to shared memory of this block or of another block
/// of the cluster. Written in PTX, because nvcc 13.0 fails with "Invalid bitcast" if `__isGlobal`
/// gets a pointer from `map_shared_rank`.
__device__ inline bool is_global(const void* pointer) {
  unsigned result = 0;
  asm("{\n.reg .pred is_in;\nisspacep.global is_in, %1;\nselp.u32 %0, 1, 0, is_in;\n}"
      : "=r"(result)
      : "l"(pointer));
  return result != 0;
}

/// Whether asynchronous copies can move the range at `first`. They need global memory, which is
/// checked only with `InAnyMemory`.
template <bool InAnyMemory, class T>
__device__ bool can_copy_granules(const T* first) {
  return is_granule_aligned(first) && (!InAnyMemory || is_global(first));
}

/// Makes the L2 cache fetch the whole granules of a range. No thread waits for it. Does nothing
/// before sm_90, or if the range is not plain memory. Precondition: the range has less than 4 GiB.
template <class Iterator>
__device__ void prefetch_granules([[maybe_unused]] Iterator first,
                                  [[maybe_unused]] std::int64_t count) {
#if __CUDA_ARCH__ >= 900
  if constexpr (is_memory<Iterator>) {
    constexpr std::uintptr_t granule = granule_bytes;
    const auto begin = (reinterpret_cast<std::uintptr_t>(first) + granule - 1) / granule * granule;
    const auto end = reinterpret_cast<std::uintptr_t>(first + count) / granule * granule;
    // libcu++ has no function for this instruction.
    if (count > 0 && begin < end) {
      asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(
                       __cvta_generic_to_global(reinterpret_cast<const void*>(begin))),
                   "r"(static_cast<unsigned>(end - begin)));
    }
  }
#endif
}

/// Offset of `first` within its granule, in elements. 0 if the range cannot be copied in granules,
/// or if an element is not smaller than a granule.
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

/// A range cut at granule boundaries: `head` elements before the first boundary, `body` elements in
/// whole granules, then the rest.
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
