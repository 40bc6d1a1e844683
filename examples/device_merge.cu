// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DeviceMerge: the three forms of MergeKeys and MergePairs. They return an error code and work on a
// stream.
#include <cmerge/device_merge.cuh>

#include <thrust/device_vector.h>

#include <cstdint>
#include <cstdio>
#include <vector>

bool is_right = true;

template <class T>
void check(cudaError_t error, const thrust::device_vector<T>& out, const std::vector<T>& expected,
           const char* what) {
  if (error == cudaSuccess) error = cudaDeviceSynchronize();
  const bool right = error == cudaSuccess && out == expected;
  std::printf("device_merge: %s: %s (%s)\n", what, right ? "right" : "wrong",
              cudaGetErrorString(error));
  is_right = is_right && right;
}

void merge_keys(cudaStream_t stream) {
  const thrust::device_vector<int> keys1 = std::vector<int>{0, 2, 5};
  const thrust::device_vector<int> keys2 = std::vector<int>{0, 3, 3, 4};
  thrust::device_vector<int> out(7);
  const int* const d_keys1 = keys1.data().get();
  const int* const d_keys2 = keys2.data().get();
  int* const d_out = out.data().get();
  const std::vector<int> expected{0, 0, 2, 3, 3, 4, 5};

  //! [two_phases]
  // The first call sets bytes to 1. Nothing is stored in the temporary storage.
  std::size_t bytes = 0;
  cmerge::DeviceMerge::MergeKeys(nullptr, bytes, d_keys1, 3, d_keys2, 4, d_out);
  thrust::device_vector<char> storage(bytes);
  cudaError_t error =
      cmerge::DeviceMerge::MergeKeys(storage.data().get(), bytes, d_keys1, 3, d_keys2, 4, d_out);
  // out: 0 0 2 3 3 4 5
  //! [two_phases]
  check(error, out, expected, "keys in two phases");

  out.assign(7, 0);
  //! [one_phase]
  // {} is the default order, `<`.
  error = cmerge::DeviceMerge::MergeKeys(d_keys1, 3, d_keys2, 4, d_out, {}, stream);
  //! [one_phase]
  check(error, out, expected, "keys in one phase");

  out.assign(7, 0);
  //! [device_sizes]
  // The sizes are in device memory. The host gives upper bounds: 3 and 4.
  const thrust::device_vector<std::int64_t> sizes = std::vector<std::int64_t>{2, 3};
  const std::int64_t* const d_sizes = sizes.data().get();
  error = cmerge::DeviceMerge::MergeKeys(d_keys1, d_sizes, 3, d_keys2, d_sizes + 1, 4, d_out, {},
                                         stream);
  // out: 0 0 2 3 3, and two elements that stay unchanged
  //! [device_sizes]
  check(error, out, {0, 0, 2, 3, 3, 0, 0}, "keys, sizes in device memory");
}

void merge_pairs(cudaStream_t stream) {
  const thrust::device_vector<int> keys1 = std::vector<int>{1, 4};
  const thrust::device_vector<char> values1 = std::vector<char>{'a', 'b'};
  const thrust::device_vector<int> keys2 = std::vector<int>{2, 4};
  const thrust::device_vector<char> values2 = std::vector<char>{'x', 'y'};
  thrust::device_vector<int> keys(4);
  thrust::device_vector<char> values(4);
  const int* const d_keys1 = keys1.data().get();
  const int* const d_keys2 = keys2.data().get();
  const char* const d_values1 = values1.data().get();
  const char* const d_values2 = values2.data().get();
  int* const d_keys = keys.data().get();
  char* const d_values = values.data().get();

  //! [pairs_two_phases]
  std::size_t bytes = 0;
  cmerge::DeviceMerge::MergePairs(nullptr, bytes, d_keys1, d_values1, 2, d_keys2, d_values2, 2,
                                  d_keys, d_values);
  thrust::device_vector<char> storage(bytes);
  cudaError_t error = cmerge::DeviceMerge::MergePairs(
      storage.data().get(), bytes, d_keys1, d_values1, 2, d_keys2, d_values2, 2, d_keys, d_values);
  // keys:   1 2 4 4
  // values: a x b y
  //! [pairs_two_phases]
  check(error, keys, {1, 2, 4, 4}, "keys of pairs in two phases");
  check(error, values, {'a', 'x', 'b', 'y'}, "values of pairs in two phases");

  values.assign(4, '-');
  //! [pairs_one_phase]
  error = cmerge::DeviceMerge::MergePairs(d_keys1, d_values1, 2, d_keys2, d_values2, 2, d_keys,
                                          d_values, {}, stream);
  //! [pairs_one_phase]
  check(error, values, {'a', 'x', 'b', 'y'}, "pairs in one phase");

  values.assign(4, '-');
  const thrust::device_vector<std::int64_t> sizes = std::vector<std::int64_t>{2, 1};
  const std::int64_t* const d_sizes = sizes.data().get();
  //! [pairs_device_sizes]
  error = cmerge::DeviceMerge::MergePairs(d_keys1, d_values1, d_sizes, 2, d_keys2, d_values2,
                                          d_sizes + 1, 2, d_keys, d_values, {}, stream);
  //! [pairs_device_sizes]
  check(error, values, {'a', 'x', 'b', '-'}, "pairs, sizes in device memory");
}

int main() {
  cudaStream_t stream = nullptr;
  if (cudaStreamCreate(&stream) != cudaSuccess) return 1;
  merge_keys(stream);
  merge_pairs(stream);
  cudaStreamDestroy(stream);
  return is_right ? 0 : 1;
}
