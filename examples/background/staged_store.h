// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a merge stores its tile. A thread of a merge has consecutive outputs, so neighbouring threads
// would store far apart; through shared memory, neighbours store to neighbouring addresses.
#pragma once

#include "block_program.h"

namespace background {

/// Each thread stores its outputs from registers. Output k has the value k.
template <int Threads, int Items>
struct direct_store {
  static constexpr int threads = Threads;
  using storage = no_storage;

  template <class Block>
  CMERGE_HOST_DEVICE static void run(Block& block, storage&, std::uint32_t* out) {
    block.for_each_thread([&](int t) {
      for (int item = 0; item < Items; ++item) {
        const auto k = static_cast<std::uint32_t>(t * Items + item);
        block.store(out, k, k);
      }
    });
  }
};

/// Each thread stages its outputs in shared memory; the block stores the tile in order. In a
/// request of the staging, threads are `Items` words apart: without conflicts if `Items` is odd.
template <int Threads, int Items>
struct staged_store {
  static constexpr int threads = Threads;
  static constexpr int tile = Threads * Items;
  struct storage {
    std::uint32_t values[tile];
  };

  template <class Block>
  CMERGE_HOST_DEVICE static void run(Block& block, storage& shared, std::uint32_t* out) {
    block.for_each_thread([&](int t) {
      for (int item = 0; item < Items; ++item) {
        const int k = t * Items + item;
        block.write(shared.values, k, static_cast<std::uint32_t>(k));
      }
    });
    block.sync();
    block.for_each_thread([&](int t) {
      for (int k = t; k < tile; k += Threads) {
        block.store(out, static_cast<std::size_t>(k), block.read(shared.values, k));
      }
    });
  }
};

}  // namespace background
