// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps the matrix product and the reduction on the host, where no GPU is needed: checks results
// and loads, and shows what each step costs. docs/background.md explains the steps.
// usage: counts [--csv FILE]
#include <cmerge/merge.h>

#include <thrust/iterator/transform_output_iterator.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "host_product.h"
#include "matrix_product.h"
#include "reduction.h"
#include "report.h"
#include "staged_store.h"

using namespace background;

bool are_right = true;  // all results and counts so far

std::string ratio(std::uint64_t a, std::uint64_t b) {
  return b == 0 ? "" : text(static_cast<double>(a) / static_cast<double>(b));
}

/// A row for one step: its loads for a size that the tiles divide, and for one that they do not.
template <class Product>
void add_product(table& results, const std::string& step, const std::string& formula) {
  std::vector<std::string> row{step, formula};
  for (const int n : {128, 100}) {
    const auto size = static_cast<std::size_t>(n);
    const matrix a = random_matrix(size, 1);
    const matrix b = random_matrix(size, 2);
    matrix c(size * size, -1.0f);
    const square_matrices m{a.data(), b.data(), c.data(), n};
    const counts total = sum(run_on_host<Product>(product_blocks<Product>(n), m));
    are_right = are_right && c == host_product(a, b, size) && total.loads == Product::loads(size) &&
                total.barriers == Product::barriers(size) && total.stores == size * size;
    row.push_back(text(total.loads));
    if (n != 128) continue;
    row.insert(row.end(), {text(total.sectors), text(total.barriers),
                           ratio(total.wavefronts, total.shared_requests)});
  }
  results.rows.push_back(row);
}

table product_table() {
  table t{"matrix_product_counts",
          {{"step", "formula", "loads for N = 128", "sectors", "barriers", "wavefronts per access",
            "loads for N = 100"}}};
  add_product<one_output>(t, "one output per thread", "2 N^3");
  add_product<outputs_in_registers<2>>(t, "registers V=2", "2 N^3 / V");
  add_product<outputs_in_registers<4>>(t, "registers V=4", "2 N^3 / V");
  add_product<outputs_in_registers<8>>(t, "registers V=8", "2 N^3 / V");
  add_product<tiles_in_shared_memory<16, 1, 16>>(t, "tiles L=16 V=1 S=16", "2 N^3 / L");
  add_product<tiles_in_shared_memory<32, 2, 16>>(t, "tiles L=32 V=2 S=16", "2 N^3 / L");
  add_product<tiles_in_shared_memory<64, 4, 4>>(t, "tiles L=64 V=4 S=4", "2 N^3 / L");
  add_product<tiles_in_shared_memory<64, 4, 16>>(t, "tiles L=64 V=4 S=16", "2 N^3 / L");
  add_product<tiles_in_shared_memory<128, 8, 8>>(t, "tiles L=128 V=8 S=8", "2 N^3 / L");
  return t;
}

/// Numbers below 2^32 that look random.
std::vector<std::uint32_t> some_numbers(std::size_t n) {
  std::vector<std::uint32_t> values(n);
  std::uint32_t value = 1;
  for (std::uint32_t& v : values) v = value = 1664525 * value + 1013904223;
  return values;
}

/// A row for one order of additions: the cost of the 8 steps of a block with 256 values.
template <class Order>
void add_order(table& results, const std::string& step) {
  const std::vector<std::uint32_t> in = some_numbers(256);
  std::uint32_t result = 0;
  const std::vector<counts> steps =
      run_on_host<block_sum<Order, 256>>(1, partial_sums{in.data(), &result, 256});
  are_right = are_right && result == std::accumulate(in.begin(), in.end(), std::uint32_t{0});
  std::string warps;
  std::string wavefronts;
  counts tree;
  for (std::size_t s = 1; s + 1 < steps.size(); ++s) {  // after the load, before the store
    warps += (s > 1 ? " " : "") + text(steps[s].active_warps);
    wavefronts += (s > 1 ? " " : "") + text(steps[s].wavefronts / steps[s].shared_requests);
    tree += steps[s];
  }
  results.rows.push_back({step, text(tree.active_lanes), warps, text(tree.active_warps), wavefronts,
                          text(tree.wavefronts)});
}

/// A row for the launches that reduce n values to one.
template <class Program>
void add_launches(table& results, const std::string& step) {
  const std::vector<std::uint32_t> in = some_numbers(100003);
  const auto n = static_cast<std::int64_t>(in.size());
  std::vector<std::uint32_t> buffer(in.size());
  std::uint64_t loads = 0;
  std::string blocks_of_each;
  const auto launch = [&](std::int64_t blocks, const partial_sums& p) {
    loads += sum(run_on_host<Program>(blocks, p)).loads;
    blocks_of_each += (blocks_of_each.empty() ? "" : " ") + text(blocks);
  };
  const std::uint32_t result = *reduce(in.data(), n, Program::tile, buffer.data(), launch);
  are_right = are_right && loads == reduction_loads(n, Program::tile) &&
              result == std::accumulate(in.begin(), in.end(), std::uint32_t{0});
  results.rows.push_back({step, text(n), blocks_of_each, text(loads)});
}

/// Counts what is written through it.
struct counted_copy {
  std::uint64_t* count;
  std::uint32_t operator()(std::uint32_t value) const {
    ++*count;
    return value;
  }
};

/// A row for the reduction of sorted lists of 1000 elements each.
void add_merge_tree(table& results, int lists) {
  std::vector<std::uint32_t> buffers[2];
  buffers[0] = some_numbers(static_cast<std::size_t>(lists) * 1000);
  buffers[1].resize(buffers[0].size());
  std::vector<std::uint32_t> expected = buffers[0];
  std::sort(expected.begin(), expected.end());
  std::vector<std::int64_t> ends;
  for (int i = 0; i <= lists; ++i) ends.push_back(1000 * i);
  for (int i = 0; i < lists; ++i) {
    std::sort(buffers[0].begin() + ends[static_cast<std::size_t>(i)],
              buffers[0].begin() + ends[static_cast<std::size_t>(i) + 1]);
  }
  std::uint64_t stores = 0;
  const int rounds =
      merge_tree(ends, [&](int round, std::int64_t first, std::int64_t middle, std::int64_t last) {
        const auto in = buffers[round % 2].begin();
        cmerge::merge(thrust::seq, in + first, in + middle, in + middle, in + last,
                      thrust::make_transform_output_iterator(buffers[1 - round % 2].begin() + first,
                                                             counted_copy{&stores}));
      });
  are_right = are_right && buffers[rounds % 2] == expected &&
              stores == expected.size() * static_cast<std::uint64_t>(rounds);
  results.rows.push_back({text(lists), text(expected.size()), text(rounds), text(stores)});
}

/// A row for a tile of 128 threads with so many outputs each: sectors that a request to global
/// memory touches, from registers and through shared memory, and what the staging costs.
template <int Items>
void add_store(table& results) {
  std::vector<std::uint32_t> expected(128 * Items);
  std::iota(expected.begin(), expected.end(), 0u);
  std::vector<std::uint32_t> out(expected.size());
  const counts direct = sum(run_on_host<direct_store<128, Items>>(1, out.data()));
  are_right = are_right && out == expected;
  std::fill(out.begin(), out.end(), 0u);
  const std::vector<counts> staged = run_on_host<staged_store<128, Items>>(1, out.data());
  are_right = are_right && out == expected;
  results.rows.push_back({text(Items), ratio(direct.sectors, direct.global_requests),
                          ratio(staged[1].sectors, staged[1].global_requests),
                          ratio(staged[0].wavefronts, staged[0].shared_requests)});
}

int main(int argc, char** argv) {
  table orders{"reduction_counts",
               {{"step", "additions", "active warps by step", "in all",
                 "wavefronts per access by step", "wavefronts in all"}}};
  add_order<interleaved>(orders, "interleaved");
  add_order<compacted>(orders, "compacted");
  add_order<sequential>(orders, "sequential");
  table launches{"reduction_launches", {{"step", "values", "blocks of each launch", "loads"}}};
  add_launches<block_sum<sequential, 256>>(launches, "256 values per block");
  add_launches<block_sum<sequential, 256, 8>>(launches, "2048 values per block");
  table trees{"merge_tree_counts", {{"lists", "elements", "rounds", "stores"}}};
  for (const int lists : {1, 2, 5, 16}) add_merge_tree(trees, lists);
  table stores{"store_counts",
               {{"outputs per thread", "sectors per store from registers",
                 "sectors per staged store", "wavefronts per access of the staging"}}};
  add_store<7>(stores);
  add_store<8>(stores);
  add_store<15>(stores);
  add_store<16>(stores);
  add_store<23>(stores);

  const std::vector<table> tables{product_table(), stores, orders, launches, trees};
  for (const table& t : tables) t.print();
  std::printf("\ncounts: results and counts are %s\n", are_right ? "right" : "WRONG");
  const std::string csv = option(argc, argv, "--csv", "");
  if (!csv.empty() && !write_csv(csv, "Stepped on the host", tables)) return 1;
  return are_right ? 0 : 1;
}
