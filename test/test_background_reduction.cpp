// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reduction of examples/background, stepped on the host: results, and counts against the
// formulas of docs/background.md.
#include "../examples/background/reduction.h"

#include <cmerge/merge.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

using namespace background;

namespace {

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

}  // namespace
