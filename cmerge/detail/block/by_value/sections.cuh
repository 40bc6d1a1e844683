// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which problems can be merged by value, and how their output is cut into sections. Used by the
// tuning of the kernel and by both merges.
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

/// Whether the values of pairs can follow keys that are merged by value. They must be trivial, of
/// one type, and at most 16 bytes, so that a thread can hold several in registers. True for keys
/// alone.
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

/// Whether a problem can be merged by value. Its keys must be 1- or 2-byte integers of one type,
/// behind pointers, in the order of `<` or `>`. Then equal keys cannot be distinguished, and there
/// are at most 65,536 values. Keys of pairs must have 1 byte.
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

/// The sections of `strategy::by_value`. Each begins at a granule of the output.
///
/// There is one section for each of the `resident` blocks that the device holds. With more
/// sections, some blocks would search while others write, and loads take several times as long
/// beside stores. But a section has at most `max_section` outputs.
///
/// A section has at least 8 KiB, unless `max_section` is less. That is about what a block writes in
/// the time of its search: a few KiB per microsecond on an H200, where a round of a search takes 1
/// to 1.6 us.
template <class Key>
section_schedule by_value_schedule(const Key* out, std::int64_t outputs, std::int64_t max_section,
                                   std::int64_t resident) {
  constexpr std::int64_t shortest_section = (8 << 10) / sizeof(Key);
  // Sections are multiples of 1 KiB: whole cache lines, and small enough for nearly even sections.
  constexpr std::int64_t unit = (1 << 10) / sizeof(Key);
  const auto phase = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(out) %
                                               granule_bytes / sizeof(Key));
  const std::int64_t row = unit * resident;
  const std::int64_t even = (outputs + phase + row - 1) / row * unit;
  const std::int64_t section = even < shortest_section ? shortest_section : even;
  return {outputs + phase, section < max_section ? section : max_section, 0};
}

/// The outputs of a section of a `by_value_schedule`. There are none if the end is not after the
/// beginning.
template <class Problem>
__device__ section_schedule::section by_value_outputs(const Problem& problem,
                                                      section_schedule::section section) {
  const auto phase = static_cast<std::int64_t>(granule_phase(problem.keys_out));
  return {max(std::int64_t{0}, section.begin - phase), min(section.end - phase, problem.outputs)};
}

}  // namespace detail
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
