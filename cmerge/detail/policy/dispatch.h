// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selects the host merge or the CUDA merge by the type of the policy.
#pragma once

#include <cmerge/detail/core/arguments.h>
#include <cmerge/detail/policy/host_merge.h>
#include <cmerge/detail/policy/preconditions.h>
#include <cmerge/tuned.h>
#if defined(__CUDACC__)
#include <cmerge/detail/policy/cuda_merge.cuh>
#endif

#include <thrust/execution_policy.h>
#include <thrust/iterator/iterator_traits.h>
#include <thrust/system/detail/generic/select_system.h>
#include <thrust/system/detail/sequential/execution_policy.h>
#include <thrust/system_error.h>

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

template <class Derived>
std::true_type is_policy_test(const thrust::detail::execution_policy_base<Derived>&);
std::false_type is_policy_test(...);

template <class T>
inline constexpr bool is_policy = decltype(is_policy_test(std::declval<const T&>()))::value;

template <class T>
using enable_if_policy = std::enable_if_t<is_policy<T>, int>;
template <class T>
using enable_if_not_policy = std::enable_if_t<!is_policy<T>, int>;

/// Host policies. All host systems derive from the sequential one.
CMERGE_EXEC_CHECK_DISABLE
template <class Tuning, class Derived, class Problem>
CMERGE_HOST_DEVICE void dispatch_to(
    thrust::system::detail::sequential::execution_policy<Derived>& policy, const Problem& problem,
    const char*) {
  host_merge(thrust::detail::derived_cast(policy), problem);
}

#if defined(__CUDACC__)
CMERGE_EXEC_CHECK_DISABLE
template <class Tuning, class Derived, class Problem>
CMERGE_HOST_DEVICE void dispatch_to(thrust::cuda_cub::execution_policy<Derived>& policy,
                                    const Problem& problem, const char* name) {
  cuda_merge<Tuning>(thrust::detail::derived_cast(policy), problem, name);
}
#else
template <class Tuning, class Policy, class Problem>
void dispatch_to(thrust::execution_policy<Policy>&, const Problem&, const char*) {
  static_assert(!std::is_same_v<Policy, Policy>,
                "cmerge: this policy runs on a CUDA device. Compile this file with nvcc, or use a "
                "host policy, or choose a host system with THRUST_DEVICE_SYSTEM");
}
#endif

/// Throws if the sizes are invalid.
template <class Problem>
void throw_if_invalid(const Problem& problem, const char* name, std::uint64_t max_size) {
  const auto is_too_long = [max_size](std::int64_t size) {
    return static_cast<std::uint64_t>(size) > max_size;
  };
  const bool is_valid = has_valid_sizes(problem);
  if (is_valid && !is_too_long(problem.m) && !is_too_long(problem.n)) return;
  const char* const what = problem.m < 0         ? ": the first range ends before it begins"
                           : problem.n < 0       ? ": the second range ends before it begins"
                           : problem.outputs < 0 ? ": a negative number of outputs"
                           : !is_valid           ? ": more outputs than 63 bits can count"
                                       : ": a range is too long for the words of the output";
  throw thrust::system_error(invalid_argument(), std::string(name) + what);
}

/// Runs a problem under a policy.
///
/// \param name      the public function, for errors
/// \param max_size  maximum number of elements of a range
CMERGE_EXEC_CHECK_DISABLE
template <class Policy, class Problem>
CMERGE_HOST_DEVICE void dispatch(const Policy& policy, const Problem& problem, const char* name,
                                 std::uint64_t max_size = ~std::uint64_t{0}) {
  (void)max_size;
#if !defined(__CUDA_ARCH__)
  throw_if_invalid(problem, name, max_size);
#endif
#if defined(CMERGE_CHECK_PRECONDITIONS)
  check_preconditions(policy, problem, name);
#endif
  dispatch_to<tuning_of<Policy>>(thrust::detail::derived_cast(thrust::detail::strip_const(policy)),
                                 problem, name);
}

/// The policy that Thrust selects for these iterators: that of a system which can access all of
/// them.
template <class... Systems>
CMERGE_HOST_DEVICE auto select_policy_of(Systems... systems) {
  using thrust::system::detail::generic::select_system;
  return select_system(systems...);
}

CMERGE_EXEC_CHECK_DISABLE
template <class... Iterators>
CMERGE_HOST_DEVICE auto select_policy(const Iterators&...) {
  return select_policy_of(typename thrust::iterator_system<Iterators>::type{}...);
}

}  // namespace detail
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
