// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pipeline that runs without the host. Two filters leave keys, and the numbers of keys, in
// device memory, and DeviceMerge merges them. Then a column is gathered in the order of the keys.
#include <cmerge/merge_indices.h>
#include <cmerge/device_merge.cuh>

#include <thrust/device_vector.h>
#include <thrust/sequence.h>
#include <thrust/transform.h>
#include <cub/device/device_select.cuh>

#include <cstdio>
#include <vector>

/// Selects the multiples of a number.
struct multiple_of {
  int number;
  __host__ __device__ bool operator()(int x) const { return x % number == 0; }
};

bool failed(cudaError_t error) {
  if (error != cudaSuccess) std::printf("pipeline: %s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}

int main() {
  constexpr int size = 100000;
  thrust::device_vector<int> numbers(size);
  thrust::sequence(numbers.begin(), numbers.end());
  thrust::device_vector<int> threes(size);
  thrust::device_vector<int> fives(size);
  thrust::device_vector<std::int64_t> counts(2);
  thrust::device_vector<int> merged(2 * size);
  const int* const in = numbers.data().get();

  std::size_t bytes = 0;
  if (failed(cub::DeviceSelect::If(nullptr, bytes, in, threes.data().get(), counts.data().get(),
                                   size, multiple_of{3}))) {
    return 1;
  }
  thrust::device_vector<char> storage(bytes);
  //! [pipeline]
  // Only the device knows how many keys pass a filter. The host gives `size` as the upper bound.
  if (failed(cub::DeviceSelect::If(storage.data().get(), bytes, in, threes.data().get(),
                                   counts.data().get(), size, multiple_of{3})) ||
      failed(cub::DeviceSelect::If(storage.data().get(), bytes, in, fives.data().get(),
                                   counts.data().get() + 1, size, multiple_of{5})) ||
      failed(cmerge::DeviceMerge::MergeKeys(threes.data().get(), counts.data().get(), size,
                                            fives.data().get(), counts.data().get() + 1, size,
                                            merged.data().get()))) {
    return 1;
  }
  //! [pipeline]
  std::vector<int> expected;
  for (int x = 0; x < size; ++x) {
    if (x % 3 == 0) expected.push_back(x);
    if (x % 5 == 0) expected.push_back(x);
  }
  const bool is_merged =
      std::vector<int>(merged.begin(), merged.begin() + expected.size()) == expected;

  //! [gather]
  // Writes a word for each output, which tells where it comes from. Then gathers a column.
  const thrust::device_vector<int> keys1{1, 4, 4, 9};
  const thrust::device_vector<int> keys2{2, 4};
  const thrust::device_vector<float> column1{0.1f, 0.4f, 0.5f, 0.9f};
  const thrust::device_vector<float> column2{20.0f, 40.0f};
  thrust::device_vector<std::uint32_t> sources(6);
  cmerge::merge_indices(keys1.begin(), keys1.end(), keys2.begin(), keys2.end(), sources.begin());
  thrust::device_vector<float> column(6);
  thrust::transform(sources.begin(), sources.end(), column.begin(),
                    cmerge::source_element{column1.data().get(), column2.data().get()});
  // column: 0.1 20.0 0.4 0.5 40.0 0.9
  //! [gather]
  const bool is_gathered = column == std::vector<float>{0.1f, 20.0f, 0.4f, 0.5f, 40.0f, 0.9f};

  std::printf("pipeline: merged %zu keys of two filters and gathered a column: %s\n",
              expected.size(), is_merged && is_gathered ? "right" : "wrong");
  return is_merged && is_gathered ? 0 : 1;
}
