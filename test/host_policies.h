// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All host policies that a test is compiled for. thrust::device is one of them: the tests are
// compiled several times, with another THRUST_DEVICE_SYSTEM each. Includes Thrust.
#pragma once

#include <thrust/execution_policy.h>
#include <thrust/system/cpp/execution_policy.h>
#if defined(CMERGE_TEST_OPENMP)
#include <thrust/system/omp/execution_policy.h>
#endif
#if defined(CMERGE_TEST_TBB)
#include <thrust/system/tbb/execution_policy.h>
#endif

#include <doctest/doctest.h>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

namespace oracle {

/// Sizes of two inputs: none, few, and enough for several threads.
inline constexpr std::pair<std::size_t, std::size_t> host_sizes[] = {
    {0, 0}, {0, 5}, {7, 0}, {1, 1}, {20, 33}, {3000, 50}, {40000, 50000}};

/// Calls `test(policy)` for each.
template <class Test>
void for_each_host_policy(Test test) {
  const auto run = [&](const std::string& name, const auto& policy) {
    INFO("policy ", name);
    test(policy);
  };
  run("seq", thrust::seq);
  run("host", thrust::host);
  run("device", thrust::device);
  run("cpp::par", thrust::cpp::par);
  std::allocator<char> allocator;
  run("host(allocator)", thrust::host(allocator));
#if defined(CMERGE_TEST_OPENMP)
  run("omp::par", thrust::omp::par);
  run("omp::par(allocator)", thrust::omp::par(allocator));
#endif
#if defined(CMERGE_TEST_TBB)
  run("tbb::par", thrust::tbb::par);
#endif
}

}  // namespace oracle
