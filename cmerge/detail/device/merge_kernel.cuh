// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The merge kernel.
#pragma once

#include <cmerge/detail/block/by_value/by_value.cuh>
#include <cmerge/detail/block/strategy/group_merge.cuh>
#include <cmerge/detail/device/kernel_tuning.cuh>
#include <cmerge/detail/device/tile_slot.cuh>

#include <cstdint>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

/// Merges one section of the output: block-level co-rank, then the strategy of the tuning.
///
/// The partition kernel has left bounds for the ends of tile `first_slot`, and of all later tiles,
/// in their slots. The blocks of all others, and of a tile without a slot, search for both ends of
/// their section. `strategy::by_value` does its own search.
template <class Tuning, problem_size Size, class Problem>
__global__ void __launch_bounds__(compiled_tuning<Tuning, Size, Problem>.threads,
                                  compiled_min_blocks<Tuning, Size, Problem>)
    merge_kernel(Problem problem, section_schedule schedule, std::int64_t first_slot) {
  constexpr tuning t = compiled_tuning<Tuning, Size, Problem>;
  static_assert(is_known(t.how), "cmerge: the tuning names an unknown strategy");
  static_assert(is_launchable(t),
                "cmerge: a tuning has 32 to 1024 threads, a multiple of 32, at least one item, and "
                "tiles of at most 32768 outputs");
  if (false) the_device_can_compare<Problem>{}(problem, nullptr, nullptr);
  problem.load_sizes();
  extern __shared__ __align__(16) unsigned char dynamic_shared[];
  if constexpr (t.how == strategy::by_value) {
    merge_by_value<t.threads>(dynamic_shared, problem, schedule.one_tile(blockIdx.x));
  } else {
    using elements = typename kernel_tuning<Tuning, Size, Problem>::elements;
    using collective = group_merge<merge_config<block_group<t.threads>, t.how, t.items, t.stages,
                                                elements, merge_caller::kernel>>;
    constexpr std::int64_t slack = slack_of<elements, true>(t);
    auto& storage = *reinterpret_cast<typename collective::DynamicTempStorage*>(dynamic_shared);

    section_schedule::section section;
    if constexpr (has_long_sections(t.how)) {
      section = schedule[blockIdx.x];
    } else {
      section = schedule.one_tile(blockIdx.x);
    }
    if constexpr (Problem::has_device_sizes) {  // the host knows upper bounds only
      section = section.clipped(problem.outputs);
      if (section.begin == section.end) {
        // Wait even if no block has anything to do: this kernel must not end before the other one.
        if (blockIdx.x >= first_slot) wait_for_partition();
        return;
      }
    }
    co_rank_bounds begin;
    co_rank_bounds end;
    const tile_slot* const slot = blockIdx.x >= first_slot ? find_slot(problem, section) : nullptr;
    if (slot != nullptr) {
      wait_for_partition();
      begin = slot->begin.unpack();
      end = slot->end.unpack();
    } else {
      __shared__ co_rank_bounds ends[2];
      find_section_ends<t.threads>(ends, slack, problem, section.begin, section.end);
      __syncthreads();
      begin = ends[0];
      end = ends[1];
    }
    const merge_window part = make_merge_window(section.begin, begin, section.end, end);
    collective(storage).run(problem, part, [&] {
      return slot == nullptr ? merge_range{} : part_ahead(*slot, schedule, problem.outputs);
    });
  }
}

}  // namespace detail
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
