// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// More outputs than 31 and 32 bits can count: all calls, keys and pairs, in memory and
// computed.
#include "gpu/huge.cuh"

#include <cmerge/merge.h>
#include <cmerge/merge_indices.h>
#include <cmerge/merge_n.h>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

namespace gpu_test {

/// An order that cmerge does not recognise, so equal keys could be distinguishable: no
/// strategy::by_value.
struct unknown_less {
  template <class Key>
  __host__ __device__ bool operator()(Key x, Key y) const {
    return x < y;
  }
};

// The strategies of 1-byte keys in the test cases below.
template <class Compare>
constexpr bool has_by_value =
    cmerge::detail::can_merge_by_value<decltype(cmerge::detail::unwrap_problem(
        std::declval<cmerge::detail::merge_problem<
            const signed char*, const signed char*, signed char*, cmerge::detail::no_values,
            cmerge::detail::no_values, cmerge::detail::no_values, Compare>>()))>;
static_assert(has_by_value<cmerge::detail::less> && !has_by_value<unknown_less>);
static_assert(cmerge::default_tuning::get({90, 1, 0, cmerge::problem_size::large, true, true})
                  .how == cmerge::strategy::by_value);
static_assert(cmerge::default_tuning::get({90, 1, 0, cmerge::problem_size::large, true, false})
                  .how == cmerge::strategy::single);

/// Makes the first `count` outputs: with merge if these are all, else with merge_n.
template <class Key, class Compare = cmerge::detail::less>
void check_keys(std::int64_t m, std::int64_t n, std::int64_t count, Compare comp = {}) {
  INFO("m ", m, ", n ", n, ", outputs ", count, ", bytes ", sizeof(Key));
  if (!memory::has((m + n + count) * static_cast<std::int64_t>(sizeof(Key)))) return;
  memory from;
  const sequences in = make_sequences<Key>(m, n);
  const Key* const a = make_keys<Key>(from, in.a, 1);
  const Key* const b = make_keys<Key>(from, in.b, 7);
  const output<Key> out(from, count, 3);
  Key* const end =
      count == m + n
          ? cmerge::merge(thrust::device, a, a + m, b, b + n, out.begin(), comp)
          : cmerge::merge_n(thrust::device, a, a + m, b, b + n, count, out.begin(), comp);
  CHECK(end == out.end());
  CHECK(is_merged(in, out.begin(), count));
  CHECK(out.has_guards());
}

/// The same with values.
template <class Key, class Value>
void check_pairs(std::int64_t m, std::int64_t n, std::int64_t count) {
  INFO("m ", m, ", n ", n, ", outputs ", count, ", bytes ", sizeof(Key), " and ", sizeof(Value));
  if (!memory::has((m + n + count) * static_cast<std::int64_t>(sizeof(Key) + sizeof(Value)))) {
    return;
  }
  memory from;
  const sequences in = make_sequences<Key>(m, n);
  const Key* const a = make_keys<Key>(from, in.a, 1);
  const Key* const b = make_keys<Key>(from, in.b, 7);
  const Value* const u = make_values<Value>(from, m, false);
  const Value* const v = make_values<Value>(from, n, true);
  const output<Key> keys(from, count, 3);
  const output<Value> values(from, count, 1);
  const auto ends = count == m + n ? cmerge::merge_by_key(thrust::device, a, a + m, b, b + n, u, v,
                                                          keys.begin(), values.begin())
                                   : cmerge::merge_by_key_n(thrust::device, a, a + m, b, b + n, u,
                                                            v, count, keys.begin(), values.begin());
  CHECK(ends.first == keys.end());
  CHECK(ends.second == values.end());
  CHECK(is_merged(in, keys.begin(), count, values.begin()));
  CHECK(keys.has_guards());
  CHECK(values.has_guards());
}

/// Calls `test(m, n)` for totals just above 2^31 and 2^32, split evenly and unevenly.
template <class Test>
void for_each_size(Test test) {
  for (const int exponent : {31, 32}) {
    const std::int64_t total = power(exponent) + 12345;
    test(total / 2, total - total / 2);
    test(std::int64_t{3}, total - 3);
    test(total - 3, std::int64_t{3});
    if (oracle::quick()) return;  // both would be the same
  }
}

TEST_CASE("merges 1-byte keys by value") {
  for_each_size([](std::int64_t m, std::int64_t n) { check_keys<signed char>(m, n, m + n); });
}

TEST_CASE("merges 1-byte keys one by one") {
  for_each_size(
      [](std::int64_t m, std::int64_t n) { check_keys<signed char>(m, n, m + n, unknown_less{}); });
}

TEST_CASE("merges sizes around the largest int") {
  const std::int64_t most = power(31) - 1;
  for (const auto& size : {std::pair<std::int64_t, std::int64_t>{most / 2, most - most / 2},
                           {most / 2 + 1, most - most / 2},
                           {most - 1, most},
                           {most + 6, most + 77}}) {
    check_keys<signed char>(size.first, size.second, size.first + size.second);
    check_keys<signed char>(size.first, size.second, size.first + size.second, unknown_less{});
  }
}

TEST_CASE("merges 4-byte keys") {
  for_each_size([](std::int64_t m, std::int64_t n) { check_keys<int>(m, n, m + n); });
}

TEST_CASE("merges 1-byte keys with values that identify them") {
  for_each_size([](std::int64_t m, std::int64_t n) {
    check_pairs<signed char, unsigned>(m, n, m + n);
    check_pairs<signed char, unsigned char>(m, n, m + n);
  });
}

TEST_CASE("merges 4-byte keys with values") {
  const std::int64_t total = power(31) + 77;
  check_pairs<int, unsigned>(total / 2, total - total / 2, total);
  check_pairs<int, unsigned>(3, total - 3, total);
}

TEST_CASE("merges values that are not in memory") {
  for_each_size([](std::int64_t m, std::int64_t n) {
    INFO("m ", m, ", n ", n);
    if (!memory::has(3 * (m + n))) return;
    memory from;
    const sequences in = make_sequences<signed char>(m, n);
    const auto* const a = make_keys<signed char>(from, in.a, 0);
    const auto* const b = make_keys<signed char>(from, in.b, 5);
    const output<signed char> keys(from, m + n, 0);
    const output<unsigned char> values(from, m + n, 0);
    const thrust::counting_iterator<std::int64_t> first(0);
    const auto ends =
        cmerge::merge_by_key(thrust::device, a, a + m, b, b + n,
                             thrust::make_transform_iterator(first, value_of<unsigned char>{false}),
                             thrust::make_transform_iterator(first, value_of<unsigned char>{true}),
                             keys.begin(), values.begin());
    CHECK(ends.first == keys.end());
    CHECK(ends.second == values.end());
    CHECK(is_merged(in, keys.begin(), m + n, values.begin()));
    CHECK(keys.has_guards());
    CHECK(values.has_guards());
  });
}

TEST_CASE("merges the first outputs, more than 2^31 and 2^32") {
  for (const int exponent : {31, 32}) {
    const std::int64_t count = power(exponent) + 54321;
    for (const auto& size : {std::pair<std::int64_t, std::int64_t>{count / 2 + 1, count / 2 + 1},
                             {count / 3 * 2, count / 3 * 2},
                             {3, count + 1000}}) {
      check_keys<signed char>(size.first, size.second, count);
      check_keys<signed char>(size.first, size.second, count, unknown_less{});
      check_pairs<signed char, unsigned char>(size.first, size.second, count);
    }
  }
}

TEST_CASE("merges indices") {
  for_each_size([](std::int64_t m, std::int64_t n) {
    INFO("m ", m, ", n ", n);
    if (!memory::has(9 * (m + n))) return;
    memory from;
    const sequences in = make_sequences<signed char>(m, n);
    const auto* const a = make_keys<signed char>(from, in.a, 1);
    const auto* const b = make_keys<signed char>(from, in.b, 7);
    const output<std::uint64_t> words(from, m + n, 1);
    CHECK(cmerge::merge_indices(thrust::device, a, a + m, b, b + n, words.begin()) == words.end());
    const oracle::device_errors errors;
    check_words_kernel<<<grid, 256>>>(in, words.begin(), errors.get());
    check_cuda(cudaGetLastError(), "launch");
    CHECK(errors.count() == 0);
    CHECK(words.has_guards());
  });
}

/// An output that checks its elements: output `k` must be `k / 2`.
struct checking_output {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = void;
  using difference_type = std::int64_t;
  using pointer = void;
  using reference = void;

  struct element {
    std::int64_t k;
    unsigned* errors;
    __host__ __device__ const element& operator=(std::int64_t key) const {
      if (key != k / 2) *errors = 1;
      return *this;
    }
  };
  std::int64_t k;
  unsigned* errors;

  __host__ __device__ element operator*() const { return {k, errors}; }
  __host__ __device__ checking_output operator+(std::int64_t i) const { return {k + i, errors}; }
};

TEST_CASE("merges counting iterators to more than 2^33 outputs, none in memory") {
  const std::int64_t size = power(32) + 12345;
  const oracle::device_errors errors;
  const thrust::counting_iterator<std::int64_t> first(0);
  const auto end = cmerge::merge(thrust::device, first, first + size, first, first + size,
                                 checking_output{0, errors.get()});
  CHECK(end.k == 2 * size);
  CHECK(errors.count() == 0);
}

/// 0, 1, 2, ... with 32-bit distances.
struct narrow_iterator {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = int;
  using difference_type = int;
  using pointer = const int*;
  using reference = int;
  int at;
  __host__ __device__ int operator*() const { return at; }
  __host__ __device__ int operator[](std::ptrdiff_t i) const { return at + static_cast<int>(i); }
  __host__ __device__ narrow_iterator operator+(std::ptrdiff_t i) const {
    return {at + static_cast<int>(i)};
  }
  __host__ __device__ int operator-(narrow_iterator other) const { return at - other.at; }
};

TEST_CASE("merges a range with 32-bit distances to more than 2^31 outputs") {
  const oracle::device_errors errors;
  const std::int64_t size = power(31) - 1;
  const narrow_iterator first{0};
  const narrow_iterator last{static_cast<int>(size)};
  const thrust::counting_iterator<std::int64_t> second(0);
  const auto end = cmerge::merge(thrust::device, first, last, second, second + size,
                                 checking_output{0, errors.get()});
  CHECK(end.k == 2 * size);
  CHECK(errors.count() == 0);
}

}  // namespace gpu_test
