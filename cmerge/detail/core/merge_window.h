// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of a merge whose ends are known only between bounds. Plain arithmetic, so that tests run it
// on the host.
#pragma once

#include <cmerge/co_rank.h>
#include <cmerge/detail/core/merge_problem.h>

#include <cstdint>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

/// Bounds of a co-rank `i`: `low <= i <= high`.
struct co_rank_bounds {
  std::int64_t low;
  std::int64_t high;

  CMERGE_HOST_DEVICE constexpr std::int64_t range() const { return high - low; }
  CMERGE_HOST_DEVICE constexpr std::int64_t middle() const { return low + ((high - low) >> 1); }
};

/// All values that the co-rank of `k` can have.
CMERGE_HOST_DEVICE constexpr co_rank_bounds possible_co_ranks(std::int64_t k, std::int64_t m,
                                                              std::int64_t n) {
  return {co_rank_low(k, n), co_rank_high(k, m)};
}

/// The maximum distance between the bounds of either end of a tile, in elements.
///
/// With it, one round of a search is enough for most ends, if both inputs have the same
/// distribution. The partition kernel searches between the ends of a stretch of eight tiles, which
/// it knows to within 64 elements. Between them, three standard deviations of a co-rank are at most
/// `3 sqrt(tile / 2)`. One round leaves at most these plus 64 elements (`known_stretch::guess`,
/// `thread_co_rank`), and `120 + tile / 16` is more than that for every tile. It is not much more,
/// because a tile loads up to twice as many extra elements and has shared memory for them.
///
/// The largest tiles have no slack, because the source of an output has 16 bits.
CMERGE_HOST_DEVICE constexpr unsigned tile_slack(unsigned tile) {
  const unsigned slack = 120 + tile / 16;
  return tile + 2 * slack <= 32768 ? slack : 0;
}

/// The merge of `inputs`, without its first `skipped` outputs. Of the others, only the first
/// `count` are made.
///
/// Invariant: these are the outputs `[k0, k1)` of the whole merge, wherever the co-ranks of both
/// ends lie between their bounds. The window starts at `low` in a and at `k0 - high` in b, the
/// least that the first `k0` outputs take from each. So these elements before the window are `k0 -
/// (high - low)` of the first `k0` outputs, and the other `skipped = high - low` are in the window.
/// Elements after the window are not among the first `k1` outputs. (docs/algorithm.md, "Bounds are
/// enough", has the proof.)
struct merge_window {
  merge_range inputs;
  unsigned skipped;
  std::int64_t count;

  CMERGE_HOST_DEVICE constexpr std::int64_t out_begin() const {
    return inputs.out_begin() + skipped;
  }
};

/// The part whose outputs are `[k0, k1)`, from bounds of the co-ranks of both ends.
///
/// Co-ranks do not decrease from one end to the other, in either input. This can tighten the
/// bounds. If the bounds contradict it, which only unsorted inputs or an inconsistent comparator
/// can cause, the part is still valid and has the right size, as in `make_merge_range`.
CMERGE_HOST_DEVICE constexpr merge_window make_merge_window(std::int64_t k0, co_rank_bounds begin,
                                                            std::int64_t k1, co_rank_bounds end) {
  const std::int64_t size = k1 - k0;
  const co_rank_bounds first{begin.low > end.low - size ? begin.low : end.low - size,
                             begin.high < end.high ? begin.high : end.high};
  const co_rank_bounds last{end.low > begin.low ? end.low : begin.low,
                            end.high < begin.high + size ? end.high : begin.high + size};
  if (first.low > first.high || last.low > last.high) {
    return {make_merge_range(k0, begin.low, k1, end.low), 0, size};
  }
  return {{first.low, last.high, k0 - first.high, k1 - last.low},
          static_cast<unsigned>(first.range()),
          size};
}

/// The part that contains all outputs of a problem.
CMERGE_EXEC_CHECK_DISABLE
template <class Problem>
CMERGE_HOST_DEVICE constexpr merge_range whole_part(Problem& p) {
  if (p.outputs == saturating_sum(p.m, p.n)) return {0, p.m, 0, p.n};
  return make_merge_range(0, 0, p.outputs,
                          co_rank_between(co_rank_low(p.outputs, p.n), co_rank_high(p.outputs, p.m),
                                          p.outputs, p.keys_a, p.keys_b, p.comp));
}

}  // namespace detail
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
