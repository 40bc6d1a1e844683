// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gpu_state.h"

#include <cuda_runtime_api.h>

/// Stands for all kernels of the program, because all are compiled for the same GPUs.
static __global__ void any_kernel() {}

std::string why_no_gpu() {
  int count = 0;
  const cudaError_t result = cudaGetDeviceCount(&count);
  if (result != cudaSuccess) return cudaGetErrorString(result);
  return count == 0 ? "no CUDA device" : "";
}

std::string why_no_gpu_code() {
  cudaFuncAttributes attributes;
  const cudaError_t result = cudaFuncGetAttributes(&attributes, any_kernel);
  if (result == cudaSuccess) return "";
  cudaGetLastError();  // Clears the error. Otherwise a later call would return it.
  int device = 0;
  cudaDeviceProp gpu;
  if ((result != cudaErrorNoKernelImageForDevice && result != cudaErrorInvalidDeviceFunction) ||
      cudaGetDevice(&device) != cudaSuccess ||
      cudaGetDeviceProperties(&gpu, device) != cudaSuccess) {
    return cudaGetErrorString(result);
  }
  const std::string capability = std::to_string(gpu.major) + std::to_string(gpu.minor);
  return "this program has no code for the GPU, " + std::string(gpu.name) + " (sm_" + capability +
         "); build it with -DCMAKE_CUDA_ARCHITECTURES=" + capability;
}
