// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a GPU merge is cut into blocks, threads and tiles: data, from one constexpr function.
#pragma once

#include <cmerge/config.h>
#include <cmerge/tuning_table.h>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {

/// How a block merges its section of the output.
enum class CMERGE_VISIBLE strategy {
  basic,     ///< each thread searches, reads and writes global memory by itself
  tiled,     ///< tiles in shared memory; what a tile did not consume is loaded again
  circular,  ///< circular tiles in shared memory; every element of a section is loaded once
  single,    ///< one tile per block, whose inputs are known before anything is loaded
  indirect,  ///< keys stay in global memory: places are merged, then each element is moved once
  by_value,  ///< 1- and 2-byte integers: where each value starts is found, then values are written
};

/// Whether a value names a strategy: a tuning can hold any integer. No `default`, so that the
/// compiler warns (-Wswitch) when a new strategy is missing here.
CMERGE_HOST_DEVICE constexpr bool is_known(strategy how) {
  switch (how) {
    case strategy::basic:
    case strategy::tiled:
    case strategy::circular:
    case strategy::single:
    case strategy::indirect:
    case strategy::by_value:
      return true;
  }
  return false;
}

/// Which launches a tuning is for.
enum class CMERGE_VISIBLE problem_size {
  moderate,  ///< below `large_problem` outputs: many small blocks, to fill the device
  large,     ///< below `huge_problem` outputs, or keys that make no difference there
  huge,      ///< by_value keys of two bytes, so many that most values have long runs
};

/// Outputs from which a problem is large, and huge.
inline constexpr long long large_problem = 3ll << 19;
inline constexpr long long huge_problem = 3ll << 24;

/// What a tuning may depend on.
struct CMERGE_VISIBLE tuning_query {
  int arch;         ///< compute capability times ten that the code is compiled for: 75, 80, ...
  int key_bytes;    ///< size of the larger key type
  int value_bytes;  ///< size of the larger value type, 0 for keys alone
  problem_size size;
  bool contiguous;  ///< whether the output, or the first of zipped ones, is behind a pointer
  /// Whether keys have few values and equal ones cannot be told apart: contiguous integers of one
  /// type of 1 or 2 bytes, in the order of `<` or `>`; with values only keys of 1 byte, if the
  /// values have one trivial type of at most 16 bytes. Others have no `strategy::by_value`; they
  /// get the default tuning in its place.
  bool by_value = false;
};

/// How a merge is launched.
struct CMERGE_VISIBLE tuning {
  strategy how;
  int threads;     ///< threads per block, a multiple of 32, at most 1024
  int items;       ///< outputs per thread and tile (thread coarsening)
  int stages = 2;  ///< circular: 1 holds a tile of each input, 2 half a tile more

  /// Outputs per block and step, at most 32768; with `runs` outputs per block, at most.
  CMERGE_HIDDEN CMERGE_HOST_DEVICE constexpr int tile() const { return threads * items; }
};

/// Whether a kernel can be made with a tuning.
CMERGE_HOST_DEVICE constexpr bool is_launchable(tuning t) {
  return t.threads >= 32 && t.threads <= 1024 && t.threads % 32 == 0 && t.items >= 1 &&
         t.stages >= 1 && (t.how == strategy::by_value || t.items <= 32768 / t.threads);
}

/// Shared memory, in bytes, that a block can have on every device that runs code compiled for an
/// architecture (CUDA C++ programming guide, compute capabilities).
CMERGE_HOST_DEVICE constexpr int max_shared_bytes(int arch) {
  if (arch >= 80) return 99 << 10;  // 8.0 and 9.0 have more, but their code runs on 8.6 and 12.0
  if (arch == 75) return 64 << 10;
  return 48 << 10;
}

namespace detail {

/// Bytes of the largest values that a tile loads into shared memory with their keys.
inline constexpr int max_buffered_value = 1024;

/// The tiles of the smallest element in the table that is no smaller than the one in question.
constexpr tuned_tiles find_tiles(int key_bytes, int value_bytes) {
  const tuned_tiles* found = nullptr;
  for (const tuned_tiles& tiles : tuning_table) {
    const bool covers = tiles.key_bytes >= key_bytes && tiles.value_bytes >= value_bytes;
    if (covers && (found == nullptr || tiles.bytes() < found->bytes())) found = &tiles;
  }
  if (found != nullptr) return *found;
  // Larger than all in the table. About 40 KiB a tile, so that an SM holds a few blocks, but fewer
  // blocks rather than less than an output a thread. (H200: keys of 20 to 2048 bytes are merged at
  // 86 to 93 % of a copy's speed where 8-byte words can move them, values at 93 % and more.)
  const int loaded = key_bytes + value_bytes;
  const int threads = loaded <= 48 ? 256 : loaded <= 512 ? 128 : loaded <= 1024 ? 64 : 32;
  const int most = (40 << 10) / threads / loaded | 1;
  const int items = most < 11 ? most : 11;
  return {key_bytes,
          value_bytes,
          {threads < 128 ? threads : 128, items < 7 ? items : 7},
          {threads, items}};
}

}  // namespace detail

/// The tuning that a policy has unless `cmerge::tuned` attaches another one.
///
/// Where the output is memory, tiles are those of tuning_table.h, measured on sm_90. Other
/// architectures get the same, those of large problems with half the threads where an SM has at
/// most 100 KiB of shared memory, and a quarter where a tile would still have more than 21 KiB, so
/// that it holds a few blocks; they are derived, not measured.
struct CMERGE_VISIBLE default_tuning {
  CMERGE_HIDDEN static constexpr tuning get(tuning_query q) {
    // Of these, too few would fit in shared memory.
    if (q.key_bytes > 2048 || q.value_bytes > detail::max_buffered_value) {
      return {strategy::indirect, 128, 1};
    }
    if (q.by_value && q.size == (q.key_bytes == 1 ? problem_size::large : problem_size::huge)) {
      // One byte: sections as long as one row of blocks makes them (H200: up to 2^31 outputs). Two
      // bytes: a section of too many values is merged by its block alone, so they are shorter.
      return {strategy::by_value, 256, q.key_bytes == 1 ? 16384 : 256};
    }
    const detail::tuned_tiles tiles = detail::find_tiles(q.key_bytes, q.value_bytes);
    const bool is_moderate = q.size == problem_size::moderate;
    if (is_moderate && !q.contiguous && q.key_bytes <= 16) return {strategy::single, 128, 7};
    if (is_moderate) return {strategy::single, tiles.moderate.threads, tiles.moderate.items};
    const bool is_large_sm = q.arch == 80 || q.arch == 87 || (q.arch >= 90 && q.arch < 120);
    if (!q.contiguous && q.key_bytes <= 16) {
      // Odd numbers, so that neighbouring threads' outputs lie in different banks; fewer for wide
      // keys, which take more registers.
      const int items = q.key_bytes > 8 ? 7 : q.key_bytes > 4 ? 11 : 17;
      return {strategy::circular, is_large_sm ? 256 : 128, items};
    }
    int threads = tiles.large.threads;
    if (!is_large_sm) {
      threads = threads / 64 * 32;
      if (threads * tiles.large.items * tiles.bytes() > 21 << 10) threads = threads / 64 * 32;
    }
    return {strategy::single, threads < 32 ? 32 : threads, tiles.large.items};
  }
};

}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
