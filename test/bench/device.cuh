// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device functions of all GPU benchmarks: checked calls, one stream, memory that only grows, and
// the time of one call. Includes only the CUDA runtime.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace bench {

/// Throws if a CUDA call failed.
inline void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess) {
    cudaGetLastError();  // clears the error, so that it does not fail the next benchmark
    throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
  }
}

/// The stream in which everything is made and timed. The default stream synchronises with all
/// others, which would slow down some rivals.
inline cudaStream_t stream() {
  static const cudaStream_t only = [] {
    cudaStream_t created = nullptr;
    check(cudaStreamCreateWithFlags(&created, cudaStreamNonBlocking), "cudaStreamCreate");
    return created;
  }();
  return only;
}

inline void synchronize() { check(cudaStreamSynchronize(stream()), "cudaStreamSynchronize"); }

inline std::size_t l2_bytes() {
  int device = 0;
  int bytes = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, device), "cudaDeviceGetAttribute");
  return static_cast<std::size_t>(bytes);
}

/// Device memory that is kept between benchmarks, because allocating gigabytes is slow.
class device_buffer {
 public:
  device_buffer() = default;
  device_buffer(const device_buffer&) = delete;
  device_buffer& operator=(const device_buffer&) = delete;
  ~device_buffer() { cudaFree(data_); }

  /// At least `bytes` bytes. If the buffer has to grow, its content is lost.
  char* reserve(std::size_t bytes) {
    if (bytes > capacity_) {
      release();
      check(cudaMalloc(&data_, bytes), "cudaMalloc");
      capacity_ = bytes;
    }
    return static_cast<char*>(data_);
  }

  void release() {
    cudaFree(data_);
    data_ = nullptr;
    capacity_ = 0;
  }

 private:
  void* data_ = nullptr;
  std::size_t capacity_ = 0;
};

/// Times one call on the stream with two events.
class gpu_timer {
 public:
  gpu_timer() {
    check(cudaEventCreate(&start_), "cudaEventCreate");
    check(cudaEventCreate(&stop_), "cudaEventCreate");
  }
  gpu_timer(const gpu_timer&) = delete;
  gpu_timer& operator=(const gpu_timer&) = delete;
  ~gpu_timer() {
    cudaEventDestroy(start_);
    cudaEventDestroy(stop_);
  }

  /// The seconds that `call` takes on an idle device. This includes the launch latency.
  template <class Call>
  double seconds(const Call& call) {
    check(cudaEventRecord(start_, stream()), "cudaEventRecord");
    call();
    check(cudaEventRecord(stop_, stream()), "cudaEventRecord");
    check(cudaEventSynchronize(stop_), "cudaEventSynchronize");
    check(cudaGetLastError(), "kernel launch");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, start_, stop_), "cudaEventElapsedTime");
    return milliseconds * 1e-3;
  }

 private:
  cudaEvent_t start_ = nullptr;
  cudaEvent_t stop_ = nullptr;
};

/// The median, minimum and relative standard deviation of some times.
struct summary {
  double median = 0;
  double min = 0;
  double variation = 0;  ///< standard deviation over mean

  explicit summary(std::vector<double> times) {
    if (times.empty()) return;
    std::sort(times.begin(), times.end());
    const std::size_t count = times.size();
    median = (times[(count - 1) / 2] + times[count / 2]) / 2;
    min = times.front();
    double mean = 0;
    for (const double t : times) mean += t / static_cast<double>(count);
    double variance = 0;
    for (const double t : times) variance += (t - mean) * (t - mean) / static_cast<double>(count);
    variation = mean > 0 ? std::sqrt(variance) / mean : 0;
  }
};

}  // namespace bench
