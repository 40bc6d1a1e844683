// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled to machine code for compute capability 7.5 alone. On other GPUs, merges report that
// there is no code.
#include <cmerge/merge.h>
#include <cmerge/device_merge.cuh>

#include <cuda_runtime.h>
#include <thrust/system_error.h>

#include <doctest/doctest.h>

#include <string>

namespace {

bool is_no_code(int status) {
  return status == cudaErrorNoKernelImageForDevice || status == cudaErrorInvalidDeviceFunction ||
         status == cudaErrorUnsupportedPtxVersion;
}

}  // namespace

TEST_CASE("reports that there is no code for the GPU") {
  cudaDeviceProp properties{};
  REQUIRE(cudaGetDeviceProperties(&properties, 0) == cudaSuccess);
  if (properties.major == 7 && properties.minor >= 5) {
    MESSAGE("skipped: there is code for this GPU");
    return;
  }
  int* data = nullptr;
  REQUIRE(cudaMalloc(&data, 100 * sizeof(int)) == cudaSuccess);
  REQUIRE(cudaMemset(data, 0, 100 * sizeof(int)) == cudaSuccess);
  try {
    cmerge::merge(thrust::device, data, data + 10, data + 20, data + 30, data + 40);
    FAIL("no error");
  } catch (const thrust::system_error& error) {
    const std::string text = error.what();
    INFO(text);
    CHECK(is_no_code(error.code().value()));
    CHECK(text.find("no code for this GPU") != std::string::npos);
    CHECK(text.find(std::to_string(properties.major) + "." + std::to_string(properties.minor)) !=
          std::string::npos);
    CHECK(text.find("CMAKE_CUDA_ARCHITECTURES") != std::string::npos);
  }
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK(is_no_code(cmerge::DeviceMerge::MergeKeys(data, 10, data + 20, 10, data + 40)));
  cudaGetLastError();
  cudaFree(data);
}
