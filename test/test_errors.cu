// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors of the CUDA runtime reach the caller as thrust::system_error. The last test breaks the
// device's context for good, so that these have a program of their own.
#include "gpu/oracle.cuh"

#include <cmerge/merge.h>

#include <thrust/system_error.h>

#include <cstring>

namespace gpu_test {

using oracle::shape;
using oracle::tagged;

/// Merges and returns what the exception says; nothing if there is none.
/// Made once, before any stream is captured and before the device is broken.
struct memory {
  static const memory& get() {
    static const memory only;
    return only;
  }
  oracle::inputs<tagged> in = oracle::make_inputs(shape::random, 5000000, 1);
  oracle::device_input<tagged> a{in.a};
  oracle::device_input<tagged> b{in.b};
  oracle::device_output<tagged> out{5000001};
};

template <class Policy, class Compare>
std::string error_of(const Policy& policy, std::size_t size, Compare comp) {
  const memory& m = memory::get();
  try {
    cmerge::merge(policy, m.a.begin(), m.a.begin() + size, m.b.begin(), m.b.end(), m.out.begin(),
                  comp);
    return "";
  } catch (const thrust::system_error& error) {
    CHECK(error.code().category() == thrust::cuda_category());
    return error.what();
  }
}

TEST_CASE("no error") { CHECK(error_of(thrust::device, 1000, oracle::by_key{}) == ""); }

TEST_CASE("waiting for a stream that is being captured") {
  memory::get();
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
  for (const std::size_t size : {std::size_t{100}, std::size_t{5000000}}) {
    REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
    const std::string error = error_of(thrust::cuda::par.on(stream), size, oracle::by_key{});
    CHECK(error.find("cmerge::merge") != std::string::npos);
    cudaGraph_t graph = nullptr;
    cudaStreamEndCapture(stream, &graph);
    // It was reported; it is not there any more.
    CHECK(cudaGetLastError() != cudaErrorStreamCaptureUnsupported);
    if (graph != nullptr) cudaGraphDestroy(graph);
  }
  cudaStreamDestroy(stream);
  CHECK(error_of(thrust::device, 1000, oracle::by_key{}) == "");
}

TEST_CASE("an earlier error of someone else is not ours") {
  void* nothing = nullptr;
  CHECK(cudaMalloc(&nothing, std::size_t{1} << 50) == cudaErrorMemoryAllocation);
  CHECK(error_of(thrust::device, 1000, oracle::by_key{}) == "");
  cudaGetLastError();
}

struct faulting {
  __device__ bool operator()(const tagged&, const tagged&) const {
    *static_cast<volatile int*>(nullptr) = 1;
    return false;
  }
};

TEST_CASE("a kernel that faults, and all calls after it") {
  const std::string error = error_of(thrust::device, 1000, faulting{});
  INFO(error);
  CHECK(error.find("cmerge::merge") != std::string::npos);
  CHECK(error_of(thrust::device, 1000, oracle::by_key{}) != "");
  CHECK(error_of(thrust::cuda::par_nosync, 5000000, oracle::by_key{}) != "");
}

}  // namespace gpu_test
