// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keys without `<` and no comparator, compiled by nvcc.
// error: cmerge: the keys cannot be compared by <, and no comparator is given
// mistakes: 5
#include <cmerge/cmerge.h>

#include <cstdint>

struct key {
  int number;
#if !defined(CMERGE_FAIL)
  __host__ __device__ bool operator<(const key& other) const { return number < other.number; }
#endif
};

#if !defined(CMERGE_FAIL) || CMERGE_FAIL == 5
/// The collective with the default comparator of the calls.
__global__ void merge_block(const key* keys, key* out) {
  using block_merge = cmerge::block_merge<key, 32, 1>;
  __shared__ block_merge::TempStorage storage;
  block_merge(storage).merge(keys, 1, keys, 1, out, cmerge::detail::less{});
}
#endif

int main() {
  const key* keys = nullptr;
  key* out = nullptr;
  std::uint32_t* words = nullptr;
  (void)out;
  (void)words;
#if !defined(CMERGE_FAIL) || CMERGE_FAIL == 1
  cmerge::merge(thrust::device, keys, keys, keys, keys, out);
#endif
#if !defined(CMERGE_FAIL) || CMERGE_FAIL == 2
  cmerge::merge_indices(thrust::device, keys, keys, keys, keys, words);
#endif
#if !defined(CMERGE_FAIL) || CMERGE_FAIL == 3
  cmerge::DeviceMerge::MergeKeys(keys, 0, keys, 0, out);
#endif
#if !defined(CMERGE_FAIL) || CMERGE_FAIL == 4
  cmerge::DeviceMerge::MergePairs(keys, words, 0, keys, words, 0, out, words);
#endif
}
