// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Merges in a user's kernel: each block merges one pair of many short lists.
#include <thrust/device_vector.h>

#include <algorithm>
#include <cstdio>
#include <random>
#include <vector>

//! [block_merge]
#include <thrust/functional.h>
#include <cmerge/block_merge.cuh>

// 128 threads, 7 outputs per thread and tile. `circular`, because each list spans several tiles.
using block_merge = cmerge::block_merge<int, 128, 7, void, cmerge::strategy::circular>;

/// Block `p` merges `first[p * m .. (p + 1) * m)` and `second[p * n .. (p + 1) * n)`.
__global__ void merge_lists(const int* first, int m, const int* second, int n, int* out) {
  __shared__ block_merge::TempStorage storage;
  const int p = blockIdx.x;
  block_merge(storage).merge(first + p * m, m, second + p * n, n, out + p * (m + n),
                             thrust::less<int>{});
}
//! [block_merge]

/// `count` sorted lists of `size` numbers, in one sequence.
std::vector<int> make_lists(int count, int size, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<int> lists(count * size);
  for (int& number : lists) number = static_cast<int>(random() % 1000);
  for (int p = 0; p < count; ++p) {
    std::sort(lists.begin() + p * size, lists.begin() + (p + 1) * size);
  }
  return lists;
}

int main() {
  constexpr int pairs = 500;
  constexpr int m = 1000;
  constexpr int n = 2345;
  const std::vector<int> first = make_lists(pairs, m, 1);
  const std::vector<int> second = make_lists(pairs, n, 2);

  const thrust::device_vector<int> device_first = first;
  const thrust::device_vector<int> device_second = second;
  thrust::device_vector<int> device_out(pairs * (m + n));
  merge_lists<<<pairs, 128>>>(device_first.data().get(), m, device_second.data().get(), n,
                              device_out.data().get());
  if (const cudaError_t error = cudaDeviceSynchronize(); error != cudaSuccess) {
    std::printf("block_collective: %s\n", cudaGetErrorString(error));
    return 1;
  }

  std::vector<int> merged(device_out.size());
  thrust::copy(device_out.begin(), device_out.end(), merged.begin());
  std::vector<int> expected(merged.size());
  for (int p = 0; p < pairs; ++p) {
    std::merge(first.begin() + p * m, first.begin() + (p + 1) * m, second.begin() + p * n,
               second.begin() + (p + 1) * n, expected.begin() + p * (m + n));
  }
  const bool right = merged == expected;
  std::printf("block_collective: %d blocks merged a list of %d and one of %d numbers each: %s\n",
              pairs, m, n, right ? "right" : "wrong");
  return right ? 0 : 1;
}
