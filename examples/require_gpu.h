// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the GPU examples end where there is no GPU: with 77, which the tests take for "skipped".
#pragma once

#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstdlib>

inline void require_gpu() {
  int count = 0;
  const cudaError_t result = cudaGetDeviceCount(&count);
  if (result == cudaSuccess && count > 0) return;
  std::printf("This example needs a GPU: %s\n",
              result == cudaSuccess ? "there is none" : cudaGetErrorString(result));
  std::exit(77);
}
