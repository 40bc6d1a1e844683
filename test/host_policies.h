// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host policies that tests run under, and input sizes for them. thrust::device is a host policy
// here, because THRUST_DEVICE_SYSTEM selects a host system. Includes Thrust.
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

/// Sizes of two inputs: empty, small, and large enough for several threads.
inline constexpr std::pair<std::size_t, std::size_t> host_sizes[] = {
    {0, 0}, {0, 5}, {7, 0}, {1, 1}, {20, 33}, {3000, 50}, {40000, 50000}};

/// Calls `test(policy)`, and names the policy if the test fails.
template <class Test, class Policy>
void test_under(Test& test, const std::string& name, const Policy& policy) {
  INFO("policy ", name);
  test(policy);
}

/// Calls `test(policy)` with one policy for each way of running: sequential and, if compiled for
/// them, OpenMP and TBB. Most tests use this. Each policy instantiates the test again, so define
/// comparators outside of the generic lambda: there, each policy would make another type.
template <class Test>
void for_each_host_system(Test test) {
  oracle::test_under(test, "seq", thrust::seq);
#if defined(CMERGE_TEST_OPENMP)
  oracle::test_under(test, "omp::par", thrust::omp::par);
#endif
#if defined(CMERGE_TEST_TBB)
  oracle::test_under(test, "tbb::par", thrust::tbb::par);
#endif
}

/// Calls `test(policy)` with every policy, including those of the same system.
template <class Test>
void for_each_host_policy(Test test) {
  oracle::for_each_host_system(test);
  oracle::test_under(test, "host", thrust::host);
  oracle::test_under(test, "device", thrust::device);
  oracle::test_under(test, "cpp::par", thrust::cpp::par);
  std::allocator<char> allocator;
  oracle::test_under(test, "host(allocator)", thrust::host(allocator));
#if defined(CMERGE_TEST_OPENMP)
  oracle::test_under(test, "omp::par(allocator)", thrust::omp::par(allocator));
#endif
}

}  // namespace oracle
