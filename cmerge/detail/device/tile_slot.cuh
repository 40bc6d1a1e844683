// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Slots in the output, through which the partition kernel passes the ends of tiles to the merge
// kernel.
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

/// Bounds of a co-rank, packed into one word: the low bound, and 16 bits for the range. A co-rank
/// fits into 47 bits, because it counts outputs in memory.
struct packed_bounds {
  static constexpr std::int64_t max_range = 0xffff;  ///< enough: a tile has at most 32768 outputs

  std::int64_t word;

  CMERGE_HOST_DEVICE static packed_bounds pack(co_rank_bounds bounds) {
    return {bounds.low << 16 | bounds.range()};
  }
  CMERGE_HOST_DEVICE co_rank_bounds unpack() const {
    return {word >> 16, (word >> 16) + (word & max_range)};
  }
};

/// Prefetch distance, in tiles. (H200: 16 to 128 tiles are equally fast, and 256 lose 2 points.)
inline constexpr int tiles_ahead = 48;

/// The partition kernel's message to the block of one tile: bounds of both ends, and where in a the
/// tile `tiles_ahead` later is likely to begin and end.
///
/// A slot lies in the memory of the tile's own first outputs. Only the tile's block overwrites
/// these, after it has read the slot. So no temporary storage is needed.
struct tile_slot {
  packed_bounds begin;
  packed_bounds end;
  packed_bounds ahead;
};

/// The memory of an output iterator. Slots can lie there until the outputs are written, if two
/// conditions hold: the memory is known, and an assignment from either input overwrites all of an
/// element. `ReferenceA` and `ReferenceB` are the reference types of the inputs. (policy/unwrap.cuh
/// adds zip iterators.)
template <class Iterator, class ReferenceA, class ReferenceB>
struct output_memory {
  static constexpr bool is_known = false;
};
template <class T, class ReferenceA, class ReferenceB>
struct output_memory<T*, ReferenceA, ReferenceB> {
  static constexpr bool is_known =
      is_plainly_assigned<T, ReferenceA> && is_plainly_assigned<T, ReferenceB>;
  static constexpr std::int64_t bytes = sizeof(T);  ///< distance between two outputs
  __device__ static unsigned char* begin(T* first) {
    return reinterpret_cast<unsigned char*>(first);
  }
};

/// The plain reference type that a proxy stands for. (policy/unwrap.cuh adds Thrust's proxies.)
template <class Reference>
struct raw_reference {
  using type = Reference;
};

template <class Output, class InputA, class InputB>
using memory_of = output_memory<Output, typename raw_reference<reference_t<InputA>>::type,
                                typename raw_reference<reference_t<InputB>>::type>;

/// The memory of a problem's output of keys, and of its output of values.
template <class Problem>
using key_memory =
    memory_of<decltype(Problem::keys_out), decltype(Problem::keys_a), decltype(Problem::keys_b)>;
template <class Problem, bool HasValues = Problem::has_values>
struct value_memory : memory_of<decltype(Problem::values_out), decltype(Problem::values_a),
                                decltype(Problem::values_b)> {};
template <class Problem>
struct value_memory<Problem, false> : output_memory<no_values, void, void> {};

/// Whether slots lie in the output of keys. Otherwise they lie in the output of values, if
/// possible.
template <class Problem>
inline constexpr bool has_key_slots = key_memory<Problem>::is_known;

/// Whether slots are possible at all.
template <class Problem>
inline constexpr bool has_slots = has_key_slots<Problem> || value_memory<Problem>::is_known;

/// The output that contains the slots.
template <class Problem>
CMERGE_HOST_DEVICE auto slot_output(const Problem& problem) {
  if constexpr (has_key_slots<Problem>) {
    return problem.keys_out;
  } else {
    return problem.values_out;
  }
}

/// The slot of a tile, at the first aligned address of its output. Null if the output of the tile
/// is too small for a slot.
template <class Problem>
__device__ tile_slot* find_slot(const Problem& problem, section_schedule::section tile) {
  if constexpr (has_slots<Problem>) {
    const auto output = slot_output(problem);
    using memory =
        std::conditional_t<has_key_slots<Problem>, key_memory<Problem>, value_memory<Problem>>;
    unsigned char* const begin = memory::begin(output) + tile.begin * memory::bytes;
    const unsigned phase = reinterpret_cast<std::uintptr_t>(begin) % alignof(tile_slot);
    const unsigned skipped = phase == 0 ? 0 : unsigned{alignof(tile_slot)} - phase;
    const std::int64_t bytes = (tile.end - tile.begin) * memory::bytes;
    return bytes >= skipped + std::int64_t{sizeof(tile_slot)}
               ? reinterpret_cast<tile_slot*>(begin + skipped)
               : nullptr;
  } else {
    return nullptr;
  }
}

/// Waits until the partition kernel has ended, so that its slots can be read. The merge kernel
/// calls this.
__device__ inline void wait_for_partition() {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

/// The likely inputs of the tile `tiles_ahead` later, from this tile's slot. A hint only. Empty
/// after the last tile.
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
