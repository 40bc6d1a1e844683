// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A comparator that the device cannot call, compiled by nvcc.
// error: calling a __host__ function("by_last_digit::operator ()(int, int) const") from a
// __device__
#include <cmerge/merge.h>

#if defined(CMERGE_FAIL)
#define ON_DEVICE
#else
#define ON_DEVICE __host__ __device__
#endif

struct by_last_digit {
  ON_DEVICE bool operator()(int a, int b) const { return a % 10 < b % 10; }
};

int main() {
  const int* keys = nullptr;
  int* out = nullptr;
  cmerge::merge(thrust::device, keys, keys, keys, keys, out, by_last_digit{});
}
