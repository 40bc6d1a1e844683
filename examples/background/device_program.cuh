// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs block programs on a GPU: plain, to be timed, or with their loads, stores and barriers
// counted.
#pragma once

#include "block_program.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace background {

/// Ends the program if a CUDA call failed.
inline void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::printf("%s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

/// Counts of all threads together.
struct device_counts {
  unsigned long long loads;
  unsigned long long stores;
  unsigned long long barriers;
};

/// One thread's view of its block. Members are marked for both sides because programs are.
template <int Threads, bool IsCounted>
class device_block {
 public:
  static constexpr int threads = Threads;

  template <class T>
  class registers {
   public:
    CMERGE_HOST_DEVICE T& operator[](int) { return value_; }

   private:
    T value_{};
  };

  CMERGE_HOST_DEVICE device_block(unsigned index, unsigned thread)
      : index_(index), thread_(static_cast<int>(thread)) {}

  CMERGE_HOST_DEVICE std::int64_t index() const { return index_; }

  template <class Function>
  CMERGE_HOST_DEVICE void for_each_thread(Function function) {
    function(thread_);
  }

  CMERGE_HOST_DEVICE void sync() {
    if constexpr (IsCounted) count_.barriers += thread_ == 0 ? 1 : 0;
#if defined(__CUDA_ARCH__)
    __syncthreads();
#endif
  }

  template <class T>
  CMERGE_HOST_DEVICE T load(const T* memory, std::size_t i, bool is_inside = true) {
    if constexpr (IsCounted) count_.loads += is_inside ? 1 : 0;
    return is_inside ? memory[i] : T{};
  }

  template <class T>
  CMERGE_HOST_DEVICE void store(T* memory, std::size_t i, T value, bool is_inside = true) {
    if constexpr (IsCounted) count_.stores += is_inside ? 1 : 0;
    if (is_inside) memory[i] = value;
  }

  template <class T>
  CMERGE_HOST_DEVICE T read(const T* memory, int i) {
    return memory[i];
  }

  template <class T>
  CMERGE_HOST_DEVICE void write(T* memory, int i, T value) {
    memory[i] = value;
  }

  __device__ void add_to(device_counts& total) const {
    atomicAdd(&total.loads, count_.loads);
    atomicAdd(&total.stores, count_.stores);
    atomicAdd(&total.barriers, count_.barriers);
  }

 private:
  unsigned index_;
  int thread_;
  device_counts count_{};
};

/// `total` is null unless the kernel counts.
template <class Program, bool IsCounted, class Arguments>
__global__ void __launch_bounds__(Program::threads)
    program_kernel(Arguments arguments, device_counts* total) {
  __shared__ typename Program::storage shared;
  device_block<Program::threads, IsCounted> block(blockIdx.x, threadIdx.x);
  Program::run(block, shared, arguments);
  if constexpr (IsCounted) block.add_to(*total);
}

template <class Program, class Arguments>
void run_on_device(std::int64_t blocks, const Arguments& arguments,
                   device_counts* total = nullptr) {
  const auto kernel = total != nullptr ? program_kernel<Program, true, Arguments>
                                       : program_kernel<Program, false, Arguments>;
  kernel<<<static_cast<unsigned>(blocks), Program::threads>>>(arguments, total);
  check(cudaGetLastError(), "launch");
}

/// Registers and local memory of a thread. Local memory holds what registers cannot.
template <class Program, class Arguments>
cudaFuncAttributes attributes_of() {
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, program_kernel<Program, false, Arguments>),
        "attributes");
  return attributes;
}

/// Microseconds of `work`, the median of nine, after one that is not timed.
template <class Work>
double median_microseconds(Work work) {
  cudaEvent_t start;
  cudaEvent_t stop;
  check(cudaEventCreate(&start), "event");
  check(cudaEventCreate(&stop), "event");
  work();
  std::vector<double> times;
  for (int i = 0; i < 9; ++i) {
    float milliseconds = 0;
    check(cudaEventRecord(start), "event");
    work();
    check(cudaEventRecord(stop), "event");
    check(cudaEventSynchronize(stop), "kernel");
    check(cudaEventElapsedTime(&milliseconds, start, stop), "event");
    times.push_back(1000.0 * milliseconds);
  }
  check(cudaEventDestroy(start), "event");
  check(cudaEventDestroy(stop), "event");
  std::nth_element(times.begin(), times.begin() + 4, times.end());
  return times[4];
}

/// The device and the toolkit, for the title of a table.
inline std::string device_title() {
  int device = 0;
  cudaDeviceProp gpu{};
  check(cudaGetDevice(&device), "device");
  check(cudaGetDeviceProperties(&gpu, device), "device");
  return std::string(gpu.name) + ", CUDA " + std::to_string(CUDART_VERSION / 1000) + "." +
         std::to_string(CUDART_VERSION % 1000 / 10);
}

}  // namespace background
