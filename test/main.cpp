// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The main function of every test. Without a GPU, a test that needs one exits with 77, which ctest
// reports as skipped. Without code for the GPU that is present, it fails.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#if defined(CMERGE_TEST_NEEDS_GPU)
#include <cuda_runtime_api.h>

#include <cstdio>

cudaError_t find_code();
#endif

int main(int argc, char** argv) {
#if defined(CMERGE_TEST_NEEDS_GPU)
  int devices = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  if (status != cudaSuccess || devices == 0) {
    std::printf("skipped: this test needs a GPU (%s)\n", cudaGetErrorString(status));
    return CMERGE_TEST_NEEDS_GPU;
  }
  if (const cudaError_t code = find_code(); code != cudaSuccess) {
    std::printf("failed: the tests have no code for this GPU (%s); set CMAKE_CUDA_ARCHITECTURES\n",
                cudaGetErrorString(code));
    return 1;
  }
#endif
  return doctest::Context(argc, argv).run();
}
