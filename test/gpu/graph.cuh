// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Captures merges in CUDA graphs and replays them a hundred times with changing inputs. Each replay
// is compared with a reference merge of the same inputs.
#pragma once

#include "oracle.cuh"
#include "reference_merge.cuh"
#include "stream.cuh"

#include <array>

namespace gpu_test {

using oracle::check_cuda;
using bytes = oracle::device_input<unsigned char>;

constexpr std::size_t versions = 3;

/// A range with another content in each replay.
template <class T>
struct versioned {
  explicit versioned(std::size_t count)
      : size(count),
        now(count * sizeof(T)),
        then{bytes(count * sizeof(T)), bytes(count * sizeof(T)), bytes(count * sizeof(T))} {}
  T* begin() const { return reinterpret_cast<T*>(now.data()); }
  T* end() const { return begin() + size; }
  T* begin(std::size_t version) const { return reinterpret_cast<T*>(then[version].data()); }

  void set(std::size_t version, cudaStream_t stream) const {
    check_cuda(cudaMemcpyAsync(now.data(), then[version].data(), size * sizeof(T),
                               cudaMemcpyDeviceToDevice, stream),
               "cudaMemcpyAsync");
  }

  std::size_t size;
  bytes now;
  std::array<bytes, versions> then;
};

/// Keys of `Bytes` bytes, compared by their first word. The other words identify the key.
template <int Bytes>
struct record {
  int word[Bytes / 4];
};
struct first_word_less {
  template <class T>
  __host__ __device__ bool operator()(const T& x, const T& y) const {
    return x.word[0] < y.word[0];
  }
};

/// Element `i` from a number in [0, 1). It does not decrease as the number grows.
template <class T>
__device__ T make_element(double fraction, std::size_t i, int side) {
  if constexpr (std::is_integral_v<T>) {
    const double low = std::is_signed_v<T> ? -static_cast<double>(1ull << (8 * sizeof(T) - 1)) : 0;
    const auto spread = static_cast<double>(1ull << (8 * sizeof(T) - 1)) * 1.99;
    return static_cast<T>(low + fraction * spread);
  } else {
    T made;
    made.word[0] = static_cast<int>(fraction * 1e6);
    for (std::size_t w = 1; w < sizeof(T) / 4; ++w) {
      made.word[w] = static_cast<int>(i * (2 * w + 1)) * 2 + side;
    }
    return made;
  }
}

/// Sorted elements that follow a power of the index. Each version has another exponent.
template <class T>
__global__ void fill_kernel(T* out, std::size_t size, double power, int side) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < size; i += stride) {
    out[i] =
        make_element<T>(pow(static_cast<double>(i) / static_cast<double>(size), power), i, side);
  }
}

template <class T>
void fill(const versioned<T>& range, int side) {
  constexpr double powers[2][versions] = {{1, 2, 0.3}, {1.1, 0.4, 3}};
  for (std::size_t v = 0; v < versions; ++v) {
    fill_kernel<<<256, 256>>>(range.begin(v), range.size, powers[side][v], side);
  }
  check_cuda(cudaGetLastError(), "launch");
  range.set(0, nullptr);
}

__global__ void compare_kernel(const unsigned char* left, const unsigned char* right,
                               std::size_t size, unsigned* errors) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < size; i += stride) {
    if (left[i] != right[i]) *errors = 1;
  }
}

/// Captures `call(stream)` and replays it with the inputs that `set(version, stream)` copies.
/// Compares each output with its `then`. Outputs are overwritten before each replay, so old results
/// fail.
template <class Call, class Set, class... Outputs>
void check_graph(Call call, Set set, const Outputs&... outputs) {
  oracle::synchronize();
  const oracle::stream s;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t replay = nullptr;
  check_cuda(cudaStreamBeginCapture(s.get(), cudaStreamCaptureModeGlobal), "begin capture");
  call(s.get());
  check_cuda(cudaStreamEndCapture(s.get(), &graph), "end capture");
  check_cuda(cudaGraphInstantiate(&replay, graph, 0), "cudaGraphInstantiate");
  const oracle::device_errors errors;
  const auto poison = [&](const auto& out) {
    cudaMemsetAsync(out.now.data(), oracle::guard_byte, out.now.size(), s.get());
  };
  const auto compare = [&](const auto& out, std::size_t version) {
    if (out.now.size() == 0) return;
    compare_kernel<<<256, 256, 0, s.get()>>>(out.now.data(), out.then[version].data(),
                                             out.now.size(), errors.get());
  };
  for (std::size_t round = 0; round < (oracle::quick() ? 4u : 100u); ++round) {
    const std::size_t version = round % versions;
    set(version, s.get());
    (poison(outputs), ...);
    check_cuda(cudaGraphLaunch(replay, s.get()), "cudaGraphLaunch");
    (compare(outputs, version), ...);
  }
  check_cuda(cudaGetLastError(), "launch");
  CHECK(errors.count() == 0);
  cudaGraphExecDestroy(replay);
  cudaGraphDestroy(graph);
}

/// Two inputs, and the reference merge of each version of them.
template <class Key, class Compare>
struct key_problem {
  key_problem(std::size_t m, std::size_t n) : a(m), b(n), out(m + n) {
    fill(a, 0);
    fill(b, 1);
    for (std::size_t v = 0; v < versions; ++v) {
      oracle::reference_merge(a.begin(v), m, b.begin(v), n, out.begin(v), Compare{});
    }
  }
  void set(std::size_t version, cudaStream_t stream) const {
    a.set(version, stream);
    b.set(version, stream);
  }
  auto setter() const {
    return [this](std::size_t version, cudaStream_t stream) { set(version, stream); };
  }

  versioned<Key> a;
  versioned<Key> b;
  versioned<Key> out;
};

/// Expects guard bytes after the first `count` elements of an output.
template <class T>
void expect_first(const versioned<T>& out, std::size_t version, std::size_t count) {
  check_cuda(
      cudaMemset(out.begin(version) + count, oracle::guard_byte, (out.size - count) * sizeof(T)),
      "cudaMemset");
}

}  // namespace gpu_test
