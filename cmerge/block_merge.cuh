// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The collectives: merge two sorted ranges with all threads of a block, or of a warp.
#pragma once

#include <cmerge/detail/block/strategy/group_merge.cuh>

#include <cstdint>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {

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
///   behind the last output stays as it was. Returns in all threads a `merge_consumed`: how many
///   elements of each range these outputs took. To continue, merge the rest of both ranges;
/// - `merge_by_key_to_blocked(keys1, m, keys2, n, values1, values2, keys, values, comp)` likewise.
///
/// The ranges may lie in global or shared memory, also in that of another block of the cluster,
/// behind any random-access iterators, and may be of any length. Negative lengths count as 0.
///
/// The default strategy, `single`, needs the least shared memory of those that stage keys, and is
/// the fastest for ranges of one tile. For longer ranges choose `circular`, which loads each key
/// once. Measured on an H200 (`int` and `long long`, 128 threads, 7 items): `single` is 1.1 to 1.2
/// times as fast on one tile; `circular` is 1.3 to 1.4 times as fast on 2 tiles, 1.7 to 1.9 times
/// on 18, and 3 times on 146.
///
/// - Shared memory: `TempStorage`; construct one object for it in a kernel, and put a block barrier
///   between two merges that use it. Static shared memory has at most 48 KiB. For larger storage,
///   place a `DynamicTempStorage` in dynamic shared memory, aligned to 16 bytes, and ask for its
///   size with `cudaFuncSetAttribute`. The table gives bytes: about, for a tile of
///   `t = Threads * Items` outputs with keys of `k` bytes and values of `v` bytes (at most 1024,
///   trivially copyable); exact, for three examples. `tiled` and `circular` never take less than
///   `single`, which `merge_to_blocked` uses:
///
///   | strategy | keys | added by values | `int` 128 x 7 | `long long` 256 x 15 | 2 `int` 128 x 7 |
///   |---|---|---|---|---|---|
///   | `single` | `t k + 256` | `t (v + 2) + 256` more | 3856 | 30992 | 9488 |
///   | `tiled` | `3 t k` | `2 t` more | 10816 | 92224 | 12608 |
///   | `circular` | `5 t k`, `4 t k` if `t >= 1024` | `2 t` more | 18048 | 125248 | 19840 |
///   | `circular`, 1 stage | `3 t k` | `2 t` more | 10880 | 92480 | 12672 |
///   | `indirect` | `2 t` | none more | 1792 | 7680 | 1792 |
///   | `basic` | 16 | none more | 16 | 16 | 16 |
///
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
/// \tparam How        the strategy, any but `runs`. `merge_to_blocked` works as `indirect` with
///                    `basic` and `indirect`, and as `single` with all others
/// \tparam Stages     `circular`: 1, or 2 to load the next tile while one is merged
/// \tparam Key2       key type of the second range
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
  using block_merge::group_merge::group_merge;
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
class CMERGE_VISIBLE warp_merge
    : public detail::group_merge<detail::merge_config<detail::warp_group<Lanes>, How, Items, 1,
                                                      detail::merge_elements<Key, Key2, Value>,
                                                      detail::merge_caller::user>> {
  static_assert(How == strategy::single || How == strategy::indirect,
                "cmerge: a warp merges with strategy::single or strategy::indirect");

 public:
  using warp_merge::group_merge::group_merge;
};

}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
