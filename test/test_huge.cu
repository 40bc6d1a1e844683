// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// More outputs than 32 bits can count. Needs up to 20 GB of device memory.
#include "gpu/oracle.cuh"

#include <cmerge/merge.h>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <limits>

namespace gpu_test {

using oracle::check_cuda;

constexpr std::size_t int_max = std::numeric_limits<int>::max();

/// Sorted one-byte keys.
__global__ void fill_kernel(signed char* keys, std::size_t size) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < size; i += stride) {
    keys[i] = static_cast<signed char>(static_cast<long long>(i / ((size + 250) / 251)) - 125);
  }
}

/// Counts keys of each value, and places where the order is wrong.
__global__ void count_kernel(const signed char* keys, std::size_t size, unsigned long long* counts,
                             unsigned* errors) {
  __shared__ unsigned long long local[256];
  for (unsigned c = threadIdx.x; c < 256; c += blockDim.x) local[c] = 0;
  __syncthreads();
  const std::size_t each = (size + gridDim.x - 1) / gridDim.x;
  const std::size_t begin = blockIdx.x * each;
  const std::size_t end = begin + each < size ? begin + each : size;
  for (std::size_t i = begin + threadIdx.x; i < end; i += blockDim.x) {
    atomicAdd(&local[keys[i] + 128], 1ull);
    if (i > 0 && keys[i] < keys[i - 1]) *errors = 1;
  }
  __syncthreads();
  for (unsigned c = threadIdx.x; c < 256; c += blockDim.x) atomicAdd(&counts[c], local[c]);
}

std::vector<unsigned long long> count(const signed char* keys, std::size_t size) {
  const oracle::device_input<unsigned long long> counts(std::vector<unsigned long long>(256, 0));
  const oracle::device_errors errors;
  count_kernel<<<4096, 256>>>(keys, size, counts.begin(), errors.get());
  CHECK(errors.count() == 0);
  std::vector<unsigned long long> result(256);
  check_cuda(cudaMemcpy(result.data(), counts.begin(), 256 * 8, cudaMemcpyDefault), "cudaMemcpy");
  return result;
}

bool has_memory(std::size_t bytes) {
  std::size_t available = 0;
  std::size_t total = 0;
  check_cuda(cudaMemGetInfo(&available, &total), "cudaMemGetInfo");
  if (available < bytes) MESSAGE("left out: too little device memory");
  return available >= bytes;
}

TEST_CASE("one-byte keys") {
  if (oracle::quick() || !has_memory(std::size_t{11} << 30)) return;
  for (const auto& size : {std::pair<std::size_t, std::size_t>{int_max - 1, int_max},
                           {3, int_max + 1000000},
                           {int_max + 6, int_max + 77},
                           {int_max + 1000001, 5}}) {
    CAPTURE(size.first);
    CAPTURE(size.second);
    const oracle::device_input<signed char> a(size.first, 1);
    const oracle::device_input<signed char> b(size.second, 7);
    const oracle::device_input<signed char> out(size.first + size.second, 3);
    fill_kernel<<<4096, 256>>>(a.begin(), a.size());
    fill_kernel<<<4096, 256>>>(b.begin(), b.size());
    CHECK(cmerge::merge(thrust::device, a.begin(), a.end(), b.begin(), b.end(), out.begin()) ==
          out.end());
    auto expected = count(a.begin(), a.size());
    const auto others = count(b.begin(), b.size());
    for (std::size_t c = 0; c < 256; ++c) expected[c] += others[c];
    CHECK(count(out.begin(), out.size()) == expected);
  }
}

/// An output that checks what it is given: `k / 2` at place `k`.
struct checking_output {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = void;
  using difference_type = std::int64_t;
  using pointer = void;
  using reference = void;

  struct place {
    std::int64_t k;
    unsigned* errors;
    __host__ __device__ const place& operator=(std::int64_t key) const {
      if (key != k / 2) *errors = 1;
      return *this;
    }
  };
  std::int64_t k;
  unsigned* errors;

  __host__ __device__ place operator*() const { return {k, errors}; }
  __host__ __device__ checking_output operator+(std::int64_t i) const { return {k + i, errors}; }
};

TEST_CASE("counting iterators, more than 2^33 outputs, nothing in memory") {
  if (oracle::quick()) return;
  const std::int64_t size = (std::int64_t{1} << 32) + 12345;
  const oracle::device_errors errors;
  const thrust::counting_iterator<std::int64_t> first(0);
  const auto end = cmerge::merge(thrust::device, first, first + size, first, first + size,
                                 checking_output{0, errors.get()});
  CHECK(end.k == 2 * size);
  CHECK(errors.count() == 0);
}

/// 0, 1, 2, ... with distances of 32 bits.
struct narrow_iterator {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = int;
  using difference_type = int;
  using pointer = const int*;
  using reference = int;
  int at;
  __host__ __device__ int operator*() const { return at; }
  __host__ __device__ int operator[](std::ptrdiff_t i) const { return at + static_cast<int>(i); }
  __host__ __device__ narrow_iterator operator+(std::ptrdiff_t i) const {
    return {at + static_cast<int>(i)};
  }
  __host__ __device__ int operator-(narrow_iterator other) const { return at - other.at; }
};

TEST_CASE("a range whose distances have 32 bits, and more than 2^31 outputs") {
  if (oracle::quick()) return;
  const oracle::device_errors errors;
  const narrow_iterator first{0};
  const narrow_iterator last{static_cast<int>(int_max)};
  const thrust::counting_iterator<std::int64_t> second(0);
  const std::int64_t size = static_cast<std::int64_t>(int_max);
  const auto end = cmerge::merge(thrust::device, first, last, second, second + size,
                                 checking_output{0, errors.get()});
  CHECK(end.k == 2 * size);
  CHECK(errors.count() == 0);
}

struct complement {
  __host__ __device__ signed char operator()(signed char key) const {
    return static_cast<signed char>(~key);
  }
};

/// Counts places where the value does not belong to the key.
__global__ void check_values_kernel(const signed char* keys, const signed char* values,
                                    std::size_t size, unsigned* errors) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < size; i += stride) {
    if (values[i] != static_cast<signed char>(~keys[i])) *errors = 1;
  }
}

TEST_CASE("one-byte keys with values") {
  if (oracle::quick() || !has_memory(std::size_t{16} << 30)) return;
  const std::size_t size = int_max + 1234;
  const oracle::device_input<signed char> a(size);
  fill_kernel<<<4096, 256>>>(a.begin(), size);
  const oracle::device_input<signed char> keys(2 * size);
  const oracle::device_input<signed char> values(2 * size);
  const auto complements = thrust::make_transform_iterator(a.begin(), complement{});
  const auto ends = cmerge::merge_by_key(thrust::device, a.begin(), a.end(), a.begin(), a.end(),
                                         complements, complements, keys.begin(), values.begin());
  CHECK(ends.first == keys.end());
  CHECK(ends.second == values.end());
  auto expected = count(a.begin(), size);
  for (auto& c : expected) c *= 2;
  CHECK(count(keys.begin(), 2 * size) == expected);
  const oracle::device_errors errors;
  check_values_kernel<<<4096, 256>>>(keys.begin(), values.begin(), 2 * size, errors.get());
  CHECK(errors.count() == 0);
}

}  // namespace gpu_test
