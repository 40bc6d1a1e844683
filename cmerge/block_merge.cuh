// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The collectives: all threads of a block, or of a warp, merge two sorted ranges together.
#pragma once

#include <cmerge/detail/block/strategy/group_merge.cuh>

#include <cstdint>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {

/// Merges two sorted ranges with all threads of a block: keys alone, or keys with values.
///
/// All `Threads` threads of a one-dimensional block call a member together, with equal arguments:
///
/// - `block_merge(storage)` takes a `TempStorage` or a `DynamicTempStorage`.
/// - `merge(first1, m, first2, n, out, comp)` merges `first1[0..m)` and `first2[0..n)` into
///   `out[0..m + n)`.
/// - `merge_by_key(keys1, m, keys2, n, values1, values2, keys_out, values_out, comp)` also moves
///   each value with its key.
/// - `merge_to_blocked(first1, m, first2, n, keys, comp)` leaves the first `Threads * Items`
///   outputs in registers, in a blocked arrangement: outputs `[t * Items, (t + 1) * Items)` are in
///   the array `keys` of thread `t`, which has `Items` elements. If there are fewer outputs, the
///   other elements of the arrays stay unchanged. All threads get a `merge_consumed`: the numbers
///   of elements that these outputs took from each range. To continue, merge the rest of both
///   ranges.
/// - `merge_by_key_to_blocked(keys1, m, keys2, n, values1, values2, keys, values, comp)` does the
///   same with values.
///
/// The ranges can have any length and any random-access iterators. They can be in global memory, in
/// shared memory, or in the shared memory of another block of the cluster.
///
/// The default strategy, `single`, is the fastest for ranges of one tile. It needs the least shared
/// memory of those that load keys into it. For longer ranges choose `circular`, which loads each
/// key once. With 128 threads and 7 items of `int` or `long long` on an H200, `single` is 1.1 to
/// 1.2 times as fast for one tile. `circular` is 1.3 to 1.4 times as fast for 2 tiles, 1.7 to 1.9
/// times for 18, and 3 times for 146.
///
/// - Preconditions: both ranges are sorted by `comp`, a strict weak ordering. The output has room
///   for all elements and does not overlap the inputs. A negative length is 0.
/// - Stability: stable. Equal keys of the first range come before those of the second.
/// - Complexity: one comparison per output. For each tile of `Threads * Items` outputs, a thread
///   also takes O(log(Threads * Items)) comparisons to find its share. `circular` loads each key
///   once, and `tiled` about twice. Each value is moved once. `basic` has no tiles: a thread finds
///   its next `Items` outputs by O(log(m + n)) comparisons.
/// - Barriers of the block, per tile: four for `single`, three for `tiled`, and two for `circular`
///   and `indirect`. With keys that are too large for registers, `circular` has four. `basic` has
///   none.
/// - Synchronisation: on return, the stores of the calling thread are in flight, as ordinary stores
///   are. The threads of the block see the output after a block barrier, and others after the
///   kernel.
/// - Shared memory: declare one `TempStorage` in the kernel. Put a block barrier between two merges
///   that use it. Static shared memory has at most 48 KiB. If the storage is larger, put a
///   `DynamicTempStorage` in dynamic shared memory, aligned to 16 bytes, and opt in to its size
///   with `cudaFuncSetAttribute`.
///
/// The table gives the size of the storage in bytes, for tiles of `t = Threads * Items` outputs,
/// keys of `k` bytes and trivially copyable values of `v` bytes, at most 1024. The first two
/// columns are approximate, and the examples are exact. `tiled` and `circular` take at least as
/// much as `single`, because `merge_to_blocked` uses `single`.
///
/// | strategy | keys | plus, with values | `int` | `long long` | `int`, `int` values |
/// |---|---|---|---|---|---|
/// | threads x items | | | 128 x 7 | 256 x 15 | 128 x 7 |
/// | `single` | `t k + 256` | `t (v + 2) + 256` | 3856 | 30992 | 9488 |
/// | `tiled` | `3 t k` | `2 t` | 10816 | 92224 | 12608 |
/// | `circular` | `5 t k`, `4 t k` if `t >= 1024` | `2 t` | 18048 | 125248 | 19840 |
/// | `circular`, 1 stage | `3 t k` | `2 t` | 10880 | 92480 | 12672 |
/// | `indirect` | `2 t` | 0 | 1792 | 7680 | 1792 |
/// | `basic` | 16 | 0 | 16 | 16 | 16 |
///
/// \tparam Key      type of the keys of the first range. Except with `basic` and `indirect`, it
///                  must be copyable and trivially destructible
/// \tparam Threads  threads in the block, 1 to 1024. Whole warps are best
/// \tparam Items    outputs per thread and tile. Odd numbers avoid bank conflicts
/// \tparam Value    type of the values of `merge_by_key`, or `void` if only keys are merged
/// \tparam How      the strategy, any but `by_value`. `merge_to_blocked` uses `indirect` if this is
///                  `basic` or `indirect`, and otherwise `single`
/// \tparam Stages   for `circular`: 1, or 2 to load the next elements while a tile is merged
/// \tparam Key2     type of the keys of the second range
///
/// \snippet block_collective.cu block_merge
///
/// `merge_to_blocked` with the block primitives of CUB:
///
/// \snippet posting_lists.cu merge_to_blocked
///
/// Source: D. Kirk, W. Hwu and I. El Hajj, "Programming Massively Parallel Processors", 4th ed.,
/// 2022, chapter 12.
template <class Key, int Threads, int Items, class Value = void, strategy How = strategy::single,
          int Stages = 2, class Key2 = Key>
class CMERGE_VISIBLE block_merge
    : public detail::group_merge<detail::merge_config<
          detail::block_group<Threads>, How, Items, Stages,
          detail::merge_elements<Key, Key2, Value>, detail::merge_caller::user>> {
  static_assert(Threads >= 1 && Threads <= 1024, "cmerge: a block has 1 to 1024 threads");

 public:
  /// Takes the shared memory of the block.
  using block_merge::group_merge::group_merge;
};

/// Merges two sorted ranges with the lanes of one warp, or of a part of a warp.
///
/// It has the members, preconditions and guarantees of `block_merge`, with `Lanes` instead of
/// `Threads`. A group is `Lanes` neighbouring lanes, from a multiple of `Lanes` on. All lanes of a
/// group call a member together. Each group has its own `TempStorage` and its own arguments.
/// Barriers are those of the group's lanes: put `__syncwarp` between two merges that use one
/// storage.
///
/// \tparam Key    type of the keys of the first range
/// \tparam Items  outputs per lane and tile
/// \tparam Value  type of the values of `merge_by_key`, or `void` if only keys are merged
/// \tparam Lanes  lanes that merge together: 1, 2, 4, 8, 16 or 32
/// \tparam How    `single`, or `indirect` to leave the keys where they are
/// \tparam Key2   type of the keys of the second range
///
/// \snippet posting_lists.cu warp_merge
template <class Key, int Items, class Value = void, int Lanes = 32, strategy How = strategy::single,
          class Key2 = Key>
class CMERGE_VISIBLE warp_merge
    : public detail::group_merge<detail::merge_config<detail::warp_group<Lanes>, How, Items, 1,
                                                      detail::merge_elements<Key, Key2, Value>,
                                                      detail::merge_caller::user>> {
  static_assert(How == strategy::single || How == strategy::indirect,
                "cmerge: a warp merges with strategy::single or strategy::indirect");

 public:
  /// Takes the shared memory of the group.
  using warp_merge::group_merge::group_merge;
};

}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
