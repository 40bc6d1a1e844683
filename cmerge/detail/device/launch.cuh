// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a problem and a stream to the kernels: tuning of the device in use, grid, launch, errors.
#pragma once

#include <cmerge/detail/core/arguments.h>
#include <cmerge/detail/device/merge_kernel.cuh>
#include <cmerge/detail/device/partition_kernel.cuh>

#include <cuda_runtime.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

/// What a launch needs to know about a kernel on the device in use.
struct kernel_facts {
  int arch = 0;      // the architecture that the kernel's code was compiled for, times ten
  int resident = 0;  // blocks of it that the device holds at the same time
};

/// Shared memory of a block without opt-in, static and dynamic together, in bytes.
inline constexpr std::size_t max_shared_without_opt_in = 48 << 10;

/// Opts a kernel in to `bytes` of dynamic shared memory, in the current context. The kernel's
/// static shared memory, which a comparator or an iterator can add, counts too. Returns
/// `cudaErrorInvalidConfiguration` if the device does not have both together.
template <class... Parameters>
cudaError_t allow_shared_memory(void (*kernel)(Parameters...), const cudaFuncAttributes& attributes,
                                unsigned bytes, int device) {
  const std::size_t all = attributes.sharedSizeBytes + bytes;
  if (all <= max_shared_without_opt_in) return cudaSuccess;
  int most = 0;
  if (cudaError_t e =
          cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
      e != cudaSuccess) {
    return e;
  }
  if (all > static_cast<std::size_t>(most)) return cudaErrorInvalidConfiguration;
  return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                              static_cast<int>(bytes));
}

/// Asks once for each kernel and device, and lets the kernel have the shared memory it needs.
template <class Tuning, problem_size Size, class Problem>
cudaError_t get_kernel_facts(kernel_facts& facts) {
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
  const unsigned shared = config::storage_bytes(t);
  if (cudaError_t e = allow_shared_memory(kernel, attributes, shared, device); e != cudaSuccess) {
    return e;
  }
  int sms = 0;
  int blocks = 0;
  if (cudaError_t e = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
      e != cudaSuccess) {
    return e;
  }
  if (cudaError_t e =
          cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, t.threads, shared);
      e != cudaSuccess) {
    return e;
  }
  facts.resident = sms * (blocks > 0 ? blocks : 1);
  if (device < max_devices) {
    known[device].store(std::int64_t{facts.arch} << 32 | facts.resident, std::memory_order_release);
  }
  return cudaSuccess;
}

/// Launches a kernel, and returns the error of this launch alone. With `overlap` it may start
/// before the kernel before it in the stream has ended, and waits for that itself.
template <class... Parameters>
cudaError_t launch_kernel(void (*kernel)(Parameters...), std::int64_t blocks, int threads,
                          unsigned shared_bytes, bool overlap, cudaStream_t stream,
                          Parameters... arguments) {
  if (blocks > 0x7fffffff) return cudaErrorInvalidConfiguration;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  config.attrs = &attribute;
  config.numAttrs = overlap ? 1 : 0;
  return cudaLaunchKernelEx(&config, kernel, arguments...);
}

template <class Tuning, problem_size Size, class Problem>
cudaError_t launch_sized(const Problem& problem, cudaStream_t stream) {
  kernel_facts facts;
  if (cudaError_t e = get_kernel_facts<Tuning, Size, Problem>(facts); e != cudaSuccess) return e;
  using config = kernel_tuning<Tuning, Size, Problem>;
  const tuning t = config::get(facts.arch);
  const section_schedule schedule = make_schedule(problem, t, facts.resident);

  // The blocks that start at once search for themselves, meanwhile others search for the rest.
  // Where tiles are few, or one input is so short that any bounds are close enough, a second launch
  // costs more than it saves.
  constexpr std::int64_t few_rows = 4;
  std::int64_t first_slot = schedule.tiles();
  if constexpr (has_slots<Problem>) {
    if (t.how == strategy::single && schedule.tiles() > few_rows * facts.resident &&
        problem.m > config::slack(t) && problem.n > config::slack(t)) {
      first_slot = facts.resident;
    }
    const std::int64_t slot_count = schedule.tiles() - first_slot;
    const int served = partition_tiles(facts.arch);
    const std::int64_t blocks = (slot_count + served - 1) / served;
    if (blocks > 0) {
      const std::int64_t slack = config::slack(t);
      const std::int64_t margin = slack > 0 ? t.items + 1 : 0;
      if (cudaError_t e =
              launch_kernel(partition_kernel<Problem>, blocks, partition_threads, 0, false, stream,
                            problem, schedule, first_slot, slack, margin, served);
          e != cudaSuccess) {
        return e;
      }
    }
  }
  const auto kernel = merge_kernel<Tuning, Size, Problem>;
  const unsigned shared = config::storage_bytes(t);
  const bool is_overlapped = first_slot < schedule.tiles() && facts.arch >= 90;
  const auto launch = [&] {
    return launch_kernel(kernel, schedule.blocks(), t.threads, shared, is_overlapped, stream,
                         problem, schedule, first_slot);
  };
  const cudaError_t status = launch();
  if (status != cudaErrorInvalidValue) return status;
  // Perhaps a new context, after cudaDeviceReset, in which the kernel has not asked yet.
  cudaGetLastError();
  int device = 0;
  cudaFuncAttributes attributes{};
  if (cudaError_t e = cudaGetDevice(&device); e != cudaSuccess) return e;
  if (cudaError_t e = cudaFuncGetAttributes(&attributes, kernel); e != cudaSuccess) return e;
  if (cudaError_t e = allow_shared_memory(kernel, attributes, shared, device); e != cudaSuccess) {
    return e;
  }
  return launch();
}

/// Whether a pointer can lead to elements of its type; other iterators are not looked at.
template <class Iterator>
bool is_aligned(Iterator first, std::int64_t count) {
  if constexpr (std::is_pointer_v<Iterator>) {
    return count == 0 ||
           reinterpret_cast<std::uintptr_t>(first) % alignof(std::remove_pointer_t<Iterator>) == 0;
  } else {
    return true;
  }
}

/// Refuses a stream of another device than the one in use. (Before CUDA 12.8 a launch on it does;
/// now the kernel runs on that other device, where it can fault and break both. A stream that is
/// being captured cannot be asked.)
inline cudaError_t check_device(cudaStream_t stream) {
#if CUDART_VERSION >= 12080
  static const int devices = [] {
    int count = 0;
    return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
  }();
  if (devices < 2) return cudaSuccess;
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  if (cudaError_t e = cudaStreamIsCapturing(stream, &capture); e != cudaSuccess) return e;
  if (capture != cudaStreamCaptureStatusNone) return cudaSuccess;
  int device = 0;
  int of_stream = 0;
  if (cudaError_t e = cudaGetDevice(&device); e != cudaSuccess) return e;
  if (cudaError_t e = cudaStreamGetDevice(stream, &of_stream); e != cudaSuccess) return e;
  if (device != of_stream) return cudaErrorInvalidResourceHandle;
#else
  (void)stream;
#endif
  return cudaSuccess;
}

/// Merges on the device in use, asynchronously on `stream`.
template <class Tuning, class Problem>
cudaError_t launch_merge(const Problem& problem, cudaStream_t stream) {
  const std::int64_t outputs = problem.outputs;
  if (!has_valid_sizes(problem)) return cudaErrorInvalidValue;
  if (outputs == 0) return cudaSuccess;
  if (!(detail::is_aligned(problem.keys_a, problem.m) &&
        detail::is_aligned(problem.keys_b, problem.n) &&
        detail::is_aligned(problem.values_a, problem.m) &&
        detail::is_aligned(problem.values_b, problem.n) &&
        detail::is_aligned(problem.keys_out, outputs) &&
        detail::is_aligned(problem.values_out, outputs))) {
    return cudaErrorMisalignedAddress;
  }
  if (cudaError_t e = check_device(stream); e != cudaSuccess) return e;
  if constexpr (has_huge_problems<Problem>) {
    if (outputs >= huge_problem) return launch_sized<Tuning, problem_size::huge>(problem, stream);
  }
  return outputs < large_problem ? launch_sized<Tuning, problem_size::moderate>(problem, stream)
                                 : launch_sized<Tuning, problem_size::large>(problem, stream);
}

}  // namespace detail
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
