// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compile-time parameters of a collective merge, as one type. The strategies and group_merge
// take it as their `Config`.
#pragma once

#include <cmerge/tuning.h>

#include <type_traits>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

/// The element types of a merge. `Value` is void for a merge of keys alone.
template <class KeyA, class KeyB, class Value>
struct CMERGE_VISIBLE merge_elements {
  using key_a = KeyA;
  using key_b = KeyB;
  using value = Value;
  static constexpr bool has_values = !std::is_void_v<Value>;
};

/// Who calls a collective.
enum class CMERGE_VISIBLE merge_caller {
  user,    ///< ranges in any memory, merged from the first output on
  kernel,  ///< sections of a problem in global memory; of their ends only bounds need be known
};

/// The parameters of a collective: the group of threads, the strategy with its tile, the element
/// types, and the caller.
template <class Group, strategy How, int Items, int Stages, class Elements, merge_caller Caller>
struct CMERGE_VISIBLE merge_config {
  using group = Group;
  using elements = Elements;
  using key_a = typename Elements::key_a;
  using key_b = typename Elements::key_b;
  using value = typename Elements::value;
  static constexpr strategy how = How;
  static constexpr int items = Items;
  static constexpr int stages = Stages;
  static constexpr unsigned tile = Group::size * Items;
  static constexpr tuning own_tuning{How, Group::size, Items, Stages};
  static constexpr bool has_values = Elements::has_values;
  /// Whether tiles have room for extra elements, so that bounds of their ends are enough.
  static constexpr bool has_slack = Caller == merge_caller::kernel;

  template <strategy Other>
  using with_strategy = merge_config<Group, Other, Items, Stages, Elements, Caller>;
  using without_values =
      merge_config<Group, How, Items, Stages, merge_elements<key_a, key_b, void>, Caller>;
};

/// Replaces `part_ahead` if there is no part to prefetch.
struct no_part_ahead {};

}  // namespace detail
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
