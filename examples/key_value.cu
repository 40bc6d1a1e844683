// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Merges two lists of scores, best first, with the names that belong to them. On equal scores the
// first list goes first: the merge is stable.
#include <cmerge/merge.h>

#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>

#include <cstdio>
#include <vector>

#include "require_gpu.h"

/// An order of one's own: `thrust::greater` would do here, any such function object does.
struct better {
  __host__ __device__ bool operator()(float x, float y) const { return x > y; }
};

int main() {
  require_gpu();
  const std::vector<float> scores1{9.5f, 8.0f, 8.0f, 2.5f};
  const std::vector<char> names1{'a', 'b', 'c', 'd'};
  const std::vector<float> scores2{9.0f, 8.0f, 1.0f};
  const std::vector<char> names2{'x', 'y', 'z'};

  const thrust::device_vector<float> keys1 = scores1;
  const thrust::device_vector<float> keys2 = scores2;
  const thrust::device_vector<char> values1 = names1;
  const thrust::device_vector<char> values2 = names2;
  thrust::device_vector<float> keys(keys1.size() + keys2.size());
  thrust::device_vector<char> values(keys.size());

  const auto ends = cmerge::merge_by_key(thrust::device, keys1.begin(), keys1.end(), keys2.begin(),
                                         keys2.end(), values1.begin(), values2.begin(),
                                         keys.begin(), values.begin(), better{});

  const std::vector<char> expected{'a', 'x', 'b', 'c', 'y', 'd', 'z'};
  std::vector<char> names(values.size());
  thrust::copy(values.begin(), values.end(), names.begin());
  const bool right = ends.first == keys.end() && ends.second == values.end() && names == expected;
  std::printf("key_value: best first: %.*s (%s)\n", static_cast<int>(names.size()), names.data(),
              right ? "right" : "wrong");
  return right ? 0 : 1;
}
