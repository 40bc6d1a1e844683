// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The block-wide collective: each block merges its own ranges of any length.
#include "gpu/collective_pairs.cuh"
#include "gpu/collective_registers.cuh"

#include <thrust/functional.h>
#include <thrust/iterator/discard_iterator.h>

#include <cooperative_groups.h>

#include <algorithm>
#include <iterator>

namespace gpu_test {

TEST_CASE_TEMPLATE("a block merges ranges of any length", T, block<strategy::basic, 32, 3>,
                   block<strategy::tiled, 32, 1>, block<strategy::tiled, 64, 3>,
                   block<strategy::circular, 32, 1, 1>, block<strategy::circular, 64, 3, 1>,
                   block<strategy::circular, 32, 1, 2>, block<strategy::circular, 64, 3, 2>,
                   block<strategy::circular, 128, 5, 2>, block<strategy::single, 64, 3>,
                   block<strategy::single, 128, 7>, block<strategy::indirect, 64, 3>,
                   block<strategy::circular, 32, 2, 2, oracle::record<16>>,
                   block<strategy::circular, 32, 2, 1, oracle::record<20>>,
                   block<strategy::circular, 32, 2, 2, oracle::record<96>>,
                   block<strategy::single, 32, 2, 2, oracle::record<20>>,
                   block<strategy::tiled, 32, 2, 2, oracle::record<12>>) {
  check_any_length<T>();
}

TEST_CASE_TEMPLATE("blocks of any size merge", T, block<strategy::circular, 1, 5, 1>,
                   block<strategy::circular, 7, 3, 2>, block<strategy::circular, 33, 2, 2>,
                   block<strategy::circular, 100, 3, 2>, block<strategy::tiled, 20, 3>,
                   block<strategy::tiled, 65, 2>, block<strategy::single, 1, 7>,
                   block<strategy::single, 15, 3>, block<strategy::single, 1000, 1>,
                   block<strategy::basic, 45, 3>, block<strategy::indirect, 31, 3>,
                   block<strategy::single, 3, 5, 2, oracle::record<20>>) {
  check_any_length<T>();
}

TEST_CASE_TEMPLATE("a block merges ranges in shared memory", T, block<strategy::basic, 32, 3>,
                   block<strategy::tiled, 32, 2>, block<strategy::circular, 32, 2, 1>,
                   block<strategy::circular, 32, 2, 2>, block<strategy::single, 64, 3>,
                   block<strategy::single, 10, 3>, block<strategy::indirect, 64, 3>) {
  check_shared_memory<T>();
}

TEST_CASE_TEMPLATE("a block merges keys with values", T,
                   block<strategy::basic, 32, 3, 2, tagged, int>,
                   block<strategy::tiled, 32, 3, 2, tagged, int>,
                   block<strategy::circular, 32, 3, 1, tagged, int>,
                   block<strategy::circular, 32, 3, 2, tagged, int>,
                   block<strategy::single, 32, 3, 2, tagged, int>,
                   block<strategy::single, 128, 7, 2, tagged, int>,
                   block<strategy::single, 50, 3, 2, tagged, int>,
                   block<strategy::indirect, 64, 3, 2, tagged, int>) {
  check_pairs<T>(4321, 2345, 2);
}

using blocks_to_registers =
    group_list<block<strategy::circular, 64, 3, 2, tagged, tagged>,
               block<strategy::circular, 32, 1, 1, tagged, tagged>,
               block<strategy::tiled, 96, 5, 2, tagged, tagged>,
               block<strategy::single, 128, 7, 2, tagged, tagged>,
               block<strategy::single, 13, 4, 2, tagged, tagged>,
               block<strategy::basic, 32, 3, 2, tagged, tagged>,
               block<strategy::indirect, 64, 2, 2, tagged, tagged>,
               block<strategy::single, 32, 2, 2, oracle::record<20>, oracle::record<20>>,
               block<strategy::circular, 32, 2, 2, oracle::record<96>, oracle::record<96>>>;

TEST_CASE("a block merges to registers") { blocks_to_registers::check_registers(false); }

TEST_CASE("a block continues after the elements it has consumed") {
  blocks_to_registers::check_registers(true);
}

/// Ranges of two types, whose elements are compared without conversion.
__global__ void mixed_kernel(const int* a, int m, const double* b, int n, double* out,
                             double* first) {
  using collective = cmerge::block_merge<int, 64, 3, void, strategy::circular, 2, double>;
  __shared__ typename collective::TempStorage storage;
  const auto less = [](double y, int x) { return y < x; };
  collective(storage).merge(a, m, b, n, out, less);
  __syncthreads();
  double items[3] = {-1, -1, -1};
  collective(storage).merge_to_blocked(a, m, b, n, items, less);
  for (int s = 0; s < 3; ++s) first[threadIdx.x * 3 + s] = items[s];
}

TEST_CASE("a block merges ranges of two types") {
  std::vector<int> keys1;
  std::vector<double> keys2;
  for (int i = 0; i < 777; ++i) keys1.push_back(i / 2);
  for (int j = 0; j < 555; ++j) keys2.push_back(j * 0.7 + 0.1);
  const oracle::device_input<int> a(keys1);
  const oracle::device_input<double> b(keys2);
  const oracle::device_output<double> out(777 + 555);
  const oracle::device_output<double> first(192);
  mixed_kernel<<<1, 64>>>(a.begin(), 777, b.begin(), 555, out.begin(), first.begin());
  oracle::check_cuda(cudaGetLastError(), "launch");
  std::vector<double> expected(keys1.begin(), keys1.end());
  expected.insert(expected.end(), keys2.begin(), keys2.end());
  std::stable_sort(expected.begin(), expected.end());
  CHECK(out.download() == expected);
  expected.resize(192);
  CHECK(first.download() == expected);
}

/// Each block of a cluster of two merges two ranges in the shared memory of the other block, then
/// one of these with its own range.
template <cmerge::strategy How>
__global__ void cluster_kernel(const int* in, int count, int* out, int* mixed_out, int* blocked) {
#if __CUDA_ARCH__ >= 900
  using collective = cmerge::block_merge<int, 128, 7, int, How>;
  constexpr int capacity = 1500;
  __shared__ typename collective::TempStorage storage;
  __shared__ int first[capacity];
  __shared__ int second[capacity];
  const auto cluster = cooperative_groups::this_cluster();
  const unsigned rank = cluster.block_rank();
  for (int i = threadIdx.x; i < count; i += 128) {
    first[i] = in[2 * rank * count + i];
    second[i] = in[(2 * rank + 1) * count + i];
  }
  cluster.sync();
  const int* const a = cluster.map_shared_rank(first, rank ^ 1);
  const int* const b = cluster.map_shared_rank(second, rank ^ 1);
  const thrust::less<int> less;
  collective(storage).merge(a, count, b, count, out + rank * 2 * count, less);
  __syncthreads();
  // Keys of the other block and of this one. Each key is also its value.
  collective(storage).merge_by_key(a, count, second, count, a, second,
                                   thrust::make_discard_iterator(), mixed_out + rank * 2 * count,
                                   less);
  __syncthreads();
  int keys[7] = {};
  collective(storage).merge_to_blocked(a, count, b, count, keys, less);
  for (int s = 0; s < 7; ++s) blocked[rank * 896 + threadIdx.x * 7 + s] = keys[s];
  cluster.sync();  // the other block may still read
#endif
}

template <cmerge::strategy How>
void check_cluster(int count) {
  CAPTURE(count);
  std::vector<std::vector<int>> ranges(4);  // the two ranges of block 0, then those of block 1
  std::vector<int> all;
  for (int r = 0; r < 4; ++r) {
    for (int i = 0; i < count; ++i) ranges[r].push_back(i * (r + 2) / 3);
    all.insert(all.end(), ranges[r].begin(), ranges[r].end());
  }
  const oracle::device_input<int> in(all);
  const oracle::device_output<int> out(all.size());
  const oracle::device_output<int> mixed(all.size());
  const oracle::device_output<int> blocked(2 * 896);
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(2);
  config.blockDim = dim3(128);
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = 2;
  attribute.val.clusterDim.y = 1;
  attribute.val.clusterDim.z = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  const int* const keys = in.begin();
  oracle::check_cuda(cudaLaunchKernelEx(&config, cluster_kernel<How>, keys, count, out.begin(),
                                        mixed.begin(), blocked.begin()),
                     "launch");
  std::vector<int> expected;
  std::vector<int> expected_mixed;
  std::vector<int> expected_blocked;
  for (const int rank : {0, 1}) {
    const auto& a = ranges[2 * (1 - rank)];
    const auto& b = ranges[2 * (1 - rank) + 1];
    const auto& own = ranges[2 * rank + 1];
    std::vector<int> merged;
    std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(merged));
    expected.insert(expected.end(), merged.begin(), merged.end());
    std::merge(a.begin(), a.end(), own.begin(), own.end(), std::back_inserter(expected_mixed));
    merged.resize(896);  // the first outputs, with zeros after the last one
    expected_blocked.insert(expected_blocked.end(), merged.begin(), merged.end());
  }
  CHECK(out.download() == expected);
  CHECK(mixed.download() == expected_mixed);
  CHECK(blocked.download() == expected_blocked);
}

TEST_CASE("a block merges ranges in the shared memory of another block of its cluster") {
  int major = 0;
  oracle::check_cuda(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0),
                     "cudaDeviceGetAttribute");
  if (major < 9) {
    MESSAGE("skipped: this GPU has no clusters");
    return;
  }
  for (const int count : {0, 1, 100, 448, 1499}) {
    check_cluster<strategy::single>(count);
    check_cluster<strategy::circular>(count);
    check_cluster<strategy::tiled>(count);
  }
}

using large_merge = cmerge::block_merge<long long, 256, 15, void, strategy::circular>;
static_assert(sizeof(large_merge::DynamicTempStorage) > 48 << 10);

__global__ void dynamic_storage_kernel(const long long* a, int m, const long long* b, int n,
                                       long long* out) {
  extern __shared__ __align__(16) unsigned char dynamic_shared[];
  auto& storage = *reinterpret_cast<large_merge::DynamicTempStorage*>(dynamic_shared);
  large_merge(storage).merge(a, m, b, n, out, thrust::less<long long>{});
}

TEST_CASE("a block merges with more than 48 KiB of dynamic shared memory") {
  std::vector<long long> keys1;
  std::vector<long long> keys2;
  for (int i = 0; i < 20000; ++i) keys1.push_back(i / 3), keys2.push_back(2 * (i / 5));
  const oracle::device_input<long long> a(keys1);
  const oracle::device_input<long long> b(keys2);
  const oracle::device_output<long long> out(40000);
  constexpr int bytes = sizeof(large_merge::DynamicTempStorage);
  oracle::check_cuda(cudaFuncSetAttribute(dynamic_storage_kernel,
                                          cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
                     "cudaFuncSetAttribute");
  dynamic_storage_kernel<<<1, 256, bytes>>>(a.begin(), 20000, b.begin(), 20000, out.begin());
  oracle::check_cuda(cudaGetLastError(), "launch");
  CHECK(out.download() == oracle::merged(keys1, keys2, std::less<long long>{}));
}

}  // namespace gpu_test
