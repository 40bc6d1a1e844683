// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The block-wide collective by itself: one block merges ranges of any length, many blocks at once.
#include "gpu/collective.cuh"

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

TEST_CASE_TEMPLATE("blocks of any size", T, block<strategy::circular, 1, 5, 1>,
                   block<strategy::circular, 7, 3, 2>, block<strategy::circular, 33, 2, 2>,
                   block<strategy::circular, 100, 3, 2>, block<strategy::tiled, 20, 3>,
                   block<strategy::tiled, 65, 2>, block<strategy::single, 1, 7>,
                   block<strategy::single, 15, 3>, block<strategy::single, 1000, 1>,
                   block<strategy::basic, 45, 3>, block<strategy::indirect, 31, 3>,
                   block<strategy::single, 3, 5, 2, oracle::record<20>>) {
  check_any_length<T>();
}

TEST_CASE_TEMPLATE("ranges in shared memory", T, block<strategy::basic, 32, 3>,
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

TEST_CASE_TEMPLATE("a block merges to registers", T,
                   block<strategy::circular, 64, 3, 2, tagged, tagged>,
                   block<strategy::circular, 32, 1, 1, tagged, tagged>,
                   block<strategy::tiled, 96, 5, 2, tagged, tagged>,
                   block<strategy::single, 128, 7, 2, tagged, tagged>,
                   block<strategy::single, 13, 4, 2, tagged, tagged>,
                   block<strategy::basic, 32, 3, 2, tagged, tagged>,
                   block<strategy::indirect, 64, 2, 2, tagged, tagged>,
                   block<strategy::single, 32, 2, 2, oracle::record<20>, oracle::record<20>>,
                   block<strategy::circular, 32, 2, 2, oracle::record<96>, oracle::record<96>>) {
  check_blocked<T>();
}

/// Ranges of different types: compared as they are.
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

TEST_CASE("ranges of two types") {
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

}  // namespace gpu_test
