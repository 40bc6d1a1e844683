// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mistakes of users: unsorted inputs and comparators that are not strict weak orderings. The order
// of the output is unspecified then. But each merge terminates, stays in bounds, and compares and
// writes only input elements.
#include "gpu/faults.cuh"

#include <cmerge/merge.h>
#include <cmerge/merge_indices.h>
#include <cmerge/merge_n.h>

#include <thrust/iterator/counting_iterator.h>

#include <limits>

namespace gpu_test {

using cmerge::strategy;
using oracle::fixed_moderate;
using oracle::moderate_default;

template <class Tuning, class Key>
void check_merge(const device_inputs<Key>& d, answer how, bool is_permutation) {
  const oracle::device_output<Key> out(d.m + d.n, 1);
  CHECK(cmerge::merge(cmerge::tuned<Tuning>(thrust::device), d.a.begin(), d.a.end(), d.b.begin(),
                      d.b.end(), out.begin(), d.comp(how)) == out.end());
  d.check_compared();
  check_elements(d.in, out.download(), is_permutation);
}

/// merge_by_key, merge_n and merge_indices. Values stay with their keys, whatever the comparator
/// says.
template <class Tuning, class Key>
void check_other_calls(const device_inputs<Key>& d, answer how, bool is_permutation) {
  const auto policy = cmerge::tuned<Tuning>(thrust::device);
  {
    std::vector<unsigned> values1(d.m);
    std::vector<unsigned> values2(d.n);
    for (std::size_t i = 0; i < d.m; ++i) values1[i] = value_of(d.in.a[i].tag);
    for (std::size_t j = 0; j < d.n; ++j) values2[j] = value_of(d.in.b[j].tag);
    const oracle::device_input<unsigned> u(values1);
    const oracle::device_input<unsigned> v(values2, 1);
    const oracle::device_output<Key> keys_out(d.m + d.n);
    const oracle::device_output<unsigned> values_out(d.m + d.n, 1);
    const auto ends =
        cmerge::merge_by_key(policy, d.a.begin(), d.a.end(), d.b.begin(), d.b.end(), u.begin(),
                             v.begin(), keys_out.begin(), values_out.begin(), d.comp(how));
    CHECK(ends.first == keys_out.end());
    CHECK(ends.second == values_out.end());
    d.check_compared();
    const auto keys = keys_out.download();
    const auto values = values_out.download();
    check_elements(d.in, keys, is_permutation);
    for (std::size_t k = 0; k < keys.size(); ++k) {
      if (values[k] != value_of(keys[k].tag)) FAIL("value ", k, " does not belong to its key");
    }
  }
  {
    // Guard bytes follow the last output.
    const std::size_t count = (d.m + d.n) / 2 + 1;
    const oracle::device_output<Key> out(count, 1);
    CHECK(cmerge::merge_n(policy, d.a.begin(), d.a.end(), d.b.begin(), d.b.end(),
                          static_cast<std::int64_t>(count), out.begin(), d.comp(how)) == out.end());
    d.check_compared();
    check_elements(d.in, out.download(), is_permutation);
  }
  const oracle::device_output<std::uint32_t> words(d.m + d.n, 1);
  CHECK(cmerge::merge_indices(policy, d.a.begin(), d.a.end(), d.b.begin(), d.b.end(), words.begin(),
                              d.comp(how)) == words.end());
  d.check_compared();
  check_words(d.m, d.n, words.download(), is_permutation);
}

/// Sizes of one to several tiles. Unless this is a quick run, also a size that has a partition
/// launch or long sections. Only the default tuning gets a large problem.
template <class Tuning>
sizes sizes_of() {
  sizes all{{1, 1}, {31, 33}, {500, 20}, {3000, 5000}};
  if (oracle::quick()) return all;
  constexpr bool is_default = std::is_same_v<Tuning, cmerge::default_tuning>;
  const std::size_t large = is_default ? cmerge::large_problem + 100000 : 600000;
  all.push_back({large / 2 + 50000, large / 2 - 50000});
  return all;
}

TEST_CASE_TEMPLATE("survives inconsistent comparators and unsorted inputs", T,
                   cmerge::default_tuning, fixed_moderate<strategy::basic, 32, 3>,
                   fixed_moderate<strategy::tiled, 32, 3>,
                   fixed_moderate<strategy::circular, 32, 3, 1>,
                   fixed_moderate<strategy::circular, 32, 3, 2>,
                   fixed_moderate<strategy::circular, 128, 11, 2>,
                   fixed_moderate<strategy::single, 32, 1>, fixed_moderate<strategy::single, 32, 3>,
                   fixed_moderate<strategy::indirect, 32, 3>) {
  for_each_fault<tagged>(sizes_of<T>(), [](const auto&... all) { check_merge<T>(all...); });
}

TEST_CASE_TEMPLATE("survives inconsistent comparators in every call", T, cmerge::default_tuning,
                   fixed_moderate<strategy::circular, 32, 3, 2>,
                   fixed_moderate<strategy::single, 32, 1>,
                   fixed_moderate<strategy::indirect, 32, 3>) {
  for_each_fault<tagged>(sizes_of<T>(), [](const auto&... all) { check_other_calls<T>(all...); });
}

/// Elements of one size; tiles of the largest ones hold few. All problems are moderate.
template <class Key>
void check_element(sizes some) {
  using single = fixed_moderate<strategy::single, 32, 1>;
  using indirect = fixed_moderate<strategy::indirect, 32, 3>;
  for_each_fault<Key>(some, [](const auto&... all) {
    check_merge<moderate_default>(all...);
    check_merge<single>(all...);
    check_merge<indirect>(all...);
  });
}

TEST_CASE("survives inconsistent comparators with elements of 1 to 1024 bytes") {
  sizes some{{1, 1}, {31, 33}, {500, 20}, {1300, 2100}};
  check_element<record<1024>>(some);
  check_element<record<96>>(some);
  if (!oracle::quick()) some.push_back({310000, 290000});
  check_element<record<16>>(some);
  check_element<byte_key>(some);
}

TEST_CASE("survives inconsistent comparators in every call with large elements") {
  const sizes some{{31, 33}, {1300, 2100}};
  const auto test = [](const auto&... all) { check_other_calls<moderate_default>(all...); };
  for_each_fault<record<16>>(some, test);
  for_each_fault<record<96>>(some, test);
  for_each_fault<record<1024>>(some, test);
}

/// Unsorted keys that are counted, not compared. The output keys are unspecified, so other keys
/// than those of the inputs are a warning. If all keys are equal, they are an error.
template <class Tuning>
void check_by_value(std::size_t m, std::size_t n) {
  INFO("seed ", oracle::seed(), ", m ", m, ", n ", n);
  std::mt19937 random(oracle::seed());
  for (const int values : {1, 3, 100}) {
    CAPTURE(values);
    std::vector<signed char> keys1(m);
    std::vector<signed char> keys2(n);
    const auto key = [&] {
      return static_cast<signed char>(2 * static_cast<int>(random() % 128) % (2 * values) - 100);
    };
    for (signed char& x : keys1) x = key();
    for (signed char& x : keys2) x = key();
    const oracle::device_input<signed char> a(keys1, 1);
    const oracle::device_input<signed char> b(keys2);
    const oracle::device_output<signed char> out(m + n, 3);
    CHECK(cmerge::merge(cmerge::tuned<Tuning>(thrust::device), a.begin(), a.end(), b.begin(),
                        b.end(), out.begin()) == out.end());
    const auto result = out.download();
    const auto foreign = std::count_if(result.begin(), result.end(), [&](signed char x) {
      return x % 2 != 0 || x < -100 || x >= 2 * values - 100;
    });
    WARN(foreign == 0);
    if (values == 1) CHECK(foreign == 0);
  }
}

TEST_CASE_TEMPLATE("survives unsorted keys that are merged by value", T, cmerge::default_tuning,
                   fixed_moderate<strategy::by_value, 32, 32>,
                   fixed_moderate<strategy::by_value, 256, 16>,
                   fixed_moderate<strategy::by_value, 256, 1024>) {
  for (const auto& size : sizes_of<T>()) check_by_value<T>(size.first, size.second);
}

TEST_CASE("survives NaNs and writes only elements of the inputs") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const std::size_t size : {std::size_t{100}, std::size_t{10000}, std::size_t{800000}}) {
    if (oracle::quick() && size > 10000) continue;
    std::vector<float> keys(size);
    for (std::size_t i = 0; i < size; ++i) keys[i] = i % 17 == 3 ? nan : static_cast<float>(i);
    const oracle::device_input<float> a(keys);
    const oracle::device_input<float> b(keys, 1);
    const oracle::device_output<float> out(2 * size);
    CHECK(cmerge::merge(thrust::device, a.begin(), a.end(), b.begin(), b.end(), out.begin()) ==
          out.end());
    for (const float x : out.download()) {
      const bool is_number =
          x >= 0 && x < static_cast<float>(size) && x == static_cast<float>(static_cast<int>(x));
      if (x == x && !is_number) FAIL("not an element of the inputs: ", x);
    }
  }
}

/// Compares indices by their entries in a table, and checks that they are in range.
struct by_table {
  const int* table;
  std::int64_t size;
  unsigned* errors;
  __device__ bool operator()(std::int64_t i, std::int64_t j) const {
    if (i < 0 || i >= size || j < 0 || j >= size) {
      *errors = 1;
      return false;
    }
    return table[i] < table[j];
  }
};

TEST_CASE_TEMPLATE("calls an indexing comparator with valid indices, sorted and not", T,
                   cmerge::default_tuning, fixed_moderate<strategy::single, 32, 1>) {
  constexpr bool is_default = std::is_same_v<T, cmerge::default_tuning>;
  const std::size_t half = oracle::quick() ? 10000 : is_default ? 800000 : 300000;
  const auto size = static_cast<std::int64_t>(half);
  const auto policy = cmerge::tuned<T>(thrust::device);
  std::vector<int> table(2 * half);
  std::vector<std::int64_t> indices(2 * half);
  for (std::size_t i = 0; i < 2 * half; ++i) indices[i] = static_cast<std::int64_t>(i);
  std::mt19937 random(oracle::seed());
  for (const bool is_sorted : {true, false}) {
    CAPTURE(is_sorted);
    for (std::size_t i = 0; i < 2 * half; ++i) {
      table[i] = is_sorted ? static_cast<int>(i % half / 3) : static_cast<int>(random() % 1000);
    }
    const oracle::device_input<int> device_table(table);
    const oracle::device_input<std::int64_t> in(indices);
    const oracle::device_output<std::int64_t> out(2 * half);
    const oracle::device_errors errors;
    const by_table comp{device_table.begin(), 2 * size, errors.get()};
    const auto check = [&](const std::vector<std::int64_t>& result) {
      CHECK(errors.count() == 0);
      for (std::size_t k = 0; k < 2 * half; ++k) {
        if (result[k] < 0 || result[k] >= 2 * size) FAIL("output ", k, " is not an index");
        if (is_sorted && k > 0 &&
            table[static_cast<std::size_t>(result[k])] <
                table[static_cast<std::size_t>(result[k - 1])]) {
          FAIL("output ", k, " is out of order");
        }
      }
    };
    const std::int64_t* const first = in.begin();
    cmerge::merge(policy, first, first + half, first + half, first + 2 * half, out.begin(), comp);
    check(out.download());
    // The same ranges without memory.
    const thrust::counting_iterator<std::int64_t> counting(0);
    cmerge::merge(policy, counting, counting + size, counting + size, counting + 2 * size,
                  out.begin(), comp);
    check(out.download());
  }
}

}  // namespace gpu_test
