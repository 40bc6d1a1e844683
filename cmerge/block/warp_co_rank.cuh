// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The co-rank search of several threads together, for inputs in global memory, where each round
// of a search waits for memory. Layer 3, includes co_rank.h and std alone.
#pragma once

#include <cmerge/co_rank.h>

#include <cstdint>

namespace cmerge::detail {

/// The co-rank of `k`, searched by `Lanes` neighbouring threads of a warp, all of which get it.
///
/// Each round probes `Lanes` places at once and leaves 1 / (Lanes + 1) of the candidates: 6 rounds
/// for 2^28 candidates and 32 lanes, where a binary search takes 28.
///
/// Preconditions: as `co_rank`; all 32 threads of the warp call it, and the threads of a group
/// pass the same arguments (`Lanes` divides 32).
template <int Lanes, class Iterator1, class Iterator2, class Compare>
__device__ std::int64_t group_co_rank(std::int64_t k, Iterator1 first1, std::int64_t m,
                                      Iterator2 first2, std::int64_t n, Compare& comp) {
  constexpr unsigned all = Lanes == 32 ? ~0u : (1u << (Lanes % 32)) - 1;
  const unsigned lane = threadIdx.x % Lanes;
  const unsigned shift = threadIdx.x % 32 / Lanes * Lanes;
  std::int64_t low = co_rank_low(k, n);
  std::int64_t high = co_rank_high(k, m);
  while (__any_sync(~0u, low < high)) {
    // Probes rise strictly: one a candidate where there are at most Lanes, else evenly spread.
    const std::int64_t range = high - low;
    const bool last = range <= Lanes;
    const auto probe = [=](unsigned l) { return low + (last ? l : range * (l + 1) / (Lanes + 1)); };
    const std::int64_t i = probe(lane);
    const bool below = i < high && is_among_first(i, k, first1, first2, comp);
    // The leading probes that lie below the co-rank; a contradictory order may give others too.
    const unsigned answers = __ballot_sync(~0u, below) >> shift & all;
    const unsigned lead = static_cast<unsigned>(__ffs(static_cast<int>(~answers)) - 1);
    const unsigned count = answers == ~0u ? 32 : lead;
    if (low < high) {
      if (last) {
        low = high = low + count;
      } else {
        const std::int64_t above = count < Lanes ? probe(count) : high;
        if (count > 0) low = probe(count - 1) + 1;
        high = above;
      }
    }
  }
  return low;
}

/// As `co_rank_between`, for one thread whose inputs lie in global memory: three probes a round,
/// under way at the same time, and half the rounds of a binary search.
template <class Iterator1, class Iterator2, class Compare>
__device__ std::int64_t wide_co_rank_between(std::int64_t low, std::int64_t high, std::int64_t k,
                                             Iterator1 first1, Iterator2 first2, Compare& comp) {
  while (low < high) {
    const std::int64_t quarter = (high - low) >> 2;
    const std::int64_t probe1 = low + quarter;
    const std::int64_t probe2 = low + ((high - low) >> 1);
    const std::int64_t probe3 = high - 1 - quarter;
    const bool below1 = is_among_first(probe1, k, first1, first2, comp);
    const bool below2 = is_among_first(probe2, k, first1, first2, comp);
    const bool below3 = is_among_first(probe3, k, first1, first2, comp);
    if (!below1) {
      high = probe1;
    } else if (!below2) {
      low = probe1 + 1;
      high = probe2;
    } else if (!below3) {
      low = probe2 + 1;
      high = probe3;
    } else {
      low = probe3 + 1;
    }
  }
  return low;
}

}  // namespace cmerge::detail
