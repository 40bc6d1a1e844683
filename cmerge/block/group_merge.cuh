// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The merge by a group of threads, whatever the strategy: what block_merge, warp_merge and the
// kernel are made of. Layer 7, includes block/*.cuh, detail/arguments.h and tuning.h.
#pragma once

#include <cmerge/detail/arguments.h>
#include <cmerge/tuning.h>
#include <cmerge/block/basic.cuh>
#include <cmerge/block/circular.cuh>
#include <cmerge/block/indirect.cuh>
#include <cmerge/block/single.cuh>
#include <cmerge/block/tiled.cuh>

#include <cstdint>
#include <type_traits>

namespace cmerge CMERGE_HIDDEN {

/// How many elements of each range a merge has consumed. The next merge starts after them.
struct CMERGE_VISIBLE merge_consumed {
  std::int64_t first;
  std::int64_t second;
};

namespace detail {

/// Named by all that merges in kernels, and never run, so that nvcc refuses a comparator, or a `<`
/// of the keys, without `__device__`. In functions for host and device it takes such a call, and
/// leaves it out.
template <class Problem>
struct the_device_can_compare {
  using compare = std::decay_t<decltype(Problem::comp)>;
  using key1 = value_t<decltype(Problem::keys1)>;
  using key2 = value_t<decltype(Problem::keys2)>;

  __device__ bool operator()(Problem& problem, const key1* a, const key2* b) const {
    if constexpr (std::is_same_v<compare, less>) {
      return static_cast<bool>(*b < *a);
    } else if constexpr (std::is_same_v<compare, greater>) {
      return static_cast<bool>(*b > *a);
    } else if constexpr (std::is_invocable_v<compare&, const key2&, const key1&>) {
      return problem.comp(*b, *a);
    } else {
      return problem.comp(problem.keys2[0], problem.keys1[0]);
    }
  }
};

/// Returned for a strategy that has no group merge. Larger than any shared memory.
inline constexpr unsigned no_storage = ~0u;

/// Bytes of static shared memory that a block can have on every device.
inline constexpr unsigned max_static_shared_bytes = 48 << 10;

/// What `group_merge` is made for.
enum class CMERGE_VISIBLE merge_caller {
  user,    ///< ranges are in any memory, and begin where the problem begins
  kernel,  ///< tiles of a problem in global memory, whose ends are known between bounds
};

/// `block_merge` and `warp_merge` say what the members do.
template <class Group, class Key, int Items, class Value, strategy How, int Stages, class Key2,
          merge_caller Caller = merge_caller::user>
class CMERGE_VISIBLE group_merge {
  static_assert(How != strategy::runs, "cmerge: strategy::runs is for whole grids");
  static_assert(is_known(How), "cmerge: unknown strategy");
  static_assert(Items >= 1, "cmerge: a thread makes at least one output at a time");

  static constexpr bool has_values = !std::is_void_v<Value>;
  static constexpr bool has_slack = Caller == merge_caller::kernel;
  static constexpr unsigned tile = Group::size * Items;
  using basic = basic_merge<Group, Items>;
  template <class V>
  using tiled = tiled_merge<Group, Items, Key, Key2, V>;
  template <class V>
  using circular = circular_merge<Group, Items, Stages, Key, Key2, V>;
  template <class V>
  using single = single_merge<Group, Items, Key, Key2, V, has_slack>;
  template <class V>
  using indirect = indirect_merge<Group, Items, Key, Key2, !std::is_void_v<V>>;

  /// Keys can be merged alone where there could be values; that takes no more storage.
  template <class Problem>
  using value_of = std::conditional_t<Problem::has_values, Value, void>;

  static constexpr tuning own{How, Group::size, Items, Stages};
  /// Whether keys stay where they are.
  static constexpr bool is_in_place = How == strategy::basic || How == strategy::indirect;

 public:
  /// Bytes of shared memory for a tuning, which may be known at run time only.
  [[gnu::always_inline]] CMERGE_HOST_DEVICE static constexpr unsigned storage_bytes(tuning t) {
    const tuning_shape shape{static_cast<unsigned>(t.tile()), static_cast<unsigned>(t.items),
                             static_cast<unsigned>(t.stages)};
    switch (t.how) {
      case strategy::basic:
        return basic::storage_bytes();
      case strategy::tiled:
        return tiled<Value>::storage_bytes(shape);
      case strategy::circular:
        return circular<Value>::storage_bytes(shape);
      case strategy::single:
        return single<Value>::storage_bytes(shape);
      case strategy::indirect:
        return indirect<Value>::storage_bytes(shape);
      case strategy::runs:  // has no group merge
        break;
    }
    return no_storage;
  }

  /// How far apart the bounds of either end of a part may be for `run`; 0 if it must be exact.
  [[gnu::always_inline]] CMERGE_HOST_DEVICE static constexpr unsigned slack_of(tuning t) {
    const auto tile_size = static_cast<unsigned>(t.tile());
    if (t.how == strategy::indirect) return tile_slack(tile_size);
    return t.how == strategy::single ? single<Value>::slack(tile_size) : 0;
  }

  /// One group's storage in dynamic shared memory, which can exceed 48 KiB.
  struct alignas(16) DynamicTempStorage {
    static constexpr unsigned for_merge = How == strategy::basic ? 1 : storage_bytes(own);
    static constexpr unsigned to_blocked = is_in_place || Caller == merge_caller::kernel
                                               ? 0
                                               : single<Value>::storage_bytes({tile, Items, 1});
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

  template <class Iterator1, class Iterator2, class Output, class Compare>
  __device__ void merge(Iterator1 first1, std::int64_t m, Iterator2 first2, std::int64_t n,
                        Output out, Compare comp) {
    using none = no_values;
    auto problem = local_problem(first1, first2, out, none{}, none{}, none{}, m, n, comp);
    run_all(problem);
  }

  template <class Keys1, class Keys2, class Values1, class Values2, class KeysOut, class ValuesOut,
            class Compare>
  __device__ void merge_by_key(Keys1 keys1, std::int64_t m, Keys2 keys2, std::int64_t n,
                               Values1 values1, Values2 values2, KeysOut keys_out,
                               ValuesOut values_out, Compare comp) {
    static_assert(has_values, "cmerge: merge_by_key needs a collective with a Value");
    auto problem = local_problem(keys1, keys2, keys_out, values1, values2, values_out, m, n, comp);
    run_all(problem);
  }

  template <class Iterator1, class Iterator2, class OutputKey, class Compare>
  __device__ merge_consumed merge_to_blocked(Iterator1 first1, std::int64_t m, Iterator2 first2,
                                             std::int64_t n, OutputKey (&keys)[unsigned{Items}],
                                             Compare comp) {
    using none = no_values;
    auto problem = local_problem(first1, first2, no_output{}, none{}, none{}, none{}, m, n, comp);
    none values[Items];
    return run_to_blocked(problem, keys, values);
  }

  template <class Keys1, class Keys2, class Values1, class Values2, class OutputKey,
            class OutputValue, class Compare>
  __device__ merge_consumed merge_by_key_to_blocked(
      Keys1 keys1, std::int64_t m, Keys2 keys2, std::int64_t n, Values1 values1, Values2 values2,
      OutputKey (&keys)[unsigned{Items}], OutputValue (&values)[unsigned{Items}], Compare comp) {
    static_assert(has_values, "cmerge: merge_by_key_to_blocked needs a collective with a Value");
    auto problem = local_problem(keys1, keys2, no_output{}, values1, values2,
                                 static_cast<OutputValue*>(nullptr), m, n, comp);
    return run_to_blocked(problem, keys, values);
  }

  /// Merges one part of a problem: what the kernel calls. With `single` and `indirect` it makes one
  /// tile at most, from bounds that are `slack_of` apart at most; others need exact ones. `single`
  /// takes a function for what to prefetch meanwhile.
  template <class Problem, class... PartAhead>
  __device__ void run(Problem& problem, const merge_window& part, const PartAhead&... part_ahead) {
    using value = value_of<Problem>;
    if constexpr (How == strategy::single) {
      typename single<value>::template loader_of<Problem> loader(storage_);
      single<value>::run(loader, storage_, problem, part, part_ahead...);
      loader.close();
    } else if constexpr (How == strategy::indirect) {
      indirect<value>::run(storage_, problem, part);
    } else if constexpr (How == strategy::basic) {
      basic::run(problem, part.inputs);
    } else if constexpr (How == strategy::tiled) {
      tiled<value>::run(storage_, problem, part.inputs);
    } else {
      static_assert(How == strategy::circular, "cmerge: run() lacks a strategy");
      circular<value>::run(storage_, problem, part.inputs);
    }
  }

 private:
  /// A user's problem, whose ranges may lie in shared memory.
  template <class Problem>
  struct any_memory : Problem {
    static constexpr bool in_any_memory = true;
  };

  template <class Keys1, class Keys2, class KeysOut, class Values1, class Values2, class ValuesOut,
            class Compare>
  __device__ static auto local_problem(Keys1 keys1, Keys2 keys2, KeysOut keys_out, Values1 values1,
                                       Values2 values2, ValuesOut values_out, std::int64_t m,
                                       std::int64_t n, Compare comp) {
    static_assert(check_inputs<Keys1, Keys2, Compare>(), "fails inside, before the lines below do");
    static_assert(std::is_same_v<value_t<Keys1>, Key> && std::is_same_v<value_t<Keys2>, Key2>,
                  "cmerge: the ranges must hold the key types that the collective is declared "
                  "with");
    using problem = merge_problem<Keys1, Keys2, KeysOut, Values1, Values2, ValuesOut, Compare>;
    m = m < 0 ? 0 : m;
    n = n < 0 ? 0 : n;
    any_memory<problem> made{make_merge_problem(keys1, keys2, keys_out, values1, values2,
                                                values_out, m, n, saturating_sum(m, n), comp)};
    if (false) the_device_can_compare<any_memory<problem>>{}(made, nullptr, nullptr);
    return made;
  }

  /// The storage may hold anything that the group has written, also by a merge before.
  template <class Problem>
  __device__ void run_all(Problem& problem) {
    release_to_bulk_copies();
    if constexpr (How == strategy::single) {
      using single = single<value_of<Problem>>;
      typename single::template loader_of<Problem> loader(storage_);
      for_each_tile(problem, [&](const merge_window& part) {
        single::run(loader, storage_, problem, part);
        release_to_bulk_copies();
      });
      loader.close();
    } else if constexpr (How == strategy::indirect) {
      for_each_tile(problem, [&](const merge_window& part) { run(problem, part); });
    } else {
      run(problem, {whole_part(problem), 0, problem.outputs});
    }
  }

  /// Calls `merge_one` for one tile after the other, with a barrier behind each; every thread
  /// searches for each tile's end, between its begin and as many elements further.
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
                                           problem.keys1, problem.keys2, problem.comp));
      i = part.a_end;
      merge_one(merge_window{part, 0, count});
      Group::sync();
    }
  }

  template <class Problem, class OutputKey, class OutputValue>
  __device__ merge_consumed run_to_blocked(Problem& problem, OutputKey (&keys)[unsigned{Items}],
                                           OutputValue (&values)[unsigned{Items}]) {
    problem.outputs = min(problem.outputs, std::int64_t{tile});
    const merge_window part{whole_part(problem), 0, problem.outputs};
    if constexpr (is_in_place) {
      indirect<value_of<Problem>>::run_to_blocked(problem, part, keys, values);
    } else {
      using single = single<value_of<Problem>>;
      release_to_bulk_copies();
      typename single::template loader_of<Problem> loader(storage_);
      single::run_to_blocked(loader, storage_, problem, part, keys, values);
      Group::sync();  // all have waited for the loader
      loader.close();
    }
    return {part.inputs.a_end, part.inputs.b_end};
  }

  unsigned char* storage_;
};

}  // namespace detail
}  // namespace cmerge
