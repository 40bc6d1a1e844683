// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors of the CUDA runtime reach the caller. The last test case breaks the context of the device,
// so these test cases have their own program.
#include "gpu/errors.cuh"

#include <cmerge/merge.h>
#include <cmerge/merge_indices.h>
#include <cmerge/merge_n.h>
#include <cmerge/device_merge.cuh>

#include <new>

namespace gpu_test {

using cmerge::DeviceMerge;

/// Made once, before a stream is captured and before a test breaks the context.
struct memory {
  static const memory& get() {
    static const memory only;
    return only;
  }
  static constexpr std::size_t most = 5000000;
  oracle::inputs<tagged> in = oracle::make_inputs(shape::random, most, 1);
  oracle::device_input<tagged> a{in.a};
  oracle::device_input<tagged> b{in.b};
  oracle::device_output<tagged> out{most + 1};
};

/// Merges and returns the text of the exception, or "".
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

TEST_CASE("merges without an error") {
  CHECK(error_of(thrust::device, 1000, oracle::by_key{}) == "");
}

TEST_CASE("reports a wait for a stream that is being captured") {
  memory::get();
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
  for (const std::size_t size : {std::size_t{100}, std::size_t{5000000}}) {
    REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
    const std::string error = error_of(thrust::cuda::par.on(stream), size, oracle::by_key{});
    CHECK(error.find("cmerge::merge") != std::string::npos);
    cudaGraph_t graph = nullptr;
    cudaStreamEndCapture(stream, &graph);
    // The reported error is cleared.
    CHECK(cudaGetLastError() != cudaErrorStreamCaptureUnsupported);
    if (graph != nullptr) cudaGraphDestroy(graph);
  }
  cudaStreamDestroy(stream);
  CHECK(error_of(thrust::device, 1000, oracle::by_key{}) == "");
}

TEST_CASE("does not report an earlier error of another call") {
  void* nothing = nullptr;
  CHECK(cudaMalloc(&nothing, std::size_t{1} << 50) == cudaErrorMemoryAllocation);
  CHECK(error_of(thrust::device, 1000, oracle::by_key{}) == "");
  cudaGetLastError();
}

/// An allocator without memory that counts its calls.
struct empty_allocator {
  using value_type = char;
  int calls = 0;
  char* allocate(std::ptrdiff_t) {
    ++calls;
    throw std::bad_alloc();
  }
  void deallocate(char*, std::size_t) { ++calls; }
};

TEST_CASE("does not call the allocator of a policy") {
  const memory& all = memory::get();
  const oracle::device_output<std::uint32_t> words(memory::most + 1);
  const oracle::device_input<int> values(std::vector<int>(memory::most, 7));
  const oracle::device_output<int> values_out(memory::most + 1);
  const oracle::by_key comp;
  empty_allocator allocator;
  const auto check = [&](const auto& policy, std::size_t size) {
    CAPTURE(size);
    const auto* const a = all.a.begin();
    const auto* const b = all.b.begin();
    cmerge::merge(policy, a, a + size, b, b + 1, all.out.begin(), comp);
    cmerge::merge_n(policy, a, a + size, b, b + 1, 10, all.out.begin(), comp);
    cmerge::merge_indices(policy, a, a + size, b, b + 1, words.begin(), comp);
    cmerge::merge_by_key(policy, a, a + size, b, b + 1, values.begin(), values.begin(),
                         all.out.begin(), values_out.begin(), comp);
    oracle::synchronize();
    CHECK(allocator.calls == 0);
    CHECK(oracle::is_merged(a, size, b, 1, all.out.begin()));
  };
  for (const std::size_t size : {std::size_t{0}, std::size_t{1000}, memory::most}) {
    check(thrust::device(allocator), size);
    check(thrust::cuda::par(allocator), size);
    check(thrust::cuda::par_nosync(allocator), size);
    check(thrust::cuda::par(allocator).on(nullptr), size);
  }
}

TEST_CASE("reports a stream of another device") {
  int devices = 0;
  oracle::check_cuda(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
  if (devices < 2) {
    MESSAGE("skipped: there is one device");
    return;
  }
  const memory& all = memory::get();
  int device = 0;
  oracle::check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  const int other = device == 0 ? 1 : 0;
  oracle::check_cuda(cudaSetDevice(other), "cudaSetDevice");
  cudaStream_t stream = nullptr;
  oracle::check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
  {
    const small_problem there;
    oracle::check_cuda(cudaSetDevice(device), "cudaSetDevice");
    for (const std::size_t size : {std::size_t{1000}, memory::most}) {
      CAPTURE(size);
      CHECK(error_of(thrust::cuda::par.on(stream), size, oracle::by_key{}) != "");
      CHECK(error_of(thrust::cuda::par_nosync.on(stream), size, oracle::by_key{}) != "");
      CHECK(DeviceMerge::MergeKeys(all.a.begin(), static_cast<std::int64_t>(size), all.b.begin(), 1,
                                   all.out.begin(), oracle::by_key{}, stream) != cudaSuccess);
      cudaGetLastError();  // DeviceMerge returns the error without clearing it
      CHECK(error_of(thrust::device, size, oracle::by_key{}) == "");
      CHECK(oracle::is_merged(all.a.begin(), size, all.b.begin(), 1, all.out.begin()));
    }
    // The stream still works on its own device.
    oracle::check_cuda(cudaSetDevice(other), "cudaSetDevice");
    CHECK(!thrown_by([&] {
      cmerge::merge(thrust::cuda::par.on(stream), there.a.begin(), there.a.end(), there.b.begin(),
                    there.b.end(), there.out.begin(), there.comp);
    }));
    CHECK(oracle::is_merged(there.a.begin(), there.m, there.b.begin(), there.n, there.out.begin()));
  }
  cudaStreamDestroy(stream);
  oracle::check_cuda(cudaSetDevice(device), "cudaSetDevice");
}

struct faulting {
  __device__ bool operator()(const tagged&, const tagged&) const {
    *static_cast<volatile int*>(nullptr) = 1;
    return false;
  }
};

// Must remain the last test case.
TEST_CASE("reports a kernel that breaks the device, and every call after it") {
  const memory& all = memory::get();
  const std::string error = error_of(thrust::device, 1000, faulting{});
  INFO(error);
  CHECK(error.find("cmerge::merge") != std::string::npos);
  const tagged* const a = all.a.begin();
  const tagged* const b = all.b.begin();
  tagged* const out = all.out.begin();
  const oracle::by_key comp;
  for (const std::int64_t size : {std::int64_t{1000}, std::int64_t{memory::most}}) {
    CAPTURE(size);
    CHECK(error_of(thrust::device, static_cast<std::size_t>(size), comp) != "");
    CHECK(error_of(thrust::cuda::par_nosync, static_cast<std::size_t>(size), comp) != "");
    CHECK(
        thrown_by([&] { cmerge::merge_n(thrust::device, a, a + size, b, b + 1, 10, out, comp); }));
    CHECK(thrown_by([&] {
      // (Nothing is read or written after the fault.)
      cmerge::merge_indices(thrust::device, a, a + size, b, b + 1,
                            reinterpret_cast<std::uint64_t*>(out), comp);
    }));
    CHECK(thrown_by([&] {
      cmerge::merge_by_key(thrust::device, a, a + size, b, b + 1, a, b, out, out, comp);
    }));
    CHECK(DeviceMerge::MergeKeys(a, size, b, 1, out, comp) != cudaSuccess);
    CHECK(DeviceMerge::MergePairs(a, a, size, b, b, 1, out, out, comp) != cudaSuccess);
  }
}

}  // namespace gpu_test
