// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparators with static shared memory: the tile of a kernel must fit beside it.
#include "gpu/oracle.cuh"

#include <cmerge/merge.h>
#include <cmerge/device_merge.cuh>

#include <thrust/system_error.h>

#include <cstdint>

namespace gpu_test {

template <int Kilobytes>
struct shared_less {
  __device__ bool operator()(std::int64_t a, std::int64_t b) const {
    // Volatile and written to, so that it is not optimised away. No result depends on it.
    __shared__ volatile char memory[Kilobytes << 10];
    memory[threadIdx.x] = 1;
    return a < b;
  }
};

/// Merges with such a comparator. The merge may fail only if the shared memory is too small.
template <int Kilobytes>
void check(std::size_t m, std::size_t n) {
  CAPTURE(Kilobytes);
  CAPTURE(m);
  oracle::inputs<std::int64_t> in;
  for (std::size_t i = 0; i < m; ++i) in.a.push_back(static_cast<std::int64_t>(i / 3));
  for (std::size_t i = 0; i < n; ++i) in.b.push_back(static_cast<std::int64_t>(i / 2));
  const auto expected = oracle::merged(in.a, in.b, std::less<>{});
  const oracle::device_input<std::int64_t> a(in.a);
  const oracle::device_input<std::int64_t> b(in.b);
  int most = 0;
  oracle::check_cuda(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0),
                     "cudaDeviceGetAttribute");
  const bool must_fit = most >= (Kilobytes << 10) + cmerge::max_shared_bytes(90);
  {
    const oracle::device_output<std::int64_t> out(m + n);
    try {
      cmerge::merge(thrust::device, a.begin(), a.end(), b.begin(), b.end(), out.begin(),
                    shared_less<Kilobytes>{});
      const auto result = out.download();
      CHECK(oracle::first_difference(result.data(), expected) == expected.size());
    } catch (const thrust::system_error& error) {
      INFO(error.what());
      CHECK(!must_fit);
      CHECK(error.code().value() == cudaErrorInvalidConfiguration);
      CHECK(std::string(error.what()).find("smaller tuning") != std::string::npos);
    }
  }
  const oracle::device_output<std::int64_t> out(m + n);
  const cudaError_t status = cmerge::DeviceMerge::MergeKeys(a.begin(), m, b.begin(), n, out.begin(),
                                                            shared_less<Kilobytes>{});
  if (status == cudaSuccess) {
    const auto result = out.download();
    CHECK(oracle::first_difference(result.data(), expected) == expected.size());
  } else {
    CHECK(!must_fit);
    CHECK(status == cudaErrorInvalidConfiguration);
  }
}

TEST_CASE("merges with static shared memory in the comparator, or reports too little") {
  const std::size_t many = oracle::quick() ? 1000000 : 2000005;
  for (const std::size_t m : {std::size_t{100}, many}) {
    check<16>(m, 2000000);
    check<40>(m, 2000000);
    check<16>(m, 100);
    check<40>(m, 100);
  }
}

}  // namespace gpu_test
