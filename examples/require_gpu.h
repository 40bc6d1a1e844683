// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ends a GPU example that cannot run: with 77, which ctest counts as skipped, if there is no GPU;
// with 1 and advice if the example was not compiled for the GPU.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstdlib>
#include <string>

/// Why there is no GPU to use; empty if there is one.
inline std::string why_no_gpu() {
  int count = 0;
  const cudaError_t result = cudaGetDeviceCount(&count);
  if (result != cudaSuccess) return cudaGetErrorString(result);
  return count == 0 ? "no CUDA device" : "";
}

/// Stands for all kernels of the program, which are compiled for the same GPUs.
static __global__ void any_kernel() {}

/// Why the GPU in use cannot run this program; empty if it can.
inline std::string why_no_gpu_code() {
  cudaFuncAttributes attributes;
  const cudaError_t result = cudaFuncGetAttributes(&attributes, any_kernel);
  if (result == cudaSuccess) return "";
  cudaGetLastError();  // or a later call would report it
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

inline void require_gpu() {
  const std::string no_gpu = why_no_gpu();
  if (!no_gpu.empty()) {
    std::printf("This example needs a GPU: %s\n", no_gpu.c_str());
    std::exit(77);
  }
  const std::string no_code = why_no_gpu_code();
  if (!no_code.empty()) {
    std::printf("This example cannot run: %s\n", no_code.c_str());
    std::exit(1);
  }
}
