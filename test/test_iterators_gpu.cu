// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Iterators and comparators of many kinds on a GPU. Compiled with --extended-lambda.
#include "gpu/oracle.cuh"

#include <cmerge/merge.h>

#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/tabulate_output_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

#include <functional>
#include <numeric>

namespace gpu_test {

using oracle::shape;
using oracle::tagged;

constexpr int size = 20000;

/// All problems are moderate; calls without a policy have the default tuning.
const auto device = cmerge::tuned<oracle::moderate_default>(thrust::device);

struct doubled {
  __host__ __device__ int operator()(int x) const { return 2 * x; }
};
struct negated {
  __host__ __device__ int operator()(int x) const { return -x; }
};

template <class T>
std::vector<T> host_copy(const thrust::device_vector<T>& values) {
  return std::vector<T>(values.begin(), values.end());
}

std::vector<int> multiples(int factor) {
  std::vector<int> v(size);
  for (int i = 0; i < size; ++i) v[static_cast<std::size_t>(i)] = i * factor;
  return v;
}

/// Merges a range of 0, 2, 4, ... with 0, 1, 2, ...
template <class Iterator>
void check_twos(Iterator first1) {
  const thrust::counting_iterator<int> counting(0);
  thrust::device_vector<int> out(2 * size, -1);
  CHECK(cmerge::merge(device, first1, first1 + size, counting, counting + size, out.begin()) ==
        out.end());
  const thrust::host_vector<int> result = out;
  const auto expected = oracle::merged(multiples(2), multiples(1), std::less<int>{});
  CHECK(oracle::first_difference(result.data(), expected) == expected.size());
}

TEST_CASE("merges ranges with different iterators") {
  const auto twos = multiples(2);
  const thrust::device_vector<int> forward(twos.begin(), twos.end());
  auto reversed = twos;
  std::reverse(reversed.begin(), reversed.end());
  const thrust::device_vector<int> backward(reversed.begin(), reversed.end());
  std::iota(reversed.begin(), reversed.end(), 0);
  std::reverse(reversed.begin(), reversed.end());
  const thrust::device_vector<int> indices(reversed.begin(), reversed.end());
  SUBCASE("transform") {
    check_twos(thrust::make_transform_iterator(thrust::counting_iterator<int>(0), doubled{}));
  }
  SUBCASE("reverse") { check_twos(thrust::make_reverse_iterator(backward.end())); }
  SUBCASE("permutation") {
    check_twos(thrust::make_permutation_iterator(backward.begin(), indices.begin()));
  }
  SUBCASE("device_vector") { check_twos(forward.begin()); }
  SUBCASE("raw pointer") { check_twos(thrust::raw_pointer_cast(forward.data())); }
}

TEST_CASE("writes to output iterators without reading them") {
  const thrust::counting_iterator<int> counting(0);
  const thrust::constant_iterator<int> seven(7);
  SUBCASE("transform_output") {
    thrust::device_vector<int> out(2 * size);
    cmerge::merge(device, counting, counting + size, counting, counting + size,
                  thrust::make_transform_output_iterator(out.begin(), negated{}));
    const thrust::host_vector<int> result = out;
    for (int k = 0; k < 2 * size; ++k) REQUIRE(result[static_cast<std::size_t>(k)] == -(k / 2));
  }
  SUBCASE("discard") {
    const auto nowhere = thrust::make_discard_iterator();
    CHECK(cmerge::merge(device, counting, counting + size, seven, seven + 5, nowhere) ==
          nowhere + (size + 5));
  }
  SUBCASE("tabulate_output") {
    const oracle::device_errors errors;
    unsigned* const wrong = errors.get();
    const auto check =
        thrust::make_tabulate_output_iterator([wrong] __device__(std::ptrdiff_t k, int x) {
          if (x != static_cast<int>(k / 2)) *wrong = 1;
        });
    cmerge::merge(device, counting, counting + size, counting, counting + size, check);
    CHECK(errors.count() == 0);
  }
}

TEST_CASE("merges zipped keys and zipped values") {
  const auto in = oracle::make_inputs(shape::few, size, size);
  std::vector<int> keys1;
  std::vector<int> keys2;
  for (const tagged& x : in.a) keys1.push_back(x.key);
  for (const tagged& x : in.b) keys2.push_back(x.key);
  const auto expected = oracle::merged(in.a, in.b, oracle::by_key{});
  const thrust::device_vector<int> a(keys1.begin(), keys1.end());
  const thrust::device_vector<int> b(keys2.begin(), keys2.end());
  const thrust::counting_iterator<unsigned> tags1(0);
  const thrust::counting_iterator<unsigned> tags2(oracle::second_input);
  thrust::device_vector<int> keys(2 * size);
  thrust::device_vector<unsigned> tags(2 * size);
  SUBCASE("keys") {
    const auto first1 = thrust::make_zip_iterator(thrust::make_tuple(a.begin(), tags1));
    const auto first2 = thrust::make_zip_iterator(thrust::make_tuple(b.begin(), tags2));
    cmerge::merge(device, first1, first1 + size, first2, first2 + size,
                  thrust::make_zip_iterator(thrust::make_tuple(keys.begin(), tags.begin())),
                  [] __host__ __device__(const thrust::tuple<int, unsigned>& x,
                                         const thrust::tuple<int, unsigned>& y) {
                    return thrust::get<0>(x) < thrust::get<0>(y);
                  });
  }
  SUBCASE("values") {
    thrust::device_vector<unsigned> again(2 * size);
    cmerge::merge_by_key(
        device, a.begin(), a.end(), b.begin(), b.end(),
        thrust::make_zip_iterator(thrust::make_tuple(tags1, tags1)),
        thrust::make_zip_iterator(thrust::make_tuple(tags2, tags2)), keys.begin(),
        thrust::make_zip_iterator(thrust::make_tuple(tags.begin(), again.begin())));
    CHECK(host_copy(tags) == host_copy(again));
  }
  const thrust::host_vector<int> result = keys;
  const thrust::host_vector<unsigned> result_tags = tags;
  for (std::size_t k = 0; k < expected.size(); ++k) {
    REQUIRE(result[k] == expected[k].key);
    REQUIRE(result_tags[k] == expected[k].tag);
  }
}

struct device_only {
  __device__ bool operator()(const tagged& left, const tagged& right) const {
    return left.key < right.key;
  }
};
struct stateful {
  int sign;
  int calls = 0;
  __host__ __device__ bool operator()(const tagged& left, const tagged& right) {
    ++calls;
    return sign * left.key < sign * right.key;
  }
};

TEST_CASE("merges with comparators of every kind") {
  const auto in = oracle::make_inputs(shape::few, size, size / 2);
  const oracle::device_input<tagged> a(in.a);
  const oracle::device_input<tagged> b(in.b);
  const oracle::device_output<tagged> out(in.a.size() + in.b.size());
  const auto expected = oracle::merged(in.a, in.b, oracle::by_key{});
  const auto check = [&](auto comp) {
    cmerge::merge(device, a.begin(), a.end(), b.begin(), b.end(), out.begin(), comp);
    CHECK(oracle::first_difference(out.download().data(), expected) == expected.size());
  };
  SUBCASE("__device__ lambda") {
    check([] __device__(const tagged& x, const tagged& y) { return x.key < y.key; });
  }
  SUBCASE("__host__ __device__ lambda that captures") {
    const int sign = 1;
    check([sign] __host__ __device__(tagged x, tagged y) { return sign * x.key < sign * y.key; });
  }
  SUBCASE("generic __device__ lambda") {
    check([] __device__(const auto& x, const auto& y) { return x.key < y.key; });
  }
  SUBCASE("functor with a __device__ operator") { check(device_only{}); }
  SUBCASE("functor with mutable state") { check(stateful{1}); }
}

TEST_CASE("merges numbers in orders of the standard library, which lack __device__") {
  const std::vector<int> up{1, 4, 6, 9};
  const std::vector<double> down{9, 6.5, 4, -1};
  const thrust::device_vector<int> a(up.begin(), up.end());
  const thrust::device_vector<double> b(down.begin(), down.end());
  thrust::device_vector<int> ints(8);
  thrust::device_vector<double> doubles(8);
  cmerge::merge(a.begin(), a.end(), a.begin(), a.end(), ints.begin(), std::less<int>{});
  CHECK(std::vector<int>(ints.begin(), ints.end()) == std::vector<int>{1, 1, 4, 4, 6, 6, 9, 9});
  cmerge::merge(b.begin(), b.end(), b.begin(), b.end(), doubles.begin(), std::greater<>{});
  CHECK(std::vector<double>(doubles.begin(), doubles.end()) ==
        std::vector<double>{9, 9, 6.5, 6.5, 4, 4, -1, -1});
}

TEST_CASE("merges device vectors with a generic comparator that uses members") {
  const auto in = oracle::make_inputs(shape::few, size, size / 2);
  const thrust::device_vector<tagged> a(in.a.begin(), in.a.end());
  const thrust::device_vector<tagged> b(in.b.begin(), in.b.end());
  thrust::device_vector<tagged> out(a.size() + b.size());
  const auto check = [&](auto comp) {
    cmerge::merge(a.begin(), a.end(), b.begin(), b.end(), out.begin(), comp);
    const thrust::host_vector<tagged> result = out;
    const auto expected = oracle::merged(in.a, in.b, oracle::by_key{});
    CHECK(oracle::first_difference(result.data(), expected) == expected.size());
  };
  SUBCASE("functor") { check(oracle::by_key{}); }
  SUBCASE("lambda") {
    check([] __device__(const auto& x, const auto& y) { return x.key < y.key; });
  }
}

}  // namespace gpu_test

/// Names that cmerge uses internally, as templates that match any call.
namespace taken {

struct key {
  int number;
  friend __host__ __device__ bool operator<(const key& left, const key& right) {
    return left.number < right.number;
  }
};
template <class... Arguments>
__host__ __device__ void construct(Arguments&&...) = delete;
template <class... Arguments>
__host__ __device__ void unwrap(Arguments&&...) = delete;
template <class... Arguments>
__host__ __device__ void is_aligned(Arguments&&...) = delete;
template <class... Arguments>
__host__ __device__ void serial_merge(Arguments&&...) = delete;
template <class... Arguments>
__host__ __device__ void merge_small(Arguments&&...) = delete;

}  // namespace taken

namespace gpu_test {

TEST_CASE("merges types from a namespace with functions of the same names") {
  const oracle::device_input<taken::key> a(std::vector<taken::key>{{1}, {4}, {6}});
  const oracle::device_input<taken::key> b(std::vector<taken::key>{{2}, {4}});
  const oracle::device_output<taken::key> out(5);
  const auto check = [&](const auto& result) {
    for (std::size_t i = 0; i < 5; ++i) CHECK(result[i].number == std::vector{1, 2, 4, 4, 6}[i]);
  };
  cmerge::merge(device, a.begin(), a.end(), b.begin(), b.end(), out.begin());
  check(out.download());
  std::vector<taken::key> on_host(5);
  const std::vector<taken::key> in{{1}, {4}, {6}, {2}, {4}};
  cmerge::merge(thrust::host, in.data(), in.data() + 3, in.data() + 3, in.data() + 5,
                on_host.data());
  check(on_host);
}

TEST_CASE("compares int and double without conversion, and converts outputs once") {
  const std::vector<int> ints{1, 2, 3, 16777217};
  const std::vector<double> doubles{1.5, 2.5, 16777216.5};
  const std::vector<double> expected{1, 1.5, 2, 2.5, 3, 16777216.5, 16777217};
  const thrust::device_vector<int> a(ints.begin(), ints.end());
  const thrust::device_vector<double> b(doubles.begin(), doubles.end());
  thrust::device_vector<double> out(7);
  cmerge::merge(a.begin(), a.end(), b.begin(), b.end(), out.begin());
  CHECK(std::vector<double>(out.begin(), out.end()) == expected);
  thrust::device_vector<double> swapped(7);
  cmerge::merge(b.begin(), b.end(), a.begin(), a.end(), swapped.begin());
  CHECK(std::vector<double>(swapped.begin(), swapped.end()) == expected);
}

TEST_CASE("merges pairs of four different types") {
  const std::vector<int> keys1{-5, 0, 70000};
  const std::vector<long long> keys2{-6, 0, 69999, 70001};
  const thrust::device_vector<int> a(keys1.begin(), keys1.end());
  const thrust::device_vector<long long> b(keys2.begin(), keys2.end());
  const std::vector<short> values(3, 1);
  const thrust::device_vector<short> v1(values.begin(), values.end());
  const thrust::constant_iterator<long> v2(2);
  thrust::device_vector<double> keys(7);
  thrust::device_vector<int> out(7);
  cmerge::merge_by_key(device, a.begin(), a.end(), b.begin(), b.end(), v1.begin(), v2, keys.begin(),
                       out.begin());
  CHECK(std::vector<double>(keys.begin(), keys.end()) ==
        std::vector<double>{-6, -5, 0, 0, 69999, 70000, 70001});
  CHECK(std::vector<int>(out.begin(), out.end()) == std::vector<int>{2, 1, 1, 2, 2, 1, 2});
}

}  // namespace gpu_test
