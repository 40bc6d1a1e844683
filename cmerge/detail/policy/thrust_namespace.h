// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The name `thrust` inside of cmerge, also if THRUST_CUB_WRAPPED_NAMESPACE wraps the real one.
#pragma once

#include <cmerge/detail/core/thrust_version.h>

#include <thrust/detail/config.h>

// This folder uses these parts of Thrust that Thrust does not document. They are the first places
// to check if a new version does not compile or behaves differently:
// - dispatch.h: `thrust::detail::execution_policy_base`, `derived_cast`, `strip_const`,
//   `thrust::system::detail::sequential::execution_policy`, `thrust::cuda_cub::execution_policy`,
//   `thrust::system::detail::generic::select_system`;
// - cuda_merge.cuh: `thrust::cuda_cub::stream`, `must_perform_optional_synchronization`;
// - host_merge.h: the `execution_policy` templates in thrust/system/{cpp,omp,tbb}/detail;
// - unwrap.cuh: `thrust::tagged_reference`;
// - here: `THRUST_NS_QUALIFIER`.
namespace cmerge {
namespace thrust = THRUST_NS_QUALIFIER;
}  // namespace cmerge
