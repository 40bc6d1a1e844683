// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The merge by a group of threads, whatever the strategy: what block_merge, warp_merge and the
// kernel are made of.
#pragma once

#include <cmerge/detail/core/arguments.h>
#include <cmerge/tuning.h>
#include <cmerge/detail/block/strategy/strategies.cuh>

#include <cstdint>
#include <type_traits>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {

/// How many elements of each range a merge has consumed. The next merge starts after them.
struct CMERGE_VISIBLE merge_consumed {
  std::int64_t first;
  std::int64_t second;
};

namespace detail {

/// Every merge in a kernel names this and never runs it, so that nvcc rejects a comparator, or a
/// `<` of the keys, without `__device__`. In functions for host and device nvcc accepts such a call
/// and drops it.
template <class Problem>
struct the_device_can_compare {
  using compare = std::decay_t<decltype(Problem::comp)>;
  using key_a = value_t<decltype(Problem::keys_a)>;
  using key_b = value_t<decltype(Problem::keys_b)>;

  __device__ bool operator()(Problem& problem, const key_a* a, const key_b* b) const {
    if constexpr (std::is_same_v<compare, less>) {
      return static_cast<bool>(*b < *a);
    } else if constexpr (std::is_same_v<compare, greater>) {
      return static_cast<bool>(*b > *a);
    } else if constexpr (std::is_invocable_v<compare&, const key_b&, const key_a&>) {
      return problem.comp(*b, *a);
    } else {
      return problem.comp(problem.keys_b[0], problem.keys_a[0]);
    }
  }
};

/// Bytes of static shared memory that a block can have on every device.
inline constexpr unsigned max_static_shared_bytes = 48 << 10;

/// The members are described at `block_merge` and `warp_merge`.
template <class Config>
class CMERGE_VISIBLE group_merge {
  static_assert(Config::how != strategy::by_value, "cmerge: strategy::by_value is for whole grids");
  static_assert(is_known(Config::how), "cmerge: unknown strategy");
  static_assert(Config::items >= 1, "cmerge: a thread makes at least one output at a time");

  using group = typename Config::group;
  static constexpr int items = Config::items;
  static constexpr unsigned tile = Config::tile;

  /// A collective with values can also merge keys alone, which takes no more storage.
  template <class Problem>
  using config_of =
      std::conditional_t<Problem::has_values, Config, typename Config::without_values>;
  template <class Problem>
  using implementation = typename implementation_of<config_of<Problem>>::type;
  /// The one that merges a tile to registers.
  static constexpr strategy how_to_blocked =
      is_in_place(Config::how) ? strategy::indirect : strategy::single;
  template <class Problem>
  using implementation_to_blocked = typename implementation_of<
      typename config_of<Problem>::template with_strategy<how_to_blocked>>::type;

  template <strategy How>
  static constexpr unsigned bytes_of =
      detail::storage_bytes<typename Config::elements, Config::has_slack>(
          {How, group::size, items, How == Config::how ? Config::stages : 1});

 public:
  /// One group's storage in dynamic shared memory, which can exceed 48 KiB.
  struct alignas(16) DynamicTempStorage {
    static constexpr unsigned for_merge =
        Config::how == strategy::basic ? 1 : bytes_of<Config::how>;
    static constexpr unsigned to_blocked =
        is_in_place(Config::how) || Config::has_slack ? 0 : bytes_of<how_to_blocked>;
    unsigned char bytes[for_merge < to_blocked ? to_blocked : for_merge];
  };

  /// One group's storage in static shared memory, at most 48 KiB.
  struct TempStorage : DynamicTempStorage {
    static_assert(
        sizeof(DynamicTempStorage) <= max_static_shared_bytes,
        "cmerge: TempStorage would need more than the 48 KiB of static shared memory that "
        "a block can have. Choose fewer items or threads, strategy::single (one tile) or "
        "strategy::indirect (two bytes an output), or place DynamicTempStorage in dynamic "
        "shared memory");
  };

  __device__ explicit group_merge(DynamicTempStorage& storage) : storage_(storage.bytes) {}

  template <class IteratorA, class IteratorB, class Output, class Compare>
  __device__ void merge(IteratorA first_a, std::int64_t m, IteratorB first_b, std::int64_t n,
                        Output out, Compare comp) {
    auto problem = local_problem(keys_problem(first_a, first_b, out, comp, sizes(m, n)));
    run_all(problem);
  }

  template <class KeysA, class KeysB, class ValuesA, class ValuesB, class KeysOut, class ValuesOut,
            class Compare>
  __device__ void merge_by_key(KeysA keys_a, std::int64_t m, KeysB keys_b, std::int64_t n,
                               ValuesA values_a, ValuesB values_b, KeysOut keys_out,
                               ValuesOut values_out, Compare comp) {
    static_assert(Config::has_values, "cmerge: merge_by_key needs a collective with a Value");
    auto problem = local_problem(
        pairs_problem(keys_a, values_a, keys_b, values_b, keys_out, values_out, comp, sizes(m, n)));
    run_all(problem);
  }

  template <class IteratorA, class IteratorB, class OutputKey, class Compare>
  __device__ merge_consumed merge_to_blocked(IteratorA first_a, std::int64_t m, IteratorB first_b,
                                             std::int64_t n, OutputKey (&keys)[unsigned{items}],
                                             Compare comp) {
    auto problem = local_problem(keys_problem(first_a, first_b, no_output{}, comp, sizes(m, n)));
    no_values values[items];
    return run_to_blocked(problem, keys, values);
  }

  template <class KeysA, class KeysB, class ValuesA, class ValuesB, class OutputKey,
            class OutputValue, class Compare>
  __device__ merge_consumed merge_by_key_to_blocked(KeysA keys_a, std::int64_t m, KeysB keys_b,
                                                    std::int64_t n, ValuesA values_a,
                                                    ValuesB values_b,
                                                    OutputKey (&keys)[unsigned{items}],
                                                    OutputValue (&values)[unsigned{items}],
                                                    Compare comp) {
    static_assert(Config::has_values,
                  "cmerge: merge_by_key_to_blocked needs a collective with a Value");
    auto problem =
        local_problem(pairs_problem(keys_a, values_a, keys_b, values_b, no_output{},
                                    static_cast<OutputValue*>(nullptr), comp, sizes(m, n)));
    return run_to_blocked(problem, keys, values);
  }

  /// Merges one part of a problem: the kernel calls this. Strategies that make one tile take bounds
  /// that are at most `slack_of` apart, others exact ends.
  template <class Problem, class PartAhead>
  __device__ void run(Problem& problem, const merge_window& part, const PartAhead& part_ahead) {
    using implementation = implementation<Problem>;
    typename implementation::template loader<Problem> loader(storage_);
    implementation::run(loader, storage_, problem, part, part_ahead);
    loader.close();
  }

 private:
  /// A user's problem, whose ranges may lie in shared memory.
  template <class Problem>
  struct any_memory : Problem {
    static constexpr bool in_any_memory = true;
  };

  /// Sizes of a user's ranges; negative ones are 0.
  __device__ static problem_sizes sizes(std::int64_t m, std::int64_t n) {
    m = m < 0 ? 0 : m;
    n = n < 0 ? 0 : n;
    return {m, n, saturating_sum(m, n)};
  }

  template <class Problem>
  __device__ static auto local_problem(const Problem& problem) {
    using keys_a = std::decay_t<decltype(Problem::keys_a)>;
    using keys_b = std::decay_t<decltype(Problem::keys_b)>;
    static_assert(check_inputs<keys_a, keys_b, std::decay_t<decltype(Problem::comp)>>(),
                  "fails inside, before the lines below do");
    static_assert(std::is_same_v<value_t<keys_a>, typename Config::key_a> &&
                      std::is_same_v<value_t<keys_b>, typename Config::key_b>,
                  "cmerge: the ranges must hold the key types that the collective is declared "
                  "with");
    any_memory<Problem> made{problem};
    if (false) the_device_can_compare<any_memory<Problem>>{}(made, nullptr, nullptr);
    return made;
  }

  /// The storage may hold anything that the group has written, for example in an earlier merge.
  template <class Problem>
  __device__ void run_all(Problem& problem) {
    using implementation = implementation<Problem>;
    release_to_bulk_copies();
    typename implementation::template loader<Problem> loader(storage_);
    if constexpr (implementation::makes_one_tile) {
      for_each_tile(problem, [&](const merge_window& part) {
        implementation::run(loader, storage_, problem, part, no_part_ahead{});
        loader.release();
      });
    } else {
      const merge_window all{whole_part(problem), 0, problem.outputs};
      implementation::run(loader, storage_, problem, all, no_part_ahead{});
    }
    loader.close();
  }

  /// Calls `merge_one` for one tile after the other, with a barrier after each. Every thread
  /// searches for each tile's end, which is at most a tile after its beginning.
  template <class Problem, class MergeOne>
  __device__ static void for_each_tile(Problem& problem, MergeOne merge_one) {
    std::int64_t i = 0;
    for (std::int64_t k = 0; k < problem.outputs; k += tile) {
      const std::int64_t count = min(problem.outputs - k, std::int64_t{tile});
      const std::int64_t k_end = k + count;
      const merge_range part =
          make_merge_range(k, i, k_end,
                           co_rank_between(max(co_rank_low(k_end, problem.n), i),
                                           min(co_rank_high(k_end, problem.m), i + count), k_end,
                                           problem.keys_a, problem.keys_b, problem.comp));
      i = part.a_end;
      merge_one(merge_window{part, 0, count});
      group::sync();
    }
  }

  template <class Problem, class OutputKey, class OutputValue>
  __device__ merge_consumed run_to_blocked(Problem& problem, OutputKey (&keys)[unsigned{items}],
                                           OutputValue (&values)[unsigned{items}]) {
    using implementation = implementation_to_blocked<Problem>;
    problem.outputs = min(problem.outputs, std::int64_t{tile});
    const merge_window part{whole_part(problem), 0, problem.outputs};
    if constexpr (!is_in_place(Config::how)) release_to_bulk_copies();
    typename implementation::template loader<Problem> loader(storage_);
    implementation::run_to_blocked(loader, storage_, problem, part, keys, values);
    if constexpr (!is_in_place(Config::how)) group::sync();  // all have waited for the loader
    loader.close();
    return {part.inputs.a_end, part.inputs.b_end};
  }

  unsigned char* storage_;
};

}  // namespace detail
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
