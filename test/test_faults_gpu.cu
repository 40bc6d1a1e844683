// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a user can get wrong: unsorted inputs and comparators that contradict themselves. The order
// is unspecified then, but it ends, stays in bounds and compares nothing but input elements.
#include "gpu/oracle.cuh"

#include <cmerge/merge.h>

#include <thrust/iterator/counting_iterator.h>

#include <limits>

namespace gpu_test {

using cmerge::strategy;
using oracle::fixed;
using oracle::shape;
using oracle::tagged;

/// What the wrong comparators answer.
enum class answer { hash, less_equal, yes, no, less };

/// Answers as told, and checks as `checked_by_key` does.
struct faulty {
  answer how;
  oracle::checked_by_key check;
  __device__ bool operator()(const tagged& b, const tagged& a) const {
    const bool less = check(b, a);
    switch (how) {
      case answer::hash:
        return ((a.tag * 2654435761u ^ b.tag * 40503u) >> 7 & 1) != 0;
      case answer::less_equal:
        return b.key <= a.key;
      case answer::yes:
        return true;
      case answer::no:
        return false;
      default:
        return less;
    }
  }
};

/// Merges and checks that each output is an element of the inputs; and that all are there, where
/// the answers are a consistent order.
template <class Tuning>
void check_faulty(const oracle::inputs<tagged>& in, answer how, bool is_permutation) {
  const auto m = in.a.size();
  const auto n = in.b.size();
  CAPTURE(static_cast<int>(how));
  CAPTURE(m);
  CAPTURE(n);
  const oracle::device_input<tagged> a(in.a, 1);
  const oracle::device_input<tagged> b(in.b);
  const oracle::device_output<tagged> out(m + n, 1);
  const oracle::device_errors errors;
  cmerge::merge(cmerge::tuned<Tuning>(thrust::device), a.begin(), a.end(), b.begin(), b.end(),
                out.begin(), faulty{how, oracle::checked({0, m, 0, n}, errors)});
  CHECK_MESSAGE(errors.count() == 0, "something that is no element of the inputs was compared");
  auto result = out.download();
  for (const tagged& x : result) {
    const unsigned index = x.tag & ~oracle::second_input;
    const auto& input = (x.tag & oracle::second_input) != 0 ? in.b : in.a;
    REQUIRE(index < input.size());
    REQUIRE(input[index].key == x.key);
  }
  if (!is_permutation) return;
  std::sort(result.begin(), result.end(),
            [](const tagged& x, const tagged& y) { return x.tag < y.tag; });
  for (std::size_t k = 1; k < result.size(); ++k) REQUIRE(result[k - 1].tag != result[k].tag);
}

TEST_CASE_TEMPLATE("contradictory comparators and unsorted inputs", T, cmerge::default_tuning,
                   fixed<strategy::basic, 32, 3>, fixed<strategy::tiled, 32, 3>,
                   fixed<strategy::circular, 32, 3, 1>, fixed<strategy::circular, 32, 3, 2>,
                   fixed<strategy::single, 32, 3>, fixed<strategy::circular, 128, 11, 2>) {
  INFO("seed ", oracle::seed());
  std::mt19937 random(oracle::seed());
  std::vector<std::pair<std::size_t, std::size_t>> sizes{{1, 1}, {31, 33}, {500, 20}, {3000, 5000}};
  if (!oracle::quick()) sizes.push_back({2300000, 2200000});  // a large problem
  for (const auto& size : sizes) {
    auto in = oracle::make_inputs(shape::few, size.first, size.second);
    check_faulty<T>(in, answer::less_equal, true);
    check_faulty<T>(in, answer::yes, true);
    check_faulty<T>(in, answer::no, true);
    check_faulty<T>(in, answer::hash, false);
    // Not sorted; the tags say where each element is.
    std::shuffle(in.a.begin(), in.a.end(), random);
    std::shuffle(in.b.begin(), in.b.end(), random);
    for (std::size_t i = 0; i < in.a.size(); ++i) in.a[i].tag = static_cast<unsigned>(i);
    for (std::size_t j = 0; j < in.b.size(); ++j) {
      in.b[j].tag = static_cast<unsigned>(j) | oracle::second_input;
    }
    check_faulty<T>(in, answer::less, false);
  }
}

TEST_CASE("not-a-numbers: it ends, and writes nothing but inputs") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const std::size_t size : {std::size_t{100}, std::size_t{10000}, std::size_t{3000000}}) {
    if (oracle::quick() && size > 10000) continue;
    std::vector<float> keys(size);
    for (std::size_t i = 0; i < size; ++i) keys[i] = i % 17 == 3 ? nan : static_cast<float>(i);
    const oracle::device_input<float> a(keys);
    const oracle::device_input<float> b(keys, 1);
    const oracle::device_output<float> out(2 * size);
    CHECK(cmerge::merge(thrust::device, a.begin(), a.end(), b.begin(), b.end(), out.begin()) ==
          out.end());
    for (const float x : out.download()) {
      REQUIRE((x != x || (x >= 0 && x < static_cast<float>(size) &&
                          x == static_cast<float>(static_cast<int>(x)))));
    }
  }
}

/// Compares places in a table, and checks that they are in it.
struct indirect {
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

TEST_CASE("a comparator that follows indices, sorted and not") {
  const std::size_t half = oracle::quick() ? 10000 : 8000000;
  std::vector<int> table(2 * half);
  std::mt19937 random(oracle::seed());
  for (const bool is_sorted : {true, false}) {
    CAPTURE(is_sorted);
    for (std::size_t i = 0; i < 2 * half; ++i) {
      table[i] = is_sorted ? static_cast<int>(i % half / 3) : static_cast<int>(random() % 1000);
    }
    std::vector<std::int64_t> indices(2 * half);
    for (std::size_t i = 0; i < 2 * half; ++i) indices[i] = static_cast<std::int64_t>(i);
    const oracle::device_input<int> device_table(table);
    const oracle::device_input<std::int64_t> in(indices);
    const oracle::device_output<std::int64_t> out(2 * half);
    const oracle::device_errors errors;
    const indirect comp{device_table.begin(), static_cast<std::int64_t>(2 * half), errors.get()};
    const std::int64_t* const middle = in.begin() + half;
    const std::int64_t* const first = in.begin();
    cmerge::merge(thrust::device, first, middle, middle, first + 2 * half, out.begin(), comp);
    CHECK(errors.count() == 0);
    const auto check = [&](const std::vector<std::int64_t>& result) {
      for (std::size_t k = 0; k < 2 * half; ++k) {
        const std::int64_t i = result[k];
        REQUIRE((0 <= i && i < static_cast<std::int64_t>(2 * half)));
        if (is_sorted && k > 0) {
          REQUIRE(table[static_cast<std::size_t>(result[k - 1])] <=
                  table[static_cast<std::size_t>(i)]);
        }
      }
    };
    check(out.download());
    // The same range without memory.
    const thrust::counting_iterator<std::int64_t> counting(0);
    const auto size = static_cast<std::int64_t>(half);
    cmerge::merge(thrust::device, counting, counting + size, counting + size, counting + 2 * size,
                  out.begin(), comp);
    CHECK(errors.count() == 0);
    check(out.download());
  }
}

}  // namespace gpu_test
