// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device memory for tests: inputs without a spare byte, outputs between guard bytes, and an error
// counter. Includes oracle.h and the CUDA runtime.
#pragma once

#include "../oracle.h"

#include <cuda_runtime.h>

#include <cstdio>

namespace oracle {

inline void check_cuda(cudaError_t status, const char* what) {
  if (status != cudaSuccess) FAIL(std::string(what), ": ", std::string(cudaGetErrorString(status)));
}

inline void synchronize() { check_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize"); }

// Every copy and fill is followed by a synchronization: a non-blocking stream does not wait for the
// default stream.

/// Device memory without a spare byte: a read past the end is a read past the allocation.
template <class T>
class device_input {
 public:
  device_input() = default;
  /// \param offset  elements between the start of the allocation and the data
  explicit device_input(const std::vector<T>& values, std::size_t offset = 0)
      : device_input(values.size(), offset) {
    upload(values);
  }
  explicit device_input(std::size_t size, std::size_t offset = 0) : size_(size), offset_(offset) {
    check_cuda(cudaMalloc(&data_, std::max<std::size_t>(1, (size + offset) * sizeof(T))),
               "cudaMalloc");
  }
  device_input(const device_input&) = delete;
  device_input& operator=(const device_input&) = delete;
  ~device_input() { cudaFree(data_); }

  void upload(const std::vector<T>& values) {
    check_cuda(cudaMemcpy(data(), values.data(), values.size() * sizeof(T), cudaMemcpyDefault),
               "cudaMemcpy");
    synchronize();
  }
  /// To const, so that all calls of a test have the same types and share their kernels.
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  std::size_t size() const { return size_; }
  /// For code that writes to it.
  T* data() const { return data_ + offset_; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t offset_ = 0;
};

/// Device memory for an output. It is filled with guard bytes and has guard bytes at both ends.
template <class T>
class device_output {
 public:
  explicit device_output(std::size_t size, std::size_t offset = 0)
      : size_(size), before_(guard_size + offset * sizeof(T)) {
    // Without an offset, the output is aligned like an allocation.
    before_ += 256 - guard_size;
    check_cuda(cudaMalloc(&data_, bytes()), "cudaMalloc");
    clear();
  }
  device_output(const device_output&) = delete;
  device_output& operator=(const device_output&) = delete;
  ~device_output() { cudaFree(data_); }

  void clear() {
    check_cuda(cudaMemset(data_, guard_byte, bytes()), "cudaMemset");
    synchronize();
  }
  T* begin() const { return reinterpret_cast<T*>(data_ + before_); }
  T* end() const { return begin() + size_; }

  /// Copies the output to the host and checks the guard bytes.
  std::vector<T> download() const {
    synchronize();
    std::vector<unsigned char> all(bytes());
    check_cuda(cudaMemcpy(all.data(), data_, bytes(), cudaMemcpyDefault), "cudaMemcpy");
    CHECK(is_guard(all.data(), all.data() + before_));
    CHECK(is_guard(all.data() + before_ + size_ * sizeof(T), all.data() + all.size()));
    std::vector<T> values(size_);
    if (size_ > 0) {
      std::memcpy(static_cast<void*>(values.data()), all.data() + before_, size_ * sizeof(T));
    }
    return values;
  }

 private:
  std::size_t bytes() const { return before_ + size_ * sizeof(T) + guard_size; }

  std::size_t size_;
  std::size_t before_;
  unsigned char* data_ = nullptr;
};

/// An error flag on the device. Kernels and comparators of a test set it.
class device_errors {
 public:
  device_errors() {
    check_cuda(cudaMalloc(&data_, sizeof(unsigned)), "cudaMalloc");
    check_cuda(cudaMemset(data_, 0, sizeof(unsigned)), "cudaMemset");
    synchronize();
  }
  device_errors(const device_errors&) = delete;
  device_errors& operator=(const device_errors&) = delete;
  ~device_errors() { cudaFree(data_); }

  unsigned* get() const { return data_; }
  unsigned count() const {
    synchronize();
    unsigned value = 0;
    check_cuda(cudaMemcpy(&value, data_, sizeof(value), cudaMemcpyDefault), "cudaMemcpy");
    return value;
  }

 private:
  unsigned* data_ = nullptr;
};

}  // namespace oracle
