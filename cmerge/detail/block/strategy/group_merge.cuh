// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The merge by a group of threads, whatever the strategy: what block_merge, warp_merge and the
// kernel are made of.
#pragma once

#include <cmerge/detail/core/arguments.h>
#include <cmerge/tuning.h>
#include <cmerge/detail/block/strategy/basic.cuh>
#include <cmerge/detail/block/strategy/circular.cuh>
#include <cmerge/detail/block/strategy/indirect.cuh>
#include <cmerge/detail/block/strategy/single.cuh>
#include <cmerge/detail/block/strategy/tiled.cuh>

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

/// Named by all that merges in kernels, and never run, so that nvcc refuses a comparator, or a `<`
/// of the keys, without `__device__`. In functions for host and device it takes such a call, and
/// leaves it out.
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
template <class Group, class Key, int Items, class Value, strategy How, int Stages, class KeyB,
          merge_caller Caller = merge_caller::user>
class CMERGE_VISIBLE group_merge {
  static_assert(How != strategy::by_value, "cmerge: strategy::by_value is for whole grids");
  static_assert(is_known(How), "cmerge: unknown strategy");
  static_assert(Items >= 1, "cmerge: a thread makes at least one output at a time");

  static constexpr bool has_values = !std::is_void_v<Value>;
  static constexpr bool has_slack = Caller == merge_caller::kernel;
  static constexpr unsigned tile = Group::size * Items;
  using basic = basic_merge<Group, Items>;
  template <class V>
  using tiled = tiled_merge<Group, Items, Key, KeyB, V>;
  template <class V>
  using circular = circular_merge<Group, Items, Stages, Key, KeyB, V>;
  template <class V>
  using single = single_merge<Group, Items, Key, KeyB, V, has_slack>;
  template <class V>
  using indirect = indirect_merge<Group, Items, Key, KeyB, !std::is_void_v<V>>;

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
      case strategy::by_value:  // has no group merge
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

  template <class IteratorA, class IteratorB, class Output, class Compare>
  __device__ void merge(IteratorA first_a, std::int64_t m, IteratorB first_b, std::int64_t n,
                        Output out, Compare comp) {
    using none = no_values;
    auto problem = local_problem(first_a, first_b, out, none{}, none{}, none{}, m, n, comp);
    run_all(problem);
  }

  template <class KeysA, class KeysB, class ValuesA, class ValuesB, class KeysOut, class ValuesOut,
            class Compare>
  __device__ void merge_by_key(KeysA keys_a, std::int64_t m, KeysB keys_b, std::int64_t n,
                               ValuesA values_a, ValuesB values_b, KeysOut keys_out,
                               ValuesOut values_out, Compare comp) {
    static_assert(has_values, "cmerge: merge_by_key needs a collective with a Value");
    auto problem =
        local_problem(keys_a, keys_b, keys_out, values_a, values_b, values_out, m, n, comp);
    run_all(problem);
  }

  template <class IteratorA, class IteratorB, class OutputKey, class Compare>
  __device__ merge_consumed merge_to_blocked(IteratorA first_a, std::int64_t m, IteratorB first_b,
                                             std::int64_t n, OutputKey (&keys)[unsigned{Items}],
                                             Compare comp) {
    using none = no_values;
    auto problem = local_problem(first_a, first_b, no_output{}, none{}, none{}, none{}, m, n, comp);
    none values[Items];
    return run_to_blocked(problem, keys, values);
  }

  template <class KeysA, class KeysB, class ValuesA, class ValuesB, class OutputKey,
            class OutputValue, class Compare>
  __device__ merge_consumed merge_by_key_to_blocked(KeysA keys_a, std::int64_t m, KeysB keys_b,
                                                    std::int64_t n, ValuesA values_a,
                                                    ValuesB values_b,
                                                    OutputKey (&keys)[unsigned{Items}],
                                                    OutputValue (&values)[unsigned{Items}],
                                                    Compare comp) {
    static_assert(has_values, "cmerge: merge_by_key_to_blocked needs a collective with a Value");
    auto problem = local_problem(keys_a, keys_b, no_output{}, values_a, values_b,
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

  template <class KeysA, class KeysB, class KeysOut, class ValuesA, class ValuesB, class ValuesOut,
            class Compare>
  __device__ static auto local_problem(KeysA keys_a, KeysB keys_b, KeysOut keys_out,
                                       ValuesA values_a, ValuesB values_b, ValuesOut values_out,
                                       std::int64_t m, std::int64_t n, Compare comp) {
    static_assert(check_inputs<KeysA, KeysB, Compare>(), "fails inside, before the lines below do");
    static_assert(std::is_same_v<value_t<KeysA>, Key> && std::is_same_v<value_t<KeysB>, KeyB>,
                  "cmerge: the ranges must hold the key types that the collective is declared "
                  "with");
    using problem = merge_problem<KeysA, KeysB, KeysOut, ValuesA, ValuesB, ValuesOut, Compare>;
    m = m < 0 ? 0 : m;
    n = n < 0 ? 0 : n;
    any_memory<problem> made{make_merge_problem(keys_a, keys_b, keys_out, values_a, values_b,
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
                                           problem.keys_a, problem.keys_b, problem.comp));
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
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
