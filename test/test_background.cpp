// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The matrix product and the staged store of examples/background, stepped on the host: results, and
// counts against the formulas of docs/background.md. Also the faults that stepping finds.
#include "../examples/background/host_product.h"
#include "../examples/background/matrix_product.h"
#include "../examples/background/staged_store.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <stdexcept>
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
  CHECK(wide.global_requests == (wide.loads + wide.stores) / 32);
  CHECK(wide.sectors == 4 * wide.global_requests);
  CHECK(wide.wavefronts == wide.shared_requests);
  const counts narrow = check_product<tiles_in_shared_memory<64, 4, 4>>(64);
  CHECK(narrow.sectors == (4 + 8) * narrow.loads / 32 / 2 + 4 * narrow.stores / 32);
  // With 8 threads a side, a warp reads 4 rows of A's tile. 16 words apart, they share 2 banks.
  const counts conflicts = check_product<tiles_in_shared_memory<64, 8, 16>>(64);
  CHECK(conflicts.wavefronts > conflicts.shared_requests);
}

template <int Items>
void check_stores() {
  CAPTURE(Items);
  std::vector<std::uint32_t> expected(64 * Items);
  std::iota(expected.begin(), expected.end(), 0u);
  std::vector<std::uint32_t> out(expected.size());
  const counts direct = sum(run_on_host<direct_store<64, Items>>(1, out.data()));
  CHECK(out == expected);
  std::fill(out.begin(), out.end(), 0u);
  const std::vector<counts> staged = run_on_host<staged_store<64, Items>>(1, out.data());
  CHECK(out == expected);
  constexpr auto items = static_cast<std::uint64_t>(Items);
  CHECK(direct.global_requests == 2 * items);
  CHECK(direct.sectors == std::min<std::uint64_t>(4 * items, 32) * direct.global_requests);
  CHECK(staged[1].sectors == 4 * staged[1].global_requests);
  CHECK(staged[0].wavefronts == std::gcd(items, std::uint64_t{32}) * staged[0].shared_requests);
  CHECK(staged[1].wavefronts == staged[1].shared_requests);
}

TEST_CASE("stores: staged ones coalesce, and odd numbers of outputs do not conflict") {
  check_stores<1>();
  check_stores<4>();
  check_stores<7>();
  check_stores<8>();
  check_stores<15>();
  check_stores<23>();
  check_stores<32>();
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
