// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// merge_by_key on a GPU. Values identify their keys, which shows stability for plain key types too.
#include "gpu/oracle.cuh"
#include "gpu/reference_merge.cuh"

#include <cmerge/merge.h>

#include <thrust/functional.h>

#include <limits>

namespace gpu_test {

using cmerge::strategy;
using oracle::fixed;
using oracle::merge_case;
using oracle::shape;

/// Merges subranges of pools of plain keys with tagged values of `ValueBytes` bytes.
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
  const auto check_gap = [&](std::size_t position) {
    const auto* k = reinterpret_cast<const unsigned char*>(keys.data() + position);
    const auto* v = reinterpret_cast<const unsigned char*>(moved.data() + position);
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

TEST_CASE_TEMPLATE("merges pairs by every strategy in tiny tiles", T, fixed<strategy::basic, 32, 3>,
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

TEST_CASE_TEMPLATE("merges pairs by every strategy in tiles of realistic sizes", T,
                   fixed<strategy::tiled, 256, 7>, fixed<strategy::circular, 256, 7, 1>,
                   fixed<strategy::circular, 128, 11, 2>, fixed<strategy::single, 256, 11>) {
  for (const shape s : oracle::all_shapes) {
    run_cases<T, int, 8>(s, 20000, 1 << 20, oracle::tile_sizes(T::tile, 20000));
  }
  if (oracle::quick()) return;
  const std::size_t size = cmerge::large_problem / 2;
  for (const shape s : {shape::random, shape::equal}) {
    run_cases<T, int, 8>(s, size, 1 << 30, {{0, size, 0, size}});
  }
}

/// A key type, a value size and their tuning. Pairs with values of more than 24 bytes have moderate
/// problems only.
template <class Key, int ValueBytes>
struct pair_of {
  using key = Key;
  enum : int { value_bytes = ValueBytes };
  using tuning =
      std::conditional_t<(ValueBytes > 24), oracle::moderate_default, cmerge::default_tuning>;
};

TEST_CASE_TEMPLATE("merges key types and value sizes", T, pair_of<signed char, 8>,
                   pair_of<unsigned short, 12>, pair_of<int, 16>, pair_of<long long, 20>,
                   pair_of<float, 24>, pair_of<double, 96>, pair_of<int, 384>, pair_of<int, 1024>) {
  using key = typename T::key;
  constexpr std::int64_t most = sizeof(key) == 1 ? 100 : 30000;
  for (const shape s : {shape::few, shape::random, shape::disjoint2, shape::blocks}) {
    run_cases<typename T::tuning, key, T::value_bytes>(
        s, 3000, most, {{1, 0, 2, 0}, {1, 1, 2, 0}, {3, 100, 1, 900}, {0, 3000, 0, 3000}},
        static_cast<std::size_t>(s) + 1);
  }
  if (oracle::quick()) return;
  const std::size_t size = cmerge::large_problem / 2 + 77;
  if (T::value_bytes <= 24) {
    run_cases<typename T::tuning, key, T::value_bytes>(shape::random, size, most,
                                                       {{0, size, 0, size}}, 1);
  }
}

TEST_CASE("merges 1-byte values") {
  const auto pool = oracle::make_keys(shape::few, 5000, 7000, 30000);
  const oracle::device_input<int> a(std::vector<int>(pool.a.begin(), pool.a.end()));
  const oracle::device_input<int> b(std::vector<int>(pool.b.begin(), pool.b.end()));
  std::vector<signed char> origin(12000);
  for (std::size_t i = 0; i < origin.size(); ++i) {
    origin[i] = static_cast<signed char>(i * 37 % 251);
  }
  const oracle::device_input<signed char> values(origin);
  const oracle::device_output<int> keys_out(12000);
  const oracle::device_output<signed char> values_out(12000);
  const auto ends = cmerge::merge_by_key(
      cmerge::tuned<oracle::moderate_default>(thrust::device), a.begin(), a.end(), b.begin(),
      b.end(), values.begin(), values.begin() + 5000, keys_out.begin(), values_out.begin());
  CHECK(ends.first == keys_out.end());
  CHECK(ends.second == values_out.end());
  const oracle::device_output<int> expected_keys(12000);
  const oracle::device_output<signed char> expected_values(12000);
  const thrust::less<int> less;
  oracle::reference_merge(a.begin(), 5000, b.begin(), 7000, expected_keys.begin(), less);
  oracle::reference_merge_values(a.begin(), 5000, b.begin(), 7000, values.begin(),
                                 values.begin() + 5000, expected_values.begin(), less);
  CHECK((keys_out.download() == expected_keys.download()));
  CHECK((values_out.download() == expected_values.download()));
}

}  // namespace gpu_test
