// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The basic strategy: each thread searches, reads and writes by itself.
#pragma once

#include <cmerge/detail/core/merge_window.h>
#include <cmerge/serial_merge.h>
#include <cmerge/detail/block/tile_loader.cuh>

#include <cstdint>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

/// Merges a section with no shared memory: each thread co-ranks its own shares of `Items` outputs,
/// where its inputs are, and merges them from there to the output.
///
/// Serves any type and any iterator. Neighbouring threads touch far-apart addresses.
template <class Config>
struct basic_merge {
  static constexpr bool makes_one_tile = false;
  template <class Problem>
  using loader = no_loader;

  template <class Problem, class PartAhead>
  __device__ static void run(no_loader&, unsigned char*, Problem& problem,
                             const merge_window& window, const PartAhead&) {
    using group = typename Config::group;
    constexpr int items = Config::items;
    const merge_range part = window.inputs;
    const auto keys_a = problem.keys_a + part.a_begin;
    const auto keys_b = problem.keys_b + part.b_begin;
    const std::int64_t m = part.a_end - part.a_begin;
    const std::int64_t n = part.b_end - part.b_begin;
    for (std::int64_t k = std::int64_t{group::rank()} * items; k < m + n;
         k += group::size * items) {
      const std::int64_t k_end = k + items < m + n ? k + items : m + n;
      merge_range share = make_merge_range(
          k,
          co_rank_between(co_rank_low(k, n), co_rank_high(k, m), k, keys_a, keys_b, problem.comp),
          k_end,
          co_rank_between(co_rank_low(k_end, n), co_rank_high(k_end, m), k_end, keys_a, keys_b,
                          problem.comp));
      share.a_begin += part.a_begin;
      share.a_end += part.a_begin;
      share.b_begin += part.b_begin;
      share.b_end += part.b_begin;
      detail::serial_merge(problem, share);
    }
  }
};

}  // namespace detail
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
