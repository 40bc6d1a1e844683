// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The merge under a CUDA policy: raw pointers, stream, errors and synchronisation.
#pragma once

#include <cmerge/detail/device/launch.cuh>
#include <cmerge/detail/policy/unwrap.cuh>

#include <thrust/system/cuda/detail/util.h>
#include <thrust/system/cuda/error.h>
#include <thrust/system/cuda/execution_policy.h>
#include <thrust/system_error.h>

#include <nv/target>

#include <string>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

/// What a user can do about an error of a launch; empty if that is unknown.
inline std::string remedy(cudaError_t status) {
  switch (status) {
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidDeviceFunction:
    case cudaErrorUnsupportedPtxVersion: {
      int device = 0;
      int major = 0;
      int minor = 0;
      cudaGetDevice(&device);
      cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
      cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
      return ": this program has no code for this GPU, of compute capability " +
             std::to_string(major) + "." + std::to_string(minor) +
             "; compile for it with nvcc -arch or CMAKE_CUDA_ARCHITECTURES";
    }
    case cudaErrorInvalidConfiguration:
      return ": either the merge has more tiles than a grid can have blocks (use larger tiles), or "
             "a tile does not fit in shared memory next to the static shared memory of the "
             "comparator or an iterator (use a smaller tuning)";
    default:
      return "";
  }
}

inline void throw_on_error(cudaError_t status, const char* name) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // clears the error, so that the next call does not report it again
  throw thrust::system_error(status, thrust::cuda_category(), name + remedy(status));
}

/// Merges under a policy of the CUDA system. Inside a kernel, the calling thread merges alone.
CMERGE_EXEC_CHECK_DISABLE
template <class Tuning, class Policy, class Problem>
CMERGE_HOST_DEVICE void cuda_merge(Policy& policy, Problem problem, const char* name) {
  auto raw = unwrap_problem(problem);
  // Names the kernels in both passes of the compiler, so that both instantiate them.
  (void)merge_kernel<Tuning, problem_size::moderate, decltype(raw)>;
  (void)merge_kernel<Tuning, problem_size::large, decltype(raw)>;
  if constexpr (has_huge_problems<decltype(raw)>) {
    (void)merge_kernel<Tuning, problem_size::huge, decltype(raw)>;
  }
  if constexpr (has_slots<decltype(raw)>) (void)partition_kernel<decltype(raw)>;
  NV_IF_TARGET(
      NV_IS_HOST,
      (if (raw.outputs == 0) return; const cudaStream_t stream = thrust::cuda_cub::stream(policy);
       throw_on_error(launch_merge<Tuning>(raw, stream), name);
       // Thrust's own wait would report any earlier error as an error of this call.
       if (thrust::cuda_cub::must_perform_optional_synchronization(policy)) {
         throw_on_error(cudaStreamSynchronize(stream), name);
       }),
      ((void)policy; (void)name; detail::serial_merge(raw, whole_part(raw));))
}

}  // namespace detail
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
