// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a GPU merge is cut into blocks, threads and tiles: data, from one constexpr function.
// Layer 1, includes config.h alone.
#pragma once

#include <cmerge/config.h>

namespace cmerge {

/// How a block merges its section of the output.
enum class strategy {
  basic,     ///< each thread searches, reads and writes global memory by itself
  tiled,     ///< tiles in shared memory; what a tile did not consume is loaded again
  circular,  ///< circular tiles in shared memory; every element of a section is loaded once
  single,    ///< one tile per block, whose exact inputs are found before anything is loaded
};

/// Which launches a tuning is for.
enum class problem_size {
  small,  ///< too few outputs to fill the device: many small blocks
  large,
};

/// What a tuning may depend on.
struct tuning_query {
  int arch;           ///< compute capability times ten: 75, 80, 90, ...
  int key_bytes;      ///< size of the larger key type
  int value_bytes;    ///< size of the larger value type, 0 for keys alone
  problem_size size;  ///< small or large
};

/// How a merge is launched.
struct tuning {
  strategy how;
  int threads;           ///< threads per block, a multiple of 32
  int items;             ///< outputs per thread and tile (thread coarsening)
  int stages;            ///< circular: tiles that a circular buffer holds, 1 or 2
  int blocks_per_sm;     ///< tiled, circular: blocks that an SM is expected to hold

  /// Outputs per block and step.
  CMERGE_HOST_DEVICE constexpr int tile() const { return threads * items; }
};

/// The tuning that a policy has unless `cmerge::tuned` attaches another one.
struct default_tuning {
  static CMERGE_HOST_DEVICE constexpr tuning get(tuning_query) {
    return {strategy::circular, 128, 15, 2, 4};
  }
};

}  // namespace cmerge
