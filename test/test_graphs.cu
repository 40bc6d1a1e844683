// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Merges in CUDA graphs: every class of sizes and of types captured once, and replayed a hundred
// times with changing inputs. Each replay is compared with what Thrust makes of the same inputs.
#include "gpu/oracle.cuh"
#include "gpu/stream.cuh"

#include <cmerge/merge.h>
#include <cmerge/merge_indices.h>
#include <cmerge/merge_n.h>
#include <cmerge/device_merge.cuh>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/merge.h>

#include <array>

namespace gpu_test {

using cmerge::strategy;
using oracle::check_cuda;
using oracle::fixed;
using bytes = oracle::device_input<unsigned char>;

constexpr std::size_t versions = 3;

/// A range whose contents change from replay to replay.
template <class T>
struct versioned {
  explicit versioned(std::size_t count)
      : size(count),
        now(count * sizeof(T)),
        then{bytes(count * sizeof(T)), bytes(count * sizeof(T)), bytes(count * sizeof(T))} {}
  T* begin() const { return reinterpret_cast<T*>(now.begin()); }
  T* end() const { return begin() + size; }
  T* begin(std::size_t version) const { return reinterpret_cast<T*>(then[version].begin()); }

  void set(std::size_t version, cudaStream_t stream) const {
    check_cuda(cudaMemcpyAsync(now.begin(), then[version].begin(), size * sizeof(T),
                               cudaMemcpyDeviceToDevice, stream),
               "cudaMemcpyAsync");
  }

  std::size_t size;
  bytes now;
  std::array<bytes, versions> then;
};

/// Keys of so many bytes, compared by their first word. The others tell where a key came from.
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

/// Element `i` for a place between 0 and 1, which never falls.
template <class T>
__device__ T make_element(double place, std::size_t i, int side) {
  if constexpr (std::is_integral_v<T>) {
    const double low = std::is_signed_v<T> ? -static_cast<double>(1ull << (8 * sizeof(T) - 1)) : 0;
    const auto spread = static_cast<double>(1ull << (8 * sizeof(T) - 1)) * 1.99;
    return static_cast<T>(low + place * spread);
  } else {
    T made;
    made.word[0] = static_cast<int>(place * 1e6);
    for (std::size_t w = 1; w < sizeof(T) / 4; ++w) {
      made.word[w] = static_cast<int>(i * (2 * w + 1)) * 2 + side;
    }
    return made;
  }
}

/// Sorted elements: their places follow a power of the index, another one in each version.
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

/// Captures `call(stream)`, replays it with inputs that `set(version, stream)` puts there, and
/// compares outputs with their `then`. An output that is not written anew is poison.
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
    cudaMemsetAsync(out.now.begin(), oracle::guard_byte, out.now.size(), s.get());
  };
  const auto compare = [&](const auto& out, std::size_t version) {
    if (out.now.size() == 0) return;
    compare_kernel<<<256, 256, 0, s.get()>>>(out.now.begin(), out.then[version].begin(),
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

/// Two inputs, and Thrust's merge of each version of them.
template <class Key, class Compare>
struct key_problem {
  key_problem(std::size_t m, std::size_t n) : a(m), b(n), out(m + n) {
    fill(a, 0);
    fill(b, 1);
    for (std::size_t v = 0; v < versions; ++v) {
      thrust::merge(thrust::device, a.begin(v), a.begin(v) + m, b.begin(v), b.begin(v) + n,
                    out.begin(v), Compare{});
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

template <class Key, class Compare = thrust::less<Key>, class Tuning = cmerge::default_tuning>
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

/// From nothing to a large problem.
const std::size_t sizes[] = {0, 1, 1000, 100000, cmerge::large_problem / 2 + 5};

template <class Key, class Compare = thrust::less<Key>>
void check_all_sizes(std::size_t most) {
  for (const std::size_t size : sizes) {
    if (size > most || (oracle::quick() && size > 1000)) continue;
    check_keys<Key, Compare>(size, size + size / 3);
  }
}

constexpr std::size_t any = ~std::size_t{0};

TEST_CASE("keys of one byte, whose runs are written") { check_all_sizes<signed char>(any); }
TEST_CASE("keys of two bytes") { check_all_sizes<short>(any); }
TEST_CASE("keys of four bytes") { check_all_sizes<int>(any); }
TEST_CASE("keys of eight bytes") { check_all_sizes<long long>(any); }
TEST_CASE("keys of 16 bytes") { check_all_sizes<record<16>, first_word_less>(any); }
TEST_CASE("keys of 20 bytes") { check_all_sizes<record<20>, first_word_less>(any); }
TEST_CASE("keys of 96 bytes") { check_all_sizes<record<96>, first_word_less>(100000); }
TEST_CASE("keys of 1024 bytes") { check_all_sizes<record<1024>, first_word_less>(1000); }
TEST_CASE("keys of 4096 bytes") { check_all_sizes<record<4096>, first_word_less>(1000); }

TEST_CASE("so many tiles that there are two launches, and huge problems") {
  if (oracle::quick()) return;
  check_keys<int, thrust::less<int>, fixed<strategy::single, 32, 1>>(300000, 300001);
  check_keys<int>(std::size_t{1} << 24, std::size_t{1} << 24);
  check_keys<short>(cmerge::huge_problem / 2 + 3, cmerge::huge_problem / 2);
}

TEST_CASE_TEMPLATE("other strategies", T, fixed<strategy::basic, 32, 3>,
                   fixed<strategy::tiled, 64, 3>, fixed<strategy::circular, 64, 3, 1>,
                   fixed<strategy::circular, 128, 7, 2>, fixed<strategy::indirect, 64, 3>) {
  check_keys<int, thrust::less<int>, T>(5000, 6000);
}

/// Keys with values that tell where they came from.
template <class Value>
void check_pairs(std::size_t m, std::size_t n) {
  CAPTURE(m);
  const key_problem<int, thrust::less<int>> p(m, n);
  const versioned<Value> values1(m);
  const versioned<Value> values2(n);
  const versioned<Value> values(m + n);
  fill(values1, 0);
  fill(values2, 1);
  for (std::size_t v = 0; v < versions; ++v) {
    thrust::merge_by_key(thrust::device, p.a.begin(v), p.a.begin(v) + m, p.b.begin(v),
                         p.b.begin(v) + n, values1.begin(v), values2.begin(v),
                         thrust::make_discard_iterator(), values.begin(v));
  }
  check_graph(
      [&](cudaStream_t s) {
        cmerge::merge_by_key(thrust::cuda::par_nosync.on(s), p.a.begin(), p.a.end(), p.b.begin(),
                             p.b.end(), values1.begin(), values2.begin(), p.out.begin(),
                             values.begin());
      },
      [&](std::size_t version, cudaStream_t s) {
        p.set(version, s);
        values1.set(version, s);
        values2.set(version, s);
      },
      p.out, values);
}

TEST_CASE("pairs") {
  for (const std::size_t size : sizes) {
    if (oracle::quick() && size > 1000) continue;
    check_pairs<int>(size, size / 2);
    if (size <= 100000) check_pairs<record<40>>(size, size + 7);
    if (size <= 1000) check_pairs<record<2048>>(size, size + 7);
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

TEST_CASE("iterators: transform and counting, zip") {
  for (const std::size_t size : sizes) {
    if (oracle::quick() && size > 1000) continue;
    CAPTURE(size);
    const key_problem<int, thrust::less<int>> p(size, size);
    const thrust::counting_iterator<int> counting(-1000);
    for (std::size_t v = 0; v < versions; ++v) {
      const auto first = thrust::make_transform_iterator(p.a.begin(v), halved{});
      thrust::merge(thrust::device, first, first + size, counting, counting + size, p.out.begin(v));
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
      thrust::merge(thrust::device, first1, first1 + size, first2, first2 + size,
                    zip(p.out.begin(v), payload.begin(v)), first_less{});
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

/// Leaves of each version's expected output the first `count` elements.
template <class T>
void poison_behind(const versioned<T>& out, std::size_t version, std::size_t count) {
  check_cuda(
      cudaMemset(out.begin(version) + count, oracle::guard_byte, (out.size - count) * sizeof(T)),
      "cudaMemset");
}

TEST_CASE("merge_n and merge_indices") {
  for (const std::size_t size : sizes) {
    if (oracle::quick() && size > 1000) continue;
    CAPTURE(size);
    const key_problem<int, thrust::less<int>> p(size, size + 1);
    const std::size_t count = size + size / 2;
    const versioned<std::uint32_t> words(2 * size + 1);
    for (std::size_t v = 0; v < versions; ++v) {
      poison_behind(p.out, v, count);
      const thrust::counting_iterator<std::uint32_t> first(0);
      thrust::merge_by_key(thrust::device, p.a.begin(v), p.a.begin(v) + size, p.b.begin(v),
                           p.b.begin(v) + size + 1, first, first + oracle::second_input,
                           thrust::make_discard_iterator(), words.begin(v));
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

TEST_CASE("DeviceMerge, also with sizes that change in device memory") {
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
      thrust::merge(thrust::device, p.a.begin(v), p.a.begin(v) + m, p.b.begin(v), p.b.begin(v) + n,
                    sized.begin(v));
      poison_behind(sized, v, static_cast<std::size_t>(m + n));
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

/// An order of its own, so that nothing has been called before it is captured.
struct another_order {
  __host__ __device__ bool operator()(int x, int y) const { return x < y; }
};

TEST_CASE("the first call of an instantiation can be captured; launches are what they should be") {
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
  CHECK(launches(cmerge::default_tuning{}) == 1);
  // More than four times as many tiles as any device holds blocks.
  CHECK(launches(fixed<strategy::single, 32, 1>{}) == 2);
}

TEST_CASE("a merge beside the capture of another stream") {
  const oracle::stream captured;
  const oracle::stream ours;
  const auto in = oracle::make_inputs(oracle::shape::few, 30000, 20000);
  const oracle::device_input<oracle::tagged> a(in.a);
  const oracle::device_input<oracle::tagged> b(in.b);
  const oracle::device_output<oracle::tagged> out(50000);
  const auto merge = [&](cudaStream_t stream) {
    cmerge::merge(thrust::cuda::par_nosync.on(stream), a.begin(), a.end(), b.begin(), b.end(),
                  out.begin(), oracle::by_key{});
  };
  cudaGraph_t graph = nullptr;
  check_cuda(cudaStreamBeginCapture(captured.get(), cudaStreamCaptureModeGlobal), "begin capture");
  merge(captured.get());
  merge(ours.get());
  check_cuda(cudaStreamEndCapture(captured.get(), &graph), "end capture");
  check_cuda(cudaStreamSynchronize(ours.get()), "cudaStreamSynchronize");
  CHECK(oracle::is_merged(a.begin(), a.size(), b.begin(), b.size(), out.begin()));
  cudaGraphDestroy(graph);
}

}  // namespace gpu_test
