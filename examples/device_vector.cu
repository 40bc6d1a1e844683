// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Merges two sorted device vectors on the GPU.
#include <cmerge/merge.h>

#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/sequence.h>

#include <cstdio>
#include <vector>

int main() {
  constexpr int size = 1 << 20;

  //! [merge]
  // The even numbers and the odd numbers.
  thrust::device_vector<int> even(size);
  thrust::device_vector<int> odd(size);
  thrust::sequence(even.begin(), even.end(), 0, 2);
  thrust::sequence(odd.begin(), odd.end(), 1, 2);

  thrust::device_vector<int> all(2 * size);
  cmerge::merge(thrust::device, even.begin(), even.end(), odd.begin(), odd.end(), all.begin());
  //! [merge]

  std::vector<int> result(all.size());
  thrust::copy(all.begin(), all.end(), result.begin());
  for (int i = 0; i < 2 * size; ++i) {
    if (result[i] != i) {
      std::printf("device_vector: wrong: element %d is %d\n", i, result[i]);
      return 1;
    }
  }
  std::printf("device_vector: merged %d even and %d odd numbers into 0, 1, 2, ..., %d\n", size,
              size, result.back());
}
