// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The product of two square matrices in three steps, each with fewer loads from global memory:
// one output per thread, a block of outputs per thread, and tiles in shared memory.
#pragma once

#include "block_program.h"

namespace background {

/// C = A B, with n rows and columns each, row-major.
struct square_matrices {
  const float* a;
  const float* b;
  float* c;
  int n;

  CMERGE_HOST_DEVICE std::size_t at(int row, int column) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(n) +
           static_cast<std::size_t>(column);
  }
};

/// A position in a matrix.
struct cell {
  int row;
  int column;
};

/// The first output of a block. Blocks cover C with tiles, row by row.
CMERGE_HOST_DEVICE inline cell tile_begin(std::int64_t block, int tile, int n) {
  const std::int64_t tiles = ceil_div(n, tile);
  return {static_cast<int>(block / tiles) * tile, static_cast<int>(block % tiles) * tile};
}

/// A program, for a grid of `ceil(n / tile)^2` blocks.
template <class Product>
std::int64_t product_blocks(int n) {
  return ceil_div(n, Product::tile) * ceil_div(n, Product::tile);
}

/// Step 1: a thread makes one output from a row of A and a column of B.
struct one_output {
  static constexpr int tile = 16;
  static constexpr int threads = tile * tile;
  using storage = no_storage;

  template <class Block>
  CMERGE_HOST_DEVICE static void run(Block& block, storage&, const square_matrices& m) {
    const cell begin = tile_begin(block.index(), tile, m.n);
    block.for_each_thread([&](int t) {
      const int row = begin.row + t / tile;
      const int column = begin.column + t % tile;
      if (row >= m.n || column >= m.n) return;
      float sum = 0;
      for (int k = 0; k < m.n; ++k) {
        const float x = block.load(m.a, m.at(row, k));
        const float y = block.load(m.b, m.at(k, column));
        sum += x * y;
      }
      block.store(m.c, m.at(row, column), sum);
    });
  }

  static std::uint64_t loads(std::uint64_t n) { return 2 * n * n * n; }
  static std::uint64_t barriers(std::uint64_t) { return 0; }
};

/// V x V outputs of a thread. They are `Side` rows and columns apart, so that neighbouring threads
/// always have neighbouring columns.
template <int V, int Side>
struct register_tile {
  float sums[V][V] = {};

  /// Adds `column` times `row`, for one k: 2 V values give V * V products.
  CMERGE_HOST_DEVICE void add(const float (&column)[V], const float (&row)[V]) {
    BACKGROUND_UNROLL
    for (int i = 0; i < V; ++i) {
      BACKGROUND_UNROLL
      for (int j = 0; j < V; ++j) sums[i][j] += column[i] * row[j];
    }
  }

  template <class Block>
  CMERGE_HOST_DEVICE void store(Block& block, const square_matrices& m, cell first) const {
    BACKGROUND_UNROLL
    for (int i = 0; i < V; ++i) {
      BACKGROUND_UNROLL
      for (int j = 0; j < V; ++j) {
        const cell out{first.row + i * Side, first.column + j * Side};
        block.store(m.c, m.at(out.row, out.column), sums[i][j], out.row < m.n && out.column < m.n);
      }
    }
  }
};

/// Step 2: a thread makes V x V outputs in registers, and uses each value it loads V times.
template <int V>
struct outputs_in_registers {
  static constexpr int side = 16;  // threads of a block along a row and along a column
  static constexpr int tile = side * V;
  static constexpr int threads = side * side;
  using storage = no_storage;

  template <class Block>
  CMERGE_HOST_DEVICE static void run(Block& block, storage&, const square_matrices& m) {
    const cell begin = tile_begin(block.index(), tile, m.n);
    block.for_each_thread([&](int t) {
      const cell first{begin.row + t / side, begin.column + t % side};
      if (first.row >= m.n || first.column >= m.n) return;
      register_tile<V, side> outputs;
      for (int k = 0; k < m.n; ++k) {
        float x[V];
        float y[V];
        BACKGROUND_UNROLL
        for (int i = 0; i < V; ++i) {
          const int row = first.row + i * side;
          const int column = first.column + i * side;
          x[i] = block.load(m.a, m.at(row, k), row < m.n);
          y[i] = block.load(m.b, m.at(k, column), column < m.n);
        }
        outputs.add(x, y);
      }
      outputs.store(block, m, first);
    });
  }

  /// `2 n^3 / V` if the tile divides n. In general each row of A is loaded by all threads that have
  /// work along a row of C, and each column of B by all that have work along a column.
  static std::uint64_t loads(std::uint64_t n) {
    const std::uint64_t rest = n % tile;
    const std::uint64_t working = n / tile * side + std::min<std::uint64_t>(rest, side);
    return 2 * n * n * working;
  }
  static std::uint64_t barriers(std::uint64_t) { return 0; }
};

/// Loads a tile into shared memory, row by row as one sequence: neighbouring threads load
/// neighbouring elements, whatever the shape of the tile. Elements outside the matrix are zeros.
template <int Rows, int Columns, class Block>
CMERGE_HOST_DEVICE void load_tile(Block& block, float* tile, const float* source,
                                  const square_matrices& m, cell begin) {
  block.for_each_thread([&](int t) {
    for (int e = t; e < Rows * Columns; e += Block::threads) {
      const int row = begin.row + e / Columns;
      const int column = begin.column + e % Columns;
      block.write(tile, e, block.load(source, m.at(row, column), row < m.n && column < m.n));
    }
  });
}

/// Step 3: a block makes L x L outputs from tiles in shared memory, S columns of A and S rows of B
/// at a time. All of its threads use what one of them loads; each still has V x V outputs.
template <int L, int V, int S>
struct tiles_in_shared_memory {
  static_assert(L % V == 0, "each thread has V x V outputs");
  static constexpr int side = L / V;
  static constexpr int tile = L;
  static constexpr int threads = side * side;
  struct storage {
    float a[L * S];
    float b[S * L];
  };

  template <class Block>
  CMERGE_HOST_DEVICE static void run(Block& block, storage& shared, const square_matrices& m) {
    const cell begin = tile_begin(block.index(), L, m.n);
    typename Block::template registers<register_tile<V, side>> outputs;
    for (int k = 0; k < m.n; k += S) {
      load_tile<L, S>(block, shared.a, m.a, m, {begin.row, k});
      load_tile<S, L>(block, shared.b, m.b, m, {k, begin.column});
      block.sync();  // the tiles are complete
      block.for_each_thread([&](int t) { multiply(block, shared, t, outputs[t]); });
      block.sync();  // and may be overwritten
    }
    block.for_each_thread([&](int t) {
      outputs[t].store(block, m, {begin.row + t / side, begin.column + t % side});
    });
  }

  /// `2 n^3 / L` if L divides n. Each row of A is loaded once for each tile along a row of C.
  static std::uint64_t loads(std::uint64_t n) { return 2 * n * n * ((n + L - 1) / L); }

  /// Two for each S values of k, in each block.
  static std::uint64_t barriers(std::uint64_t n) {
    const std::uint64_t tiles = (n + L - 1) / L;
    return tiles * tiles * 2 * ((n + S - 1) / S);
  }

 private:
  template <class Block>
  CMERGE_HOST_DEVICE static void multiply(Block& block, const storage& shared, int t,
                                          register_tile<V, side>& outputs) {
    for (int k = 0; k < S; ++k) {
      float x[V];
      float y[V];
      BACKGROUND_UNROLL
      for (int i = 0; i < V; ++i) {
        x[i] = block.read(shared.a, (t / side + i * side) * S + k);
        y[i] = block.read(shared.b, k * L + t % side + i * side);
      }
      outputs.add(x, y);
    }
  }
};

}  // namespace background
