// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With --extended-lambda: keys without `<` and no comparator; a comparator for other elements.
// Lambdas, and comparators made of them, are accepted.
// error: cmerge:
// mistakes: 2
#include <cmerge/merge.h>

struct key {
  int number;
};

struct by_int {
  __host__ __device__ bool operator()(int a, int b) const { return a < b; }
};

template <class Compare>
struct reversed {
  Compare compare;

  template <class Left, class Right>
  __host__ __device__ auto operator()(const Left& left, const Right& right) const {
    return compare(right, left);
  }
};

int main() {
  const key* keys = nullptr;
  key* out = nullptr;
#if !defined(CMERGE_FAIL)
  const auto by_number = [] __device__(key a, key b) { return a.number < b.number; };
  const auto on_both = [] __host__ __device__(key a, key b) { return a.number < b.number; };
  cmerge::merge(thrust::device, keys, keys, keys, keys, out, by_number);
  cmerge::merge(thrust::device, keys, keys, keys, keys, out, on_both);
  cmerge::merge(thrust::device, keys, keys, keys, keys, out,
                reversed<decltype(by_number)>{by_number});
  cmerge::merge(thrust::device, keys, keys, keys, keys, out, reversed<decltype(on_both)>{on_both});
#elif CMERGE_FAIL == 1
  cmerge::merge(thrust::device, keys, keys, keys, keys, out);
#elif CMERGE_FAIL == 2
  cmerge::merge(thrust::device, keys, keys, keys, keys, out, by_int{});
#endif
}
