// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The block-wide collective: merges two sorted ranges with all threads of a block.
// Layer 7, includes block/*.cuh and tuning.h.
#pragma once

#include <cmerge/tuning.h>
#include <cmerge/block/basic.cuh>
#include <cmerge/block/circular.cuh>
#include <cmerge/block/single.cuh>
#include <cmerge/block/tiled.cuh>

#include <cstdint>
#include <type_traits>

namespace cmerge {

/// A block's merge of two sorted ranges, keys alone or keys with values.
///
/// All `Threads` threads of a one-dimensional block call a member together, with equal arguments.
/// The ranges may lie in global or shared memory, behind any random-access iterators, and may be
/// of any length; `strategy::single` is made for ranges of one tile.
///
/// - Shared memory: `TempStorage`; construct one object for it in a kernel, and put a block barrier
///   between two merges that use it.
/// - Stability: stable; of equal keys those of the first range come first.
/// - Complexity: tiles of `Threads * Items` outputs, each at two block barriers (`circular`; four
///   where keys are too large for registers), three (`tiled`) or four (`single`); O(log(Threads *
///   Items)) comparisons a thread and tile to find its share, then one an output. `circular` loads
///   every key once, `tiled` about twice; every value is moved once.
/// - On return the calling thread's stores are under way as ordinary stores are: other threads of
///   the block see the output after a block barrier, others after the kernel.
///
/// \tparam Key        key type of the first range
/// \tparam Threads    threads in the block, a multiple of 32
/// \tparam Items      outputs per thread and tile; odd numbers avoid bank conflicts
/// \tparam Value      type of the values that `merge_by_key` moves, `void` if it is not used
/// \tparam How        the strategy
/// \tparam Stages     `circular`: 1, or 2 to load the next tile while one is merged
/// \tparam Key2       key type of the second range
///
/// Source: D. Kirk, W. Hwu and I. El Hajj, "Programming Massively Parallel Processors", 4th ed.,
/// 2022, chapter 12.
template <class Key, int Threads, int Items, class Value = void, strategy How = strategy::circular,
          int Stages = 2, class Key2 = Key>
class block_merge {
  static_assert(Threads % 32 == 0 && Threads <= 1024, "cmerge: a block has whole warps");
  static_assert(How != strategy::runs, "cmerge: strategy::runs is for whole grids");

  using basic = detail::basic_merge<Threads, Items>;
  using tiled = detail::tiled_merge<Threads, Items, Key, Key2, Value>;
  using circular = detail::circular_merge<Threads, Items, Stages, Key, Key2, Value>;
  using single = detail::single_merge<Threads, Items, Key, Key2, Value>;

 public:
  /// Bytes of shared memory for a tuning, which may be known at run time only.
  CMERGE_HOST_DEVICE static constexpr unsigned storage_bytes(tuning t) {
    const detail::tuning_shape shape{static_cast<unsigned>(t.tile()),
                                     static_cast<unsigned>(t.items),
                                     static_cast<unsigned>(t.stages)};
    switch (t.how) {
      case strategy::tiled:
        return tiled::storage_bytes(shape);
      case strategy::circular:
        return circular::storage_bytes(shape);
      case strategy::single:
        return single::storage_bytes(shape);
      default:
        return basic::storage_bytes();
    }
  }

  /// How far apart the bounds of either end of a part may be for `run`; 0 if it must be exact.
  CMERGE_HOST_DEVICE static constexpr unsigned slack_of(tuning t) {
    return t.how == strategy::single
               ? detail::single_slack<Key, Key2>(static_cast<unsigned>(t.tile()))
               : 0;
  }

  /// The shared memory of one block.
  struct alignas(16) TempStorage {
    unsigned char bytes[How == strategy::basic ? 1 : storage_bytes({How, Threads, Items, Stages})];
  };

  __device__ explicit block_merge(TempStorage& storage) : storage_(storage.bytes) {}

  /// Merges `first1[0..m)` and `first2[0..n)` to `out[0..m + n)`.
  template <class Iterator1, class Iterator2, class Output, class Compare>
  __device__ void merge(Iterator1 first1, std::int64_t m, Iterator2 first2, std::int64_t n,
                        Output out, Compare comp) {
    check_keys<Iterator1, Iterator2>();
    using none = detail::no_values;
    local_problem<Iterator1, Iterator2, Output, none, none, none, Compare> problem{
        {first1, first2, out, {}, {}, {}, m, n, comp}};
    run_all(problem);
  }

  /// Merges keys, and moves each value where its key goes.
  template <class Keys1, class Keys2, class Values1, class Values2, class KeysOut, class ValuesOut,
            class Compare>
  __device__ void merge_by_key(Keys1 keys1, std::int64_t m, Keys2 keys2, std::int64_t n,
                               Values1 values1, Values2 values2, KeysOut keys_out,
                               ValuesOut values_out, Compare comp) {
    static_assert(!std::is_void_v<Value>, "cmerge: merge_by_key needs a block_merge with a Value");
    check_keys<Keys1, Keys2>();
    local_problem<Keys1, Keys2, KeysOut, Values1, Values2, ValuesOut, Compare> problem{
        {keys1, keys2, keys_out, values1, values2, values_out, m, n, comp}};
    run_all(problem);
  }

  /// Merges one part of a problem: what the device-wide kernel calls. With `strategy::single` it
  /// makes one tile at most, from bounds that are `slack_of` apart at most; others need exact ones.
  template <class Problem>
  __device__ void run(Problem& problem, const detail::merge_window& part) {
    if constexpr (How == strategy::single) {
      single::run(storage_, problem, part);
    } else {
      run_range(problem, part.inputs);
    }
  }

 private:
  /// A user's problem, whose ranges may lie in shared memory.
  template <class... Types>
  struct local_problem : detail::merge_problem<Types...> {
    static constexpr bool in_any_memory = true;
  };

  template <class Iterator1, class Iterator2>
  __device__ static constexpr void check_keys() {
    static_assert(std::is_same_v<detail::value_t<Iterator1>, Key> &&
                      std::is_same_v<detail::value_t<Iterator2>, Key2>,
                  "cmerge: the ranges must hold the key types that block_merge is declared with");
  }

  /// The storage may hold anything that the block has written, also by a merge before.
  template <class Problem>
  __device__ void run_all(Problem& problem) {
    detail::release_to_bulk_copies();
    if constexpr (How == strategy::single) {
      single::run_all(storage_, problem);
    } else {
      run_range(problem, {0, problem.m, 0, problem.n});
    }
  }

  template <class Problem>
  __device__ void run_range(Problem& problem, const detail::merge_range& part) {
    if constexpr (How == strategy::basic) {
      basic::run(problem, part);
    } else if constexpr (How == strategy::tiled) {
      tiled::run(storage_, problem, part);
    } else {
      circular::run(storage_, problem, part);
    }
  }

  unsigned char* storage_;
};

}  // namespace cmerge
