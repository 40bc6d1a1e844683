// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A comparator for other element types, compiled by nvcc.
// error: cmerge: comp(element2, element1) must compile and give a bool
#include <cmerge/merge.h>

#if defined(CMERGE_FAIL)
struct element {};
#else
using element = int;
#endif

struct before {
  __host__ __device__ bool operator()(element, element) const { return false; }
};

int main() {
  const int* keys = nullptr;
  int* out = nullptr;
  cmerge::merge(thrust::device, keys, keys, keys, keys, out, before{});
}
