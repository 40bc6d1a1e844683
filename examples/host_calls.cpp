// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each call and each public part of the library, on the host. Needs no CUDA compiler:
// g++ -std=c++17 -O3 -I. -I<folder that contains thrust/> examples/host_calls.cpp
#include <cmerge/cmerge.h>

#include <thrust/execution_policy.h>
#include <thrust/transform.h>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

//! [version]
static_assert(CMERGE_VERSION >= 100, "this program needs cmerge 0.1.0 or newer");
//! [version]

bool is_right = true;

void check(bool result, const char* what) {
  std::printf("host_calls: %s: %s\n", what, result ? "right" : "wrong");
  is_right = is_right && result;
}

void merge() {
  //! [merge]
  const std::vector<int> a{1, 3, 5};
  const std::vector<double> b{2.5, 3.0};
  std::vector<double> out(a.size() + b.size());
  cmerge::merge(thrust::host, a.begin(), a.end(), b.begin(), b.end(), out.begin());
  // out: 1.0 2.5 3.0 3.0 5.0
  //! [merge]
  check(out == std::vector<double>{1.0, 2.5, 3.0, 3.0, 5.0}, "merge");
}

void merge_by_key() {
  //! [merge_by_key]
  const std::vector<int> keys1{1, 4};
  const std::vector<std::string> values1{"one", "four"};
  const std::vector<int> keys2{2, 4};
  const std::vector<std::string> values2{"two", "vier"};
  std::vector<int> keys(4);
  std::vector<std::string> values(4);
  cmerge::merge_by_key(thrust::host, keys1.begin(), keys1.end(), keys2.begin(), keys2.end(),
                       values1.begin(), values2.begin(), keys.begin(), values.begin());
  // keys:   1   2   4    4
  // values: one two four vier
  //! [merge_by_key]
  check(keys == std::vector<int>{1, 2, 4, 4} &&
            values == std::vector<std::string>{"one", "two", "four", "vier"},
        "merge_by_key");
}

void merge_n() {
  //! [merge_n]
  const std::vector<int> a{9, 5, 1};
  const std::vector<int> b{8, 5, 2};
  std::vector<int> largest(4);
  cmerge::merge_n(thrust::host, a.begin(), a.end(), b.begin(), b.end(), 4, largest.begin(),
                  std::greater<>{});
  // largest: 9 8 5 5
  //! [merge_n]
  check(largest == std::vector<int>{9, 8, 5, 5}, "merge_n");
}

void merge_by_key_n() {
  //! [merge_by_key_n]
  const std::vector<float> distances1{0.1f, 0.7f};
  const std::vector<int> points1{10, 11};
  const std::vector<float> distances2{0.2f, 0.3f};
  const std::vector<int> points2{20, 21};
  // The three nearest points.
  std::vector<float> distances(3);
  std::vector<int> points(3);
  cmerge::merge_by_key_n(thrust::host, distances1.begin(), distances1.end(), distances2.begin(),
                         distances2.end(), points1.begin(), points2.begin(), 3, distances.begin(),
                         points.begin());
  // points: 10 20 21
  //! [merge_by_key_n]
  check(distances == std::vector<float>{0.1f, 0.2f, 0.3f} && points == std::vector<int>{10, 20, 21},
        "merge_by_key_n");
}

void merge_indices() {
  //! [merge_indices]
  const std::vector<int> keys1{1, 4, 9};
  const std::vector<int> keys2{2, 4};
  std::vector<std::uint32_t> words(keys1.size() + keys2.size());
  cmerge::merge_indices(thrust::host, keys1.begin(), keys1.end(), keys2.begin(), keys2.end(),
                        words.begin());
  //! [merge_indices]

  //! [source_element]
  const std::vector<char> column1{'a', 'b', 'c'};
  const std::vector<char> column2{'x', 'y'};
  std::vector<char> column(words.size());
  thrust::transform(words.begin(), words.end(), column.begin(),
                    cmerge::source_element{column1.begin(), column2.begin()});
  // column: a x b y c
  //! [source_element]
  check(column == std::vector<char>{'a', 'x', 'b', 'y', 'c'}, "merge_indices, source_element");

  //! [merge_source]
  const cmerge::merge_source<std::uint32_t> source{words[3]};
  const bool is_second = source.is_second();         // true: the output comes from keys2 ...
  const std::uint32_t position = source.position();  // 1: ... and is its element 1
  //! [merge_source]
  check(is_second && position == 1, "merge_source");
}

void co_rank() {
  //! [co_rank]
  const std::vector<int> a{1, 3, 5, 7};
  const std::vector<int> b{2, 4, 4};
  const std::int64_t m = 4;
  const std::int64_t n = 3;
  std::vector<int> out(7);

  // Cuts the merge into two independent parts: outputs [0, k) and [k, m + n).
  const std::int64_t k = 4;
  const std::int64_t i = cmerge::co_rank(k, a.begin(), m, b.begin(), n, std::less<>{});
  const std::int64_t j = k - i;
  cmerge::serial_merge(a.begin(), i, b.begin(), j, out.begin(), std::less<>{});
  cmerge::serial_merge(a.begin() + i, m - i, b.begin() + j, n - j, out.begin() + k, std::less<>{});
  // i: 2, j: 2, out: 1 2 3 4 4 5 7
  //! [co_rank]
  check(i == 2 && out == std::vector<int>{1, 2, 3, 4, 4, 5, 7}, "co_rank");

  //! [co_rank_between]
  std::less<> comp;
  const std::int64_t low = cmerge::co_rank_low(k, n);    // 1
  const std::int64_t high = cmerge::co_rank_high(k, m);  // 4
  const std::int64_t same = cmerge::co_rank_between(low, high, k, a.begin(), b.begin(), comp);
  // Element `same - 1` of `a` is among the first k outputs, and element `same` is not.
  const bool is_before = cmerge::is_among_first(same - 1, k, a.begin(), b.begin(), comp);
  const bool is_after = !cmerge::is_among_first(same, k, a.begin(), b.begin(), comp);
  //! [co_rank_between]
  check(same == i && is_before && is_after, "co_rank_between");
}

void takes_b() {
  //! [takes_b]
  std::less<> comp;
  const bool smaller = cmerge::takes_b(3, 2, comp);  // true: b is smaller
  const bool equal = cmerge::takes_b(3, 3, comp);    // false: a goes first
  //! [takes_b]
  check(smaller && !equal, "takes_b");
}

void serial_merge() {
  //! [serial_merge]
  const int a[] = {1, 3};
  const int b[] = {2, 3, 4};
  int out[5];
  cmerge::serial_merge(a, 2, b, 3, out, std::less<>{});
  // out: 1 2 3 3 4
  //! [serial_merge]
  check(std::vector<int>(out, out + 5) == std::vector<int>{1, 2, 3, 3, 4}, "serial_merge");
}

void circular_view() {
  //! [circular_view]
  // The sequence 1 3 5 7 starts in slot 2 and continues in slot 0.
  const int buffer[] = {5, 7, 1, 3};
  const cmerge::circular_view<const int> a(buffer, 2, 4);
  const int b[] = {2, 4};
  int out[6];
  cmerge::serial_merge(a, 4, b, 2, out, std::less<>{});
  // out: 1 2 3 4 5 7
  //! [circular_view]
  check(std::vector<int>(out, out + 6) == std::vector<int>{1, 2, 3, 4, 5, 7}, "circular_view");
}

void tuning() {
  //! [default_tuning]
  // The tuning for 2^20 4-byte keys in code for compute capability 9.0.
  constexpr cmerge::tuning_query query{90, 4, 0, cmerge::problem_size::moderate, true};
  constexpr cmerge::tuning chosen = cmerge::default_tuning::get(query);
  static_assert(cmerge::is_known(chosen.how) && cmerge::is_launchable(chosen));
  static_assert(chosen.tile() * query.key_bytes <= cmerge::max_shared_bytes(query.arch));
  std::printf("host_calls: strategy %s, %d outputs per tile\n", cmerge::name(chosen.how),
              chosen.tile());
  //! [default_tuning]
  check(std::string(cmerge::name(chosen.how)) == "single", "default_tuning");
}

int main() {
  merge();
  merge_by_key();
  merge_n();
  merge_by_key_n();
  merge_indices();
  co_rank();
  takes_b();
  serial_merge();
  circular_view();
  tuning();
  return is_right ? 0 : 1;
}
