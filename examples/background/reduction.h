// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parallel reduction in steps: three orders of the additions in a block, several launches
// until one value is left, and the reduction of sorted lists by merging.
#pragma once

#include "block_program.h"

namespace background {

/// Each block of a launch leaves one sum.
struct partial_sums {
  const std::uint32_t* in;
  std::uint32_t* out;
  std::int64_t n;
};

/// Adds one shared value to another.
template <class Block>
CMERGE_HOST_DEVICE void add(Block& block, std::uint32_t* values, int to, int from) {
  const std::uint32_t x = block.read(values, to);
  const std::uint32_t y = block.read(values, from);
  block.write(values, to, x + y);
}

/// Step 1: the sums of 2, 4, 8 and so on neighbours, each by the thread that has its index. Active
/// threads drift apart, so all warps stay busy while most of their lanes are idle.
struct interleaved {
  template <class Block>
  CMERGE_HOST_DEVICE static void run(Block& block, std::uint32_t* values) {
    for (int s = 1; s < Block::threads; s *= 2) {
      block.for_each_thread([&](int t) {
        if (t % (2 * s) == 0) add(block, values, t, t + s);
      });
      block.sync();
    }
  }
};

/// Step 2: the same sums by the first threads. Whole warps are idle now, but the values of a warp
/// are 2 s apart, in few banks.
struct compacted {
  template <class Block>
  CMERGE_HOST_DEVICE static void run(Block& block, std::uint32_t* values) {
    for (int s = 1; s < Block::threads; s *= 2) {
      block.for_each_thread([&](int t) {
        const int i = 2 * s * t;
        if (i < Block::threads) add(block, values, i, i + s);
      });
      block.sync();
    }
  }
};

/// Step 3: adds the second half to the first. Active threads and their values are neighbours.
struct sequential {
  template <class Block>
  CMERGE_HOST_DEVICE static void run(Block& block, std::uint32_t* values) {
    for (int s = Block::threads / 2; s > 0; s /= 2) {
      block.for_each_thread([&](int t) {
        if (t < s) add(block, values, t, t + s);
      });
      block.sync();
    }
  }
};

/// The sum of `Threads * Items` values. Each thread first adds `Items` values in registers. They
/// are `Threads` apart, so that a warp loads neighbouring addresses.
template <class Order, int Threads, int Items = 1>
struct block_sum {
  static_assert((Threads & (Threads - 1)) == 0, "halved down to 1");
  static constexpr int threads = Threads;
  static constexpr int tile = Threads * Items;
  struct storage {
    std::uint32_t values[Threads];
  };

  template <class Block>
  CMERGE_HOST_DEVICE static void run(Block& block, storage& shared, const partial_sums& p) {
    block.for_each_thread([&](int t) {
      std::uint32_t sum = 0;
      BACKGROUND_UNROLL
      for (int item = 0; item < Items; ++item) {
        const std::int64_t i = block.index() * tile + item * Threads + t;
        sum += block.load(p.in, static_cast<std::size_t>(i), i < p.n);
      }
      block.write(shared.values, t, sum);
    });
    block.sync();
    Order::run(block, shared.values);
    block.for_each_thread([&](int t) {
      if (t > 0) return;
      block.store(p.out, static_cast<std::size_t>(block.index()), block.read(shared.values, 0));
    });
  }
};

/// Step 4: launches until one value is left. A block cannot wait for the others, but a kernel sees
/// all that earlier kernels stored, so the end of a kernel is the barrier of the grid.
///
/// \param n       number of values, at least 1
/// \param tile    values that a block reduces to one, at least 2
/// \param buffer  room for `ceil(n / tile) + ceil(n / tile^2)` sums
/// \param launch  called with the number of blocks and the `partial_sums` that they make
/// \returns where the sum is: in `buffer`, or in `in` if n is 1
template <class Launch>
const std::uint32_t* reduce(const std::uint32_t* in, std::int64_t n, int tile,
                            std::uint32_t* buffer, Launch launch) {
  std::uint32_t* out = buffer;
  std::uint32_t* next = buffer + ceil_div(n, tile);
  while (n > 1) {
    const std::int64_t blocks = ceil_div(n, tile);
    launch(blocks, partial_sums{in, out, n});
    in = out;
    std::swap(out, next);
    n = blocks;
  }
  return in;
}

/// Loads of all launches, `n + ceil(n / tile) + ceil(n / tile^2) + ...` without the last value,
/// which no launch loads.
inline std::uint64_t reduction_loads(std::int64_t n, int tile) {
  std::uint64_t loads = 0;
  for (; n > 1; n = ceil_div(n, tile)) loads += static_cast<std::uint64_t>(n);
  return loads;
}

/// Step 5: the reduction of sorted lists to one, with the merge as its operator. A merge is
/// associative, as a sum is. Unlike a sum, its result has the size of both operands, so every round
/// reads and writes all elements. Neighbours are merged, so that the order of equal elements stays.
///
/// \param ends   list i is `[ends[i], ends[i + 1])`; at least one list
/// \param merge  called with the round, and first, middle and last offset of two neighbours; it
///               merges them to the same offsets of another buffer. Last is middle for a list
///               without a neighbour.
/// \returns the number of rounds: `ceil(log2(lists))`
template <class Merge>
int merge_tree(std::vector<std::int64_t> ends, Merge merge) {
  int round = 0;
  for (; ends.size() > 2; ++round) {
    std::vector<std::int64_t> merged_ends{ends[0]};
    for (std::size_t i = 0; i + 1 < ends.size(); i += 2) {
      const std::int64_t last = ends[std::min(i + 2, ends.size() - 1)];
      merge(round, ends[i], ends[i + 1], last);
      merged_ends.push_back(last);
    }
    ends.swap(merged_ends);
  }
  return round;
}

}  // namespace background
