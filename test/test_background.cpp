// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The block programs of examples/background, stepped on the host: results, and counts against the
// formulas of docs/background.md.
#include "../examples/background/host_product.h"
#include "../examples/background/matrix_product.h"
#include "../examples/background/reduction.h"

#include <cmerge/merge.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

using namespace background;

namespace {

template <class Product>
counts check_product(int n) {
  CAPTURE(n);
  const auto size = static_cast<std::size_t>(n);
  const matrix a = random_matrix(size, 1);
  const matrix b = random_matrix(size, 2);
  matrix c(size * size, -1.0f);
  const std::int64_t blocks = product_blocks<Product>(n);
  const counts total =
      sum(run_on_host<Product>(blocks, square_matrices{a.data(), b.data(), c.data(), n}));
  CHECK(c == host_product(a, b, size));
  CHECK(total.loads == Product::loads(size));
  CHECK(total.stores == size * size);
  CHECK(total.barriers == Product::barriers(size));
  return total;
}

/// The definition of the loads of `outputs_in_registers`: each thread that has an output loads a
/// value for each of its rows and each of its columns, for every k.
template <int V>
std::uint64_t register_loads(int n) {
  using product = outputs_in_registers<V>;
  // How many rows (or columns) each thread along a side has.
  std::vector<int> shares;
  for (int begin = 0; begin < n; begin += product::tile) {
    for (int t = 0; t < product::side; ++t) {
      int share = 0;
      for (int i = 0; i < V; ++i) share += begin + t + i * product::side < n ? 1 : 0;
      shares.push_back(share);
    }
  }
  std::int64_t loads = 0;
  for (const int rows : shares) {
    for (const int columns : shares) {
      if (rows > 0 && columns > 0) loads += std::int64_t{rows + columns} * n;
    }
  }
  return static_cast<std::uint64_t>(loads);
}

TEST_CASE("matrix product: one output per thread") {
  for (const int n : {1, 2, 15, 16, 17, 32, 45}) {
    const auto size = static_cast<std::uint64_t>(n);
    CHECK(check_product<one_output>(n).loads == 2 * size * size * size);
  }
}

TEST_CASE_TEMPLATE("matrix product: outputs in registers", Product, outputs_in_registers<1>,
                   outputs_in_registers<2>, outputs_in_registers<3>, outputs_in_registers<4>) {
  constexpr int v = Product::tile / Product::side;
  for (const int n : {1, 15, 16, 17, 33, 63, 64, 70}) {
    CHECK(check_product<Product>(n).loads == register_loads<v>(n));
  }
  constexpr std::uint64_t whole = Product::tile;
  CHECK(check_product<Product>(Product::tile).loads == 2 * whole * whole * whole / v);
}

// Also S that does not divide L or N, and tiles that the threads of a block do not divide.
TEST_CASE_TEMPLATE("matrix product: tiles in shared memory", Product,
                   tiles_in_shared_memory<16, 1, 16>, tiles_in_shared_memory<16, 2, 5>,
                   tiles_in_shared_memory<32, 2, 1>, tiles_in_shared_memory<32, 4, 8>,
                   tiles_in_shared_memory<64, 4, 3>, tiles_in_shared_memory<64, 8, 16>) {
  for (const int n : {1, 15, 16, 17, 33, 64, 70}) {
    const auto size = static_cast<std::uint64_t>(n);
    const auto tiles = static_cast<std::uint64_t>(ceil_div(n, Product::tile));
    CHECK(check_product<Product>(n).loads == 2 * size * size * tiles);
  }
  constexpr std::uint64_t whole = 2 * Product::tile;
  CHECK(check_product<Product>(2 * Product::tile).loads ==
        2 * whole * whole * whole / Product::tile);
}

TEST_CASE("matrix product: S sets the number of barriers") {
  const std::uint64_t blocks = 4;
  CHECK(check_product<tiles_in_shared_memory<32, 2, 1>>(64).barriers == blocks * 2 * 64);
  CHECK(check_product<tiles_in_shared_memory<32, 2, 8>>(64).barriers == blocks * 2 * 8);
  CHECK(check_product<tiles_in_shared_memory<32, 2, 24>>(64).barriers == blocks * 2 * 3);
}

TEST_CASE("matrix product: flattened loads coalesce, and V outputs apart do not conflict") {
  // A warp loads 32 neighbours: 4 sectors. Rows of a tile with S = 4 are half a sector.
  const counts wide = check_product<tiles_in_shared_memory<64, 4, 16>>(64);
  CHECK(wide.load_requests == wide.loads / 32);
  CHECK(wide.sectors == 4 * wide.load_requests);
  CHECK(wide.wavefronts == wide.shared_requests);
  const counts narrow = check_product<tiles_in_shared_memory<64, 4, 4>>(64);
  CHECK(narrow.sectors == (4 + 8) * narrow.load_requests / 2);
  // With 8 threads a side, a warp reads 4 rows of A's tile. 16 words apart, they share 2 banks.
  const counts conflicts = check_product<tiles_in_shared_memory<64, 8, 16>>(64);
  CHECK(conflicts.wavefronts > conflicts.shared_requests);
}

std::vector<std::uint32_t> random_numbers(std::int64_t n) {
  std::mt19937 random(1);
  std::vector<std::uint32_t> values(static_cast<std::size_t>(n));
  for (std::uint32_t& value : values) value = static_cast<std::uint32_t>(random());
  return values;
}

TEST_CASE_TEMPLATE("reduction: sums, loads and launches", Program, block_sum<interleaved, 64>,
                   block_sum<compacted, 64>, block_sum<sequential, 64>,
                   block_sum<sequential, 32, 3>, block_sum<sequential, 256, 8>) {
  for (const std::int64_t n : {1, 2, 31, 33, 63, 64, 65, 95, 97, 2049, 4096, 4097, 20011}) {
    CAPTURE(n);
    const std::vector<std::uint32_t> in = random_numbers(n);
    const std::int64_t room = ceil_div(n, Program::tile);
    std::vector<std::uint32_t> buffer(
        static_cast<std::size_t>(room + ceil_div(room, Program::tile)));
    std::uint64_t loads = 0;
    std::int64_t left = n;
    const auto launch = [&](std::int64_t blocks, const partial_sums& p) {
      REQUIRE(p.n == left);
      const counts total = sum(run_on_host<Program>(blocks, p));
      CHECK(total.loads == static_cast<std::uint64_t>(left));
      CHECK(total.stores == static_cast<std::uint64_t>(blocks));
      loads += total.loads;
      left = blocks;
    };
    const std::uint32_t* const result = reduce(in.data(), n, Program::tile, buffer.data(), launch);
    CHECK(*result == std::accumulate(in.begin(), in.end(), std::uint32_t{0}));
    CHECK(left == 1);
    CHECK(loads == reduction_loads(n, Program::tile));
  }
}

TEST_CASE("reduction: loads of several launches") {
  CHECK(reduction_loads(1, 64) == 0);
  CHECK(reduction_loads(64, 64) == 64);
  CHECK(reduction_loads(65, 64) == 65 + 2);
  CHECK(reduction_loads(64 * 64 + 1, 64) == 64 * 64 + 1 + 65 + 2);
}

/// What the steps of the tree cost, without the load before and the store after it.
template <class Order, int Threads>
std::vector<counts> tree_steps() {
  const std::vector<std::uint32_t> in = random_numbers(Threads);
  std::uint32_t result = 0;
  std::vector<counts> steps =
      run_on_host<block_sum<Order, Threads>>(1, partial_sums{in.data(), &result, Threads});
  CHECK(sum(steps).barriers == steps.size() - 1);
  steps.erase(steps.begin());
  steps.pop_back();
  return steps;
}

template <int Threads>
void check_trees() {
  CAPTURE(Threads);
  const std::vector<counts> drifting = tree_steps<interleaved, Threads>();
  const std::vector<counts> strided = tree_steps<compacted, Threads>();
  std::vector<counts> halved = tree_steps<sequential, Threads>();
  int step = 0;
  for (int s = 1; s < Threads; s *= 2, ++step) {
    CAPTURE(s);
    const auto i = static_cast<std::size_t>(step);
    const int active = Threads / (2 * s);
    const auto lanes = static_cast<std::uint64_t>(active);
    const auto warps = static_cast<std::uint64_t>(ceil_div(active, 32));
    for (const auto& tree : {drifting, strided, halved}) CHECK(tree[i].active_lanes == lanes);
    CHECK(drifting[i].active_warps == std::min<std::uint64_t>(Threads / 32, lanes));
    CHECK(strided[i].active_warps == warps);
    CHECK(halved[i].active_warps == warps);
    // Two reads and a write of each active warp, which take a pass each without conflicts.
    for (const auto& tree : {drifting, strided, halved}) {
      CHECK(tree[i].shared_requests == 3 * tree[i].active_warps);
    }
    const int banks = std::max(1, 32 / (2 * s));
    const int ways = std::max(1, std::min(32, active) / banks);
    CHECK(strided[i].wavefronts == static_cast<std::uint64_t>(ways) * strided[i].shared_requests);
    CHECK(drifting[i].wavefronts == drifting[i].shared_requests);
    CHECK(halved[i].wavefronts == halved[i].shared_requests);
  }
  CHECK(halved.size() == static_cast<std::size_t>(step));
}

TEST_CASE("reduction: active warps and bank conflicts of each step") {
  check_trees<32>();
  check_trees<64>();
  check_trees<256>();
  check_trees<1024>();
}

/// Lists of random lengths, some empty. Keys repeat; a tag says where an element came from.
TEST_CASE("reduction: sorted lists are merged to one, stably, in rounds") {
  using element = std::pair<int, int>;  // key, tag
  const auto by_key = [](const element& x, const element& y) { return x.first < y.first; };
  std::mt19937 random(3);
  for (const int lists : {1, 2, 3, 5, 8, 13}) {
    CAPTURE(lists);
    std::vector<element> buffers[2];
    std::vector<std::int64_t> ends{0};
    for (int i = 0; i < lists; ++i) {
      const auto begin = static_cast<std::ptrdiff_t>(buffers[0].size());
      for (auto left = random() % 40; left > 0; --left) {
        buffers[0].emplace_back(static_cast<int>(random() % 10), static_cast<int>(random()));
      }
      std::stable_sort(buffers[0].begin() + begin, buffers[0].end(), by_key);
      ends.push_back(static_cast<std::int64_t>(buffers[0].size()));
    }
    std::vector<element> expected = buffers[0];
    std::stable_sort(expected.begin(), expected.end(), by_key);
    buffers[1].resize(expected.size());
    std::int64_t merged = 0;
    const int rounds = merge_tree(
        ends, [&](int round, std::int64_t first, std::int64_t middle, std::int64_t last) {
          const auto in = buffers[round % 2].begin();
          cmerge::merge(thrust::seq, in + first, in + middle, in + middle, in + last,
                        buffers[1 - round % 2].begin() + first, by_key);
          merged += last - first;
        });
    CHECK(buffers[rounds % 2] == expected);
    CHECK((1 << rounds) >= lists);
    CHECK((1 << rounds) < 2 * lists);
    CHECK(merged == static_cast<std::int64_t>(expected.size()) * rounds);
  }
}

// ---- faults that the host finds ----------------------------------------------------------------

enum class fault { none, no_barrier, unwritten, different_instructions };

/// Each thread reads what its neighbour wrote.
template <fault Fault>
struct neighbours {
  static constexpr int threads = 64;
  struct storage {
    std::uint32_t values[threads];
  };

  template <class Block>
  static void run(Block& block, storage& shared, std::uint32_t* out) {
    block.for_each_thread([&](int t) {
      if (Fault == fault::unwritten && t == 5) return;
      if (Fault == fault::different_instructions && t % 2 == 1) {
        block.load(out, 0);
      } else {
        block.write(shared.values, t, static_cast<std::uint32_t>(t));
      }
    });
    if (Fault != fault::no_barrier) block.sync();
    block.for_each_thread([&](int t) {
      block.store(out, static_cast<std::size_t>(t), block.read(shared.values, (t + 1) % threads));
    });
  }
};

TEST_CASE("a missing barrier is found on the host") {
  std::vector<std::uint32_t> out(64);
  CHECK_NOTHROW(run_on_host<neighbours<fault::none>>(1, out.data()));
  CHECK(out[0] == 1);
  CHECK(out[63] == 0);
  CHECK_THROWS_AS(run_on_host<neighbours<fault::no_barrier>>(1, out.data()), std::logic_error);
  CHECK_THROWS_AS(run_on_host<neighbours<fault::unwritten>>(1, out.data()), std::logic_error);
  CHECK_THROWS_AS(run_on_host<neighbours<fault::different_instructions>>(1, out.data()),
                  std::logic_error);
}

}  // namespace
