// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The indirect strategy: keys stay where they are; only places are merged, then each element is
// moved once.
#pragma once

#include <cmerge/detail/core/merge_window.h>
#include <cmerge/detail/block/tile_merger.cuh>

#include <cstdint>
#include <type_traits>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

/// Merges a section of at most one tile, at one barrier.
///
/// A comparator reads little of a large element: a memory sector or two, which the move finds in
/// the cache a moment later. Shared memory holds two bytes an output, whatever the size of the
/// elements. Nothing is constructed there, so that keys of any type can be merged that can be
/// compared and assigned.
template <class Config>
class indirect_merge {
  using group = typename Config::group;
  static constexpr unsigned tile = Config::tile;
  using merger = tile_merger<Config, false, tile + 2 * tile_slack(tile), false>;

 public:
  static constexpr bool makes_one_tile = true;
  template <class Problem>
  using loader = no_loader;

  /// Preconditions: `part.count <= tile`, and `inputs` has no more than `2 * tile_slack` elements
  /// more.
  template <class Problem, class PartAhead>
  __device__ static void run(no_loader&, unsigned char* storage, Problem& problem,
                             const merge_window& part, const PartAhead&) {
    const std::int64_t a_begin = part.inputs.a_begin;
    const std::int64_t b_begin = part.inputs.b_begin;
    const auto count = static_cast<unsigned>(part.count);
    const std::int64_t k = part.out_begin();
    typename Config::key_a* const no_keys = nullptr;
    auto* const sources = reinterpret_cast<std::uint16_t*>(storage);
    merger outputs;
    merge(outputs, problem, part);
    outputs.stage(no_keys, sources, problem.keys_out + k);
    group::sync();
    merger::store_keys(problem, k, count, no_keys, sources, problem.keys_a + a_begin,
                       problem.keys_b + b_begin);
    if constexpr (Config::has_values) {
      merger::store_values(problem, k, count, sources, problem.values_a + a_begin,
                           problem.values_b + b_begin);
    }
  }

  /// Merges one tile, as `run`, to registers, as `single_merge::run_to_blocked` does.
  template <class Problem, class Key, class ThreadValue>
  __device__ static void run_to_blocked(no_loader&, unsigned char*, Problem& problem,
                                        const merge_window& part,
                                        Key (&keys)[unsigned{Config::items}],
                                        ThreadValue (&values)[unsigned{Config::items}]) {
    merger outputs;
    merge(outputs, problem, part);
    outputs.copy_outputs(keys, problem.keys_a + part.inputs.a_begin,
                         problem.keys_b + part.inputs.b_begin);
    if constexpr (Config::has_values) {
      outputs.copy_outputs(values, problem.values_a + part.inputs.a_begin,
                           problem.values_b + part.inputs.b_begin);
    }
  }

 private:
  template <class Problem>
  __device__ static void merge(merger& outputs, Problem& problem, const merge_window& part) {
    const merge_range& in = part.inputs;
    outputs.merge(problem.keys_a + in.a_begin, static_cast<unsigned>(in.a_end - in.a_begin),
                  problem.keys_b + in.b_begin, static_cast<unsigned>(in.b_end - in.b_begin),
                  part.skipped, static_cast<unsigned>(part.count), problem.comp);
  }
};

}  // namespace detail
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
