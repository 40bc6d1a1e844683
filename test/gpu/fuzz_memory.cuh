// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory that random merges share, and the interface of their families.
#pragma once

#include "device_memory.cuh"

namespace fuzz {

// ---- memory -----------------------------------------------------------------------------------

/// An array at `[begin, end)` with guard bytes at `[first, begin)` and `[end, last)`.
struct region {
  std::size_t first;
  std::size_t begin;
  std::size_t end;
  std::size_t last;

  std::size_t room() const { return end - begin; }
  /// Whether only the first `written` bytes changed.
  bool is_guarded(const unsigned char* memory, std::size_t written) const {
    return oracle::is_guard(memory + first, memory + begin) &&
           oracle::is_guard(memory + begin + written, memory + last);
  }
};

/// The inputs and outputs of many cases, each array in its own region. One copy uploads all inputs
/// and one downloads all outputs. Batches share the memory, since allocating takes longer than
/// merging.
class memory {
 public:
  memory() = default;
  memory(const memory&) = delete;
  memory& operator=(const memory&) = delete;
  ~memory() {
    cudaFree(device_in_);
    cudaFree(device_out_);
  }

  void clear() {
    in_.clear();
    out_size_ = 0;
  }
  region place_input(std::size_t bytes, std::size_t offset) {
    const region r = place(in_.size(), bytes, offset);
    in_.resize(r.last, oracle::guard_byte);
    return r;
  }
  region place_output(std::size_t bytes, std::size_t offset) {
    const region r = place(out_size_, bytes, offset);
    out_size_ = r.last;
    return r;
  }
  std::size_t bytes() const { return in_.size() + out_size_; }

  void upload() {
    grow(device_in_, device_in_size_, in_.size());
    grow(device_out_, device_out_size_, out_size_);
    oracle::check_cuda(cudaMemcpy(device_in_, in_.data(), in_.size(), cudaMemcpyHostToDevice),
                       "copying inputs");
    oracle::check_cuda(cudaMemset(device_out_, oracle::guard_byte, out_size_), "cudaMemset");
  }
  cudaError_t download() {
    out_.resize(out_size_);
    if (const cudaError_t e = cudaDeviceSynchronize(); e != cudaSuccess) return e;
    return cudaMemcpy(out_.data(), device_out_, out_size_, cudaMemcpyDeviceToHost);
  }

  unsigned char* in() { return in_.data(); }
  const unsigned char* in() const { return in_.data(); }
  unsigned char* out() { return out_.data(); }
  const unsigned char* out() const { return out_.data(); }
  const unsigned char* device_in() const { return device_in_; }
  unsigned char* device_out() const { return device_out_; }

 private:
  static region place(std::size_t first, std::size_t bytes, std::size_t offset) {
    const std::size_t begin = (first + oracle::guard_size + 255) / 256 * 256 + offset;
    return {first, begin, begin + bytes, begin + bytes + oracle::guard_size};
  }
  static void grow(unsigned char*& data, std::size_t& size, std::size_t needed) {
    if (size >= needed && data != nullptr) return;
    oracle::check_cuda(cudaFree(data), "cudaFree");
    data = nullptr;
    size = needed + needed / 2 + 1;
    oracle::check_cuda(cudaMalloc(&data, size), "cudaMalloc");
  }

  std::vector<unsigned char> in_;
  std::vector<unsigned char> out_;
  std::size_t out_size_ = 0;
  unsigned char* device_in_ = nullptr;
  unsigned char* device_out_ = nullptr;
  std::size_t device_in_size_ = 0;
  std::size_t device_out_size_ = 0;
};

// ---- families ---------------------------------------------------------------------------------

struct entry {
  const char* name;
  void (*run)(const char*, const std::vector<std::uint64_t>&, memory&, bool);
  std::string (*test_check)(std::uint64_t, memory&);
};

/// In two files, which compile in parallel.
std::vector<entry> families_of_keys();
std::vector<entry> families_of_pairs();

}  // namespace fuzz
