// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Outputs of another type than the keys, wherever in a granule they begin, and outputs that an
// assignment sets in part.
#include "gpu/oracle.cuh"

#include <cmerge/merge.h>

#include <thrust/device_vector.h>
#include <thrust/fill.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

#include <algorithm>
#include <type_traits>
#include <vector>

namespace gpu_test {

using cmerge::strategy;
using oracle::fixed;

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
    // The elements before and behind must stay as they are.
    std::vector<Out> image(offset + expected.size() + 1, Out{77});
    oracle::device_input<Out> out(image);
    cmerge::merge(policy, in1.begin(), in1.end(), in2.begin(), in2.end(), out.begin() + offset);
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

TEST_CASE_TEMPLATE("an output of another type than the keys", T, cmerge::default_tuning,
                   fixed<strategy::circular, 64, 5, 2>, fixed<strategy::circular, 32, 3, 1>,
                   fixed<strategy::tiled, 64, 5>, fixed<strategy::single, 64, 5>,
                   fixed<strategy::basic, 64, 5>) {
  const auto policy = cmerge::tuned<T>(thrust::device);
  check_output<int, long long>(policy);
  check_output<double, float>(policy);
  check_output<long long, signed char>(policy);
}

/// Trivially copyable, but what an int sets is not all that it holds.
struct partly_set {
  int key;
  int payload;
  __host__ __device__ partly_set& operator=(int k) {
    key = k;
    return *this;
  }
};
static_assert(std::is_trivially_copyable_v<partly_set>);

/// Trivially copyable, and keeps the largest of what it was given.
struct largest {
  int key;
  __host__ __device__ largest& operator=(int k) {
    key = key > k ? key : k;
    return *this;
  }
};
static_assert(std::is_trivially_copyable_v<largest>);

/// Inputs 0, 2, 4, ... and 1, 3, 5, ..., so that output `k` is `k`.
struct even {
  __host__ __device__ int operator()(int k) const { return 2 * k; }
};
struct odd {
  __host__ __device__ int operator()(int k) const { return 2 * k + 1; }
};

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
void prepare(thrust::device_vector<T>& out) {
  thrust::fill(out.begin(), out.end(), T{-1, 7});
}

template <class T>
unsigned wrong_in(const thrust::device_vector<T>& out) {
  const oracle::device_errors wrong;
  const auto count = static_cast<int>(out.size());
  count_wrong<<<static_cast<unsigned>(count / 256 + 1), 256>>>(thrust::raw_pointer_cast(out.data()),
                                                               count, 7, wrong.get());
  oracle::check_cuda(cudaGetLastError(), "launch");
  return wrong.count();
}

/// Many tiles for each block that the device holds: so there are two launches, if there can be.
template <class Policy>
void check_parts(const Policy& policy, int m) {
  const int n = m + 1;
  CAPTURE(m);
  const thrust::counting_iterator<int> counting(0);
  const auto evens = thrust::make_transform_iterator(counting, even{});
  const auto odds = thrust::make_transform_iterator(counting, odd{});
  const thrust::device_vector<int> a(odds, odds + m);
  const thrust::device_vector<int> b(evens, evens + n);
  const auto count = static_cast<std::size_t>(m + n);

  thrust::device_vector<partly_set> out(count);
  prepare(out);
  cmerge::merge(policy, a.begin(), a.end(), b.begin(), b.end(), out.begin());
  CHECK(wrong_in(out) == 0);
  prepare(out);  // as values, while keys are thrown away
  cmerge::merge_by_key(policy, a.begin(), a.end(), b.begin(), b.end(), a.begin(), b.begin(),
                       thrust::make_discard_iterator(), out.begin());
  CHECK(wrong_in(out) == 0);
  prepare(out);  // zipped
  thrust::device_vector<int> copy(count);
  const auto zipped = [](auto first, auto second) {
    return thrust::make_zip_iterator(thrust::make_tuple(first, second));
  };
  // Pointers: Thrust's references of device vectors cannot be assigned an int through a tuple.
  cmerge::merge(policy, zipped(a.begin(), a.begin()), zipped(a.end(), a.end()),
                zipped(b.begin(), b.begin()), zipped(b.end(), b.end()),
                zipped(thrust::raw_pointer_cast(out.data()), thrust::raw_pointer_cast(copy.data())),
                by_first{});
  CHECK(wrong_in(out) == 0);

  thrust::device_vector<largest> maxima(count, largest{m});
  cmerge::merge(policy, a.begin(), a.end(), b.begin(), b.end(), maxima.begin());
  const thrust::host_vector<largest> result = maxima;
  std::size_t k = 0;
  while (k < count && result[k].key == std::max(static_cast<int>(k), m)) ++k;
  CHECK(k == count);
}

TEST_CASE("outputs that an assignment sets in part keep the rest") {
  check_parts(cmerge::tuned<fixed<strategy::single, 32, 1>>(thrust::device),
              oracle::quick() ? 30000 : 1000000);
  check_parts(cmerge::tuned<fixed<strategy::circular, 64, 5>>(thrust::device), 30000);
  if (!oracle::quick()) check_parts(thrust::device, 20000000);
}

/// Whether bounds of tiles can stand in the output of a merge.
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

// Whatever reference an input gives to the same elements.
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
