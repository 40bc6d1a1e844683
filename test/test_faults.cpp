// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// User errors under host policies. With unsorted inputs or inconsistent comparators the merge ends
// and writes elements of the inputs alone. Each element comes out exactly once if the comparator
// orders the sorted inputs consistently, strict or not. Negative lengths are refused.
#include "host_policies.h"
#include "oracle.h"

#include <cmerge/merge.h>
#include <cmerge/merge_indices.h>
#include <cmerge/merge_n.h>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/system_error.h>

#include <cerrno>
#include <limits>

namespace {

using oracle::for_each_host_system;
using oracle::shape;
using oracle::tagged;

// Large enough for several sections and blocks of the host merge.
constexpr int size = 50000;

TEST_CASE("wrong comparators and unsorted inputs: the merge ends and writes input elements") {
  std::mt19937 random(oracle::seed());
  INFO("seed ", oracle::seed());
  auto in = oracle::make_inputs(shape::random, size, size);
  const auto check = [&](const auto& policy, auto comp, bool is_permutation) {
    oracle::guarded<tagged> out(2 * size);
    cmerge::merge(policy, in.a.begin(), in.a.end(), in.b.begin(), in.b.end(), out.data(), comp);
    REQUIRE(out.is_intact());
    std::sort(out.begin(), out.end(),
              [](const tagged& x, const tagged& y) { return x.tag < y.tag; });
    for (std::size_t k = 0; k < 2 * size; ++k) {
      const tagged& x = out.data()[k];
      const bool second = (x.tag & oracle::second_input) != 0;
      const unsigned index = x.tag & ~oracle::second_input;
      REQUIRE(index < size);
      REQUIRE(x.key == (second ? in.b : in.a)[index].key);
      if (is_permutation) REQUIRE(index == (second ? k - size : k));
    }
  };
  const auto less_equal = [](const tagged& y, const tagged& x) { return y.key <= x.key; };
  const auto always = [](const tagged&, const tagged&) { return true; };
  const auto hashed = [](const tagged& y, const tagged& x) { return (y.tag ^ x.tag) % 3 == 0; };
  for_each_host_system([&](const auto& policy) {
    check(policy, less_equal, true);
    check(policy, always, true);
    check(policy, hashed, false);
  });
  std::shuffle(in.a.begin(), in.a.end(), random);
  std::shuffle(in.b.begin(), in.b.end(), random);
  for (std::size_t i = 0; i < size; ++i) {
    in.a[i].tag = static_cast<unsigned>(i);
    in.b[i].tag = static_cast<unsigned>(i) | oracle::second_input;
  }
  for_each_host_system([&](const auto& policy) { check(policy, oracle::by_key{}, false); });
}

TEST_CASE("NaNs: the merge ends and loses none") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> a(size);
  std::vector<double> b(size);
  for (std::size_t i = 0; i < size; ++i) {
    a[i] = i % 10 == 3 ? nan : static_cast<double>(i);
    b[i] = i % 7 == 5 ? nan : static_cast<double>(i);
  }
  std::vector<double> out(2 * size);
  CHECK(cmerge::merge(thrust::seq, a.begin(), a.end(), b.begin(), b.end(), out.begin()) ==
        out.end());
  const auto is_nan = [](double x) { return x != x; };
  CHECK(std::count_if(out.begin(), out.end(), is_nan) ==
        std::count_if(a.begin(), a.end(), is_nan) + std::count_if(b.begin(), b.end(), is_nan));
}

TEST_CASE("a comparator that follows indices, sorted and unsorted") {
  std::vector<int> table(2 * size);
  std::mt19937 random(oracle::seed());
  for (int& x : table) x = static_cast<int>(random() % 1000);
  for (const bool is_sorted : {true, false}) {
    if (is_sorted) {
      std::sort(table.begin(), table.begin() + size);
      std::sort(table.begin() + size, table.end());
    } else {
      std::shuffle(table.begin(), table.end(), random);
    }
    const thrust::counting_iterator<int> indices(0);
    // at() throws if an index is outside of the table.
    const auto by_entry = [&](int i, int j) {
      return table.at(static_cast<std::size_t>(i)) < table.at(static_cast<std::size_t>(j));
    };
    for_each_host_system([&](const auto& policy) {
      std::vector<int> out(2 * size, -1);
      cmerge::merge(policy, indices, indices + size, indices + size, indices + 2 * size,
                    out.begin(), by_entry);
      for (const int i : out) REQUIRE((0 <= i && i < 2 * size));
      if (is_sorted) {
        REQUIRE(std::is_sorted(out.begin(), out.end(), by_entry));
      }
    });
  }
}

/// Whether a call throws the error for invalid arguments.
template <class Call>
bool is_refused(Call call) {
  try {
    call();
    return false;
  } catch (const thrust::system_error& error) {
    return error.code() == thrust::error_code(EINVAL, thrust::system_category());
  }
}

TEST_CASE("negative lengths and negative numbers of outputs are refused") {
  const auto in = oracle::make_inputs(shape::random, size, size);
  const std::vector<int> values(size, 7);
  oracle::guarded<tagged> out(2 * size);
  oracle::guarded<int> values_out(2 * size);
  oracle::guarded<std::uint32_t> words(2 * size);
  const oracle::by_key comp;
  for_each_host_system([&](const auto& policy) {
    // Shorter by one element, and by several sections.
    for (const int length : {1, size}) {
      for (const bool second : {false, true}) {
        INFO("length ", length, ", second ", second);
        const auto a = in.a.begin() + (second ? 0 : length);
        const auto a_end = in.a.begin() + (second ? size : 0);
        const auto b = in.b.begin() + (second ? length : 0);
        const auto b_end = in.b.begin() + (second ? 0 : size);
        const auto v = values.begin();
        CHECK(is_refused([&] { cmerge::merge(policy, a, a_end, b, b_end, out.data(), comp); }));
        CHECK(is_refused([&] {
          cmerge::merge_by_key(policy, a, a_end, b, b_end, v, v, out.data(), values_out.data(),
                               comp);
        }));
        CHECK(
            is_refused([&] { cmerge::merge_n(policy, a, a_end, b, b_end, 1, out.data(), comp); }));
        CHECK(is_refused([&] {
          cmerge::merge_by_key_n(policy, a, a_end, b, b_end, v, v, 1, out.data(), values_out.data(),
                                 comp);
        }));
        CHECK(is_refused(
            [&] { cmerge::merge_indices(policy, a, a_end, b, b_end, words.data(), comp); }));
      }
    }
    for (const std::int64_t count :
         {std::int64_t{-1}, std::int64_t{-size}, std::numeric_limits<std::int64_t>::min()}) {
      INFO("count ", count);
      CHECK(is_refused([&] {
        cmerge::merge_n(policy, in.a.begin(), in.a.end(), in.b.begin(), in.b.end(), count,
                        out.data(), comp);
      }));
      CHECK(is_refused([&] {
        cmerge::merge_by_key_n(policy, in.a.begin(), in.a.end(), in.b.begin(), in.b.end(),
                               values.begin(), values.begin(), count, out.data(), values_out.data(),
                               comp);
      }));
    }
  });
  const auto is_untouched = [](auto& output) {
    const auto* first = reinterpret_cast<const unsigned char*>(output.begin());
    const auto* last = reinterpret_cast<const unsigned char*>(output.end());
    return output.is_intact() && oracle::is_guard(first, last);
  };
  CHECK(is_untouched(out));
  CHECK(is_untouched(values_out));
  CHECK(is_untouched(words));
}

}  // namespace
