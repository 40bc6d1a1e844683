// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The main function of every test. A test that needs a GPU ends with 77, which ctest counts as
// skipped, where there is none.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#if defined(CMERGE_TEST_NEEDS_GPU)
#include <cuda_runtime_api.h>

#include <cstdio>
#endif

int main(int argc, char** argv) {
#if defined(CMERGE_TEST_NEEDS_GPU)
  int devices = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  if (status != cudaSuccess || devices == 0) {
    std::printf("skipped: this test needs a GPU (%s)\n", cudaGetErrorString(status));
    return CMERGE_TEST_NEEDS_GPU;
  }
#endif
  return doctest::Context(argc, argv).run();
}
