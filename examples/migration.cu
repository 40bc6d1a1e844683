// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of Thrust and CUB beside the calls of cmerge that replace them. The results are the same.
#include <cmerge/merge.h>
#include <cmerge/device_merge.cuh>

#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/merge.h>
#include <thrust/sequence.h>
#include <thrust/system_error.h>
#include <cub/device/device_merge.cuh>

#include <cstdio>

using ints = thrust::device_vector<int>;

bool is_right = true;

void check(bool result, const char* what) {
  std::printf("migration: %s: %s\n", what, result ? "same result" : "results differ");
  is_right = is_right && result;
}

/// `size` numbers: first, first + step, ...
ints make_sequence(int size, int first, int step) {
  ints numbers(size);
  thrust::sequence(numbers.begin(), numbers.end(), first, step);
  return numbers;
}

constexpr int m = 10000;
constexpr int n = 7000;

void compare_thrust(const ints& a, const ints& b, const ints& values_a, const ints& values_b) {
  ints theirs(m + n);
  ints ours(m + n);
  //! [thrust_merge]
  thrust::merge(thrust::device, a.begin(), a.end(), b.begin(), b.end(), theirs.begin());
  cmerge::merge(thrust::device, a.begin(), a.end(), b.begin(), b.end(), ours.begin());
  //! [thrust_merge]
  check(ours == theirs, "thrust::merge");

  ints their_values(m + n);
  ints our_values(m + n);
  //! [thrust_merge_by_key]
  thrust::merge_by_key(thrust::device, a.begin(), a.end(), b.begin(), b.end(), values_a.begin(),
                       values_b.begin(), theirs.begin(), their_values.begin());
  cmerge::merge_by_key(thrust::device, a.begin(), a.end(), b.begin(), b.end(), values_a.begin(),
                       values_b.begin(), ours.begin(), our_values.begin());
  //! [thrust_merge_by_key]
  check(ours == theirs && our_values == their_values, "thrust::merge_by_key");
}

void compare_cub(const ints& a, const ints& b, const ints& values_a, const ints& values_b) {
  ints theirs(m + n);
  ints ours(m + n);
  const int* const d_a = a.data().get();
  const int* const d_b = b.data().get();
  std::size_t bytes = 0;
  //! [cub_merge_keys]
  cub::DeviceMerge::MergeKeys(nullptr, bytes, d_a, m, d_b, n, theirs.data().get());
  thrust::device_vector<char> storage(bytes);
  cub::DeviceMerge::MergeKeys(storage.data().get(), bytes, d_a, m, d_b, n, theirs.data().get());

  // The same two phases, or one call without temporary storage.
  cmerge::DeviceMerge::MergeKeys(d_a, m, d_b, n, ours.data().get());
  //! [cub_merge_keys]
  check(ours == theirs, "cub::DeviceMerge::MergeKeys");

  ints their_values(m + n);
  ints our_values(m + n);
  const int* const d_values_a = values_a.data().get();
  const int* const d_values_b = values_b.data().get();
  cub::DeviceMerge::MergePairs(nullptr, bytes, d_a, d_values_a, m, d_b, d_values_b, n,
                               theirs.data().get(), their_values.data().get());
  storage.resize(bytes);
  //! [cub_merge_pairs]
  cub::DeviceMerge::MergePairs(storage.data().get(), bytes, d_a, d_values_a, m, d_b, d_values_b, n,
                               theirs.data().get(), their_values.data().get());
  cmerge::DeviceMerge::MergePairs(d_a, d_values_a, m, d_b, d_values_b, n, ours.data().get(),
                                  our_values.data().get());
  //! [cub_merge_pairs]
  check(ours == theirs && our_values == their_values, "cub::DeviceMerge::MergePairs");
}

/// Queues a merge, and waits before the inputs are freed.
bool merge_without_waiting(cudaStream_t stream, ints& out) {
  //! [par_nosync]
  const ints a = make_sequence(m, 0, 3);
  const ints b = make_sequence(n, 1, 5);
  try {
    cmerge::merge(thrust::cuda::par_nosync.on(stream), a.begin(), a.end(), b.begin(), b.end(),
                  out.begin());
  } catch (const thrust::system_error& error) {  // an error of the launch
    std::printf("migration: %s\n", error.what());
    return false;
  }
  // The merge may still run. `a` and `b` must not be freed before it has ended.
  const cudaError_t error = cudaStreamSynchronize(stream);  // an error of the kernel
  return error == cudaSuccess;
  //! [par_nosync]
}

int main() {
  const ints a = make_sequence(m, 0, 3);
  const ints b = make_sequence(n, 1, 5);
  const ints values_a = make_sequence(m, 0, 1);
  const ints values_b = make_sequence(n, -1, -1);
  compare_thrust(a, b, values_a, values_b);
  compare_cub(a, b, values_a, values_b);

  ints expected(m + n);
  ints out(m + n);
  thrust::merge(thrust::device, a.begin(), a.end(), b.begin(), b.end(), expected.begin());
  cudaStream_t stream = nullptr;
  const bool is_merged =
      cudaStreamCreate(&stream) == cudaSuccess && merge_without_waiting(stream, out);
  check(is_merged && out == expected, "par_nosync");
  cudaStreamDestroy(stream);
  return is_right ? 0 : 1;
}
