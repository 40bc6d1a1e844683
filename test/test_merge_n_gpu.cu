// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// merge_n on a GPU: the first n outputs of a merge, and nothing after them.
#include "gpu/oracle.cuh"

#include <cmerge/merge_n.h>

#include <thrust/device_vector.h>
#include <thrust/iterator/counting_iterator.h>

#include <limits>

namespace gpu_test {

using cmerge::strategy;
using oracle::fixed;
using oracle::fixed_moderate;
using oracle::shape;
using oracle::tagged;

/// Merges the first `count` outputs for each count. Guard bytes reveal excess outputs.
template <class Tuning, class Key = tagged>
void check_counts(shape s, std::size_t m, std::size_t n, const std::vector<std::size_t>& counts) {
  INFO("shape ", oracle::name(s), ", seed ", oracle::seed(), ", m ", m, ", n ", n);
  const auto in = oracle::make_inputs<sizeof(Key)>(s, m, n);
  const auto all = oracle::merged(in.a, in.b, oracle::by_key{});
  const oracle::device_input<Key> a(in.a);
  const oracle::device_input<Key> b(in.b, 1);
  for (const std::size_t count : counts) {
    CAPTURE(count);
    const std::size_t made = std::min(count, m + n);
    const oracle::device_output<Key> out(made, count % 3);
    const oracle::device_errors errors;
    CHECK(cmerge::merge_n(cmerge::tuned<Tuning>(thrust::device), a.begin(), a.end(), b.begin(),
                          b.end(), static_cast<std::int64_t>(count), out.begin(),
                          oracle::checked({0, m, 0, n}, errors)) == out.end());
    CHECK(errors.count() == 0);
    const std::vector<Key> expected(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(made));
    CHECK(oracle::first_difference(out.download().data(), expected) == made);
  }
}

TEST_CASE_TEMPLATE("merges the first outputs by every strategy", T, cmerge::default_tuning,
                   fixed_moderate<strategy::basic, 32, 3>, fixed_moderate<strategy::tiled, 32, 3>,
                   fixed_moderate<strategy::circular, 32, 3, 1>,
                   fixed_moderate<strategy::circular, 64, 5, 2>, fixed<strategy::single, 32, 1>,
                   fixed_moderate<strategy::single, 64, 3>,
                   fixed_moderate<strategy::indirect, 64, 3>) {
  for (const shape s : oracle::all_shapes) {
    check_counts<T>(s, 5000, 3333, {0, 1, 95, 96, 97, 192, 2000, 8332, 8333, 8334, 100000});
    check_counts<T>(s, 3, 8000, {1, 2, 3, 4, 500, 8003});
  }
  check_counts<T>(shape::few, 0, 50, {0, 7, 50, 51});
}

TEST_CASE("merges ranges with more elements together than 63 bits can count") {
  const std::int64_t max = std::numeric_limits<std::int64_t>::max();
  const thrust::counting_iterator<std::int64_t> first(0);
  const auto last = first + max;
  // Moderate and large problems, without and with a partition launch.
  for (const std::size_t count : {10, 100000, 4000000}) {
    if (oracle::quick() && count > 100000) continue;
    const oracle::device_output<std::int64_t> out(count);
    CHECK(cmerge::merge_n(thrust::device, first, last, first, last,
                          static_cast<std::int64_t>(count), out.begin()) == out.end());
    const auto result = out.download();
    std::size_t k = 0;
    while (k < count && result[k] == static_cast<std::int64_t>(k / 2)) ++k;
    CHECK(k == count);
  }
}

TEST_CASE("merges a small or a large part of large problems") {
  if (oracle::quick()) return;
  const std::size_t half = 3000000;
  for (const shape s : {shape::random, shape::disjoint2, shape::equal}) {
    check_counts<cmerge::default_tuning>(s, half, half, {10, 100000, 2000000, 2 * half - 1});
    // With a partition launch: no device has a quarter as many resident blocks as there are tiles.
    check_counts<fixed<strategy::single, 32, 1>>(s, half, half, {700001, 2 * half - 1});
  }
}

TEST_CASE("merges the first outputs by value") {
  for (const std::size_t size : {std::size_t{1000}, std::size_t{2500000}}) {
    if (oracle::quick() && size > 1000) continue;
    std::vector<signed char> keys(size);
    for (std::size_t i = 0; i < size; ++i) {
      keys[i] = static_cast<signed char>(static_cast<long long>(i * 200 / size) - 100);
    }
    std::vector<signed char> all(2 * size);
    std::merge(keys.begin(), keys.end(), keys.begin(), keys.end(), all.begin());
    const oracle::device_input<signed char> a(keys);
    for (const std::size_t count : {size / 3, size, 2 * size - 1}) {
      const oracle::device_output<signed char> out(count, 5);
      cmerge::merge_n(thrust::device, a.begin(), a.end(), a.begin(), a.end(),
                      static_cast<std::int64_t>(count), out.begin());
      CHECK(out.download() == std::vector<signed char>(
                                  all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count)));
    }
  }
}

TEST_CASE("merges values with their keys") {
  const auto in = oracle::make_inputs(shape::few, 30000, 20000);
  const auto all = oracle::merged(in.a, in.b, oracle::by_key{});
  std::vector<unsigned> values1;
  std::vector<unsigned> values2;
  for (const tagged& x : in.a) values1.push_back(x.tag);
  for (const tagged& x : in.b) values2.push_back(x.tag);
  const oracle::device_input<tagged> a(in.a);
  const oracle::device_input<tagged> b(in.b);
  const oracle::device_input<unsigned> v1(values1);
  const oracle::device_input<unsigned> v2(values2);
  for (const std::size_t count : {0, 1, 12345, 49999, 50000}) {
    const oracle::device_output<tagged> keys(count);
    const oracle::device_output<unsigned> values(count, 1);
    const auto ends = cmerge::merge_by_key_n(
        thrust::device, a.begin(), a.end(), b.begin(), b.end(), v1.begin(), v2.begin(),
        static_cast<std::int64_t>(count), keys.begin(), values.begin(), oracle::by_key{});
    CHECK(ends.first == keys.end());
    CHECK(ends.second == values.end());
    const auto keys_out = keys.download();
    const auto values_out = values.download();
    for (std::size_t k = 0; k < count; ++k) {
      if (!oracle::is_same(keys_out[k], all[k]) || values_out[k] != all[k].tag) {
        FAIL("output ", k, " of ", count, " is wrong");
      }
    }
  }
}

TEST_CASE("merges device vectors without a policy") {
  const thrust::device_vector<int> a{1, 4, 6};
  const thrust::device_vector<int> b{2, 3, 9};
  thrust::device_vector<int> out(4);
  CHECK(cmerge::merge_n(a.begin(), a.end(), b.begin(), b.end(), 4, out.begin()) == out.end());
  CHECK(std::vector<int>(out.begin(), out.end()) == std::vector<int>{1, 2, 3, 4});
}

__global__ void merge_n_in_kernel(const int* a, const int* b, int* out) {
  cmerge::merge_n(thrust::seq, a, a + 3, b, b + 3, 4, out);
}

TEST_CASE("merges inside a kernel, in the calling thread") {
  const oracle::device_input<int> a(std::vector<int>{1, 4, 6});
  const oracle::device_input<int> b(std::vector<int>{2, 3, 9});
  const oracle::device_output<int> out(4);
  merge_n_in_kernel<<<1, 1>>>(a.begin(), b.begin(), out.begin());
  CHECK(out.download() == std::vector<int>{1, 2, 3, 4});
}

}  // namespace gpu_test
