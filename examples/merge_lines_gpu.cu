// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The GPU side of merge_lines: copies a window's text and keys to the device, merges there, and
// copies the order back. Each thread has its own stream, so copies and merges overlap.
#include "merge_lines_gpu.h"

#include <cmerge/merge.h>

#include <cuda_runtime_api.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/discard_iterator.h>

#include <stdexcept>

#include "gpu_state.h"

namespace merge_lines {
namespace {

void check(cudaError_t result) {
  if (result != cudaSuccess) throw std::runtime_error(cudaGetErrorString(result));
}

/// Device memory that is kept from one window to the next, and grows if a window does not fit.
template <class T>
class device_buffer {
 public:
  device_buffer() = default;
  device_buffer(const device_buffer&) = delete;
  device_buffer& operator=(const device_buffer&) = delete;
  ~device_buffer() { cudaFree(data_); }

  T* resize(std::size_t size) {
    if (size > room_) {
      check(cudaFree(data_));
      data_ = nullptr;
      room_ = 0;
      check(cudaMalloc(&data_, sizeof(T) * (size + size / 4)));
      room_ = size + size / 4;
    }
    return data_;
  }

 private:
  T* data_ = nullptr;
  std::size_t room_ = 0;
};

class gpu_merger final : public merger {
 public:
  gpu_merger() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~gpu_merger() override { cudaStreamDestroy(stream_); }

  std::pair<const char*, const char*> open(text a, text b) override {
    char* const a_text = text_.resize(a.size() + b.size());
    char* const b_text = a_text + a.size();
    copy(a_text, a.first, a.size());
    copy(b_text, b.first, b.size());
    return {a_text, b_text};
  }

  void merge(const lines& a, const lines& b, std::vector<std::uint64_t>& order) override {
    const std::size_t m = a.keys.size();
    const std::size_t n = b.keys.size();
    line_key* const keys = keys_.resize(m + n);
    std::uint64_t* const sizes = sizes_.resize(m + n);
    std::uint64_t* const sizes_out = order_.resize(m + n);
    copy(keys, a.keys.data(), m);
    copy(keys + m, b.keys.data(), n);
    copy(sizes, a.sizes.data(), m);
    copy(sizes + m, b.sizes.data(), n);
    cmerge::merge_by_key(thrust::cuda::par_nosync.on(stream_), keys, keys + m, keys + m,
                         keys + m + n, sizes, sizes + m, thrust::make_discard_iterator(), sizes_out,
                         key_less{});
    copy(order.data(), sizes_out, m + n);
    check(cudaStreamSynchronize(stream_));
  }

 private:
  template <class T>
  void copy(T* to, const T* from, std::size_t size) {
    check(cudaMemcpyAsync(to, from, sizeof(T) * size, cudaMemcpyDefault, stream_));
  }

  cudaStream_t stream_ = nullptr;
  device_buffer<char> text_;
  device_buffer<line_key> keys_;
  device_buffer<std::uint64_t> sizes_;
  device_buffer<std::uint64_t> order_;
};

}  // namespace

std::string why_no_gpu() {
  const std::string no_gpu = ::why_no_gpu();
  return no_gpu.empty() ? why_no_gpu_code() : no_gpu;
}

std::unique_ptr<merger> make_gpu_merger() { return std::make_unique<gpu_merger>(); }

}  // namespace merge_lines
