// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams and memory: merges are asynchronous if the policy says so, use one stream, and do not
// allocate.
#include "gpu/oracle.cuh"
#include "gpu/stream.cuh"

#include <cmerge/merge.h>

#include <thread>

namespace gpu_test {

using oracle::check_cuda;
using oracle::shape;
using oracle::stream;
using oracle::tagged;

/// Keeps the device busy until `*flag` is set, for some seconds at most.
__global__ void wait_kernel(const volatile int* flag) {
  for (int round = 0; round < 30000000 && *flag == 0; ++round) __nanosleep(100);
}

/// A kernel that runs on a stream until the host ends it.
class slow_kernel {
 public:
  explicit slow_kernel(cudaStream_t stream) {
    check_cuda(cudaHostAlloc(&flag_, sizeof(int), cudaHostAllocMapped), "cudaHostAlloc");
    *flag_ = 0;
    int* mapped = nullptr;
    check_cuda(cudaHostGetDevicePointer(&mapped, flag_, 0), "cudaHostGetDevicePointer");
    wait_kernel<<<1, 1, 0, stream>>>(mapped);
    check_cuda(cudaGetLastError(), "launch");
  }
  slow_kernel(const slow_kernel&) = delete;
  slow_kernel& operator=(const slow_kernel&) = delete;
  ~slow_kernel() {
    end();
    cudaDeviceSynchronize();
    cudaFreeHost(flag_);
  }
  void end() { *static_cast<volatile int*>(flag_) = 1; }

 private:
  int* flag_ = nullptr;
};

/// Inputs on the device, and an output.
struct problem {
  problem(std::size_t m, std::size_t n, unsigned salt = 0)
      : in(oracle::make_inputs(shape::random, m, n, salt)), a(in.a), b(in.b), out(m + n) {}

  template <class Policy>
  void merge(const Policy& policy) const {
    cmerge::merge(policy, a.begin(), a.end(), b.begin(), b.end(), out.begin(), oracle::by_key{});
  }
  bool is_merged() const {
    return oracle::is_merged(a.begin(), a.size(), b.begin(), b.size(), out.begin());
  }

  oracle::inputs<tagged> in;
  oracle::device_input<tagged> a;
  oracle::device_input<tagged> b;
  oracle::device_output<tagged> out;
};

const std::size_t sizes[] = {1, 1000, 100000, static_cast<std::size_t>(cmerge::large_problem) / 2};

TEST_CASE("returns under par_nosync while a kernel runs before the merge") {
  const stream s;
  for (const std::size_t size : sizes) {
    CAPTURE(size);
    problem p(size, size);
    p.merge(thrust::cuda::par.on(s.get()));  // loads the kernels
    CHECK(cudaStreamQuery(s.get()) == cudaSuccess);
    p.out.clear();
    oracle::synchronize();
    slow_kernel slow(s.get());
    p.merge(thrust::cuda::par_nosync.on(s.get()));
    CHECK(cudaStreamQuery(s.get()) == cudaErrorNotReady);
    slow.end();
    check_cuda(cudaStreamSynchronize(s.get()), "cudaStreamSynchronize");
    CHECK(p.is_merged());
  }
}

TEST_CASE("uses only the stream of the policy while a kernel runs on others") {
  const stream busy;
  const stream ours;
  for (const std::size_t size : sizes) {
    CAPTURE(size);
    problem p(size, size);
    p.merge(thrust::cuda::par.on(ours.get()));
    p.out.clear();
    oracle::synchronize();
    // The merge ends before the kernels on the default stream and on another one.
    slow_kernel slow(busy.get());
    slow_kernel default_slow(nullptr);
    p.merge(thrust::cuda::par.on(ours.get()));
    CHECK(cudaStreamQuery(ours.get()) == cudaSuccess);
    CHECK(cudaStreamQuery(busy.get()) == cudaErrorNotReady);
    CHECK(cudaStreamQuery(nullptr) == cudaErrorNotReady);
    default_slow.end();
    slow.end();
    oracle::synchronize();
    CHECK(p.is_merged());
  }
}

TEST_CASE("does not allocate device memory") {
  if (oracle::quick()) return;  // other programs use the device at the same time
  for (const std::size_t size : sizes) {
    const problem p(size, size);
    p.merge(thrust::device);  // loads the kernels
    std::size_t before = 0;
    std::size_t after = 0;
    std::size_t total = 0;
    check_cuda(cudaMemGetInfo(&before, &total), "cudaMemGetInfo");
    for (int round = 0; round < 10; ++round) p.merge(thrust::cuda::par_nosync);
    check_cuda(cudaMemGetInfo(&after, &total), "cudaMemGetInfo");
    CHECK(before == after);
    CHECK(p.is_merged());
  }
}

TEST_CASE("merges from many host threads, each with its own stream") {
  std::vector<std::thread> threads;
  std::vector<int> good(8, 0);
  for (std::size_t t = 0; t < good.size(); ++t) {
    threads.emplace_back([t, &good] {
      const stream s;
      const problem p(10000 + t, 20000, static_cast<unsigned>(t));
      for (int round = 0; round < 20; ++round) p.merge(thrust::cuda::par.on(s.get()));
      good[t] = p.is_merged();
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(std::count(good.begin(), good.end(), 1) == static_cast<std::ptrdiff_t>(good.size()));
}

// Must remain the last test case: the reset frees all memory.
TEST_CASE("opts in to shared memory again after a reset of the device") {
  using large_tiles =
      oracle::fixed_moderate<cmerge::strategy::single, 1024, 8>;  // more than 48 KiB
  for (int round = 0; round < 3; ++round) {
    CAPTURE(round);
    {
      const problem p(20000, 30000);
      p.merge(cmerge::tuned<large_tiles>(thrust::device));
      CHECK(p.is_merged());
    }
    CHECK(cudaGetLastError() == cudaSuccess);
    REQUIRE(cudaDeviceReset() == cudaSuccess);
  }
}

}  // namespace gpu_test
