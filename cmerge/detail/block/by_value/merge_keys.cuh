// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runs strategy: keys with few possible values are not merged one by one; a block finds
// where the run of each value begins, and writes runs.
#pragma once

#include <cmerge/detail/block/by_value/key_writer.cuh>
#include <cmerge/detail/block/by_value/sections.cuh>
#include <cmerge/detail/block/by_value/value_starts.cuh>
#include <cmerge/detail/block/co_rank_search.cuh>
#include <cmerge/detail/block/strategy/circular.cuh>

#include <cstdint>
#include <type_traits>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

/// Writes sections of the output, whose inputs the block finds by itself.
///
/// 1. A warp for each end of a section finds the value there: many sections have one only.
/// 2. Else all threads find where the run of each value begins (`value_starts`).
/// 3. They write granules, most of which have one value.
///
/// A section with too many values for that is merged by the circular strategy. There can be few,
/// for there are only 65,536 values.
template <int Threads, class Key, bool Descending,
          class Shape = value_search_shape<static_cast<int>(sizeof(Key))>>
class by_value_keys {
  using search = value_starts<Threads, Key, Descending, Shape>;
  using writer = key_writer<Threads, Key, Descending>;

  // Keys of one byte never need the merge of keys one by one.
  static constexpr bool can_merge = sizeof(Key) > 1;
  static constexpr int merge_items = 7;
  using merger = circular_merge<block_group<Threads>, merge_items, 1, Key, Key, void>;

 public:
  CMERGE_HOST_DEVICE static constexpr unsigned storage_bytes(int threads) {
    const auto own = static_cast<unsigned>(sizeof(typename search::shared));
    if (!can_merge) return own;
    const auto merging = merger::storage_bytes(
        {static_cast<unsigned>(threads * merge_items), unsigned{merge_items}, 1});
    return own > merging ? own : merging;
  }

  /// Makes a section of a `by_value_schedule`.
  template <class Problem>
  __device__ static void run(unsigned char* storage, Problem& problem,
                             section_schedule::section section) {
    const auto [k0, k1] = by_value_outputs(problem, section);
    if (k0 >= k1) return;

    auto& shared = *reinterpret_cast<typename search::shared*>(storage);
    const search values(shared, problem, k0, k1);
    Key* const out = problem.keys_out + k0;
    const auto count = static_cast<int>(k1 - k0);
    if (values.count() == 0) {
      writer::write_one(out, count, values.first());
      return;
    }
    if constexpr (can_merge) {
      if (values.count() > search::room) {
        __syncthreads();  // all have read the storage
        merge(storage, problem, k0, k1);
        return;
      }
    }
    values.find_begins();
    __syncthreads();
    writer::write_runs(out, count, values.first(), values.count(), shared.begins);
  }

 private:
  template <class Problem>
  __device__ static void merge(unsigned char* storage, Problem& problem, std::int64_t k0,
                               std::int64_t k1) {
    __shared__ co_rank_bounds ends[2];
    find_section_ends<Threads>(ends, 0, problem, k0, k1);
    release_to_bulk_copies();
    __syncthreads();
    merger::run(storage, problem, make_merge_range(k0, ends[0].low, k1, ends[1].low));
  }
};

}  // namespace detail
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
