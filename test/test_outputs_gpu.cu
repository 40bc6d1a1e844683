// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Outputs whose type is not that of the keys, at every alignment, and outputs that an assignment
// changes only in part.
#include "gpu/oracle.cuh"

#include <cmerge/merge.h>

#include <thrust/device_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

#include <algorithm>
#include <type_traits>
#include <vector>

namespace gpu_test {

using cmerge::strategy;
using oracle::by_size;
using oracle::fixed;
using oracle::fixed_moderate;

template <class Key, class Out, class Policy>
void check_output(const Policy& policy) {
  std::vector<Key> a(3000);
  std::vector<Key> b(2001);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<Key>(i % 125 * (i / 125) / 24);
  for (std::size_t j = 0; j < b.size(); ++j) b[j] = static_cast<Key>(j % 100);
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  std::vector<Key> merged(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), merged.begin());
  const std::vector<Out> expected(merged.begin(), merged.end());

  const oracle::device_input<Key> in1(a);
  const oracle::device_input<Key> in2(b);
  for (std::size_t offset = 0; offset <= 15; ++offset) {
    CAPTURE(offset);
    // The elements before and after the output must not change.
    std::vector<Out> image(offset + expected.size() + 1, Out{77});
    oracle::device_input<Out> out(image);
    cmerge::merge(policy, in1.begin(), in1.end(), in2.begin(), in2.end(), out.data() + offset);
    oracle::check_cuda(
        cudaMemcpy(image.data(), out.begin(), image.size() * sizeof(Out), cudaMemcpyDefault),
        "cudaMemcpy");
    CHECK(std::equal(expected.begin(), expected.end(),
                     image.begin() + static_cast<std::ptrdiff_t>(offset)));
    CHECK(std::all_of(image.begin(), image.begin() + static_cast<std::ptrdiff_t>(offset),
                      [](Out x) { return x == Out{77}; }));
    CHECK(image.back() == Out{77});
  }
}

TEST_CASE_TEMPLATE("converts keys to the type of the output", T, oracle::moderate_default,
                   fixed_moderate<strategy::circular, 64, 5, 2>,
                   fixed_moderate<strategy::circular, 32, 3, 1>,
                   fixed_moderate<strategy::tiled, 64, 5>, fixed_moderate<strategy::single, 64, 5>,
                   fixed_moderate<strategy::basic, 64, 5>) {
  const auto policy = cmerge::tuned<T>(thrust::device);
  check_output<int, long long>(policy);
  check_output<double, float>(policy);
  check_output<long long, signed char>(policy);
}

/// Trivially copyable, but assigning an int changes only a part.
struct partly_set {
  int key;
  int payload;
  __host__ __device__ partly_set& operator=(int k) {
    key = k;
    return *this;
  }
};
static_assert(std::is_trivially_copyable_v<partly_set>);

/// Trivially copyable, and keeps the maximum of all assigned ints.
struct largest {
  int key;
  __host__ __device__ largest& operator=(int k) {
    key = key > k ? key : k;
    return *this;
  }
};
static_assert(std::is_trivially_copyable_v<largest>);

/// Counts outputs that are not `{k, payload}`.
template <class T>
__global__ void count_wrong(const T* out, int count, int payload, unsigned* wrong) {
  const int k = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (k < count && (out[k].key != k || out[k].payload != payload)) atomicAdd(wrong, 1u);
}

struct by_first {
  template <class Tuple1, class Tuple2>
  __host__ __device__ bool operator()(const Tuple1& x, const Tuple2& y) const {
    return thrust::get<0>(x) < thrust::get<0>(y);
  }
};
template <class T>
__global__ void fill(T* out, int count, T value) {
  const int k = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (k < count) out[k] = value;
}

/// Outputs that a merge changes in part: `count` elements with payload 7.
class partial_output {
 public:
  explicit partial_output(std::size_t count) : out_(count), blocks_(count / 256 + 1) {}
  partly_set* prepare() const {
    fill<<<blocks_, 256>>>(out_.data(), count(), partly_set{-1, 7});
    oracle::check_cuda(cudaGetLastError(), "launch");
    oracle::synchronize();
    return out_.data();
  }
  unsigned wrong_outputs() const {
    const oracle::device_errors wrong;
    count_wrong<<<blocks_, 256>>>(out_.begin(), count(), 7, wrong.get());
    oracle::check_cuda(cudaGetLastError(), "launch");
    return wrong.count();
  }

 private:
  int count() const { return static_cast<int>(out_.size()); }
  oracle::device_input<partly_set> out_;
  unsigned blocks_;
};

/// Inputs 1, 3, 5, ... and 0, 2, 4, ..., so that output `k` is `k`.
std::vector<int> every_second(int size, int first) {
  std::vector<int> numbers(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int>(2 * i) + first;
  return numbers;
}

template <class Policy>
void check_parts(const Policy& policy, int m) {
  const int n = m + 1;
  CAPTURE(m);
  const oracle::device_input<int> a(every_second(m, 1));
  const oracle::device_input<int> b(every_second(n, 0));
  const auto count = static_cast<std::size_t>(m + n);

  const partial_output out(count);
  cmerge::merge(policy, a.begin(), a.end(), b.begin(), b.end(), out.prepare());
  CHECK(out.wrong_outputs() == 0);
  // As values, with discarded keys.
  cmerge::merge_by_key(policy, a.begin(), a.end(), b.begin(), b.end(), a.begin(), b.begin(),
                       thrust::make_discard_iterator(), out.prepare());
  CHECK(out.wrong_outputs() == 0);
  // Zipped.
  const oracle::device_input<int> copy(count);
  const auto zipped = [](auto first, auto second) {
    return thrust::make_zip_iterator(thrust::make_tuple(first, second));
  };
  cmerge::merge(policy, zipped(a.begin(), a.begin()), zipped(a.end(), a.end()),
                zipped(b.begin(), b.begin()), zipped(b.end(), b.end()),
                zipped(out.prepare(), copy.data()), by_first{});
  CHECK(out.wrong_outputs() == 0);

  const oracle::device_input<largest> maxima(std::vector<largest>(count, largest{m}));
  cmerge::merge(policy, a.begin(), a.end(), b.begin(), b.end(), maxima.data());
  std::vector<largest> result(count);
  oracle::synchronize();
  oracle::check_cuda(
      cudaMemcpy(result.data(), maxima.begin(), count * sizeof(largest), cudaMemcpyDefault),
      "cudaMemcpy");
  std::size_t k = 0;
  while (k < count && result[k].key == std::max(static_cast<int>(k), m)) ++k;
  CHECK(k == count);
}

TEST_CASE("keeps the part of an output that an assignment does not change") {
  // Many tiles for each resident block: a partition launch would come first if the output had room
  // for its bounds.
  check_parts(cmerge::tuned<fixed<strategy::single, 32, 1>>(thrust::device),
              oracle::quick() ? 30000 : 1000000);
  check_parts(cmerge::tuned<fixed_moderate<strategy::circular, 64, 5>>(thrust::device), 30000);
  using default_of_large = by_size<oracle::unused, cmerge::default_tuning>;
  if (!oracle::quick()) check_parts(cmerge::tuned<default_of_large>(thrust::device), 20000000);
}

/// Whether the partition kernel can keep bounds of tiles in the output of a merge.
template <class Input, class Output>
constexpr bool has_slots() {
  using none = cmerge::detail::no_values;
  using problem =
      cmerge::detail::merge_problem<Input, Input, Output, none, none, none, cmerge::detail::less>;
  return cmerge::detail::has_slots<
      std::decay_t<decltype(cmerge::detail::unwrap_problem(std::declval<const problem&>()))>>;
}
template <class... Iterators>
using zip = thrust::zip_iterator<thrust::tuple<Iterators...>>;
using ints = thrust::device_vector<int>;

// The reference type of the inputs does not matter.
static_assert(has_slots<const int*, int*>());
static_assert(has_slots<ints::const_iterator, ints::iterator>());
static_assert(has_slots<zip<int*, int*>, zip<int*, int*>>());
static_assert(has_slots<zip<ints::iterator, ints::iterator>, zip<ints::iterator, int*>>());
static_assert(has_slots<zip<ints::const_iterator, int*>, zip<ints::iterator, ints::iterator>>());
static_assert(has_slots<thrust::permutation_iterator<ints::iterator, int*>, ints::iterator>());
static_assert(has_slots<thrust::counting_iterator<int>, int*>());
static_assert(!has_slots<ints::iterator, partly_set*>());
static_assert(!has_slots<zip<ints::iterator, int*>, zip<partly_set*, int*>>());

}  // namespace gpu_test
