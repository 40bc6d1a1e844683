// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CMERGE_CHECK_PRECONDITIONS on a GPU: a violated precondition is named, and no output is written.
// The last test case breaks the context of the device.
#define CMERGE_CHECK_PRECONDITIONS
#include "gpu/oracle.cuh"
#include "precondition_errors.h"

#include <cmerge/merge.h>
#include <cmerge/merge_indices.h>
#include <cmerge/merge_n.h>
#include <cmerge/device_merge.cuh>

#include <thrust/device_vector.h>

namespace gpu_test {

using oracle::contains;
using oracle::error_of;

bool is_untouched(const thrust::device_vector<int>& out) {
  return std::vector<int>(out.begin(), out.end()) == std::vector<int>(out.size(), -1);
}

TEST_CASE("accepts valid arguments") {
  const auto in = oracle::make_inputs(oracle::shape::few, 40000, 30000);
  const oracle::device_input<oracle::tagged> a(in.a);
  const oracle::device_input<oracle::tagged> b(in.b);
  const oracle::device_output<oracle::tagged> out(70000);
  cmerge::merge(thrust::device, a.begin(), a.end(), b.begin(), b.end(), out.begin(),
                oracle::by_key{});
  CHECK(oracle::is_merged(a.begin(), 40000, b.begin(), 30000, out.begin()));
}

TEST_CASE("names the first unsorted element") {
  std::vector<int> keys(100000);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<int>(i);
  const thrust::device_vector<int> sorted(keys.begin(), keys.end());
  keys[61700] = 3;
  keys[90000] = 3;
  const thrust::device_vector<int> bad(keys.begin(), keys.end());
  thrust::device_vector<int> out(200000, -1);
  CHECK(contains(error_of([&] {
                   cmerge::merge(thrust::device, bad.begin(), bad.end(), sorted.begin(),
                                 sorted.end(), out.begin());
                 }),
                 "cmerge::merge: the first range is not sorted: element 61700"));
  CHECK(contains(error_of([&] {
                   cmerge::merge_by_key(thrust::cuda::par_nosync, sorted.begin(), sorted.end(),
                                        bad.begin(), bad.end(), sorted.begin(), sorted.begin(),
                                        out.begin(), out.begin() + 100000);
                 }),
                 "cmerge::merge_by_key: the second range is not sorted: element 61700"));
  CHECK(contains(error_of([&] {
                   cmerge::merge_n(sorted.begin(), sorted.end(), bad.begin(), bad.end(), 10,
                                   out.begin());
                 }),
                 "cmerge::merge_n: the second range is not sorted"));
  thrust::device_vector<std::uint32_t> words(200000);
  CHECK(contains(error_of([&] {
                   cmerge::merge_indices(bad.begin(), bad.end(), sorted.begin(), sorted.end(),
                                         words.begin());
                 }),
                 "cmerge::merge_indices: the first range is not sorted"));
  CHECK(is_untouched(out));

  // DeviceMerge returns an error code and prints a line to stderr.
  using cmerge::DeviceMerge;
  const int* const good_data = sorted.data().get();
  const int* const bad_data = bad.data().get();
  int* const out_data = out.data().get();
  CHECK(DeviceMerge::MergeKeys(bad_data, 100000, good_data, 100000, out_data) ==
        cudaErrorInvalidValue);
  CHECK(is_untouched(out));
  const oracle::device_input<std::int64_t> sizes(std::vector<std::int64_t>{61700, 61701});
  CHECK(DeviceMerge::MergeKeys(bad_data, sizes.begin() + 1, 100000, good_data, sizes.begin(),
                               100000, out_data) == cudaErrorInvalidValue);
  CHECK(is_untouched(out));
  CHECK(DeviceMerge::MergeKeys(bad_data, sizes.begin(), 100000, good_data, sizes.begin(), 100000,
                               out_data) == cudaSuccess);
  CHECK(DeviceMerge::MergeKeys(bad_data, 61700, good_data, 100000, out_data) == cudaSuccess);
}

TEST_CASE("names an output that overlaps an input") {
  const thrust::device_vector<int> zeros(1000, 0);
  thrust::device_vector<int> memory(1000, 0);
  const thrust::device_vector<int>& in = memory;  // iterators to const: the same kernels as above
  CHECK(contains(error_of([&] {
                   cmerge::merge(thrust::device, in.begin(), in.begin() + 100, zeros.begin(),
                                 zeros.end(), memory.begin() + 99);
                 }),
                 "the first range overlaps an output"));
  CHECK(contains(error_of([&] {
                   cmerge::merge_by_key(zeros.begin(), zeros.begin() + 100, zeros.begin(),
                                        zeros.begin() + 100, zeros.begin(), in.begin() + 300,
                                        memory.begin(), memory.begin() + 201);
                 }),
                 "the second range of values overlaps an output"));
  CHECK(error_of([&] {
          cmerge::merge(thrust::device, in.begin(), in.begin() + 100, zeros.begin(),
                        zeros.begin() + 100, memory.begin() + 100);
        }) == "");
}

__global__ void merge_in_kernel(const int* a, const int* b, int* out) {
  cmerge::merge(thrust::seq, a, a + 3, b, b + 3, out);
}

TEST_CASE("reports an unsorted range inside a kernel, which breaks the device's context") {
  const oracle::device_input<int> a(std::vector<int>{1, 4, 6});
  const oracle::device_input<int> b(std::vector<int>{2, 9, 3});
  const oracle::device_output<int> out(6);
  merge_in_kernel<<<1, 1>>>(a.begin(), a.begin(), out.begin());
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  merge_in_kernel<<<1, 1>>>(a.begin(), b.begin(), out.begin());
  CHECK(cudaDeviceSynchronize() != cudaSuccess);
}

}  // namespace gpu_test
