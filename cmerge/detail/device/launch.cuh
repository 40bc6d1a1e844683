// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a problem and a stream to the kernels: checks, tuning for the device in use, grid, launch
// and errors. Used by cuda_merge.cuh and device_merge.cuh.
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

/// Properties of a kernel on the device in use.
struct kernel_facts {
  int arch = 0;      // architecture of the kernel's code: compute capability times ten
  int resident = 0;  // number of its blocks that the device holds at the same time
};

/// Largest shared memory of a block without opt-in, static and dynamic together, in bytes.
inline constexpr std::size_t max_shared_without_opt_in = 48 << 10;

/// Opts a kernel in to `bytes` of dynamic shared memory, in the current context. Static shared
/// memory, which a comparator or an iterator can add to, counts against the same limit. Returns
/// `cudaErrorInvalidConfiguration` if the device does not have enough for both.
template <class... Parameters>
cudaError_t allow_shared_memory(void (*kernel)(Parameters...), const cudaFuncAttributes& attributes,
                                unsigned bytes, int device) {
  const std::size_t all = attributes.sharedSizeBytes + bytes;
  if (all <= max_shared_without_opt_in) return cudaSuccess;
  int max_shared = 0;
  if (cudaError_t e =
          cudaDeviceGetAttribute(&max_shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
      e != cudaSuccess) {
    return e;
  }
  if (all > static_cast<std::size_t>(max_shared)) return cudaErrorInvalidConfiguration;
  return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                              static_cast<int>(bytes));
}

/// Gets the properties of a kernel, and lets it have the shared memory it needs. Does this once per
/// kernel and device, and caches the result.
template <class Tuning, problem_size Size, class Problem>
cudaError_t get_kernel_facts(kernel_facts& facts) {
  using config = kernel_tuning<Tuning, Size, Problem>;
  constexpr int max_devices = 64;  // for further devices, nothing is cached
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

/// Launches a kernel and returns the error of this launch. With `overlap`, the kernel may start
/// before the previous kernel in the stream has ended, and must itself wait for that.
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

/// Launches the merge kernel of a size class, after the partition kernel if that pays.
template <class Tuning, problem_size Size, class Problem>
cudaError_t launch_sized(const Problem& problem, cudaStream_t stream) {
  kernel_facts facts;
  if (cudaError_t e = get_kernel_facts<Tuning, Size, Problem>(facts); e != cudaSuccess) return e;
  using config = kernel_tuning<Tuning, Size, Problem>;
  const tuning t = config::get(facts.arch);
  const section_schedule schedule = make_schedule(problem, t, facts.resident);

  // The first row of blocks, as many as the device holds, search for themselves while the partition
  // kernel searches for all others. The second launch does not pay if there are few rows, or if one
  // input is so short that any bounds are close enough. (H200: with a limit of 8 rows instead of 4,
  // random keys take the same time up to 2^25, but skewed keys lose 15 %.)
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
      // One more than a thread's share, see `partition_kernel`.
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
  // After cudaDeviceReset there can be a new context, in which the kernel is not opted in yet.
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

/// Whether a pointer is aligned for its type. True for other iterators, and for empty ranges.
template <class Iterator>
bool is_aligned(Iterator first, std::int64_t count) {
  if constexpr (std::is_pointer_v<Iterator>) {
    return count == 0 ||
           reinterpret_cast<std::uintptr_t>(first) % alignof(std::remove_pointer_t<Iterator>) == 0;
  } else {
    return true;
  }
}

/// Returns an error if the stream belongs to another device than the one in use. (Before CUDA 12.8
/// the launch itself fails. Since then the kernel runs on that other device, where it
/// can fault and break both contexts. A stream that is being captured cannot be queried.)
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
  int stream_device = 0;
  if (cudaError_t e = cudaGetDevice(&device); e != cudaSuccess) return e;
  if (cudaError_t e = cudaStreamGetDevice(stream, &stream_device); e != cudaSuccess) return e;
  if (device != stream_device) return cudaErrorInvalidResourceHandle;
#else
  (void)stream;
#endif
  return cudaSuccess;
}

/// Calls `f` with the size class of a problem, as an integral constant.
template <class Problem, class Function>
cudaError_t with_size(const Problem& problem, Function f) {
  using moderate = std::integral_constant<problem_size, problem_size::moderate>;
  using large = std::integral_constant<problem_size, problem_size::large>;
  if constexpr (has_huge_problems<Problem>) {
    using huge = std::integral_constant<problem_size, problem_size::huge>;
    if (problem.outputs >= huge_problem) return f(huge{});
  }
  return problem.outputs < large_problem ? f(moderate{}) : f(large{});
}

/// Finds the tuning that `launch_merge` uses for a problem on the current device.
template <class Tuning, class Problem>
cudaError_t find_tuning(const Problem& problem, tuning& found) {
  return with_size(problem, [&](auto size) {
    kernel_facts facts;
    const cudaError_t status = get_kernel_facts<Tuning, decltype(size)::value, Problem>(facts);
    found = kernel_tuning<Tuning, decltype(size)::value, Problem>::get(facts.arch);
    return status;
  });
}

/// Merges on the device in use, asynchronously on `stream`. Returns an error for invalid sizes,
/// misaligned pointers and streams of another device.
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
  return with_size(problem, [&](auto size) {
    return launch_sized<Tuning, decltype(size)::value>(problem, stream);
  });
}

}  // namespace detail
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
