// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tuning of a kernel: the policy's tuning, made to fit the architecture.
#pragma once

#include <cmerge/detail/block/by_value/by_value.cuh>
#include <cmerge/detail/block/strategy/strategies.cuh>
#include <cmerge/detail/device/tile_slot.cuh>

#include <cstdint>
#include <type_traits>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

template <class T>
struct type_of {
  using type = T;
};

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

  /// The value type that tiles load with their keys; void without values.
  static constexpr auto get_value() {
    if constexpr (!Problem::has_values) {
      return type_of<void>{};
    } else {
      using value = value_t<decltype(Problem::values_a)>;
      constexpr bool is_buffered = has_buffered_values<Problem, value>;
      return type_of<std::conditional_t<is_buffered, value, unbuffered_values>>{};
    }
  }
  using elements = merge_elements<key_a, key_b, typename decltype(get_value())::type>;

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
      if (t.how == strategy::by_value) return by_value_bytes<Problem>(t.threads);
    }
    return detail::storage_bytes<elements, true>(t);
  }

  /// How far apart the bounds of a tile's ends may be.
  static constexpr unsigned slack(tuning t) { return slack_of<elements, true>(t); }

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
    if (!is_in_place(t.how) && (!fits_shared_memory<key_a> || !fits_shared_memory<key_b>)) {
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

/// The sections of a merge, for a kernel of which the device holds `resident` blocks.
template <class Problem>
section_schedule make_schedule(const Problem& problem, tuning t, std::int64_t resident) {
  if constexpr (can_merge_by_value<Problem>) {
    if (t.how == strategy::by_value) {
      return by_value_schedule(problem.keys_out, problem.outputs, t.tile(), resident);
    }
  }
  return {problem.outputs, t.tile(), has_long_sections(t.how) ? resident : 0};
}

}  // namespace detail
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
