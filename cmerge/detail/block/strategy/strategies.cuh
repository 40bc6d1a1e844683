// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list of strategies. A new one adds a line to each function here.
#pragma once

#include <cmerge/detail/block/strategy/basic.cuh>
#include <cmerge/detail/block/strategy/circular.cuh>
#include <cmerge/detail/block/strategy/indirect.cuh>
#include <cmerge/detail/block/strategy/single.cuh>
#include <cmerge/detail/block/strategy/tiled.cuh>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

/// The class that implements a strategy. Each has the same interface:
///
/// - `makes_one_tile`: whether `run` makes at most one tile;
/// - `loader<Problem>`: an object made from the storage once, and closed after the last `run`;
/// - `run(loader, storage, problem, window, part_ahead)`: merges one part of a problem, by all
///   threads of the group. `part_ahead()` names the inputs of a later part, which can be
///   prefetched.
template <class Config, strategy How = Config::how>
struct implementation_of;
template <class Config>
struct implementation_of<Config, strategy::basic> {
  using type = basic_merge<Config>;
};
template <class Config>
struct implementation_of<Config, strategy::tiled> {
  using type = tiled_merge<Config>;
};
template <class Config>
struct implementation_of<Config, strategy::circular> {
  using type = circular_merge<Config>;
};
template <class Config>
struct implementation_of<Config, strategy::single> {
  using type = single_merge<Config>;
};
template <class Config>
struct implementation_of<Config, strategy::indirect> {
  using type = indirect_merge<Config>;
};

/// Bytes of shared memory for a tuning, which may be known at run time only. Larger than any shared
/// memory for `by_value`, which is no merge of a group.
template <class Elements, bool HasSlack>
[[gnu::always_inline]] CMERGE_HOST_DEVICE constexpr unsigned storage_bytes(tuning t) {
  switch (t.how) {
    case strategy::basic:
      return 0;
    case strategy::tiled:
      return tiled_layout<Elements>(t).end;
    case strategy::circular:
      return circular_layout<Elements>(t).end;
    case strategy::single:
      return single_layout<Elements, HasSlack>(t).end;
    case strategy::indirect:
      return tile_staging<Elements, false>::source_bytes(static_cast<unsigned>(t.tile()));
    case strategy::by_value:
      break;
  }
  return ~0u;
}

/// How far apart the bounds of either end of a section may be; 0 if the ends must be exact.
template <class Elements, bool HasSlack>
[[gnu::always_inline]] CMERGE_HOST_DEVICE constexpr unsigned slack_of(tuning t) {
  const auto tile = static_cast<unsigned>(t.tile());
  if (t.how == strategy::indirect) return tile_slack(tile);
  return t.how == strategy::single ? single_slack<Elements, HasSlack>(tile) : 0;
}

/// Whether keys stay where they are, instead of passing through shared memory or registers.
CMERGE_HOST_DEVICE constexpr bool is_in_place(strategy how) {
  return how == strategy::basic || how == strategy::indirect;
}

/// Whether a block merges many tiles, one after the other.
CMERGE_HOST_DEVICE constexpr bool has_long_sections(strategy how) {
  return how == strategy::tiled || how == strategy::circular;
}

}  // namespace detail
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
