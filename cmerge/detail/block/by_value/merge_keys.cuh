// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The merge by value of keys alone. Keys with few possible values are not merged one by one: a
// block finds where each value starts in its section of the output, and writes the values.
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

/// The circular merge of sections with too many values. 1-byte keys never need it. With 256 threads
/// its small tiles take 11 KiB of shared memory, hardly more than the 8 KiB of `value_starts`.
template <class Key>
struct by_value_fallback {
  static constexpr bool is_needed = sizeof(Key) > 1;
  static constexpr int items = 7;
  using elements = merge_elements<Key, Key, void>;
  template <int Threads>
  using config = merge_config<block_group<Threads>, strategy::circular, items, 1, elements,
                              merge_caller::kernel>;
};

/// Bytes of shared memory that `by_value_keys` needs.
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

/// Writes sections of the output. A block finds the inputs of its section.
///
/// 1. One warp for each end of the section bounds the value there. Many sections have one value.
/// 2. Otherwise all threads find where each value starts (`value_starts`).
/// 3. All threads write granules. Most granules have a single value.
///
/// Sections with too many values are merged by the circular strategy. There are few of these,
/// because there are only 65,536 values.
template <int Threads, class Key, bool Descending,
          class Shape = value_search_shape<static_cast<int>(sizeof(Key))>>
class by_value_keys {
  using search = value_starts<Threads, Key, Descending, Shape>;
  using writer = key_writer<Threads, Key, Descending>;
  using fallback = by_value_fallback<Key>;
  using merger = circular_merge<typename fallback::template config<Threads>>;

 public:
  /// Writes one section of a `by_value_schedule`, with all threads of a block.
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
      if (values.count() > search::max_values) {
        __syncthreads();  // all threads have read the storage, which `merge` overwrites
        merge(storage, problem, k0, k1);
        return;
      }
    }
    values.find_starts();
    __syncthreads();
    writer::write_values(out, count, values.first(), values.count(), shared.starts);
  }

 private:
  /// Merges outputs `[k0, k1)` with the circular strategy.
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
