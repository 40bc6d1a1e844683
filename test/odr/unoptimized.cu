// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled once without optimisation, so that only forced inlining happens, and linked into several
// shared libraries. Uses raw pointers only, since shared libraries share the kernels of Thrust.
#include "unoptimized.h"

#include <cmerge/cmerge.h>
#include <cmerge/device_merge.cuh>

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace {

/// An order that only this file can name.
struct local_less {
  __host__ __device__ bool operator()(int a, int b) const { return a < b; }
};

/// A copy of numbers in device memory, or zeros.
class device_numbers {
 public:
  explicit device_numbers(const numbers& values) : device_numbers(values.size()) {
    cudaMemcpy(data_, values.data(), size_ * sizeof(int), cudaMemcpyDefault);
  }
  explicit device_numbers(std::size_t size) : size_(size) {
    cudaMalloc(&data_, size_ * sizeof(int));
    cudaMemset(data_, 0, size_ * sizeof(int));
  }
  device_numbers(const device_numbers&) = delete;
  ~device_numbers() { cudaFree(data_); }
  int* begin() const { return data_; }
  int* end() const { return data_ + size_; }
  bool holds(const numbers& expected) const {
    numbers values(size_);
    const cudaError_t status =
        cudaMemcpy(values.data(), data_, size_ * sizeof(int), cudaMemcpyDefault);
    return status == cudaSuccess && values == expected;
  }

 private:
  int* data_ = nullptr;
  std::size_t size_;
};

}  // namespace

numbers merge_unoptimized(const numbers& a, const numbers& b) {
  const numbers expected = merge_here(a, b);
  const device_numbers first(a);
  const device_numbers second(b);
  const auto m = static_cast<std::int64_t>(a.size());
  const auto n = static_cast<std::int64_t>(b.size());
  bool is_right = true;
  const auto check = [&](auto merge) {
    const device_numbers keys(expected.size());
    const device_numbers values(expected.size());
    is_right = merge(keys.begin(), values.begin()) && keys.holds(expected) && is_right;
  };
  check([&](int* keys, int*) {
    cmerge::merge(thrust::device, first.begin(), first.end(), second.begin(), second.end(), keys);
    return true;
  });
  check([&](int* keys, int*) {
    cmerge::merge(cmerge::tuned<exported_tuning>(thrust::cuda::par.on(nullptr)), first.begin(),
                  first.end(), second.begin(), second.end(), keys);
    return true;
  });
  check([&](int* keys, int*) {
    cmerge::merge(thrust::device, first.begin(), first.end(), second.begin(), second.end(), keys,
                  local_less{});
    return true;
  });
  check([&](int* keys, int* values) {
    cmerge::merge_by_key(thrust::device, first.begin(), first.end(), second.begin(), second.end(),
                         first.begin(), second.begin(), keys, values);
    return true;
  });
  check([&](int* keys, int*) {
    return cmerge::DeviceMerge::MergeKeys(first.begin(), m, second.begin(), n, keys) == cudaSuccess;
  });
  return is_right ? expected : numbers{};
}
