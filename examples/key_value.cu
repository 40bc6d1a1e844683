// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Merges two lists of scores, best first, together with the names that belong to them. The merge is
// stable, so the first list goes first if scores are equal.
#include <cmerge/merge.h>

#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>

#include <cstdio>
#include <vector>

//! [better]
/// A user-defined order. `thrust::greater` would do the same.
struct better {
  __host__ __device__ bool operator()(float x, float y) const { return x > y; }
};
//! [better]

int main() {
  //! [merge_by_key]
  const thrust::device_vector<float> keys1{9.5f, 8.0f, 8.0f, 2.5f};
  const thrust::device_vector<char> values1{'a', 'b', 'c', 'd'};
  const thrust::device_vector<float> keys2{9.0f, 8.0f, 1.0f};
  const thrust::device_vector<char> values2{'x', 'y', 'z'};
  thrust::device_vector<float> keys(keys1.size() + keys2.size());
  thrust::device_vector<char> values(keys.size());

  // keys:   9.5 9.0 8.0 8.0 8.0 2.5 1.0
  // values: a   x   b   c   y   d   z
  const auto ends = cmerge::merge_by_key(thrust::device, keys1.begin(), keys1.end(), keys2.begin(),
                                         keys2.end(), values1.begin(), values2.begin(),
                                         keys.begin(), values.begin(), better{});
  //! [merge_by_key]

  const std::vector<char> expected{'a', 'x', 'b', 'c', 'y', 'd', 'z'};
  std::vector<char> names(values.size());
  thrust::copy(values.begin(), values.end(), names.begin());
  const bool right = ends.first == keys.end() && ends.second == values.end() && names == expected;
  std::printf("key_value: best first: %.*s (%s)\n", static_cast<int>(names.size()), names.data(),
              right ? "right" : "wrong");
  return right ? 0 : 1;
}
