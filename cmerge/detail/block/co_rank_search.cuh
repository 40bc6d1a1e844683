// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Co-rank searches in global memory, where each round waits for memory: several probes a round,
// the first ones where the co-rank is to be expected.
#pragma once

#include <cmerge/detail/core/merge_window.h>

#include <cstdint>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

/// Where a co-rank is likely to be: not farther from `middle` than `reach`.
struct co_rank_guess {
  std::int64_t middle;
  std::int64_t reach;
};

/// The place to probe that is nearest to `i`. Precondition: the bounds are not equal.
CMERGE_HOST_DEVICE constexpr std::int64_t nearest_probe(co_rank_bounds bounds, std::int64_t i) {
  return i < bounds.low ? bounds.low : i < bounds.high ? i : bounds.high - 1;
}

/// Guesses the co-rank of `k` in inputs of `m` and `n` elements that are drawn alike.
///
/// The co-rank is hypergeometric then, with mean `k m / (m + n)`; `reach` is three standard
/// deviations. Precondition: `m` or `n` is above 0.
__device__ inline co_rank_guess guess_co_rank(std::int64_t k, std::int64_t m, std::int64_t n) {
  const double all = static_cast<double>(m) + static_cast<double>(n);  // m + n could overflow
  const double share = static_cast<double>(m) / all;
  const auto p = static_cast<float>(share);
  const float x = static_cast<float>(k) / static_cast<float>(all);
  const float variance = x * (1 - x) * p * static_cast<float>(n);
  return {static_cast<std::int64_t>(static_cast<double>(k) * share),
          1 + static_cast<std::int64_t>(3 * sqrtf(variance > 0 ? variance : 0))};
}

/// The place that a lane of a warp probes. Probes never fall from lane to lane, and where there are
/// enough lanes each candidate has one. The first round has most of them near `guess`.
__device__ inline std::int64_t warp_probe(co_rank_bounds bounds, const co_rank_guess& guess,
                                          bool first, int lane) {
  constexpr int outer = 4;  // lanes on either side that look beyond the reach of the guess
  constexpr int inner = 32 - 2 * outer;
  const std::int64_t range = bounds.range();
  if (range <= 32) return bounds.low + lane;
  if (!first) return bounds.low + range * (lane + 1) / 33;
  const std::int64_t begin = nearest_probe(bounds, guess.middle - guess.reach);
  const std::int64_t end = nearest_probe(bounds, guess.middle + guess.reach);
  if (lane < outer) return bounds.low + (begin - bounds.low) * lane / outer;
  if (lane < outer + inner) return begin + (end - begin) * (lane - outer) / (inner - 1);
  return end + (bounds.high - 1 - end) * (lane - outer - inner + 1) / outer;
}

/// What is left after a round in which each lane probed its `i`, and those of `below` found theirs
/// below the co-rank.
__device__ inline co_rank_bounds warp_narrow(co_rank_bounds bounds, std::int64_t i,
                                             unsigned below) {
  // The leading probes that lie below the co-rank; a contradictory order may give others too.
  const int count = below == ~0u ? 32 : __ffs(static_cast<int>(~below)) - 1;
  const std::int64_t last_below = __shfl_sync(~0u, i, count - 1);
  const std::int64_t first_above = __shfl_sync(~0u, i, count);
  const std::int64_t low = count > 0 ? last_below + 1 : bounds.low;
  const std::int64_t high = count < 32 ? first_above : bounds.high;
  return {low, high < low ? low : high < bounds.high ? high : bounds.high};
}

/// Narrows the bounds of the co-rank of `k` to a range of at most `width`, by all threads of a
/// warp; width 0 finds it exactly.
///
/// Each round has 32 probes and leaves a 33rd of the range. The first round has most of them near
/// `guess`, so that it is often enough, where halving takes 28 rounds for 2^28 candidates.
///
/// Preconditions: as `co_rank_between`; all 32 threads of the warp pass the same arguments.
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

/// As `warp_co_rank` for outputs `k0` and `k1` of a problem, by all threads of a block, of which a
/// warp looks for either. `ends` is shared memory, which holds the bounds after a block barrier.
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

/// As `warp_co_rank`, by one thread: three probes a round, under way at the same time.
///
/// Where the co-rank is out of reach of the guess, the second round looks at both ends: there it is
/// if all that lies between comes from one of the inputs.
template <class IteratorA, class IteratorB, class Compare>
__device__ co_rank_bounds thread_co_rank(co_rank_bounds bounds, std::int64_t width,
                                         co_rank_guess guess, std::int64_t k, IteratorA first_a,
                                         IteratorB first_b, Compare& comp) {
  enum { at_guess, at_ends, at_quarters } place = at_guess;
  while (bounds.range() > width) {
    const std::int64_t quarter = place == at_ends ? 0 : bounds.range() >> 2;
    std::int64_t probe1 = bounds.low + quarter;
    std::int64_t probe2 = bounds.middle();
    std::int64_t probe3 = bounds.high - 1 - quarter;
    if (place == at_guess) {
      probe1 = nearest_probe(bounds, guess.middle - guess.reach);
      probe2 = nearest_probe(bounds, guess.middle);
      probe3 = nearest_probe(bounds, guess.middle + guess.reach);
    }
    // Bits and selections, no branches: else the compiler has a probe wait for the one before.
    const bool below1 = is_among_first(probe1, k, first_a, first_b, comp);
    const bool below2 = is_among_first(probe2, k, first_a, first_b, comp) & below1;
    const bool below3 = is_among_first(probe3, k, first_a, first_b, comp) & below2;
    const bool missed = !below1 | below3;
    place = place == at_guess && missed ? at_ends : at_quarters;
    const std::int64_t high = below2 ? probe3 : below1 ? probe2 : probe1;
    const std::int64_t low = below2 ? probe2 : probe1;
    bounds.high = below3 ? bounds.high : high;
    bounds.low = below3 ? probe3 + 1 : below1 ? low + 1 : bounds.low;
    // An order that does not answer the same question twice in the same way could cross them.
    bounds.high = bounds.high < bounds.low ? bounds.low : bounds.high;
  }
  return bounds;
}

/// What is known of both ends of a stretch of the output.
struct known_stretch {
  std::int64_t k_begin;
  co_rank_bounds begin;
  std::int64_t k_end;
  co_rank_bounds end;

  /// Bounds of the co-rank of a `k` inside.
  __device__ co_rank_bounds bounds(std::int64_t k, co_rank_bounds possible) const {
    const std::int64_t low = max(possible.low, max(begin.low, end.low - (k_end - k)));
    const std::int64_t high = min(possible.high, min(end.high, begin.high + (k - k_begin)));
    return low <= high ? co_rank_bounds{low, high}
                       : possible;  // only where the order contradicts itself
  }

  /// A guess of it, if inputs are alike here; they need not be so elsewhere.
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
