// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The merge of one CPU thread for unpredictable inputs. Several sections, found by co-rank, advance
// in turn and without branches, so that their latencies overlap. For raw pointers to small
// elements. Host only.
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

/// Maximum number of outputs per lane and turn if there are values. The recorded choices then stay
/// in the L1 cache.
inline constexpr std::int64_t values_per_turn = 512;
/// Minimum number of steps in a turn. Below it, the setup takes longer than the steps.
inline constexpr std::int64_t min_steps = 8;

/// Moves the values of the next `steps` outputs of a lane. `second` has the choices that were made
/// for the keys. Nothing is compared here, so one lane at a time is fast enough.
template <class Problem>
void take_values(Problem& problem, merge_range lane, const unsigned char* second,
                 std::int64_t steps) {
  auto* first_a = problem.values_a + lane.a_begin;
  auto* first_b = problem.values_b + lane.b_begin;
  auto* out = problem.values_out + lane.out_begin();
  for (std::int64_t t = 0; t < steps; ++t) {
    // Compilers would make a branch of `second[t] ? *first_b : *first_a`.
    const auto address1 = reinterpret_cast<std::uintptr_t>(first_a);
    const auto address2 = reinterpret_cast<std::uintptr_t>(first_b);
    const std::uintptr_t mask = std::uintptr_t{0} - second[t];
    out[t] = *reinterpret_cast<const value_of<Problem>*>(address1 ^ ((address1 ^ address2) & mask));
    first_b += second[t];
    first_a += 1 - second[t];
  }
}

/// The positions at which a lane reads and writes its next keys.
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

/// Merges all lanes in turn, until one of them has fewer than `min_steps` elements left in one
/// input. Afterwards the lanes contain what is left.
///
/// A merge step has to wait for a load, a comparison and the address of the next load. The lanes do
/// not wait for each other, and no step has a branch that could be mispredicted. The number of
/// steps in a turn is the smallest number of elements that any lane has left in either input. So no
/// step reads past the end of an input, whatever the comparator returns.
template <class Problem, std::size_t... S>
void merge_lanes(Problem& problem, merge_range (&lanes)[sizeof...(S)], std::index_sequence<S...>) {
  using key = key_of<Problem>;
  constexpr bool has_values = Problem::has_values;
  constexpr std::int64_t max_steps =
      has_values ? values_per_turn : (std::numeric_limits<std::int64_t>::max)();
  unsigned char chosen[sizeof...(S)][has_values ? values_per_turn : 1];
  auto& comp = problem.comp;
  while (true) {
    const std::int64_t steps = (std::min)({max_steps, (lanes[S].a_end - lanes[S].a_begin)...,
                                           (lanes[S].b_end - lanes[S].b_begin)...});
    if (steps < min_steps) return;
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
