// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the partition kernel tells the merge kernel where tiles begin and end: slots in the output.
#pragma once

#include <cmerge/detail/core/arguments.h>
#include <cmerge/detail/core/merge_window.h>
#include <cmerge/detail/core/section_schedule.h>

#include <cuda_device_runtime_api.h>

#include <cstdint>
#include <type_traits>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
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
/// the memory is known and assigning a `ReferenceA` or `ReferenceB`, the references of the inputs,
/// overwrites all of an element. (For zip iterators see detail/cuda_merge.cuh.)
template <class Iterator, class ReferenceA, class ReferenceB>
struct output_memory {
  static constexpr bool is_known = false;
};
template <class T, class ReferenceA, class ReferenceB>
struct output_memory<T*, ReferenceA, ReferenceB> {
  static constexpr bool is_known =
      is_plainly_assigned<T, ReferenceA> && is_plainly_assigned<T, ReferenceB>;
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

template <class Output, class InputA, class InputB>
using memory_of = output_memory<Output, typename raw_reference<reference_t<InputA>>::type,
                                typename raw_reference<reference_t<InputB>>::type>;

/// The memory of a problem's keys, and of its values.
template <class Problem>
using key_memory =
    memory_of<decltype(Problem::keys_out), decltype(Problem::keys_a), decltype(Problem::keys_b)>;
template <class Problem, bool HasValues = Problem::has_values>
struct value_memory : memory_of<decltype(Problem::values_out), decltype(Problem::values_a),
                                decltype(Problem::values_b)> {};
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

/// What a tile's slot says of the inputs of a later tile, which no block may rely on; empty where
/// there is none so late.
__device__ inline merge_range part_ahead(const tile_slot& slot, const section_schedule& schedule,
                                         std::int64_t outputs) {
  const section_schedule::section tile =
      schedule.one_tile(std::int64_t{blockIdx.x} + tiles_ahead).clipped(outputs);
  const co_rank_bounds a = slot.ahead.unpack();
  return make_merge_range(tile.begin, a.low, tile.end, a.high);
}

}  // namespace detail
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
