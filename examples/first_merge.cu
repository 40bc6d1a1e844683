// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The smallest program: two sorted vectors on the GPU, merged into a third.
#include <cmerge/merge.h>
#include <thrust/device_vector.h>

#include <cstdio>
#include <vector>

#include "require_gpu.h"  // ends the program where there is no GPU

int main() {
  require_gpu();
  const thrust::device_vector<int> a{1, 7, 8, 9, 10};
  const thrust::device_vector<int> b{7, 10, 10, 12};
  thrust::device_vector<int> out(a.size() + b.size());
  cmerge::merge(thrust::device, a.begin(), a.end(), b.begin(), b.end(), out.begin());
  for (const int number : out) std::printf("%d ", number);
  return out == std::vector<int>{1, 7, 7, 8, 9, 10, 10, 10, 12} ? 0 : 1;
}
