// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Co-rank searches in global memory, by a warp or by a thread. Each round waits for memory once, so
// a round has several probes, and the first round probes near the likely co-rank.
#pragma once

#include <cmerge/detail/core/merge_window.h>

#include <cstdint>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

/// The likely range of a co-rank: within `reach` of `middle`.
struct co_rank_guess {
  std::int64_t middle;
  std::int64_t reach;
};

/// The candidate nearest to `i` that can be probed. Precondition: `bounds` is not empty.
CMERGE_HOST_DEVICE constexpr std::int64_t nearest_probe(co_rank_bounds bounds, std::int64_t i) {
  return i < bounds.low ? bounds.low : i < bounds.high ? i : bounds.high - 1;
}

/// Guesses the co-rank of `k` in inputs of `m` and `n` elements.
///
/// If both inputs are identically distributed, the co-rank is hypergeometric with mean
/// `k m / (m + n)`. `reach` is three standard deviations, rounded up. Precondition: `m + n > 0`.
__device__ inline co_rank_guess guess_co_rank(std::int64_t k, std::int64_t m, std::int64_t n) {
  const double all = static_cast<double>(m) + static_cast<double>(n);  // m + n could overflow
  const double share = static_cast<double>(m) / all;
  const auto p = static_cast<float>(share);
  const float x = static_cast<float>(k) / static_cast<float>(all);
  const float variance = x * (1 - x) * p * static_cast<float>(n);
  return {static_cast<std::int64_t>(static_cast<double>(k) * share),
          1 + static_cast<std::int64_t>(3 * sqrtf(variance > 0 ? variance : 0))};
}

/// The position that a lane of a warp probes. Positions never decrease from lane to lane. If there
/// are at most 32 candidates, each has its own lane. Otherwise the first round has most of its
/// probes near `guess`, and later rounds space them evenly.
__device__ inline std::int64_t warp_probe(co_rank_bounds bounds, const co_rank_guess& guess,
                                          bool first, int lane) {
  // Lanes on either side that probe beyond the reach of the guess. (H200: with 1 instead of 4,
  // merges of 2^20 random keys gain 2 to 4 %, but those of 2^16 and 2^22 skewed keys lose 4 to 12
  // %.)
  constexpr int outer = 4;
  constexpr int inner = 32 - 2 * outer;
  const std::int64_t range = bounds.range();
  if (range <= 32) return bounds.low + lane;
  if (!first) return bounds.low + range * (lane + 1) / 33;
  const std::int64_t near_low = nearest_probe(bounds, guess.middle - guess.reach);
  const std::int64_t near_high = nearest_probe(bounds, guess.middle + guess.reach);
  if (lane < outer) return bounds.low + (near_low - bounds.low) * lane / outer;
  if (lane < outer + inner) {
    return near_low + (near_high - near_low) * (lane - outer) / (inner - 1);
  }
  return near_high + (bounds.high - 1 - near_high) * (lane - outer - inner + 1) / outer;
}

/// The bounds after a round. Each lane probed its `i`. `below` has the lanes that found
/// their `i` below the co-rank.
__device__ inline co_rank_bounds warp_narrow(co_rank_bounds bounds, std::int64_t i,
                                             unsigned below) {
  // The number of leading lanes in `below`. (If the inputs are not sorted by a strict weak
  // ordering, later lanes can be set too.)
  const int count = below == ~0u ? 32 : __ffs(static_cast<int>(~below)) - 1;
  const std::int64_t last_below = __shfl_sync(~0u, i, count - 1);
  const std::int64_t first_above = __shfl_sync(~0u, i, count);
  const std::int64_t low = count > 0 ? last_below + 1 : bounds.low;
  const std::int64_t high = count < 32 ? first_above : bounds.high;
  return {low, high < low ? low : high < bounds.high ? high : bounds.high};
}

/// Narrows the bounds of the co-rank of `k` to a range of at most `width`, with all threads of a
/// warp. Width 0 finds it exactly.
///
/// Each round has 32 probes and leaves a 33rd of the range, and the first round is often enough.
/// Halving would take 28 rounds for 2^28 candidates.
///
/// Preconditions: those of `co_rank_between`; all 32 threads of the warp pass the same arguments.
template <class IteratorA, class IteratorB, class Compare>
__device__ co_rank_bounds warp_co_rank(co_rank_bounds bounds, std::int64_t width,
                                       co_rank_guess guess, std::int64_t k, IteratorA first_a,
                                       IteratorB first_b, Compare& comp) {
  for (bool first = true; bounds.range() > width; first = false) {
    const std::int64_t i = warp_probe(bounds, guess, first, static_cast<int>(threadIdx.x % 32));
    const bool below = i < bounds.high && is_among_first(i, k, first_a, first_b, comp);
    bounds = warp_narrow(bounds, i, __ballot_sync(~0u, below));
  }
  return bounds;
}

/// Bounds the co-ranks of `k0` and `k1` as `warp_co_rank` does, one warp for each. All
/// threads of a block call it. `ends` is in shared memory, and holds the bounds after the next
/// block barrier.
template <int Threads, class Problem>
__device__ void find_section_ends(co_rank_bounds (&ends)[2], std::int64_t width, Problem& problem,
                                  std::int64_t k0, std::int64_t k1) {
  for (unsigned e = threadIdx.x / 32; e < 2; e += Threads / 32) {
    const std::int64_t k = e == 0 ? k0 : k1;
    const co_rank_bounds found = warp_co_rank(possible_co_ranks(k, problem.m, problem.n), width,
                                              guess_co_rank(k, problem.m, problem.n), k,
                                              problem.keys_a, problem.keys_b, problem.comp);
    if (threadIdx.x % 32 == 0) ends[e] = found;
  }
}

/// Like `warp_co_rank`, but by one thread, with three probes in flight per round.
///
/// If the co-rank is out of reach of the guess, the second round probes both ends of the range.
/// This finds the co-rank if all outputs between the ends come from one input.
template <class IteratorA, class IteratorB, class Compare>
__device__ co_rank_bounds thread_co_rank(co_rank_bounds bounds, std::int64_t width,
                                         co_rank_guess guess, std::int64_t k, IteratorA first_a,
                                         IteratorB first_b, Compare& comp) {
  enum { at_guess, at_ends, at_quarters } probes = at_guess;
  while (bounds.range() > width) {
    const std::int64_t quarter = probes == at_ends ? 0 : bounds.range() >> 2;
    std::int64_t probe1 = bounds.low + quarter;
    std::int64_t probe2 = bounds.middle();
    std::int64_t probe3 = bounds.high - 1 - quarter;
    if (probes == at_guess) {
      probe1 = nearest_probe(bounds, guess.middle - guess.reach);
      probe2 = nearest_probe(bounds, guess.middle);
      probe3 = nearest_probe(bounds, guess.middle + guess.reach);
    }
    // Bit operations and selections instead of branches. With branches, each probe would wait for
    // the one before.
    const bool below1 = is_among_first(probe1, k, first_a, first_b, comp);
    const bool below2 = is_among_first(probe2, k, first_a, first_b, comp) & below1;
    const bool below3 = is_among_first(probe3, k, first_a, first_b, comp) & below2;
    const bool missed = !below1 | below3;
    probes = probes == at_guess && missed ? at_ends : at_quarters;
    const std::int64_t high = below2 ? probe3 : below1 ? probe2 : probe1;
    const std::int64_t low = below2 ? probe2 : probe1;
    bounds.high = below3 ? bounds.high : high;
    bounds.low = below3 ? probe3 + 1 : below1 ? low + 1 : bounds.low;
    // A comparator that gives two answers to one question could make the bounds cross.
    bounds.high = bounds.high < bounds.low ? bounds.low : bounds.high;
  }
  return bounds;
}

/// The outputs between two positions whose co-ranks are known within bounds.
struct known_stretch {
  std::int64_t k_begin;
  co_rank_bounds begin;
  std::int64_t k_end;
  co_rank_bounds end;

  /// Bounds of the co-rank of `k`, for `k_begin <= k <= k_end`.
  __device__ co_rank_bounds bounds(std::int64_t k, co_rank_bounds possible) const {
    const std::int64_t low = max(possible.low, max(begin.low, end.low - (k_end - k)));
    const std::int64_t high = min(possible.high, min(end.high, begin.high + (k - k_begin)));
    // They cross only if the inputs are not sorted by a strict weak ordering.
    return low <= high ? co_rank_bounds{low, high} : possible;
  }

  /// The likely co-rank of `k`, if both inputs are identically distributed within the stretch.
  __device__ co_rank_guess guess(std::int64_t k) const {
    const std::int64_t size = k_end - k_begin;
    const std::int64_t m = max(std::int64_t{0}, min(end.middle() - begin.middle(), size));
    co_rank_guess result = guess_co_rank(k - k_begin, m, size - m);
    result.middle += begin.middle();
    result.reach += begin.range() / 2 + end.range() / 2;
    return result;
  }
};

}  // namespace detail
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
