// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tuning of a kernel: the policy's tuning, adapted to the problem and the architecture. The
// kernel uses it at compile time, and the launch at run time.
#pragma once

#include <cmerge/detail/block/by_value/by_value.cuh>
#include <cmerge/detail/block/strategy/strategies.cuh>
#include <cmerge/detail/device/tile_slot.cuh>

#include <cstdint>
#include <type_traits>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

/// A type as a value, so that a function can return it.
template <class T>
struct type_of {
  using type = T;
};

/// The tuning of a kernel on an architecture: the policy's tuning, changed where it does not fit.
///
/// The kernel evaluates it at compile time. The host evaluates it at run time, for the device in
/// use.
template <class Tuning, problem_size Size, class Problem>
struct kernel_tuning {
  using key_a = value_t<decltype(Problem::keys_a)>;
  using key_b = value_t<decltype(Problem::keys_b)>;
  template <class T>
  static constexpr bool fits_shared_memory =
      std::is_trivially_destructible_v<T>&& std::is_copy_constructible_v<T>;

  /// The type of values that tiles load with their keys; void if there are no values.
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

  /// Maximum distance between the bounds of either end of a tile, in elements.
  static constexpr unsigned slack(tuning t) { return slack_of<elements, true>(t); }

  /// Minimum number of blocks per SM, which makes the compiler limit registers. 0 means no limit,
  /// which is best for most types. (With a limit, a comparator that needs many registers can
  /// spill.)
  CMERGE_HOST_DEVICE static constexpr int min_blocks(int arch, tuning t) {
    // With a minimum of 1, the compiler may use more registers. With 0, some of these kernels
    // spill.
    if (t.how == strategy::indirect) return 1;
    if (t.how == strategy::by_value && (arch < 90 || Problem::has_device_sizes)) return 1;
    if (arch < 90) return t.how == strategy::basic ? 1 : 0;
    if (t.how != strategy::single || sizeof(key_a) >= 4 || !keys_in_registers<key_a, key_b>)
      return 0;
    // Without a minimum, narrow keys get more registers than they need. A thread needs one for each
    // key, one for the source of each value, and 17 or 25 others. With that many, no default tuning
    // spills (test/check_resources.py).
    const int needed = Problem::has_values ? 2 * t.items + 25 : t.items + 17;
    // Registers are allocated in units of 8. With fewer than 40, an SM would not hold more blocks:
    // 65,536 registers are 42 for each of 1536 threads.
    const int registers = needed < 40 ? 40 : (needed + 7) / 8 * 8;
    // From sm_80 on, every SM can hold at least 1536 threads and 16 blocks.
    const int max_blocks = 1536 / t.threads < 16 ? 1536 / t.threads : 16;
    const int blocks = 65536 / (t.threads * registers);
    return blocks < max_blocks ? blocks : max_blocks;
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
    // A tile that does not fit is halved. If not even 32 outputs fit, elements stay where they are.
    // The 64 bytes are for static shared memory: the kernel itself has 32, the bounds of both ends.
    const auto limit = static_cast<unsigned>(max_shared_bytes(arch)) - 64;
    while (storage_bytes(t) > limit && t.items > 1) t.items = t.items / 2;
    while (storage_bytes(t) > limit && t.threads > 32) t.threads = t.threads / 64 * 32;
    if (storage_bytes(t) > limit) t = {strategy::indirect, 128, 1};
    return t;
  }
};

/// The architecture that is being compiled; 0 in host code.
#if defined(__CUDA_ARCH__)
inline constexpr int compiled_arch = __CUDA_ARCH__ / 10;
#else
inline constexpr int compiled_arch = 0;
#endif

/// Whether the tuning of huge problems can differ from that of large ones. It can only for 2-byte
/// keys that can be merged by value.
template <class Problem>
inline constexpr bool has_huge_problems = can_merge_by_value<Problem> &&
                                          sizeof(value_t<decltype(Problem::keys_a)>) == 2;

/// The tuning of a kernel for the architecture that is being compiled, and its minimum number of
/// blocks per SM.
template <class Tuning, problem_size Size, class Problem>
inline constexpr tuning compiled_tuning = kernel_tuning<Tuning, Size, Problem>::get(compiled_arch);

template <class Tuning, problem_size Size, class Problem>
inline constexpr int compiled_min_blocks = kernel_tuning<Tuning, Size, Problem>::min_blocks(
    compiled_arch, compiled_tuning<Tuning, Size, Problem>);

/// The sections of a merge. The device holds `resident` blocks of the kernel at a time.
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
