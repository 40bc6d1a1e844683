// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The collectives: merge two sorted ranges with all threads of a block, or of a warp.
// Layer 8, includes block/group_merge.cuh alone.
#pragma once

#include <cmerge/block/group_merge.cuh>

#include <cstdint>

namespace cmerge {

/// A block's merge of two sorted ranges, keys alone or keys with values.
///
/// All `Threads` threads of a one-dimensional block call a member together, with equal arguments:
///
/// - `merge(first1, m, first2, n, out, comp)` merges `first1[0..m)` and `first2[0..n)` to
///   `out[0..m + n)`;
/// - `merge_by_key(keys1, m, keys2, n, values1, values2, keys_out, values_out, comp)` also moves
///   each value where its key goes;
/// - `merge_to_blocked(first1, m, first2, n, keys, comp)` leaves the first `Threads * Items`
///   outputs, or as many as there are, in registers, in the blocked arrangement of CUB: thread `t`
///   has outputs `[t * Items, (t + 1) * Items)` in its array `keys` of `Items` elements. What lies
///   behind the last output stays as it was;
/// - `merge_by_key_to_blocked(keys1, m, keys2, n, values1, values2, keys, values, comp)` likewise.
///
/// The ranges may lie in global or shared memory, behind any random-access iterators, and may be
/// of any length; `strategy::single` is made for ranges of one tile. Negative lengths count as 0.
///
/// - Shared memory: `TempStorage`; construct one object for it in a kernel, and put a block barrier
///   between two merges that use it.
/// - Stability: stable; of equal keys those of the first range come first.
/// - Complexity: tiles of `Threads * Items` outputs, each at two block barriers (`circular`; four
///   where keys are too large for registers), three (`tiled`), four (`single`) or two (`indirect`);
///   O(log(Threads * Items)) comparisons a thread and tile to find its share, then one an output.
///   `circular` loads every key once, `tiled` about twice; every value is moved once. `basic` has
///   no tiles and no barriers: a thread finds each `Items` outputs in O(log(m + n)) comparisons.
/// - On return the calling thread's stores are under way as ordinary stores are: other threads of
///   the block see the output after a block barrier, others after the kernel.
///
/// \tparam Key        key type of the first range; with other strategies than `basic` and
///                    `indirect` it can be copied, and has no destructor
/// \tparam Threads    threads in the block, 1 to 1024; whole warps are used best
/// \tparam Items      outputs per thread and tile; odd numbers avoid bank conflicts
/// \tparam Value      type of the values that `merge_by_key` moves, `void` if it is not used
/// \tparam How        the strategy, any but `runs`
/// \tparam Stages     `circular`: 1, or 2 to load the next tile while one is merged
/// \tparam Key2       key type of the second range
///
/// Source: D. Kirk, W. Hwu and I. El Hajj, "Programming Massively Parallel Processors", 4th ed.,
/// 2022, chapter 12.
template <class Key, int Threads, int Items, class Value = void, strategy How = strategy::circular,
          int Stages = 2, class Key2 = Key>
class block_merge : public detail::group_merge<detail::block_group<Threads>, Key, Items, Value, How,
                                               Stages, Key2> {
  static_assert(Threads >= 1 && Threads <= 1024, "cmerge: a block has 1 to 1024 threads");

 public:
  using detail::group_merge<detail::block_group<Threads>, Key, Items, Value, How, Stages,
                            Key2>::group_merge;
};

/// A warp's merge of two sorted ranges: `block_merge` for the lanes of one warp, or for as many
/// lanes of it as it is cut into.
///
/// The members are those of `block_merge`, with `Lanes` in place of `Threads`, and
/// `strategy::single` (or `indirect`). Each group of `Lanes` neighbouring lanes has a `TempStorage`
/// and arguments of its own; all of its lanes call together. Barriers are those of the group's
/// lanes: put `__syncwarp` between two merges that use one storage.
///
/// \tparam Key    key type of the first range
/// \tparam Items  outputs per lane and tile
/// \tparam Value  type of the values that `merge_by_key` moves, `void` if it is not used
/// \tparam Lanes  lanes that merge together: 1, 2, 4, 8, 16 or 32
/// \tparam How    `single`, or `indirect` to leave keys where they are
/// \tparam Key2   key type of the second range
template <class Key, int Items, class Value = void, int Lanes = 32, strategy How = strategy::single,
          class Key2 = Key>
class warp_merge
    : public detail::group_merge<detail::warp_group<Lanes>, Key, Items, Value, How, 1, Key2> {
  static_assert(How == strategy::single || How == strategy::indirect,
                "cmerge: a warp merges with strategy::single or strategy::indirect");

 public:
  using detail::group_merge<detail::warp_group<Lanes>, Key, Items, Value, How, 1,
                            Key2>::group_merge;
};

}  // namespace cmerge
