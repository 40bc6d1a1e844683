// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Move iterators under a device policy, compiled by nvcc.
// error: cmerge: move iterators need a host policy
#include <cmerge/merge.h>

#include <cstddef>
#include <iterator>

struct element {
  __host__ __device__ element(const element& other) : key(other.key) {}
  __host__ __device__ element& operator=(const element& other) {
    key = other.key;
    return *this;
  }
  __host__ __device__ bool operator<(const element& other) const { return key < other.key; }
  int key;
};

#if defined(CMERGE_FAIL)
using reference = element&&;
#else
using reference = const element&;
#endif

struct iterator {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = element;
  using difference_type = std::ptrdiff_t;
  using pointer = element*;
  using reference = ::reference;
  element* at;
  __host__ __device__ reference operator*() const { return static_cast<reference>(*at); }
  __host__ __device__ reference operator[](std::ptrdiff_t i) const {
    return static_cast<reference>(at[i]);
  }
  __host__ __device__ iterator operator+(std::ptrdiff_t i) const { return {at + i}; }
  __host__ __device__ std::ptrdiff_t operator-(iterator other) const { return at - other.at; }
};

int main() {
  const iterator first{nullptr};
  element* out = nullptr;
  cmerge::merge(thrust::device, first, first, first, first, out);
}
