// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A data race under the policy that the parallel tests use. It is built for the thread sanitizer
// only, and must fail: this proves that the sanitizer sees the threads.
#include <doctest/doctest.h>

#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/system/omp/execution_policy.h>

#include <vector>

TEST_CASE("neighbouring sections write the same element") {
  constexpr int sections = 64;
  constexpr int size = 1000;
  std::vector<int> out(sections * size + 1);
  thrust::for_each(thrust::omp::par, thrust::counting_iterator<int>(0),
                   thrust::counting_iterator<int>(sections), [&](int section) {
                     const auto first = out.begin() + section * size;
                     for (int i = 0; i <= size; ++i) ++first[i];
                   });
  CHECK(out[0] == 1);
}
