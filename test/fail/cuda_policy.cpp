// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A CUDA policy in a file that nvcc does not compile.
// error: cmerge: this policy runs on a CUDA device. Compile this file with nvcc
#include <cmerge/merge.h>

int main() {
  const int a[] = {1, 3};
  const int b[] = {2, 4};
  int out[4];
#if defined(CMERGE_FAIL)
  cmerge::merge(thrust::device, a, a + 2, b, b + 2, out);
#else
  cmerge::merge(thrust::host, a, a + 2, b, b + 2, out);
#endif
}
