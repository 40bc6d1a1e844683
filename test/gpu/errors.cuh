// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by tests of errors: the error of a call, and a problem that must stay untouched.
#pragma once

#include "oracle.cuh"

#include <thrust/system/cuda/error.h>
#include <thrust/system_error.h>

namespace gpu_test {

using oracle::shape;
using oracle::tagged;

/// The error code that a call throws, or no error.
template <class Call>
thrust::error_code thrown_by(Call call) {
  try {
    call();
    return {};
  } catch (const thrust::system_error& error) {
    return error.code();
  }
}

/// The error code of a CUDA error.
thrust::error_code cuda_error(cudaError_t status) { return {status, thrust::cuda_category()}; }

/// Whether an output still consists of guard bytes.
template <class T>
bool is_untouched(const oracle::device_output<T>& out) {
  const std::vector<T> values = out.download();
  const auto* bytes = reinterpret_cast<const unsigned char*>(values.data());
  return oracle::is_guard(bytes, bytes + values.size() * sizeof(T));
}

/// A small problem with inputs, values and outputs for every call.
struct small_problem {
  static constexpr std::size_t m = 1000;
  static constexpr std::size_t n = 600;
  oracle::inputs<tagged> in = oracle::make_inputs(shape::random, m, n);
  oracle::device_input<tagged> a{in.a};
  oracle::device_input<tagged> b{in.b};
  oracle::device_input<int> values{std::vector<int>(m, 7)};
  oracle::device_output<tagged> out{m + n};
  oracle::device_output<int> values_out{m + n};
  oracle::device_output<std::uint32_t> words{m + n};
  oracle::by_key comp;

  bool is_untouched() const {
    return gpu_test::is_untouched(out) && gpu_test::is_untouched(values_out) &&
           gpu_test::is_untouched(words);
  }
};

/// The pointer, misaligned by one byte.
template <class T>
T* misalign(T* pointer) {
  return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(pointer) + 1);
}

}  // namespace gpu_test
