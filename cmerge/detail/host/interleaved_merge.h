// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One CPU thread's merge where branches are not foreseen: several co-ranked sections advance in
// turn, branch-free, so that their latencies overlap. For raw pointers to small elements, host
// only.
#pragma once

#include <cmerge/detail/host/galloping_merge.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

/// Outputs per lane and turn where values follow their keys: the choices stay in the L1 cache.
inline constexpr std::int64_t values_per_turn = 512;
/// A turn shorter than this costs more to set up than its steps.
inline constexpr std::int64_t least_steps = 8;

/// Moves the values of the next `steps` outputs of a lane where their keys went. Nothing is
/// compared here, so that one lane at a time is fast enough.
template <class Problem>
void take_values(Problem& problem, merge_range lane, const unsigned char* second,
                 std::int64_t steps) {
  auto* first_a = problem.values_a + lane.a_begin;
  auto* first_b = problem.values_b + lane.b_begin;
  auto* out = problem.values_out + lane.out_begin();
  for (std::int64_t t = 0; t < steps; ++t) {
    // Not `second[t] ? *first_b : *first_a`: compilers make a branch of that.
    const auto address1 = reinterpret_cast<std::uintptr_t>(first_a);
    const auto address2 = reinterpret_cast<std::uintptr_t>(first_b);
    const std::uintptr_t mask = std::uintptr_t{0} - second[t];
    out[t] = *reinterpret_cast<const value_of<Problem>*>(address1 ^ ((address1 ^ address2) & mask));
    first_b += second[t];
    first_a += 1 - second[t];
  }
}

/// Where a lane reads and writes its next key.
template <class Key>
struct lane_cursor {
  const Key* a;
  const Key* b;
  Key* out;

  /// Merges one more key into `out[t]` and returns whether it came from the second input.
  template <class Compare>
  bool step(std::int64_t t, Compare& comp) {
    const bool second = takes_b(*a, *b, comp);
    out[t] = second ? *b : *a;
    b += second;
    a += !second;
    return second;
  }
};

/// Merges all lanes in turn until one of them has (nearly) exhausted a side; the lanes keep what
/// is left.
///
/// A merge step waits for a load, a comparison and the address of the next load. The lanes do not
/// wait for each other, and no step has a branch to mispredict. A turn has as many steps as the
/// shortest side of all lanes has elements: whatever the comparator answers, no step reads
/// beyond a side.
template <class Problem, std::size_t... S>
void merge_lanes(Problem& problem, merge_range (&lanes)[sizeof...(S)], std::index_sequence<S...>) {
  using key = key_of<Problem>;
  constexpr bool has_values = Problem::has_values;
  constexpr std::int64_t most_steps =
      has_values ? values_per_turn : (std::numeric_limits<std::int64_t>::max)();
  unsigned char chosen[sizeof...(S)][has_values ? values_per_turn : 1];
  auto& comp = problem.comp;
  while (true) {
    const std::int64_t steps = (std::min)({most_steps, (lanes[S].a_end - lanes[S].a_begin)...,
                                           (lanes[S].b_end - lanes[S].b_begin)...});
    if (steps < least_steps) return;
    lane_cursor<key> cursors[] = {{problem.keys_a + lanes[S].a_begin,
                                   problem.keys_b + lanes[S].b_begin,
                                   problem.keys_out + lanes[S].out_begin()}...};
    for (std::int64_t t = 0; t < steps; ++t) {
      if constexpr (has_values) {
        ((chosen[S][t] = cursors[S].step(t, comp)), ...);
      } else {
        (cursors[S].step(t, comp), ...);
      }
    }
    if constexpr (has_values) (take_values(problem, lanes[S], chosen[S], steps), ...);
    ((lanes[S].a_begin = cursors[S].a - problem.keys_a), ...);
    ((lanes[S].b_begin = cursors[S].b - problem.keys_b), ...);
  }
}

}  // namespace detail
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
