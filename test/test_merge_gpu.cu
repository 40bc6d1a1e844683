// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// merge under every policy that runs on a GPU, compared with std::merge and thrust::merge.
#include "gpu/oracle.cuh"

#include <cmerge/merge.h>

#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/merge.h>

#include <limits>

namespace gpu_test {

using oracle::shape;
using oracle::tagged;

/// The order as users write it for one type.
struct tagged_less {
  __host__ __device__ bool operator()(const tagged& left, const tagged& right) const {
    return left.key < right.key;
  }
};

struct own_tuning {
  static constexpr cmerge::tuning get(cmerge::tuning_query) {
    return {cmerge::strategy::circular, 128, 5};
  }
};

/// An allocator that counts its calls. A merge does not allocate.
struct counting_allocator {
  using value_type = char;
  int* count;
  char* allocate(std::ptrdiff_t bytes) {
    ++*count;
    void* memory = nullptr;
    oracle::check_cuda(cudaMalloc(&memory, static_cast<std::size_t>(bytes)), "cudaMalloc");
    return static_cast<char*>(memory);
  }
  void deallocate(char* memory, std::size_t) { cudaFree(memory); }
};

/// Merges problems of several sizes and every shape under one policy.
template <class Policy>
void test_policy(const Policy& policy) {
  for (const shape s : oracle::all_shapes) {
    INFO("shape ", oracle::name(s), ", seed ", oracle::seed());
    for (const auto& size : {std::pair<std::size_t, std::size_t>{0, 0},
                             {0, 5},
                             {5, 0},
                             {1, 1},
                             {1000, 1},
                             {333, 777},
                             {5000, 50000}}) {
      const auto in = oracle::make_inputs(s, size.first, size.second);
      const oracle::device_input<tagged> a(in.a);
      const oracle::device_input<tagged> b(in.b);
      const oracle::device_output<tagged> out(size.first + size.second);
      tagged* const end = cmerge::merge(policy, a.begin(), a.end(), b.begin(), b.end(), out.begin(),
                                        oracle::by_key{});
      CHECK(end == out.end());
      const auto expected = oracle::merged(in.a, in.b, oracle::by_key{});
      CHECK(oracle::first_difference(out.download().data(), expected) == expected.size());
    }
  }
}

TEST_CASE("merges under every policy") {
  int allocations = 0;
  counting_allocator allocator{&allocations};
  cudaStream_t stream = nullptr;
  oracle::check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");

  SUBCASE("device") { test_policy(thrust::device); }
  SUBCASE("cuda::par") { test_policy(thrust::cuda::par); }
  SUBCASE("cuda::par_nosync") { test_policy(thrust::cuda::par_nosync); }
  SUBCASE("cuda::par.on") { test_policy(thrust::cuda::par.on(stream)); }
  SUBCASE("cuda::par_nosync.on") { test_policy(thrust::cuda::par_nosync.on(stream)); }
  SUBCASE("cuda::par(allocator)") { test_policy(thrust::cuda::par(allocator)); }
  SUBCASE("cuda::par(allocator).on") { test_policy(thrust::cuda::par(allocator).on(stream)); }
  SUBCASE("device(allocator)") { test_policy(thrust::device(allocator)); }
  SUBCASE("tuned") {
    test_policy(cmerge::tuned<cmerge::default_tuning>(thrust::cuda::par.on(stream)));
  }
  SUBCASE("tuned, then on a stream, with an allocator") {
    const auto tuned = cmerge::tuned<own_tuning>(thrust::cuda::par);
    const auto on_stream = tuned.on(stream);
    auto with_both = tuned(allocator).on(stream);
    static_assert(std::is_same_v<cmerge::detail::tuning_of<decltype(on_stream)>, own_tuning>);
    static_assert(std::is_same_v<cmerge::detail::tuning_of<decltype(with_both)>, own_tuning>);
    test_policy(on_stream);
    test_policy(with_both);
    CHECK(thrust::cuda_cub::stream(with_both) == stream);
  }
  SUBCASE("cuda::tag") { test_policy(thrust::cuda::tag{}); }
  CHECK(allocations == 0);
  cudaStreamDestroy(stream);
}

TEST_CASE("merges device vectors without a policy") {
  const auto in = oracle::make_inputs(shape::few, 1234, 4321);
  const auto expected = oracle::merged(in.a, in.b, oracle::by_key{});
  const thrust::device_vector<tagged> a(in.a.begin(), in.a.end());
  thrust::device_vector<tagged> b(in.b.begin(), in.b.end());
  thrust::device_vector<tagged> out(expected.size());
  SUBCASE("const and non-const iterators of device vectors") {
    CHECK(cmerge::merge(a.begin(), a.end(), b.begin(), b.end(), out.begin(), tagged_less{}) ==
          out.end());
  }
  SUBCASE("cbegin with begin, and a policy") {
    CHECK(cmerge::merge(thrust::device, a.cbegin(), a.cend(), b.begin(), b.end(), out.begin(),
                        tagged_less{}) == out.end());
  }
  const thrust::host_vector<tagged> result = out;
  CHECK(oracle::first_difference(result.data(), expected) == expected.size());
}

template <class Policy>
__global__ void merge_in_kernel(const Policy policy, const tagged* a, std::int64_t m,
                                const tagged* b, std::int64_t n, tagged* out, unsigned* errors) {
  if (cmerge::merge(policy, a, a + m, b, b + n, out, oracle::by_key{}) != out + m + n) *errors = 1;
}

TEST_CASE("merges inside a kernel, in the calling thread") {
  const std::size_t m = 200;
  const std::size_t n = 333;
  const auto in = oracle::make_inputs(shape::few, m, n);
  const oracle::device_input<tagged> a(in.a);
  const oracle::device_input<tagged> b(in.b);
  const oracle::device_output<tagged> out(m + n);
  const oracle::device_errors errors;
  const auto run = [&](auto policy) {
    merge_in_kernel<<<1, 1>>>(policy, a.begin(), static_cast<std::int64_t>(m), b.begin(),
                              static_cast<std::int64_t>(n), out.begin(), errors.get());
    oracle::check_cuda(cudaGetLastError(), "launch");
  };
  SUBCASE("seq") { run(thrust::seq); }
  SUBCASE("device") { run(thrust::device); }
  CHECK(errors.count() == 0);
  CHECK(oracle::first_difference(out.download().data(),
                                 oracle::merged(in.a, in.b, oracle::by_key{})) == m + n);
}

TEST_CASE("merges as thrust::merge does") {
  for (const shape s : oracle::all_shapes) {
    CAPTURE(oracle::name(s));
    for (const std::size_t size : {100, 100000, 5000000}) {
      if (oracle::quick() && size > 100) continue;
      const auto keys = oracle::make_keys(s, size, size / 2, 1 << 30);
      const oracle::device_input<int> a(std::vector<int>(keys.a.begin(), keys.a.end()));
      const oracle::device_input<int> b(std::vector<int>(keys.b.begin(), keys.b.end()));
      const oracle::device_output<int> out(a.size() + b.size());
      const oracle::device_output<int> theirs(a.size() + b.size());
      CHECK(cmerge::merge(thrust::device, a.begin(), a.end(), b.begin(), b.end(), out.begin()) ==
            out.end());
      thrust::merge(thrust::device, a.begin(), a.end(), b.begin(), b.end(), theirs.begin());
      CHECK((out.download() == theirs.download()));
    }
  }
}

TEST_CASE("gives the same bits in two runs") {
  const std::size_t size = oracle::quick() ? 10000 : 3000000;
  const auto in = oracle::make_inputs(shape::few, size, size);
  const oracle::device_input<tagged> a(in.a);
  const oracle::device_input<tagged> b(in.b);
  const oracle::device_output<tagged> first(2 * size);
  const oracle::device_output<tagged> second(2 * size);
  for (tagged* out : {first.begin(), second.begin()}) {
    cmerge::merge(thrust::device, a.begin(), a.end(), b.begin(), b.end(), out, oracle::by_key{});
  }
  CHECK(oracle::first_difference(first.download().data(), second.download()) == 2 * size);
}

TEST_CASE("merges null pointers and empty ranges") {
  const tagged* const none = nullptr;
  tagged* const out = nullptr;
  CHECK(cmerge::merge(thrust::device, none, none, none, none, out, oracle::by_key{}) == nullptr);
  const oracle::inputs<tagged> in = oracle::make_inputs(shape::few, 10, 0);
  const oracle::device_input<tagged> a(in.a);
  oracle::device_output<tagged> merged(10);
  CHECK(cmerge::merge(thrust::device, a.begin(), a.end(), none, none, merged.begin(),
                      oracle::by_key{}) == merged.end());
  CHECK(oracle::first_difference(merged.download().data(), in.a) == 10);
  merged.clear();
  CHECK(cmerge::merge(thrust::device, none, none, a.begin(), a.end(), merged.begin(),
                      oracle::by_key{}) == merged.end());
  CHECK(oracle::first_difference(merged.download().data(), in.a) == 10);
}

TEST_CASE("merges inputs at the end of mapped memory") {
  // Allocations of whole pages: the last element ends with a page.
  constexpr std::size_t page = std::size_t{2} << 20;
  const std::size_t capacity = page / sizeof(tagged);
  for (const std::size_t size : {std::size_t{1}, std::size_t{77}, std::size_t{10001}}) {
    const auto in = oracle::make_inputs(shape::alternating, size, size);
    const oracle::device_input<tagged> a(in.a, capacity - size);
    const oracle::device_input<tagged> b(in.b, capacity - size);
    const oracle::device_input<tagged> out(2 * size, 2 * capacity - 2 * size);
    CHECK(cmerge::merge(thrust::device, a.begin(), a.end(), b.begin(), b.end(), out.data(),
                        oracle::by_key{}) == out.end());
    CHECK(oracle::is_merged(a.begin(), size, b.begin(), size, out.begin()));
  }
}

// Only this file can name it. Kernels that use it must compile without a warning.
namespace {
struct unnamed_order {
  __host__ __device__ bool operator()(int x, int y) const { return x > y; }
};
}  // namespace

TEST_CASE("merges in an order from an unnamed namespace") {
  const oracle::device_input<int> a(std::vector<int>{5, 3, 1});
  const oracle::device_input<int> b(std::vector<int>{4, 3});
  const oracle::device_output<int> out(5);
  cmerge::merge(thrust::device, a.begin(), a.end(), b.begin(), b.end(), out.begin(),
                unnamed_order{});
  CHECK(out.download() == std::vector<int>{5, 4, 3, 3, 1});
}

TEST_CASE("merges in the largest tile, which has no room for bounds") {
  std::vector<signed char> keys(70001);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    keys[i] = static_cast<signed char>(i * 250 / keys.size() - 125);
  }
  const oracle::device_input<signed char> a(keys);
  const oracle::device_input<signed char> b(keys, 1);
  const oracle::device_output<signed char> out(2 * keys.size());
  using largest = oracle::fixed_moderate<cmerge::strategy::single, 1024, 32>;
  cmerge::merge(cmerge::tuned<largest>(thrust::device), a.begin(), a.end(), b.begin(), b.end(),
                out.begin());
  std::vector<signed char> expected(2 * keys.size());
  std::merge(keys.begin(), keys.end(), keys.begin(), keys.end(), expected.begin());
  CHECK(out.download() == expected);
}

}  // namespace gpu_test
