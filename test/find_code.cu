// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds out whether the tests are compiled for the GPU in use.
#include <cuda_runtime.h>

cudaError_t find_code();

namespace {
__global__ void empty_kernel() {}
}  // namespace

cudaError_t find_code() {
  cudaFuncAttributes attributes{};
  return cudaFuncGetAttributes(&attributes, empty_kernel);
}
