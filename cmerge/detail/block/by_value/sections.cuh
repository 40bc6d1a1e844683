// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which problems have the runs strategy, and the sections that it cuts them into.
#pragma once

#include <cmerge/detail/core/arguments.h>
#include <cmerge/detail/core/section_schedule.h>
#include <cmerge/detail/block/by_value/key_search.cuh>
#include <cmerge/detail/block/granule.cuh>

#include <cstdint>
#include <type_traits>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

/// Whether values can follow keys of a value domain: those that threads hold in registers.
template <class Problem>
constexpr bool has_movable_values() {
  if constexpr (!Problem::has_values) {
    return true;
  } else {
    using value = value_t<decltype(Problem::values_a)>;
    return std::is_same_v<value, value_t<decltype(Problem::values_b)>> &&
           std::is_trivial_v<value> && sizeof(value) <= 16;
  }
}

/// Whether equal keys of a problem cannot be told apart and have few possible values: integers of
/// 1 or 2 bytes in plain order, read and written through pointers; with values of 1 byte only.
template <class Problem>
constexpr bool can_merge_problem_by_value() {
  using keys_out = std::decay_t<decltype(Problem::keys_out)>;
  using keys_a = std::decay_t<decltype(Problem::keys_a)>;
  using keys_b = std::decay_t<decltype(Problem::keys_b)>;
  using compare = std::decay_t<decltype(Problem::comp)>;
  if constexpr (!std::is_pointer_v<keys_out> || !std::is_pointer_v<keys_a> ||
                !std::is_pointer_v<keys_b>) {
    return false;
  } else {
    using key = std::remove_pointer_t<keys_out>;
    return is_small_integer<key> && (!Problem::has_values || sizeof(key) == 1) &&
           has_movable_values<Problem>() &&
           std::is_same_v<key, std::remove_const_t<std::remove_pointer_t<keys_a>>> &&
           std::is_same_v<key, std::remove_const_t<std::remove_pointer_t<keys_b>>> &&
           (std::is_same_v<compare, less> || std::is_same_v<compare, greater>);
  }
}
template <class Problem>
inline constexpr bool can_merge_by_value = can_merge_problem_by_value<Problem>();

/// The sections of `strategy::by_value`, which begin at whole granules of the output. There is one
/// for each block that the device holds: a second row of them would search while the first one
/// writes, and loads wait long beside stores. But they are not longer than `most`, and not shorter
/// than what is written in the time of a search.
template <class Key>
section_schedule by_value_schedule(const Key* out, std::int64_t outputs, std::int64_t most,
                                   std::int64_t resident) {
  constexpr std::int64_t least = (8 << 10) / sizeof(Key);
  constexpr std::int64_t unit = (1 << 10) / sizeof(Key);  // whole lines, and nearly even sections
  const auto phase = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(out) %
                                               granule_bytes / sizeof(Key));
  const std::int64_t row = unit * resident;
  const std::int64_t even = (outputs + phase + row - 1) / row * unit;
  const std::int64_t section = even < least ? least : even;
  return {outputs + phase, section < most ? section : most, 0};
}

/// The outputs of a section of a `by_value_schedule`; none if the end is not behind the begin.
template <class Problem>
__device__ section_schedule::section by_value_outputs(const Problem& problem,
                                                      section_schedule::section section) {
  const auto phase = static_cast<std::int64_t>(granule_phase(problem.keys_out));
  return {max(std::int64_t{0}, section.begin - phase), min(section.end - phase, problem.outputs)};
}

}  // namespace detail
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
