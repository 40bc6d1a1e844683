// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Searches in the inputs for keys with few possible values. A warp bounds the value of one output;
// a group of threads finds the first key that is not below a given value. Each round of a search
// waits for global memory once. Used by value_starts.cuh and merge_pairs.cuh.
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

/// Reads a key of an input. Inputs are in global memory, even if the compiler does not know that.
template <class Key>
__device__ Key read_key(const Key* key) {
  if constexpr (sizeof(Key) == 1) {
    return static_cast<Key>(__ldg(reinterpret_cast<const unsigned char*>(key)));
  } else {
    return static_cast<Key>(__ldg(reinterpret_cast<const unsigned short*>(key)));
  }
}

/// Numbers the values of keys. Ranks are consecutive and increase in the order of the merge.
template <class Key, bool Descending>
struct key_order {
  CMERGE_HOST_DEVICE static constexpr int rank(Key key) {
    return Descending ? ~static_cast<int>(key) : static_cast<int>(key);
  }
  CMERGE_HOST_DEVICE static constexpr Key key(int rank) {
    return static_cast<Key>(Descending ? ~rank : rank);
  }
  /// A word filled with copies of one key.
  CMERGE_HOST_DEVICE static constexpr unsigned word(int rank) {
    const auto bits = static_cast<unsigned>(key(rank));
    return sizeof(Key) == 1 ? (bits & 0xff) * 0x01010101u : (bits & 0xffff) * 0x10001u;
  }
};

/// Greater than any rank and any position in a section.
inline constexpr int above_all = (std::numeric_limits<int>::max)();

/// A bound of the value at one end of a section. At the beginning, the keys before positions `a`
/// and `b` of the two inputs have at most rank `rank`. At the end, the keys from these positions on
/// have at least rank `rank`.
struct value_bound {
  int rank;
  std::int64_t a;
  std::int64_t b;
};

/// Bounds the value of output `k < m + n` from below, or with `is_end` from above, with all threads
/// of a warp.
///
/// This is the search of `warp_co_rank`, but a probe that finds equal keys has found the value.
/// That is mostly in the first round if a value has more keys than lie between two probes. A round
/// that leaves a range of at most `width` also ends the search. Otherwise it finds the exact
/// co-rank.
template <class Order, class Problem>
__device__ value_bound warp_bound_value(const Problem& problem, std::int64_t k, bool is_end,
                                        std::int64_t width) {
  co_rank_bounds bounds = possible_co_ranks(k, problem.m, problem.n);
  const co_rank_guess guess = guess_co_rank(k, problem.m, problem.n);
  for (bool first = true; bounds.range() > 0; first = false) {
    const std::int64_t i = warp_probe(bounds, guess, first, static_cast<int>(threadIdx.x % 32));
    const bool is_inside = i < bounds.high;
    const std::int64_t probe = is_inside ? i : bounds.low;
    const int x = Order::rank(problem.keys_a[probe]);
    const int y = Order::rank(problem.keys_b[k - 1 - probe]);
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

/// Bounds of a position in an input of a section.
struct position_bounds {
  int low;
  int high;

  __device__ int range() const { return high - low; }
  __device__ float middle() const { return 0.5f * static_cast<float>(low + high); }
};

/// The likely range of a position: within `reach` of `middle`. No guess if `reach` is 0.
struct position_guess {
  float middle;
  float reach;
};

/// Narrows the bounds of the first key that is not below `rank` to a range of at most `width`, with
/// `Lanes` threads. Each round has `Probes` probes per thread. If there is a guess, a first round
/// with one probe per thread searches near it.
///
/// All threads of a warp call it together. The `Lanes` threads of a group pass the same arguments.
/// Either all groups of the warp have a guess, or none has.
template <class Order, int Lanes, int Probes, class Key>
__device__ position_bounds group_lower_bound(const Key* keys, int rank, position_bounds bounds,
                                             position_guess guess, int width) {
  constexpr int parts = Lanes * Probes;
  const int lane = static_cast<int>(threadIdx.x % Lanes);
  const unsigned group = (~0u >> (32 - Lanes)) << (threadIdx.x % 32 / Lanes * Lanes);
  if (guess.reach > 0 && Lanes > 1) {
    const auto position = [&](int p) {
      const float step = 2 * guess.reach * (1.0f / (Lanes - 1));
      const auto i = static_cast<int>(guess.middle - guess.reach + static_cast<float>(p) * step);
      return max(bounds.low, min(i, bounds.high - 1));
    };
    const bool is_open = bounds.low < bounds.high;
    const bool below = is_open && Order::rank(read_key(keys + position(lane))) < rank;
    const int count = __popc(__ballot_sync(~0u, below) & group);
    const position_bounds next{count > 0 ? position(count - 1) + 1 : bounds.low,
                               count < Lanes ? position(count) : bounds.high};
    if (is_open) bounds = {next.low, max(next.low, next.high)};
  }
  while (__any_sync(~0u, bounds.range() > width)) {
    const int range = bounds.range();
    const auto position = [&](int p) {
      return bounds.low +
             (range <= parts ? p : static_cast<int>(std::int64_t{range} * (p + 1) / parts));
    };
    int keys_below = 0;  // one bit per probe, so that no probe waits for another
#pragma unroll
    for (int p = 0; p < Probes; ++p) {
      const int i = position(lane + p * Lanes);
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
      const position_bounds next{count > 0 ? position(count - 1) + 1 : bounds.low,
                                 count < parts - 1 ? position(count) : bounds.high};
      bounds = next;
    }
  }
  return bounds;
}

}  // namespace detail
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
