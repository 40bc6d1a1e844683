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

/// The circular merge of sections with too many values. Keys of one byte never need it.
template <class Key>
struct by_value_fallback {
  static constexpr bool is_needed = sizeof(Key) > 1;
  static constexpr int items = 7;
  using elements = merge_elements<Key, Key, void>;
  template <int Threads>
  using config = merge_config<block_group<Threads>, strategy::circular, items, 1, elements,
                              merge_caller::kernel>;
};

/// Bytes of shared memory of `by_value_keys`.
template <class Key>
CMERGE_HOST_DEVICE constexpr unsigned by_value_keys_bytes(int threads) {
  using fallback = by_value_fallback<Key>;
  constexpr auto own = static_cast<unsigned>(sizeof(value_starts_storage<Key>));
  if (!fallback::is_needed) return own;
  const unsigned merging = circular_layout<typename fallback::elements>(
                               {strategy::circular, threads, fallback::items, 1})
                               .end;
  return own > merging ? own : merging;
}

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
  using fallback = by_value_fallback<Key>;
  using merger = circular_merge<typename fallback::template config<Threads>>;

 public:
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
    if constexpr (fallback::is_needed) {
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
    const merge_window part{make_merge_range(k0, ends[0].low, k1, ends[1].low), 0, k1 - k0};
    typename merger::template loader<Problem> loader(storage);
    merger::run(loader, storage, problem, part, no_part_ahead{});
    loader.close();
  }
};

}  // namespace detail
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
