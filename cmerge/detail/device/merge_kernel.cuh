// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The merge kernel, and the tuning that it has.
#pragma once

#include <cmerge/detail/block/by_value/merge_keys.cuh>
#include <cmerge/detail/block/by_value/merge_pairs.cuh>
#include <cmerge/detail/block/strategy/group_merge.cuh>
#include <cmerge/detail/device/partition_kernel.cuh>

#include <cstdint>
#include <type_traits>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

template <class T>
struct type_of {
  using type = T;
};

/// The runs strategy of a problem, which must be in the value domain.
template <class Problem, int Threads>
auto runs_type() {
  using key = value_t<decltype(Problem::keys_a)>;
  constexpr bool descending = std::is_same_v<std::decay_t<decltype(Problem::comp)>, greater>;
  if constexpr (Problem::has_values) {
    return type_of<by_value_pairs<Threads, key, descending>>{};
  } else {
    return type_of<by_value_keys<Threads, key, descending>>{};
  }
}
template <class Problem, int Threads = 32>
using by_value_merge = typename decltype(runs_type<Problem, Threads>())::type;

/// The tuning that a kernel has on an architecture: what the policy's tuning says, made to fit.
///
/// The kernel evaluates it at compile time, the host at run time for the device in use.
template <class Tuning, problem_size Size, class Problem>
struct kernel_tuning {
  using key_a = value_t<decltype(Problem::keys_a)>;
  using key_b = value_t<decltype(Problem::keys_b)>;
  template <class T>
  static constexpr bool fits_shared_memory =
      std::is_trivially_destructible_v<T>&& std::is_copy_constructible_v<T>;

  /// What the collective needs to know of the values.
  static constexpr auto get_value() {
    if constexpr (!Problem::has_values) {
      return type_of<void>{};
    } else {
      using value = value_t<decltype(Problem::values_a)>;
      constexpr bool is_buffered = has_buffered_values<Problem, value>;
      return type_of<std::conditional_t<is_buffered, value, unbuffered_values>>{};
    }
  }
  template <int Threads, int Items, strategy How, int Stages>
  using collective =
      group_merge<block_group<Threads>, key_a, Items, typename decltype(get_value())::type, How,
                  Stages, key_b, merge_caller::kernel>;

  static constexpr int value_bytes() {
    if constexpr (Problem::has_values) {
      return static_cast<int>(sizeof(
          larger_of<value_t<decltype(Problem::values_a)>, value_t<decltype(Problem::values_b)>>));
    } else {
      return 0;
    }
  }

  static constexpr unsigned storage_bytes(tuning t) {
    if constexpr (can_merge_by_value<Problem>) {
      if (t.how == strategy::by_value) return by_value_merge<Problem>::storage_bytes(t.threads);
    }
    return collective<32, 1, strategy::basic, 2>::storage_bytes(t);
  }

  /// How far apart the bounds of a tile's ends may be.
  static constexpr unsigned slack(tuning t) {
    return collective<32, 1, strategy::basic, 2>::slack_of(t);
  }

  /// Blocks that an SM is to hold at least, so that the compiler bounds registers; 0 to leave it
  /// alone, which does best by most types. (A comparator that needs many registers can spill where
  /// they are bounded.)
  CMERGE_HOST_DEVICE static constexpr int min_blocks(int arch, tuning t) {
    // No spills, which the compiler has in some of these.
    if (t.how == strategy::indirect) return 1;
    if (t.how == strategy::by_value && (arch < 90 || Problem::has_device_sizes)) return 1;
    if (arch < 90) return t.how == strategy::basic ? 1 : 0;
    if (t.how != strategy::single || sizeof(key_a) >= 4 || !keys_in_registers<key_a, key_b>)
      return 0;
    // Narrow keys take more registers than they need: one for each key and source, and some others.
    const int needed = Problem::has_values ? 2 * t.items + 25 : t.items + 17;
    const int registers = needed < 40 ? 40 : (needed + 7) / 8 * 8;
    const int most = 1536 / t.threads < 16 ? 1536 / t.threads : 16;  // on any SM
    const int blocks = 65536 / (t.threads * registers);
    return blocks < most ? blocks : most;
  }

  static constexpr tuning get(int arch) {
    const tuning_query query{arch,
                             static_cast<int>(sizeof(larger_of<key_a, key_b>)),
                             value_bytes(),
                             Size,
                             has_slots<Problem>,
                             can_merge_by_value<Problem>};
    tuning t = Tuning::get(query);
    if (!is_known(t.how)) return t;  // the kernel's static_assert rejects it
    if (t.how == strategy::by_value && !query.by_value) t = default_tuning::get(query);
    const bool is_in_place = t.how == strategy::basic || t.how == strategy::indirect;
    if (!is_in_place && (!fits_shared_memory<key_a> || !fits_shared_memory<key_b>)) {
      t.how = strategy::indirect;
    }
    // What does not fit gets smaller tiles; elements of which not even 32 fit are merged where
    // they are.
    const auto limit = static_cast<unsigned>(max_shared_bytes(arch)) - 64;
    while (storage_bytes(t) > limit && t.items > 1) t.items = t.items / 2;
    while (storage_bytes(t) > limit && t.threads > 32) t.threads = t.threads / 64 * 32;
    if (storage_bytes(t) > limit) t = {strategy::indirect, 128, 1};
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

/// Whether there is a difference between large and huge problems.
template <class Problem>
inline constexpr bool has_huge_problems = can_merge_by_value<Problem> &&
                                          sizeof(value_t<decltype(Problem::keys_a)>) == 2;

/// The tuning of a kernel in the architecture that is being compiled.
template <class Tuning, problem_size Size, class Problem>
inline constexpr tuning compiled_tuning = kernel_tuning<Tuning, Size, Problem>::get(compiled_arch);

template <class Tuning, problem_size Size, class Problem>
inline constexpr int compiled_min_blocks = kernel_tuning<Tuning, Size, Problem>::min_blocks(
    compiled_arch, compiled_tuning<Tuning, Size, Problem>);

/// What a tile's slot says of the inputs of a later tile, which no block may rely on; empty where
/// there is none so late.
__device__ inline merge_range part_ahead(const tile_slot& slot, const section_schedule& schedule,
                                         std::int64_t outputs) {
  const section_schedule::section tile =
      schedule.one_tile(std::int64_t{blockIdx.x} + tiles_ahead).clipped(outputs);
  const co_rank_bounds a = slot.ahead.unpack();
  return make_merge_range(tile.begin, a.low, tile.end, a.high);
}

/// Merges one section: block-level co-rank, then the strategy of the tuning.
///
/// The partition kernel has left bounds for the ends of tile `first_slot`, and of all tiles behind
/// it, in their slots. All others, and a tile that has no slot, search for both ends of their
/// section. `strategy::by_value` searches by itself.
template <class Tuning, problem_size Size, class Problem>
__global__ void __launch_bounds__(compiled_tuning<Tuning, Size, Problem>.threads,
                                  compiled_min_blocks<Tuning, Size, Problem>)
    merge_kernel(Problem problem, section_schedule schedule, std::int64_t first_slot) {
  using config = kernel_tuning<Tuning, Size, Problem>;
  constexpr tuning t = compiled_tuning<Tuning, Size, Problem>;
  static_assert(is_known(t.how), "cmerge: the tuning names an unknown strategy");
  static_assert(is_launchable(t),
                "cmerge: a tuning has 32 to 1024 threads, a multiple of 32, at least one item, and "
                "tiles of at most 32768 outputs");
  if (false) the_device_can_compare<Problem>{}(problem, nullptr, nullptr);
  problem.load_sizes();
  extern __shared__ __align__(16) unsigned char dynamic_shared[];
  if constexpr (t.how == strategy::by_value) {
    const section_schedule::section section = schedule.one_tile(blockIdx.x);
    by_value_merge<Problem, t.threads>::run(dynamic_shared, problem, section);
  } else {
    using collective = typename config::template collective<t.threads, t.items, t.how, t.stages>;
    constexpr std::int64_t slack = collective::slack_of(t);
    auto& storage = *reinterpret_cast<typename collective::DynamicTempStorage*>(dynamic_shared);

    section_schedule::section section;
    if constexpr (has_long_sections(t)) {
      section = schedule[blockIdx.x];
    } else {
      section = schedule.one_tile(blockIdx.x);
    }
    if constexpr (Problem::has_device_sizes) {  // of which the host knows upper bounds only
      section = section.clipped(problem.outputs);
      if (section.begin == section.end) {
        // Also where no block has anything to do: this kernel must not end before that one.
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
    if constexpr (t.how == strategy::single) {
      collective(storage).run(problem, part, [&] {
        return slot == nullptr ? merge_range{} : part_ahead(*slot, schedule, problem.outputs);
      });
    } else {
      collective(storage).run(problem, part);
    }
  }
}

}  // namespace detail
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
