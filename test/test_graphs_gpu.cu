// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Merges in CUDA graphs: every class of sizes and types is captured once and replayed.
#include "gpu/graph.cuh"

#include <cmerge/merge.h>
#include <cmerge/merge_indices.h>
#include <cmerge/merge_n.h>
#include <cmerge/device_merge.cuh>

#include <thrust/functional.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>

namespace gpu_test {

using cmerge::strategy;
using oracle::fixed_moderate;
using oracle::moderate_default;

template <class Key, class Tuning = cmerge::default_tuning, class Compare = thrust::less<Key>>
void check_keys(std::size_t m, std::size_t n) {
  CAPTURE(m);
  CAPTURE(n);
  const key_problem<Key, Compare> p(m, n);
  check_graph(
      [&](cudaStream_t s) {
        cmerge::merge(cmerge::tuned<Tuning>(thrust::cuda::par_nosync.on(s)), p.a.begin(), p.a.end(),
                      p.b.begin(), p.b.end(), p.out.begin(), Compare{});
      },
      p.setter(), p.out);
}

/// From an empty problem to a large one.
const std::size_t sizes[] = {0, 1, 1000, 100000, cmerge::large_problem / 2 + 5};

/// Every size up to `max_size`. Keys whose problems are all moderate take `moderate_default`, which
/// leaves out a kernel.
template <class Key, class Tuning = cmerge::default_tuning, class Compare = thrust::less<Key>>
void check_all_sizes(std::size_t max_size = ~std::size_t{0}) {
  for (const std::size_t size : sizes) {
    if (size > max_size || (oracle::quick() && size > 1000)) continue;
    check_keys<Key, Tuning, Compare>(size, size + size / 3);
  }
}
template <int Bytes, class Tuning = cmerge::default_tuning>
void check_records(std::size_t max_size = ~std::size_t{0}) {
  check_all_sizes<record<Bytes>, Tuning, first_word_less>(max_size);
}

TEST_CASE("replays merges of 1-byte keys, by value") { check_all_sizes<signed char>(); }
TEST_CASE("replays merges of 2-byte keys") { check_all_sizes<short>(); }
TEST_CASE("replays merges of 4-byte keys") { check_all_sizes<int>(); }
TEST_CASE("replays merges of 8-byte keys") { check_all_sizes<long long>(); }
TEST_CASE("replays merges of 16-byte keys") { check_records<16>(); }
TEST_CASE("replays merges of 20-byte keys") { check_records<20>(); }
TEST_CASE("replays merges of 96-byte keys") { check_records<96, moderate_default>(100000); }
TEST_CASE("replays merges of 1024-byte keys") { check_records<1024, moderate_default>(1000); }
TEST_CASE("replays merges of 4096-byte keys") { check_records<4096, moderate_default>(1000); }

TEST_CASE("replays merges with a partition launch, and huge problems") {
  if (oracle::quick()) return;
  check_keys<int, fixed_moderate<strategy::single, 32, 1>>(300000, 300001);
  check_keys<int>(std::size_t{1} << 24, std::size_t{1} << 24);
  check_keys<short>(cmerge::huge_problem / 2 + 3, cmerge::huge_problem / 2);
}

TEST_CASE_TEMPLATE("replays merges of every other strategy", T,
                   fixed_moderate<strategy::basic, 32, 3>, fixed_moderate<strategy::tiled, 64, 3>,
                   fixed_moderate<strategy::circular, 64, 3, 1>,
                   fixed_moderate<strategy::circular, 128, 7, 2>,
                   fixed_moderate<strategy::indirect, 64, 3>) {
  check_keys<int, T>(5000, 6000);
}

/// Keys with values that identify them.
template <class Value, class Tuning = cmerge::default_tuning>
void check_pairs(std::size_t m, std::size_t n) {
  CAPTURE(m);
  const key_problem<int, thrust::less<int>> p(m, n);
  const versioned<Value> values1(m);
  const versioned<Value> values2(n);
  const versioned<Value> values(m + n);
  fill(values1, 0);
  fill(values2, 1);
  for (std::size_t v = 0; v < versions; ++v) {
    const thrust::less<int> less;
    oracle::reference_merge_values(p.a.begin(v), m, p.b.begin(v), n, values1.begin(v),
                                   values2.begin(v), values.begin(v), less);
  }
  check_graph(
      [&](cudaStream_t s) {
        cmerge::merge_by_key(cmerge::tuned<Tuning>(thrust::cuda::par_nosync.on(s)), p.a.begin(),
                             p.a.end(), p.b.begin(), p.b.end(), values1.begin(), values2.begin(),
                             p.out.begin(), values.begin());
      },
      [&](std::size_t version, cudaStream_t s) {
        p.set(version, s);
        values1.set(version, s);
        values2.set(version, s);
      },
      p.out, values);
}

TEST_CASE("replays merges of pairs") {
  for (const std::size_t size : sizes) {
    if (oracle::quick() && size > 1000) continue;
    check_pairs<int>(size, size / 2);
    if (size <= 100000) check_pairs<record<40>, moderate_default>(size, size + 7);
    if (size <= 1000) check_pairs<record<2048>, moderate_default>(size, size + 7);
  }
}

struct halved {
  __host__ __device__ int operator()(int x) const { return x / 2; }
};
struct first_less {
  template <class X, class Y>
  __host__ __device__ bool operator()(const X& x, const Y& y) const {
    return thrust::get<0>(x) < thrust::get<0>(y);
  }
};

TEST_CASE("replays merges of transform, counting and zip iterators") {
  for (const std::size_t size : sizes) {
    if (oracle::quick() && size > 1000) continue;
    CAPTURE(size);
    const key_problem<int, thrust::less<int>> p(size, size);
    const thrust::counting_iterator<int> counting(-1000);
    for (std::size_t v = 0; v < versions; ++v) {
      const auto first = thrust::make_transform_iterator(p.a.begin(v), halved{});
      oracle::reference_merge(first, size, counting, size, p.out.begin(v), thrust::less<int>{});
    }
    check_graph(
        [&](cudaStream_t s) {
          const auto first = thrust::make_transform_iterator(p.a.begin(), halved{});
          cmerge::merge(thrust::cuda::par_nosync.on(s), first, first + size, counting,
                        counting + size, p.out.begin());
        },
        p.setter(), p.out);

    const versioned<int> payload(2 * size);
    const auto zip = [](int* x, int* y) { return thrust::make_zip_iterator(x, y); };
    for (std::size_t v = 0; v < versions; ++v) {
      const auto first1 = zip(p.a.begin(v), p.b.begin(v));
      const auto first2 = zip(p.b.begin(v), p.a.begin(v));
      oracle::reference_merge(first1, size, first2, size, zip(p.out.begin(v), payload.begin(v)),
                              first_less{});
    }
    check_graph(
        [&](cudaStream_t s) {
          const auto first1 = zip(p.a.begin(), p.b.begin());
          const auto first2 = zip(p.b.begin(), p.a.begin());
          cmerge::merge(thrust::cuda::par_nosync.on(s), first1, first1 + size, first2,
                        first2 + size, zip(p.out.begin(), payload.begin()), first_less{});
        },
        p.setter(), p.out, payload);
  }
}

TEST_CASE("replays merge_n and merge_indices") {
  for (const std::size_t size : sizes) {
    if (oracle::quick() && size > 1000) continue;
    CAPTURE(size);
    const key_problem<int, thrust::less<int>> p(size, size + 1);
    const std::size_t count = size + size / 2;
    const versioned<std::uint32_t> words(2 * size + 1);
    for (std::size_t v = 0; v < versions; ++v) {
      expect_first(p.out, v, count);
      const thrust::counting_iterator<std::uint32_t> first(0);
      oracle::reference_merge_values(p.a.begin(v), size, p.b.begin(v), size + 1, first,
                                     first + oracle::second_input, words.begin(v),
                                     thrust::less<int>{});
    }
    check_graph(
        [&](cudaStream_t s) {
          const auto policy = thrust::cuda::par_nosync.on(s);
          cmerge::merge_n(policy, p.a.begin(), p.a.end(), p.b.begin(), p.b.end(),
                          static_cast<std::int64_t>(count), p.out.begin());
          cmerge::merge_indices(policy, p.a.begin(), p.a.end(), p.b.begin(), p.b.end(),
                                words.begin());
        },
        p.setter(), p.out, words);
  }
}

TEST_CASE("replays DeviceMerge, with sizes that change in device memory") {
  for (const std::size_t size : sizes) {
    if (oracle::quick() && size > 1000) continue;
    CAPTURE(size);
    const auto most = static_cast<std::int64_t>(size);
    const key_problem<int, thrust::less<int>> p(size, size);
    const versioned<std::int64_t> counts(2);
    const versioned<int> sized(2 * size);
    for (std::size_t v = 0; v < versions; ++v) {
      const std::int64_t m = most / static_cast<std::int64_t>(v + 1);
      const std::int64_t n = most - m / 2;
      const std::int64_t both[] = {m, n};
      check_cuda(cudaMemcpy(counts.begin(v), both, sizeof(both), cudaMemcpyDefault), "cudaMemcpy");
      oracle::reference_merge(p.a.begin(v), static_cast<std::size_t>(m), p.b.begin(v),
                              static_cast<std::size_t>(n), sized.begin(v), thrust::less<int>{});
      expect_first(sized, v, static_cast<std::size_t>(m + n));
    }
    check_graph(
        [&](cudaStream_t s) {
          using cmerge::DeviceMerge;
          CHECK(DeviceMerge::MergeKeys(p.a.begin(), most, p.b.begin(), most, p.out.begin(),
                                       thrust::less<int>{}, s) == cudaSuccess);
          CHECK(DeviceMerge::MergeKeys(p.a.begin(), counts.begin(), most, p.b.begin(),
                                       counts.begin() + 1, most, sized.begin(), thrust::less<int>{},
                                       s) == cudaSuccess);
        },
        [&](std::size_t version, cudaStream_t s) {
          p.set(version, s);
          counts.set(version, s);
        },
        p.out, sized);
  }
}

/// Only one test case uses this order, so the capture holds the first call of its instantiation.
struct another_order {
  __host__ __device__ bool operator()(int x, int y) const { return x < y; }
};

TEST_CASE("captures the first call of an instantiation, with the expected number of launches") {
  const oracle::stream s;
  const key_problem<int, thrust::less<int>> p(300000, 300000);
  const auto launches = [&](auto tuning) {
    cudaGraph_t graph = nullptr;
    check_cuda(cudaStreamBeginCapture(s.get(), cudaStreamCaptureModeGlobal), "begin capture");
    cmerge::merge(cmerge::tuned<decltype(tuning)>(thrust::cuda::par_nosync.on(s.get())),
                  p.a.begin(), p.a.end(), p.b.begin(), p.b.end(), p.out.begin(), another_order{});
    int* const none = nullptr;
    cmerge::merge(thrust::cuda::par_nosync.on(s.get()), none, none, none, none, none);
    check_cuda(cudaStreamEndCapture(s.get(), &graph), "end capture");
    std::size_t nodes = 0;
    check_cuda(cudaGraphGetNodes(graph, nullptr, &nodes), "cudaGraphGetNodes");
    cudaGraphDestroy(graph);
    return nodes;
  };
  CHECK(launches(moderate_default{}) == 1);
  // A partition launch comes first: no device has a quarter as many resident blocks as there are
  // tiles.
  CHECK(launches(fixed_moderate<strategy::single, 32, 1>{}) == 2);
}

TEST_CASE("merges on one stream while another stream is captured") {
  const oracle::stream captured;
  const oracle::stream ours;
  const key_problem<int, thrust::less<int>> p(30000, 20000);
  oracle::synchronize();
  const auto merge = [&](cudaStream_t stream) {
    cmerge::merge(thrust::cuda::par_nosync.on(stream), p.a.begin(), p.a.end(), p.b.begin(),
                  p.b.end(), p.out.begin());
  };
  cudaGraph_t graph = nullptr;
  check_cuda(cudaStreamBeginCapture(captured.get(), cudaStreamCaptureModeGlobal), "begin capture");
  merge(captured.get());
  merge(ours.get());
  check_cuda(cudaStreamEndCapture(captured.get(), &graph), "end capture");
  check_cuda(cudaStreamSynchronize(ours.get()), "cudaStreamSynchronize");
  const oracle::device_errors errors;
  compare_kernel<<<256, 256>>>(p.out.now.begin(), p.out.then[0].begin(), p.out.now.size(),
                               errors.get());
  check_cuda(cudaGetLastError(), "launch");
  CHECK(errors.count() == 0);
  cudaGraphDestroy(graph);
}

}  // namespace gpu_test
