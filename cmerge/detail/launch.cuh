// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a problem and a stream to the kernels: tuning of the device in use, grid, launch, errors.
// Layer 9, includes detail/kernel_merge.cuh and the CUDA runtime.
#pragma once

#include <cmerge/detail/kernel_merge.cuh>

#include <cuda_runtime.h>

#include <atomic>
#include <cstdint>

namespace cmerge::detail {

/// What a launch needs to know about a kernel on the device in use.
struct kernel_facts {
  int arch = 0;      // the architecture that the kernel's code was compiled for, times ten
  int resident = 0;  // blocks of it that the device holds at the same time
};

/// Asks once for each kernel and device, and lets the kernel have the shared memory it needs.
///
/// `static`, as are its callers: kernels belong to the binary that contains them, and so must what
/// is known of them, also where two shared libraries hold the same merge for other architectures.
template <class Tuning, problem_size Size, class Problem>
static cudaError_t get_kernel_facts(kernel_facts& facts) {
  using config = kernel_tuning<Tuning, Size, Problem>;
  constexpr int max_devices = 64;
  static std::atomic<std::int64_t> known[max_devices];

  int device = 0;
  if (cudaError_t e = cudaGetDevice(&device); e != cudaSuccess) return e;
  if (device < max_devices) {
    if (const std::int64_t packed = known[device].load(std::memory_order_acquire); packed != 0) {
      facts = {static_cast<int>(packed >> 32), static_cast<int>(packed & 0x7fffffff)};
      return cudaSuccess;
    }
  }

  const auto kernel = merge_kernel<Tuning, Size, Problem>;
  cudaFuncAttributes attributes{};
  if (cudaError_t e = cudaFuncGetAttributes(&attributes, kernel); e != cudaSuccess) return e;
  facts.arch = attributes.ptxVersion;
  const tuning t = config::get(facts.arch);
  const auto shared = static_cast<int>(config::storage_bytes(t));
  if (shared + 64 > 48 << 10) {  // with the kernel's few static bytes
    if (cudaError_t e =
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
        e != cudaSuccess) {
      return e;
    }
  }
  int sms = 0;
  int blocks = 0;
  if (cudaError_t e = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
      e != cudaSuccess) {
    return e;
  }
  if (cudaError_t e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, t.threads,
                                                                    static_cast<size_t>(shared));
      e != cudaSuccess) {
    return e;
  }
  facts.resident = sms * (blocks > 0 ? blocks : 1);
  if (device < max_devices) {
    known[device].store(std::int64_t{facts.arch} << 32 | facts.resident, std::memory_order_release);
  }
  return cudaSuccess;
}

/// Launches a kernel, and returns the error of this launch alone.
template <class... Parameters>
cudaError_t launch_kernel(void (*kernel)(Parameters...), std::int64_t blocks, int threads,
                          unsigned shared_bytes, cudaStream_t stream, Parameters... arguments) {
  if (blocks > 0x7fffffff) return cudaErrorInvalidConfiguration;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  return cudaLaunchKernelEx(&config, kernel, arguments...);
}

template <class Tuning, problem_size Size, class Problem>
static cudaError_t launch_sized(const Problem& problem, cudaStream_t stream) {
  kernel_facts facts;
  if (cudaError_t e = get_kernel_facts<Tuning, Size, Problem>(facts); e != cudaSuccess) return e;
  using config = kernel_tuning<Tuning, Size, Problem>;
  const tuning t = config::get(facts.arch);
  const section_schedule schedule{problem.m + problem.n, t.tile(),
                                  has_long_sections(t) ? facts.resident : 0};

  bool presplit = false;
  if constexpr (has_slots<Problem> && Size == problem_size::large) {
    presplit = t.how == strategy::single;
    if (presplit) {
      const std::int64_t blocks = (schedule.tiles() + partition_threads - 1) / partition_threads;
      if (cudaError_t e = launch_kernel(partition_kernel<Problem>, blocks, partition_threads, 0,
                                        stream, problem, schedule);
          e != cudaSuccess) {
        return e;
      }
    }
  }
  return launch_kernel(merge_kernel<Tuning, Size, Problem>, schedule.blocks(), t.threads,
                       config::storage_bytes(t), stream, problem, schedule, presplit);
}

/// Merges on the device in use, asynchronously on `stream`.
template <class Tuning, class Problem>
static cudaError_t launch_merge(const Problem& problem, cudaStream_t stream) {
  const std::int64_t outputs = problem.m + problem.n;
  if (outputs == 0) return cudaSuccess;
  return outputs < large_problem ? launch_sized<Tuning, problem_size::small>(problem, stream)
                                 : launch_sized<Tuning, problem_size::large>(problem, stream);
}

}  // namespace cmerge::detail
