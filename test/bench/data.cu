// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of data.cuh that are not templates: the sort, the worst case, and the comparison of
// results.

#include "data.cuh"
#include "worst_case.h"

#include <cub/device/device_radix_sort.cuh>

#include <map>
#include <utility>

namespace bench {
namespace {

constexpr int blocks = 2048;
constexpr int threads = 256;

__device__ std::int64_t first_index() {
  return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ std::int64_t index_step() { return static_cast<std::int64_t>(gridDim.x) * blockDim.x; }

/// The finaliser of SplitMix64 over a counter. Each side starts at its own count, far
/// from the other's. So the two inputs are different draws, not one set in two orders.
__global__ void draw(std::uint64_t* out, std::int64_t n, int side) {
  for (std::int64_t i = first_index(); i < n; i += index_step()) {
    std::uint64_t z = (static_cast<std::uint64_t>(i) + 1) * 0x9E3779B97F4A7C15u +
                      (side == 0 ? 0x3C6EF372FE94F82Bu : 0xA54FF53A5F1D36F1u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    out[i] = z ^ (z >> 31);
  }
}

__global__ void find_difference(const std::uint64_t* left, const std::uint64_t* right,
                                std::int64_t n, int* differs) {
  for (std::int64_t i = first_index(); i < n; i += index_step()) {
    if (left[i] != right[i]) *differs = 1;
  }
}

}  // namespace

const std::uint64_t* sorted_uniform(int side, std::int64_t n) {
  struct draws {
    device_buffer memory;
    const std::uint64_t* sorted = nullptr;
    std::int64_t size = 0;
  };
  static draws kept[2];
  draws& mine = kept[side];
  if (mine.size == n) return mine.sorted;
  mine.size = 0;

  const auto bytes = static_cast<std::size_t>(n) * sizeof(std::uint64_t);
  device_buffer other;
  cub::DoubleBuffer<std::uint64_t> keys(
      reinterpret_cast<std::uint64_t*>(mine.memory.reserve(bytes)),
      reinterpret_cast<std::uint64_t*>(other.reserve(bytes)));
  draw<<<blocks, threads, 0, stream()>>>(keys.Current(), n, side);
  check(cudaGetLastError(), "draw");

  std::size_t temporary_bytes = 0;
  check(cub::DeviceRadixSort::SortKeys(nullptr, temporary_bytes, keys, n, 0, 64, stream()),
        "cub::DeviceRadixSort");
  device_buffer temporary;
  check(cub::DeviceRadixSort::SortKeys(temporary.reserve(temporary_bytes), temporary_bytes, keys, n,
                                       0, 64, stream()),
        "cub::DeviceRadixSort");
  char* const home = mine.memory.reserve(bytes);
  if (reinterpret_cast<char*>(keys.Current()) != home) {
    check(cudaMemcpyAsync(home, keys.Current(), bytes, cudaMemcpyDeviceToDevice, stream()),
          "cudaMemcpyAsync");
  }
  synchronize();
  mine.sorted = reinterpret_cast<const std::uint64_t*>(home);
  mine.size = n;
  return mine.sorted;
}

placement worst_placement(int side, std::int64_t n, int items, int key_bytes) {
  // Number of threads that read at the same time: a warp, or the part that shared memory serves at
  // once.
  const int lanes = key_bytes > 4 ? 128 / key_bytes : 32;
  const std::int64_t size = std::int64_t{items} * lanes;
  static std::map<std::pair<int, int>, device_buffer> kept;  // the positions of both sides
  device_buffer& buffer = kept[{items, lanes}];
  const std::size_t bytes = 2 * static_cast<std::size_t>(size) * sizeof(std::int32_t);
  auto* const places = reinterpret_cast<std::int32_t*>(buffer.reserve(bytes));

  const merge_pattern pattern = worst_pattern(items, lanes);
  std::vector<std::int32_t> of_side[2];
  for (const int exchanged : {0, 1}) {
    for (const int second : pattern) {
      const std::size_t place = of_side[0].size() + of_side[1].size();
      of_side[second ^ exchanged].push_back(static_cast<std::int32_t>(place));
    }
  }
  std::int32_t* const of_this = places + side * size;
  check(cudaMemcpyAsync(of_this, of_side[side].data(), bytes / 2, cudaMemcpyHostToDevice, stream()),
        "cudaMemcpyAsync");
  synchronize();
  return {of_this, size, n / size * size};
}

bool same_bytes(const void* left, const void* right, std::size_t bytes) {
  static device_buffer flag;
  auto* const differs = reinterpret_cast<int*>(flag.reserve(sizeof(int)));
  check(cudaMemsetAsync(differs, 0, sizeof(int), stream()), "cudaMemsetAsync");
  find_difference<<<blocks, threads, 0, stream()>>>(
      static_cast<const std::uint64_t*>(left), static_cast<const std::uint64_t*>(right),
      static_cast<std::int64_t>(bytes / sizeof(std::uint64_t)), differs);
  check(cudaGetLastError(), "find_difference");
  int result = 0;
  check(cudaMemcpyAsync(&result, differs, sizeof(int), cudaMemcpyDeviceToHost, stream()),
        "cudaMemcpyAsync");
  synchronize();
  return result == 0;
}

}  // namespace bench
