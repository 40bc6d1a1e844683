// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The merge under a CUDA policy: stream, raw pointers, errors, synchronisation.
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

/// What to do about an error of a launch, where that is known.
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
  cudaGetLastError();  // this error is reported here, not again by the next call
  throw thrust::system_error(status, thrust::cuda_category(), name + remedy(status));
}

/// Runs `problem` under a policy of the CUDA system; inside a kernel, in the calling thread.
CMERGE_EXEC_CHECK_DISABLE
template <class Tuning, class Policy, class Problem>
CMERGE_HOST_DEVICE void cuda_merge(Policy& policy, Problem problem, const char* name) {
  auto raw = unwrap_problem(problem);
  // Both passes of the compiler must see which kernels there are.
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
       // Not Thrust's own wait, which reports an earlier error of anybody as this call's.
       if (thrust::cuda_cub::must_perform_optional_synchronization(policy)) {
         throw_on_error(cudaStreamSynchronize(stream), name);
       }),
      ((void)policy; (void)name; detail::serial_merge(raw, whole_part(raw));))
}

}  // namespace detail
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
