// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Uses block primitives of CUB and cmerge in one kernel. An index stores sorted lists of document
// numbers as the gaps between them. A block decodes two lists, merges them and writes the numbers.
// Warps merge short lists, four pairs at a time.
#include <cmerge/block_merge.cuh>

#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <cub/block/block_load.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <random>
#include <vector>

constexpr int threads = 128;
constexpr int items = 7;               // gaps per thread and list
constexpr int list = threads * items;  // gaps in a list
using block_load = cub::BlockLoad<int, threads, items, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
using block_scan = cub::BlockScan<int, threads>;
using block_store = cub::BlockStore<int, threads, 2 * items, cub::BLOCK_STORE_WARP_TRANSPOSE>;
using block_merge = cmerge::block_merge<int, threads, 2 * items>;

//! [merge_to_blocked]
/// Block `p` merges lists `2 p` and `2 p + 1`. Each has `list` gaps.
__global__ void __launch_bounds__(threads) merge_long_lists(const int* gaps, int* documents) {
  __shared__ union {
    block_load::TempStorage load;
    block_scan::TempStorage scan;
    block_merge::TempStorage merge;
    block_store::TempStorage store;
  } storage;
  __shared__ int decoded[2][list];

  for (int side = 0; side < 2; ++side) {
    int held[items];
    block_load(storage.load).Load(gaps + (2 * blockIdx.x + side) * list, held);
    __syncthreads();
    block_scan(storage.scan).InclusiveSum(held, held);
    for (int i = 0; i < items; ++i) decoded[side][threadIdx.x * items + i] = held[i];
    __syncthreads();
  }
  int merged[2 * items];
  block_merge(storage.merge)
      .merge_to_blocked(decoded[0], list, decoded[1], list, merged, thrust::less<int>{});
  __syncthreads();
  block_store(storage.store).Store(documents + blockIdx.x * 2 * list, merged);
}
//! [merge_to_blocked]

//! [warp_merge]
constexpr int lanes = 8;
constexpr int short_list = 20;
using warp_merge = cmerge::warp_merge<int, 5, void, lanes>;

/// Eight lanes merge pair `p`: lists `2 p` and `2 p + 1`. Each has `short_list` numbers.
__global__ void __launch_bounds__(threads)
    merge_short_lists(const int* lists, int pairs, int* documents) {
  __shared__ warp_merge::TempStorage storage[threads / lanes];
  const int group = threadIdx.x / lanes;
  const int p = blockIdx.x * (threads / lanes) + group;
  if (p >= pairs) return;
  const int* const first = lists + 2 * p * short_list;
  warp_merge(storage[group])
      .merge(first, short_list, first + short_list, short_list, documents + 2 * p * short_list,
             thrust::less<int>{});
}
//! [warp_merge]

/// `count` lists of `size` gaps.
std::vector<int> make_gaps(int count, int size) {
  std::mt19937 random(1);
  std::vector<int> gaps(count * size);
  for (int& gap : gaps) gap = static_cast<int>(random() % 100);
  return gaps;
}

/// The numbers of all lists, in one sequence.
std::vector<int> decode(const std::vector<int>& gaps, int size) {
  std::vector<int> documents(gaps.size());
  for (auto at = gaps.begin(); at != gaps.end(); at += size) {
    std::partial_sum(at, at + size, documents.begin() + (at - gaps.begin()));
  }
  return documents;
}

/// The expected result: lists `2 p` and `2 p + 1` are merged, for each `p`.
std::vector<int> merge_all(const std::vector<int>& lists, int size) {
  std::vector<int> merged(lists.size());
  for (auto at = lists.begin(); at != lists.end(); at += 2 * size) {
    std::merge(at, at + size, at + size, at + 2 * size, merged.begin() + (at - lists.begin()));
  }
  return merged;
}

int main() {
  constexpr int pairs = 500;
  const std::vector<int> gaps = make_gaps(2 * pairs, list);
  const thrust::device_vector<int> device_gaps = gaps;
  thrust::device_vector<int> documents(gaps.size());
  merge_long_lists<<<pairs, threads>>>(device_gaps.data().get(), documents.data().get());

  const std::vector<int> lists = decode(make_gaps(2 * pairs, short_list), short_list);
  const thrust::device_vector<int> device_lists = lists;
  thrust::device_vector<int> short_documents(lists.size());
  constexpr int pairs_of_block = threads / lanes;
  merge_short_lists<<<(pairs + pairs_of_block - 1) / pairs_of_block, threads>>>(
      device_lists.data().get(), pairs, short_documents.data().get());
  if (const cudaError_t error = cudaDeviceSynchronize(); error != cudaSuccess) {
    std::printf("posting_lists: %s\n", cudaGetErrorString(error));
    return 1;
  }

  const bool right = documents == merge_all(decode(gaps, list), list) &&
                     short_documents == merge_all(lists, short_list);
  std::printf(
      "posting_lists: blocks decoded and merged %d pairs of %d gaps, and parts of warps merged "
      "%d pairs of %d numbers: %s\n",
      pairs, list, pairs, short_list, right ? "right" : "wrong");
  return right ? 0 : 1;
}
