// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reduction in steps, on a GPU: checks the sums and the number of loads, times each step, and
// reduces sorted lists to one with cmerge::merge. docs/background.md explains the steps.
// usage: reduction [--size N] [--csv FILE]
#include "reduction.h"

#include <cmerge/merge.h>

#include <thrust/device_vector.h>
#include <cub/device/device_reduce.cuh>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "device_program.cuh"
#include "report.h"

using namespace background;

using numbers = std::vector<std::uint32_t>;

numbers random_numbers(std::int64_t n) {
  std::mt19937 random(1);
  numbers values(static_cast<std::size_t>(n));
  for (std::uint32_t& value : values) value = static_cast<std::uint32_t>(random());
  return values;
}

/// Sums of the same numbers, in all steps. They are sums modulo 2^32, equal in any order.
class comparison {
 public:
  explicit comparison(const numbers& values)
      : n_(static_cast<std::int64_t>(values.size())),
        expected_(std::accumulate(values.begin(), values.end(), std::uint32_t{0})),
        in_(values),
        buffer_(values.size() + 2) {}

  template <class Program>
  void add(const std::string& step) {
    const std::uint32_t* sum = nullptr;
    device_counts* counter = nullptr;
    const auto run = [&] {
      sum = reduce(in_.data().get(), n_, Program::tile, buffer_.data().get(),
                   [&](std::int64_t blocks, const partial_sums& p) {
                     run_on_device<Program>(blocks, p, counter);
                   });
    };
    const double time = median_microseconds(run);
    const bool is_sum = value_at(sum) == expected_;

    thrust::device_vector<device_counts> total(1, device_counts{});
    counter = total.data().get();
    run();
    const device_counts counted = total[0];
    const std::uint64_t loads = reduction_loads(n_, Program::tile);
    const bool is_right = is_sum && value_at(sum) == expected_ && counted.loads == loads;
    are_right_ = are_right_ && is_right;
    const cudaFuncAttributes kernel = attributes_of<Program, partial_sums>();
    results.rows.push_back({step, text(n_), text(time), text(4e-3 * n_ / time), text(counted.loads),
                            text(loads), text(kernel.numRegs), text(kernel.localSizeBytes),
                            is_right ? "right" : "WRONG"});
  }

  void add_cub() {
    std::size_t bytes = 0;
    std::uint32_t* const out = buffer_.data().get();
    check(cub::DeviceReduce::Sum(nullptr, bytes, in_.data().get(), out, n_), "cub");
    thrust::device_vector<char> storage(bytes);
    const double time = median_microseconds([&] {
      check(cub::DeviceReduce::Sum(storage.data().get(), bytes, in_.data().get(), out, n_), "cub");
    });
    const bool is_right = value_at(out) == expected_;
    are_right_ = are_right_ && is_right;
    results.rows.push_back({"cub::DeviceReduce", text(n_), text(time), text(4e-3 * n_ / time), "",
                            "", "", "", is_right ? "right" : "WRONG"});
  }

  bool are_right() const { return are_right_; }

  table results{
      "reduction",
      {{"step", "n", "us", "GB/s", "loads", "formula", "registers", "local bytes", "result"}}};

 private:
  static std::uint32_t value_at(const std::uint32_t* sum) {
    std::uint32_t value = 0;
    check(cudaMemcpy(&value, sum, sizeof value, cudaMemcpyDeviceToHost), "copy");
    return value;
  }

  std::int64_t n_;
  std::uint32_t expected_;
  thrust::device_vector<std::uint32_t> in_;
  thrust::device_vector<std::uint32_t> buffer_;
  bool are_right_ = true;
};

void add_steps(comparison& steps) {
  steps.add<block_sum<interleaved, 256>>("interleaved");
  steps.add<block_sum<compacted, 256>>("compacted");
  steps.add<block_sum<sequential, 256>>("sequential");
  steps.add<block_sum<sequential, 256, 8>>("sequential 8 per thread");
  steps.add_cub();
}

/// Where lists begin and end. All have the same length, except that the last ones may be shorter.
std::vector<std::int64_t> list_ends(std::int64_t n, int lists) {
  std::vector<std::int64_t> ends;
  for (int i = 0; i <= lists; ++i) ends.push_back(std::min(n, i * ceil_div(n, lists)));
  return ends;
}

/// Reduces sorted lists to one with cmerge::merge, and adds a row to the table.
bool add_merge_tree(table& results, numbers values, int lists) {
  const auto n = static_cast<std::int64_t>(values.size());
  const std::vector<std::int64_t> ends = list_ends(n, lists);
  for (int i = 0; i < lists; ++i) {
    std::sort(values.begin() + ends[i], values.begin() + ends[i + 1]);
  }
  const thrust::device_vector<std::uint32_t> sorted_lists = values;
  thrust::device_vector<std::uint32_t> device_buffers[2] = {sorted_lists, sorted_lists};
  int rounds = 0;
  const double time = median_microseconds([&] {
    // Merges follow each other in the stream, so a round sees the one before complete.
    rounds = merge_tree(
        ends, [&](int round, std::int64_t first, std::int64_t middle, std::int64_t last) {
          const auto in = (round == 0 ? sorted_lists : device_buffers[round % 2]).begin();
          cmerge::merge(thrust::cuda::par_nosync, in + first, in + middle, in + middle, in + last,
                        device_buffers[1 - round % 2].begin() + first);
        });
  });
  numbers merged(values.size());
  const auto& result = rounds == 0 ? sorted_lists : device_buffers[rounds % 2];
  thrust::copy(result.begin(), result.end(), merged.begin());

  numbers host_buffers[2] = {values, values};
  merge_tree(ends, [&](int round, std::int64_t first, std::int64_t middle, std::int64_t last) {
    const auto in = host_buffers[round % 2].begin();
    std::merge(in + first, in + middle, in + middle, in + last,
               host_buffers[1 - round % 2].begin() + first);
  });
  const bool is_right = merged == host_buffers[rounds % 2];
  results.rows.push_back({"merge tree of " + std::to_string(lists) + " lists", text(n), text(time),
                          text(8e-3 * n * rounds / time), "", text(n * rounds), "", "",
                          is_right ? "right" : "WRONG"});
  return is_right;
}

int main(int argc, char** argv) {
  const std::string csv = option(argc, argv, "--csv", "");
  bool are_right = true;
  // Odd sizes first: one value, less than a warp, one more than a block, and several launches.
  for (const std::int64_t n : {1, 31, 257, 1000003}) {
    const numbers values = random_numbers(n);
    comparison odd(values);
    add_steps(odd);
    are_right = add_merge_tree(odd.results, values, 5) && odd.are_right() && are_right;
    odd.results.print();
  }
  const numbers values = random_numbers(std::stoll(option(argc, argv, "--size", "16777216")));
  comparison large(values);
  add_steps(large);
  are_right = large.are_right() && are_right;
  for (const int lists : {2, 16}) {
    are_right = add_merge_tree(large.results, values, lists) && are_right;
  }
  large.results.print();
  if (!csv.empty() && !write_csv(csv, device_title(), {large.results})) return 1;
  return are_right ? 0 : 1;
}
