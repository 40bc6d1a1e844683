// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every code path once, with moderate problems. Also compiled for older architectures.
#include "gpu/oracle.cuh"

#include <cmerge/merge.h>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

namespace gpu_test {

using cmerge::strategy;
using oracle::fixed_moderate;
using oracle::merge_case;
using oracle::moderate_default;
using oracle::shape;

/// Merges keys alone in some sizes and shapes. Reports comparisons of anything but input elements.
template <class Tuning, int Bytes>
void check_keys(std::size_t tile) {
  using key = oracle::record<Bytes>;
  constexpr std::size_t pool_size = 4000;
  for (const shape s : {shape::few, shape::random, shape::disjoint2, shape::blocks}) {
    INFO("shape ", oracle::name(s), ", seed ", oracle::seed());
    const auto pool = oracle::make_inputs<Bytes>(oracle::make_keys(s, pool_size, pool_size, 1000));
    auto cases = oracle::tile_sizes(tile, pool_size);
    cases.push_back({0, pool_size, 0, pool_size});
    if (s == shape::few) {
      for (const merge_case& c : oracle::all_sizes(40, pool_size)) cases.push_back(c);
    }
    const oracle::device_errors errors;
    oracle::check_cases(pool, cases, oracle::by_key{},
                        [&](const key* a, const key* a_end, const key* b, const key* b_end,
                            key* out, const merge_case& c) {
                          return cmerge::merge(cmerge::tuned<Tuning>(thrust::cuda::par_nosync), a,
                                               a_end, b, b_end, out, oracle::checked(c, errors));
                        });
    CHECK(errors.count() == 0);
  }
}

TEST_CASE_TEMPLATE("merges keys", T, fixed_moderate<strategy::basic, 32, 3>,
                   fixed_moderate<strategy::tiled, 32, 3>,
                   fixed_moderate<strategy::circular, 32, 3, 1>,
                   fixed_moderate<strategy::circular, 32, 2, 2>,
                   fixed_moderate<strategy::single, 32, 3>,
                   fixed_moderate<strategy::circular, 128, 7, 2>) {
  check_keys<T, 8>(T::tile);
}

TEST_CASE_TEMPLATE("merges wide keys", T, fixed_moderate<strategy::tiled, 32, 3>,
                   fixed_moderate<strategy::circular, 32, 3, 1>,
                   fixed_moderate<strategy::circular, 32, 3, 2>,
                   fixed_moderate<strategy::single, 32, 3>) {
  check_keys<T, 20>(T::tile);
}

TEST_CASE("merges with the default tuning") {
  check_keys<moderate_default, 8>(896);
  check_keys<moderate_default, 1024>(32);
}

/// Merges 1-byte keys with values of a few words, at odd addresses.
template <class Tuning>
void check_pairs(std::size_t m, std::size_t n) {
  using value = oracle::record<12>;
  const auto keys = oracle::make_keys(shape::random, m, n, 100);
  const auto values = oracle::make_inputs<12>(keys);
  const oracle::device_input<signed char> a({keys.a.begin(), keys.a.end()}, 3);
  const oracle::device_input<signed char> b({keys.b.begin(), keys.b.end()}, 5);
  const oracle::device_input<value> values1(values.a, 1);
  const oracle::device_input<value> values2(values.b, 2);
  const oracle::device_output<signed char> keys_out(m + n, 1);
  const oracle::device_output<value> values_out(m + n, 1);
  const auto ends = cmerge::merge_by_key(cmerge::tuned<Tuning>(thrust::device), a.begin(), a.end(),
                                         b.begin(), b.end(), values1.begin(), values2.begin(),
                                         keys_out.begin(), values_out.begin());
  CHECK(ends.first == keys_out.end());
  CHECK(ends.second == values_out.end());
  const auto expected = oracle::merged(values.a, values.b, oracle::by_key{});
  CHECK(oracle::first_difference(values_out.download().data(), expected) == m + n);
  const auto merged_keys = keys_out.download();
  for (std::size_t k = 0; k < m + n; ++k) REQUIRE(merged_keys[k] == expected[k].key);
}

TEST_CASE_TEMPLATE("merges pairs", T, fixed_moderate<strategy::basic, 32, 3>,
                   fixed_moderate<strategy::tiled, 32, 3>,
                   fixed_moderate<strategy::circular, 32, 3, 1>,
                   fixed_moderate<strategy::circular, 32, 3, 2>,
                   fixed_moderate<strategy::single, 32, 3>, moderate_default) {
  for (const auto& size :
       {std::pair<std::size_t, std::size_t>{0, 7}, {1, 1}, {95, 96}, {3000, 2000}}) {
    check_pairs<T>(size.first, size.second);
  }
}

struct halved {
  __host__ __device__ int operator()(int i) const { return i / 2; }
};

TEST_CASE("merges transform iterators") {
  const auto halves = thrust::make_transform_iterator(thrust::counting_iterator<int>(0), halved{});
  const int size = 5000;
  const oracle::device_output<int> out(2 * size);
  cmerge::merge(cmerge::tuned<moderate_default>(thrust::device), halves, halves + size, halves,
                halves + size, out.begin());
  const auto result = out.download();
  for (int k = 0; k < 2 * size; ++k) REQUIRE(result[static_cast<std::size_t>(k)] == k / 4);
}

TEST_CASE("merges after a partition launch") {
  // No device has a quarter as many resident blocks as there are tiles.
  using tiny = oracle::fixed_moderate<cmerge::strategy::single, 32, 1>;
  const std::size_t total = 1000077;
  const oracle::device_input<oracle::tagged> a(total / 2);
  const oracle::device_input<oracle::tagged> b(total - total / 2);
  const oracle::device_output<oracle::tagged> out(total, 1);
  for (const unsigned spread : {2u, 1000u}) {
    oracle::fill_sorted(a, false, spread);
    oracle::fill_sorted(b, true, spread);
    const oracle::device_errors errors;
    cmerge::merge(cmerge::tuned<tiny>(thrust::device), a.begin(), a.end(), b.begin(), b.end(),
                  out.begin(), oracle::checked({0, a.size(), 0, b.size()}, errors));
    CHECK(errors.count() == 0);
    CHECK(oracle::is_merged(a.begin(), a.size(), b.begin(), b.size(), out.begin()));
  }
}

template <class Key>
void check_by_value() {
  for (const shape s : {shape::few, shape::random, shape::disjoint2}) {
    const auto keys = oracle::make_keys(s, 4000, 3001, sizeof(Key) == 1 ? 100 : 30000);
    const std::vector<Key> a(keys.a.begin(), keys.a.end());
    const std::vector<Key> b(keys.b.begin(), keys.b.end());
    std::vector<Key> expected(a.size() + b.size());
    std::merge(a.begin(), a.end(), b.begin(), b.end(), expected.begin());
    const oracle::device_input<Key> a_device(a, 1);
    const oracle::device_input<Key> b_device(b);
    oracle::device_output<Key> out(expected.size(), 3);
    const auto check = [&](auto policy) {
      out.clear();
      cmerge::merge(policy, a_device.begin(), a_device.end(), b_device.begin(), b_device.end(),
                    out.begin());
      CHECK(out.download() == expected);
    };
    check(cmerge::tuned<fixed_moderate<strategy::by_value, 32, 32>>(thrust::device));
    check(cmerge::tuned<fixed_moderate<strategy::by_value, 64, 64>>(thrust::device));
  }
}

TEST_CASE("merges 1- and 2-byte integers by value") {
  check_by_value<signed char>();
  check_by_value<short>();
}

}  // namespace gpu_test
