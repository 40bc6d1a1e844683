// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Searches in global memory for keys with few possible values, where each round waits for
// memory: the value of an output, by a warp; where a value's run begins, by a few threads.
#pragma once

#include <cmerge/detail/block/co_rank_search.cuh>

#include <cstdint>
#include <limits>
#include <type_traits>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

/// Whether keys are integers with at most 65,536 values.
template <class Key>
inline constexpr bool is_small_integer = std::is_integral_v<Key> && sizeof(Key) <= 2;

/// Reads a key of an input, which is global memory whatever the compiler knows of the pointer.
template <class Key>
__device__ Key read_key(const Key* key) {
  if constexpr (sizeof(Key) == 1) {
    return static_cast<Key>(__ldg(reinterpret_cast<const unsigned char*>(key)));
  } else {
    return static_cast<Key>(__ldg(reinterpret_cast<const unsigned short*>(key)));
  }
}

/// Keys as consecutive numbers, their ranks, which rise in the order of the merge.
template <class Key, bool Descending>
struct key_order {
  CMERGE_HOST_DEVICE static constexpr int rank(Key key) {
    return Descending ? ~static_cast<int>(key) : static_cast<int>(key);
  }
  CMERGE_HOST_DEVICE static constexpr Key key(int rank) {
    return static_cast<Key>(Descending ? ~rank : rank);
  }
  /// A word full of one key.
  CMERGE_HOST_DEVICE static constexpr unsigned word(int rank) {
    const auto bits = static_cast<unsigned>(key(rank));
    return sizeof(Key) == 1 ? (bits & 0xff) * 0x01010101u : (bits & 0xffff) * 0x10001u;
  }
};

/// More than any rank, and than any place in a section.
inline constexpr int above_all = (std::numeric_limits<int>::max)();

/// What is known of one end of a section: of its begin, that all keys before place `a` of the first
/// input, and before place `b` of the second one, are of `rank` or less; of its end, that all from
/// there on are of `rank` or more.
struct value_bound {
  int rank;
  std::int64_t a;
  std::int64_t b;
};

/// Bounds the value of output `k < m + n` from below, or above for the end of a section, by all
/// threads of a warp.
///
/// As `warp_co_rank`, which it is for a width of 0, but a probe that meets equal keys has found the
/// value: where runs are longer than the distance of two probes, that is mostly the first round.
template <class Order, class Problem>
__device__ value_bound warp_bound_value(const Problem& problem, std::int64_t k, bool is_end,
                                        std::int64_t width) {
  co_rank_bounds bounds = possible_co_ranks(k, problem.m, problem.n);
  const co_rank_guess guess = guess_co_rank(k, problem.m, problem.n);
  for (bool first = true; bounds.range() > 0; first = false) {
    const std::int64_t i = warp_probe(bounds, guess, first, static_cast<int>(threadIdx.x % 32));
    const bool is_inside = i < bounds.high;
    const std::int64_t place = is_inside ? i : bounds.low;
    const int x = Order::rank(problem.keys_a[place]);
    const int y = Order::rank(problem.keys_b[k - 1 - place]);
    const unsigned equal = __ballot_sync(~0u, is_inside & (x == y));
    const unsigned below = __ballot_sync(~0u, is_inside & (x <= y));
    if (equal != 0) {
      const int lowest = __ffs(static_cast<int>(equal)) - 1;
      const int highest = 31 - __clz(static_cast<int>(equal));
      const std::int64_t i0 = __shfl_sync(~0u, i, lowest);
      const std::int64_t i1 = __shfl_sync(~0u, i, highest);
      const int rank = __shfl_sync(~0u, x, lowest);
      return is_end ? value_bound{rank, i0, k - 1 - i1} : value_bound{rank, i1 + 1, k - i0};
    }
    const co_rank_bounds next = warp_narrow(bounds, i, below);
    const int count = below == ~0u ? 32 : __ffs(static_cast<int>(~below)) - 1;
    if (next.range() <= width && bounds.range() > 32 && count > 0 && count < 32) {
      const int low_x = __shfl_sync(~0u, x, count - 1);
      const int high_y = __shfl_sync(~0u, y, count - 1);
      const int high_x = __shfl_sync(~0u, x, count);
      const int low_y = __shfl_sync(~0u, y, count);
      return is_end ? value_bound{min(high_x, high_y), next.high, k - next.low}
                    : value_bound{max(low_x, low_y), next.low, k - next.high};
    }
    bounds = next;
  }
  const std::int64_t i = bounds.low;
  const int x = i < problem.m ? Order::rank(problem.keys_a[i]) : above_all;
  const int y = k - i < problem.n ? Order::rank(problem.keys_b[k - i]) : above_all;
  return {min(x, y), i, k - i};
}

/// Bounds of a place in a section's inputs.
struct place_bounds {
  int low;
  int high;

  __device__ int range() const { return high - low; }
  __device__ float middle() const { return 0.5f * static_cast<float>(low + high); }
};

/// Where a place is likely to be; nowhere in particular with `reach == 0`.
struct place_guess {
  float middle;
  float reach;
};

/// Narrows bounds of the first key that is not below `rank`, to a range of `width`, by `Lanes`
/// threads with `Probes` probes each. A first round looks near the guess, with a probe each.
///
/// All threads of a warp call it, those of a group with the same arguments; `guess` is one for all
/// groups or none.
template <class Order, int Lanes, int Probes, class Key>
__device__ place_bounds group_lower_bound(const Key* keys, int rank, place_bounds bounds,
                                          place_guess guess, int width) {
  constexpr int parts = Lanes * Probes;
  const int lane = static_cast<int>(threadIdx.x % Lanes);
  const unsigned group = (~0u >> (32 - Lanes)) << (threadIdx.x % 32 / Lanes * Lanes);
  if (guess.reach > 0 && Lanes > 1) {
    const auto place = [&](int p) {
      const float step = 2 * guess.reach * (1.0f / (Lanes - 1));
      const auto i = static_cast<int>(guess.middle - guess.reach + static_cast<float>(p) * step);
      return max(bounds.low, min(i, bounds.high - 1));
    };
    const bool is_open = bounds.low < bounds.high;
    const bool below = is_open && Order::rank(read_key(keys + place(lane))) < rank;
    const int count = __popc(__ballot_sync(~0u, below) & group);
    const place_bounds next{count > 0 ? place(count - 1) + 1 : bounds.low,
                            count < Lanes ? place(count) : bounds.high};
    if (is_open) bounds = {next.low, max(next.low, next.high)};
  }
  while (__any_sync(~0u, bounds.range() > width)) {
    const int range = bounds.range();
    const auto place = [&](int p) {
      return bounds.low +
             (range <= parts ? p : static_cast<int>(std::int64_t{range} * (p + 1) / parts));
    };
    int keys_below = 0;  // a bit for each probe, so that none waits for another
#pragma unroll
    for (int p = 0; p < Probes; ++p) {
      const int i = place(lane + p * Lanes);
      const int key = i < bounds.high ? Order::rank(read_key(keys + i)) : rank;
      keys_below |= (key < rank ? 1 : 0) << p;
    }
    int count = 0;
#pragma unroll
    for (int p = 0; p < Probes; ++p) {
      count += __popc(__ballot_sync(~0u, (keys_below >> p & 1) != 0) & group);
    }
    if (range <= parts) {
      bounds.low += count;
      bounds.high = bounds.low;
    } else {
      const place_bounds next{count > 0 ? place(count - 1) + 1 : bounds.low,
                              count < parts - 1 ? place(count) : bounds.high};
      bounds = next;
    }
  }
  return bounds;
}

}  // namespace detail
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
