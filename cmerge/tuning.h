// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a merge on a GPU is cut into blocks, threads and tiles. A constexpr function gives this data
// for a problem and an architecture. tuned.h replaces that function.
#pragma once

#include <cmerge/config.h>
#include <cmerge/tuning_table.h>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {

/// How a block merges its section of the output.
enum class CMERGE_VISIBLE strategy {
  /// Each thread searches, reads and writes global memory independently. Works for any type. Slow.
  basic,
  /// A block merges many tiles in shared memory. Elements that a tile does not consume are loaded
  /// again. For comparison.
  tiled,
  /// A block merges many tiles in circular buffers in shared memory. Each element of a section is
  /// loaded once.
  circular,
  /// A block merges one tile in shared memory. It knows bounds of its inputs before it loads them.
  single,
  /// Keys stay in global memory. A block merges positions, then moves each element once.
  indirect,
  /// For 1- and 2-byte integers. A block finds where each value starts in the output, and writes
  /// the values.
  by_value,
};

namespace detail {

/// The name of a strategy, or null if the value names none. It has no `default`, so that the
/// compiler warns (-Wswitch) if a new strategy is missing here.
CMERGE_HOST_DEVICE constexpr const char* name_or_null(strategy how) {
  switch (how) {
    case strategy::basic:
      return "basic";
    case strategy::tiled:
      return "tiled";
    case strategy::circular:
      return "circular";
    case strategy::single:
      return "single";
    case strategy::indirect:
      return "indirect";
    case strategy::by_value:
      return "by_value";
  }
  return nullptr;
}

}  // namespace detail

/// Tests whether a value names a strategy. A tuning can hold any integer.
///
/// \param how  the value
/// \returns true if `how` is an enumerator of `strategy`
///
/// \snippet host_calls.cpp default_tuning
CMERGE_HOST_DEVICE constexpr bool is_known(strategy how) {
  return detail::name_or_null(how) != nullptr;
}

/// Names a strategy, for messages.
///
/// \param how  the strategy
/// \returns the enumerator as a string, such as `"single"`, or `"unknown"` if `is_known` is false
///
/// \snippet host_calls.cpp default_tuning
CMERGE_HOST_DEVICE constexpr const char* name(strategy how) {
  const char* const known = detail::name_or_null(how);
  return known != nullptr ? known : "unknown";
}

/// How large a problem is. Each size has its own tuning.
enum class CMERGE_VISIBLE problem_size {
  /// Fewer than `large_problem` outputs. Many small blocks fill the device.
  moderate,
  /// All others.
  large,
  /// At least `huge_problem` outputs, if the keys are 2-byte integers that can be merged by value.
  huge,
};

/// Number of outputs from which a problem is large.
///
/// It lies halfway between 2^20 and 2^21. The moderate tiles were selected for 2^20 outputs. From
/// 2^21 outputs on, no tile was faster than the large ones (4- and 8-byte keys, H200).
inline constexpr long long large_problem = 3ll << 19;

/// Number of outputs from which a problem is huge.
///
/// Here each of the 65,536 values of a 2-byte key has 768 outputs on average, or 1.5 KiB. A round
/// of searches for a value reads a third of that: four threads search in each input, and each probe
/// reads 64 bytes. With fewer outputs per value, searching soon reads more than merging.
inline constexpr long long huge_problem = 3ll << 24;

/// The properties of a problem that a tuning can depend on.
struct CMERGE_VISIBLE tuning_query {
  /// Compute capability, times ten, that the code is compiled for: 75, 80, ... It is 0 in code for
  /// the host.
  int arch;
  /// Size of the larger key type, in bytes.
  int key_bytes;
  /// Size of the larger value type, in bytes. It is 0 if there are no values.
  int value_bytes;
  /// Which tuning is wanted.
  problem_size size;
  /// Whether the output is known to be memory: a pointer, or a zip iterator that starts with one.
  bool contiguous;
  /// Whether the keys can be merged by value: integers of one type of 1 or 2 bytes, behind
  /// pointers, in the order of `<` or `>`. With values, only 1-byte keys can, and the values must
  /// have one trivial type of at most 16 bytes. If this is false, a tuning with
  /// `strategy::by_value` is replaced by the default tuning.
  bool by_value = false;
};

/// How a merge is launched.
///
/// \snippet host_calls.cpp default_tuning
struct CMERGE_VISIBLE tuning {
  /// The strategy.
  strategy how;
  /// Threads per block, a multiple of 32, from 32 to 1024.
  int threads;
  /// Outputs per thread and tile, at least 1. An odd number avoids bank conflicts.
  int items;
  /// For `strategy::circular`: with 1, the buffers hold one tile of each input. With 2, they hold
  /// half a tile more, and the next elements are loaded during a merge. At least 1.
  int stages = 2;

  /// Outputs per block and tile, at most 32768. For `strategy::by_value` it is the maximum number
  /// of outputs per block, which can be larger.
  ///
  /// \returns `threads * items`
  CMERGE_HIDDEN CMERGE_HOST_DEVICE constexpr int tile() const { return threads * items; }
};

/// Tests whether a kernel can be made with a tuning.
///
/// It checks the numbers, not the strategy (see `is_known`). A tile has at most 32,768 outputs,
/// because the source of an output takes 16 bits: one for the input, and 15 for the position.
///
/// \param t  the tuning
/// \returns true if all numbers are in range
///
/// \snippet host_calls.cpp default_tuning
CMERGE_HOST_DEVICE constexpr bool is_launchable(tuning t) {
  return t.threads >= 32 && t.threads <= 1024 && t.threads % 32 == 0 && t.items >= 1 &&
         t.stages >= 1 && (t.how == strategy::by_value || t.items <= 32768 / t.threads);
}

/// Gives the shared memory that a block can have on every device that runs the code of an
/// architecture.
///
/// \param arch  compute capability, times ten, that the code is compiled for
/// \returns a number of bytes
///
/// \snippet host_calls.cpp default_tuning
///
/// Source: CUDA C++ Programming Guide, "Compute Capabilities".
CMERGE_HOST_DEVICE constexpr int max_shared_bytes(int arch) {
  if (arch >= 80) return 99 << 10;  // 8.0 and 9.0 have more, but their code runs on 8.6 and 12.0.
  if (arch == 75) return 64 << 10;
  return 48 << 10;  // any device, without opt-in
}

namespace detail {

/// Size of the largest values, in bytes, that a tile loads into shared memory with their keys. With
/// it, one warp's 32 keys of 2 KiB and their values take 96 KiB. A block can have 99 KiB.
inline constexpr int max_buffered_value = 1024;

/// The tiles for an element size: those of the smallest element in the table that is at least as
/// large in both respects.
constexpr tuned_tiles find_tiles(int key_bytes, int value_bytes) {
  const tuned_tiles* found = nullptr;
  for (const tuned_tiles& tiles : tuning_table) {
    const bool covers = tiles.key_bytes >= key_bytes && tiles.value_bytes >= value_bytes;
    if (covers && (found == nullptr || tiles.bytes() < found->bytes())) found = &tiles;
  }
  if (found != nullptr) return *found;
  // Elements larger than the table's get tiles of about 40 KiB, so that an SM holds a few blocks:
  // five if it has 228 KiB. On an H200, keys of 20 to 100 bytes reach 92 to 94 % of a copy with
  // 40 KiB, and 64 to 87 % with 16 KiB. Keys of up to 2048 bytes reach 86 % or more if 8-byte words
  // can move them, and values 93 %.
  const int loaded = key_bytes + value_bytes;
  // 256 threads have at least three outputs each in 40 KiB up to 48 bytes. Beyond that, the number
  // of threads halves where one output per thread would take more than 64 KiB.
  const int threads = loaded <= 48 ? 256 : loaded <= 512 ? 128 : loaded <= 1024 ? 64 : 32;
  // An odd number avoids bank conflicts, and `| 1` makes it at least 1. The maximum, here and for
  // moderate problems, is what the table has for 16-byte keys: 256 x 11 and 128 x 7.
  const int max_items = (40 << 10) / threads / loaded | 1;
  const int items = max_items < 11 ? max_items : 11;
  return {key_bytes,
          value_bytes,
          {threads < 128 ? threads : 128, items < 7 ? items : 7},
          {threads, items}};
}

}  // namespace detail

/// The tuning of a policy to which `cmerge::tuned` has attached no other.
///
/// If the output is memory, the tiles are those of tuning_table.h, measured on sm_90. For other
/// architectures they are derived, not measured. If an SM has at most 100 KiB of shared memory,
/// large problems get half the threads. They get a quarter if a tile would still have more than
/// 21 KiB. So an SM holds a few blocks.
///
/// \snippet host_calls.cpp default_tuning
struct CMERGE_VISIBLE default_tuning {
  /// Gives the tuning for a problem.
  ///
  /// \param q  the properties of the problem
  /// \returns the tuning
  CMERGE_HIDDEN static constexpr tuning get(tuning_query q) {
    // The smallest tile, 32 keys of 2 KiB with values of 1 KiB, takes 96 KiB of the 99 KiB that a
    // block can have. For larger elements, `indirect` is as fast: 87 to 96 % of a copy with 4 KiB
    // keys, measured with 128 x 1 (H200).
    if (q.key_bytes > 2048 || q.value_bytes > detail::max_buffered_value) {
      return {strategy::indirect, 128, 1};
    }
    if (q.by_value && q.size == (q.key_bytes == 1 ? problem_size::large : problem_size::huge)) {
      // 1-byte keys have sections of up to 4 MiB. So up to 2^31 outputs, an H200 has one section
      // for each block that it holds. 2-byte keys have sections of at most 128 KiB: a section with
      // too many values is merged by its block, and the other blocks would wait for a longer one.
      return {strategy::by_value, 256, q.key_bytes == 1 ? 16384 : 256};
    }
    const detail::tuned_tiles tiles = detail::find_tiles(q.key_bytes, q.value_bytes);
    const bool is_moderate = q.size == problem_size::moderate;
    // Keys of up to 16 bytes pass through registers. For these, the table was measured with outputs
    // in memory only, and 128 x 7 is its smallest tile.
    if (is_moderate && !q.contiguous && q.key_bytes <= 16) return {strategy::single, 128, 7};
    if (is_moderate) return {strategy::single, tiles.moderate.threads, tiles.moderate.items};
    // Their SMs have 164 KiB of shared memory or more. Others have at most 100 KiB.
    const bool is_large_sm = q.arch == 80 || q.arch == 87 || (q.arch >= 90 && q.arch < 120);
    if (!q.contiguous && q.key_bytes <= 16) {
      // Odd numbers, so that the outputs of neighbouring threads are in different banks. Wide keys
      // have fewer, because their keys take more registers: 17, 22 and 28 here.
      const int items = q.key_bytes > 8 ? 7 : q.key_bytes > 4 ? 11 : 17;
      return {strategy::circular, is_large_sm ? 256 : 128, items};
    }
    int threads = tiles.large.threads;
    if (!is_large_sm) {
      threads = threads / 64 * 32;
      // A tile of 21 KiB takes up to 32 KiB of shared memory, with slack, sources and 1 KiB that
      // CUDA reserves. So an SM with 100 KiB holds three blocks.
      if (threads * tiles.large.items * tiles.bytes() > 21 << 10) threads = threads / 64 * 32;
    }
    return {strategy::single, threads < 32 ? 32 : threads, tiles.large.items};
  }
};

}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
