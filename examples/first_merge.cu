// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The smallest program: merges two sorted vectors on the GPU. The test checks what it prints.

//! [first_merge]
#include <cmerge/merge.h>
#include <thrust/device_vector.h>

#include <cstdio>

int main() {
  const thrust::device_vector<int> a{1, 7, 8, 9, 10};
  const thrust::device_vector<int> b{7, 10, 10, 12};
  thrust::device_vector<int> out(a.size() + b.size());
  cmerge::merge(thrust::device, a.begin(), a.end(), b.begin(), b.end(), out.begin());
  for (const int number : out) std::printf("%d ", number);  // 1 7 7 8 9 10 10 10 12
}
//! [first_merge]
