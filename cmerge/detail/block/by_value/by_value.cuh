// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The merge by value of a problem, keys alone or keys with values.
#pragma once

#include <cmerge/detail/block/by_value/merge_keys.cuh>
#include <cmerge/detail/block/by_value/merge_pairs.cuh>

#include <type_traits>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

/// Merges a section of a problem for which `can_merge_by_value` holds. The section is one of
/// `by_value_schedule`; the block finds its inputs.
template <int Threads, class Problem>
__device__ void merge_by_value(unsigned char* storage, Problem& problem,
                               section_schedule::section section) {
  using key = value_t<decltype(Problem::keys_a)>;
  constexpr bool descending = std::is_same_v<std::decay_t<decltype(Problem::comp)>, greater>;
  if constexpr (Problem::has_values) {
    by_value_pairs<Threads, key, descending>::run(storage, problem, section);
  } else {
    by_value_keys<Threads, key, descending>::run(storage, problem, section);
  }
}

/// Bytes of shared memory of `merge_by_value`.
template <class Problem>
CMERGE_HOST_DEVICE constexpr unsigned by_value_bytes(int threads) {
  if constexpr (Problem::has_values) {
    return static_cast<unsigned>(sizeof(by_value_pairs_storage));
  } else {
    return by_value_keys_bytes<value_t<decltype(Problem::keys_a)>>(threads);
  }
}

}  // namespace detail
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
