// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of a merge whose ends are not known exactly, only between bounds. Plain arithmetic, so
// that it is tested on the host.
#pragma once

#include <cmerge/co_rank.h>
#include <cmerge/detail/core/merge_problem.h>

#include <cstdint>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

/// Bounds of a co-rank that need not be known exactly: `low <= i <= high`.
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

/// How far apart the bounds of either end of a tile may be: wide enough for what one round of a
/// search leaves of alike inputs, and not wider, since that takes room. The largest tiles have
/// none.
CMERGE_HOST_DEVICE constexpr unsigned tile_slack(unsigned tile) {
  const unsigned slack = 120 + tile / 16;
  return tile + 2 * slack <= 32768 ? slack : 0;
}

/// The merge of some inputs, without its first `skipped` outputs, and of the others only the first
/// `count`: where the inputs end is not known better.
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
/// Neither input goes backwards from one end to the other, which can tighten the bounds. Where they
/// contradict that, which a comparator that contradicts itself can cause, the part still exists and
/// has the right size, as in `make_merge_range`.
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

/// The part that makes all outputs of a problem.
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
