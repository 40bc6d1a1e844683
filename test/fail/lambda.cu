// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With --extended-lambda: keys without `<` and no comparator. Lambdas, and types that hold one, are
// accepted as comparators.
// error: cmerge: the keys cannot be compared by <
#include <cmerge/merge.h>

struct key {
  int number;
};

template <class Compare>
struct reversed {
  Compare compare;

  template <class Left, class Right>
  __host__ __device__ auto operator()(const Left& left, const Right& right) const {
    return compare(right, left);
  }
};

template <class Compare, int>
struct numbered : reversed<Compare> {};

template <class Compare>
struct outer {
  struct inner : reversed<Compare> {};
};

template <class Lambda>
void merge_by(const Lambda& lambda) {
  const key* keys = nullptr;
  key* out = nullptr;
  const auto check = [=](auto comp) {
    cmerge::merge(thrust::device, keys, keys, keys, keys, out, comp);
  };
  check(lambda);
  check(reversed<Lambda>{lambda});
  check(numbered<Lambda, 3>{{lambda}});
  check(typename outer<Lambda>::inner{{lambda}});
}

int main() {
#if !defined(CMERGE_FAIL)
  auto by_number = [] __device__(key a, key b) { return a.number < b.number; };
  const auto on_both = [] __host__ __device__(key a, key b) { return a.number < b.number; };
  merge_by(by_number);
  merge_by(on_both);
#else
  const key* keys = nullptr;
  key* out = nullptr;
  cmerge::merge(thrust::device, keys, keys, keys, keys, out);
#endif
}
