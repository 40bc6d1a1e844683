// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Iterators with distances of more than 64 bits, compiled by nvcc.
// error: cmerge: last - first of both inputs must have a type of at most 64 bits
#include <cmerge/merge.h>

#include <cstddef>
#include <iterator>

#if defined(CMERGE_FAIL)
using distance = __int128;
#else
using distance = std::ptrdiff_t;
#endif

/// Consecutive numbers from `first`.
struct numbers {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = int;
  using difference_type = distance;
  using pointer = const int*;
  using reference = int;

  int first;

  __host__ __device__ int operator*() const { return first; }
  __host__ __device__ int operator[](distance i) const { return first + static_cast<int>(i); }
  __host__ __device__ numbers operator+(distance i) const { return {first + static_cast<int>(i)}; }
  __host__ __device__ distance operator-(numbers other) const { return first - other.first; }
};

int main() {
  int* out = nullptr;
  cmerge::merge(thrust::device, numbers{0}, numbers{0}, numbers{0}, numbers{0}, out);
}
