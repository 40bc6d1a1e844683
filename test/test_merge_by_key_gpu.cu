// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// merge_by_key on a GPU. Values say where their keys came from, so that the stability of plain
// key types can be seen.
#include "gpu/oracle.cuh"

#include <cmerge/merge.h>

#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/merge.h>

#include <limits>

namespace gpu_test {

using cmerge::strategy;
using oracle::fixed;
using oracle::merge_case;
using oracle::shape;

/// Merges parts of pools of plain keys with tagged values of `ValueBytes` bytes.
template <class Tuning, class Key, int ValueBytes>
void run_cases(shape s, std::size_t pool_size, std::int64_t most,
               const std::vector<merge_case>& cases, std::size_t offset = 0) {
  INFO("shape ", oracle::name(s), ", seed ", oracle::seed());
  using value = oracle::record<ValueBytes>;
  const auto pool = oracle::make_keys(s, pool_size, pool_size, most);
  const auto values = oracle::make_inputs<ValueBytes>(pool);
  const std::vector<Key> keys1(pool.a.begin(), pool.a.end());
  const std::vector<Key> keys2(pool.b.begin(), pool.b.end());
  const oracle::device_input<Key> a(keys1, offset);
  const oracle::device_input<Key> b(keys2, offset + 2);
  const oracle::device_input<value> values_a(values.a, offset);
  const oracle::device_input<value> values_b(values.b, offset + 1);
  constexpr std::size_t gap = 3;
  std::size_t total = gap;
  for (const merge_case& c : cases) total += c.m + c.n + gap;
  const oracle::device_output<Key> keys_out(total, offset);
  const oracle::device_output<value> values_out(total);

  std::size_t at = gap;
  const auto policy = cmerge::tuned<Tuning>(thrust::cuda::par_nosync);
  for (const merge_case& c : cases) {
    const Key* const first1 = a.begin() + c.a_begin;
    const Key* const first2 = b.begin() + c.b_begin;
    const auto ends = cmerge::merge_by_key(
        policy, first1, first1 + c.m, first2, first2 + c.n, values_a.begin() + c.a_begin,
        values_b.begin() + c.b_begin, keys_out.begin() + at, values_out.begin() + at);
    at += c.m + c.n;
    if (ends.first != keys_out.begin() + at || ends.second != values_out.begin() + at) {
      FAIL("wrong return value for m ", c.m, ", n ", c.n);
    }
    at += gap;
  }

  const auto keys = keys_out.download();
  const auto moved = values_out.download();
  const auto check_gap = [&](std::size_t place) {
    const auto* k = reinterpret_cast<const unsigned char*>(keys.data() + place);
    const auto* v = reinterpret_cast<const unsigned char*>(moved.data() + place);
    return oracle::is_guard(k, k + gap * sizeof(Key)) &&
           oracle::is_guard(v, v + gap * sizeof(value));
  };
  at = gap;
  for (const merge_case& c : cases) {
    const auto first1 = values.a.begin() + static_cast<std::ptrdiff_t>(c.a_begin);
    const auto first2 = values.b.begin() + static_cast<std::ptrdiff_t>(c.b_begin);
    const auto expected = oracle::merged<value>({first1, first1 + static_cast<std::ptrdiff_t>(c.m)},
                                                {first2, first2 + static_cast<std::ptrdiff_t>(c.n)},
                                                oracle::by_key{});
    INFO("m ", c.m, ", n ", c.n, ", inputs from ", c.a_begin, " and ", c.b_begin);
    REQUIRE(check_gap(at - gap));
    REQUIRE(oracle::first_difference(moved.data() + at, expected) == expected.size());
    for (std::size_t k = 0; k < expected.size(); ++k) {
      if (keys[at + k] != static_cast<Key>(expected[k].key)) FAIL("key ", k, " is wrong");
    }
    at += expected.size() + gap;
  }
  REQUIRE(check_gap(at - gap));
}

TEST_CASE_TEMPLATE("every strategy, tiny tiles", T, fixed<strategy::basic, 32, 3>,
                   fixed<strategy::tiled, 32, 3>, fixed<strategy::circular, 32, 3, 1>,
                   fixed<strategy::circular, 32, 3, 2>, fixed<strategy::single, 32, 3>) {
  for (const shape s : {shape::few, shape::random}) {
    run_cases<T, short, 8>(s, 3000, 1000, oracle::all_sizes(70, 3000));
  }
  for (const shape s : oracle::all_shapes) {
    run_cases<T, short, 8>(s, 3000, 30000, oracle::tile_sizes(T::tile, 3000));
  }
  if (oracle::quick()) return;
  const std::size_t size = cmerge::large_problem / 2;
  run_cases<T, short, 8>(shape::random, size, 30000, {{0, size, 0, size}});
}

TEST_CASE_TEMPLATE("every strategy, real tiles", T, fixed<strategy::tiled, 256, 7>,
                   fixed<strategy::circular, 256, 7, 1>, fixed<strategy::circular, 128, 11, 2>,
                   fixed<strategy::single, 256, 11>) {
  for (const shape s : oracle::all_shapes) {
    run_cases<T, int, 8>(s, 20000, 1 << 20, oracle::tile_sizes(T::tile, 20000));
  }
  if (oracle::quick()) return;
  const std::size_t size = cmerge::large_problem / 2;
  for (const shape s : {shape::random, shape::equal}) {
    run_cases<T, int, 8>(s, size, 1 << 30, {{0, size, 0, size}});
  }
}

/// Two types as one, for a list of types.
template <class Key, int ValueBytes>
struct pair_of {
  using key = Key;
  enum : int { value_bytes = ValueBytes };
};

TEST_CASE_TEMPLATE("key types and value sizes", T, pair_of<signed char, 8>,
                   pair_of<unsigned short, 12>, pair_of<int, 16>, pair_of<long long, 20>,
                   pair_of<float, 24>, pair_of<double, 96>, pair_of<int, 384>, pair_of<int, 1024>) {
  using key = typename T::key;
  constexpr std::int64_t most = sizeof(key) == 1 ? 100 : 30000;
  for (const shape s : {shape::few, shape::random, shape::disjoint2, shape::blocks}) {
    run_cases<cmerge::default_tuning, key, T::value_bytes>(
        s, 3000, most, {{1, 0, 2, 0}, {1, 1, 2, 0}, {3, 100, 1, 900}, {0, 3000, 0, 3000}},
        static_cast<std::size_t>(s) + 1);
  }
  if (oracle::quick()) return;
  const std::size_t size = cmerge::large_problem / 2 + 77;
  if (T::value_bytes <= 24) {
    run_cases<cmerge::default_tuning, key, T::value_bytes>(shape::random, size, most,
                                                           {{0, size, 0, size}}, 1);
  }
}

TEST_CASE("values of one byte") {
  const auto pool = oracle::make_keys(shape::few, 5000, 7000, 30000);
  const thrust::device_vector<int> a(pool.a.begin(), pool.a.end());
  const thrust::device_vector<int> b(pool.b.begin(), pool.b.end());
  std::vector<signed char> origin(12000);
  for (std::size_t i = 0; i < origin.size(); ++i)
    origin[i] = static_cast<signed char>(i * 37 % 251);
  const thrust::device_vector<signed char> values(origin.begin(), origin.end());
  thrust::device_vector<int> keys_out(12000);
  thrust::device_vector<signed char> values_out(12000);
  const auto ends =
      cmerge::merge_by_key(a.begin(), a.end(), b.begin(), b.end(), values.begin(),
                           values.begin() + 5000, keys_out.begin(), values_out.begin());
  CHECK(ends.first == keys_out.end());
  CHECK(ends.second == values_out.end());
  thrust::device_vector<int> keys_theirs(12000);
  thrust::device_vector<signed char> values_theirs(12000);
  thrust::merge_by_key(a.begin(), a.end(), b.begin(), b.end(), values.begin(),
                       values.begin() + 5000, keys_theirs.begin(), values_theirs.begin());
  CHECK(keys_out == keys_theirs);
  CHECK(values_out == values_theirs);
}

}  // namespace gpu_test
