// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// strategy::by_value where keys of one byte have values, which say where they came from: all
// orders, shapes, sizes and alignments, against std::merge; and which problems have it.
#include "gpu/oracle.cuh"

#include <cmerge/merge.h>
#include <cmerge/merge_n.h>

#include <thrust/functional.h>
#include <thrust/iterator/counting_iterator.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

namespace gpu_test {

using cmerge::strategy;
using oracle::fixed;
using oracle::shape;
namespace detail = cmerge::detail;

// ---- who has it -------------------------------------------------------------------------------

template <class Key, class Values1, class Values2 = Values1, class Compare = detail::less>
using pairs_problem = detail::merge_problem<const Key*, const Key*, Key*, Values1, Values2,
                                            detail::value_t<Values1>*, Compare>;

struct large_value {
  int words[5];
};

TEST_CASE("the pairs that have strategy::by_value") {
  using detail::can_merge_by_value;
  using counting = thrust::counting_iterator<long long>;
  static_assert(can_merge_by_value<pairs_problem<signed char, const int*>>);
  static_assert(can_merge_by_value<pairs_problem<unsigned char, const double2*>>);
  static_assert(can_merge_by_value<pairs_problem<bool, counting, const long long*>>);
  static_assert(!can_merge_by_value<pairs_problem<short, const int*>>, "runs are short");
  static_assert(!can_merge_by_value<pairs_problem<char, const large_value*>>,
                "more than registers");
  static_assert(!can_merge_by_value<pairs_problem<char, const int*, const long*>>, "two types");
  static_assert(!can_merge_by_value<pairs_problem<char, const int*, const int*, oracle::by_key>>);
  CHECK(cmerge::default_tuning::get({90, 1, 4, cmerge::problem_size::large, true, true}).how ==
        strategy::by_value);
}

// ---- against std::merge -----------------------------------------------------------------------

template <class Key>
struct pair_inputs {
  std::vector<Key> a;
  std::vector<Key> b;
};

/// Sorted keys from all values of their type.
template <class Key, class Compare>
pair_inputs<Key> make_sorted(shape s, std::size_t m, std::size_t n, Compare comp) {
  const auto keys = oracle::make_keys(s, m, n, 65535);
  const auto convert = [&](const std::vector<std::int64_t>& from) {
    std::vector<Key> to;
    for (const std::int64_t k : from) to.push_back(static_cast<Key>(k >> 8));
    std::stable_sort(to.begin(), to.end(), comp);
    return to;
  };
  return {convert(keys.a), convert(keys.b)};
}

/// A value of any size that holds a number.
template <class Value>
Value value_of(std::size_t number) {
  Value value{};
  std::memcpy(&value, &number, std::min(sizeof(Value), sizeof(number)));
  return value;
}

/// One merge with values that are their places, those of the second input behind the first's.
template <class Value = unsigned, class Tuning = cmerge::default_tuning, class Key, class Compare>
void check_merge(const pair_inputs<Key>& in, std::size_t offset, Compare comp,
                 std::size_t most = std::numeric_limits<std::int64_t>::max()) {
  const std::size_t m = in.a.size();
  const std::size_t total = m + in.b.size();
  const std::size_t count = std::min(most, total);
  std::vector<Value> values(total);
  for (std::size_t i = 0; i < total; ++i) values[i] = value_of<Value>(i);
  const oracle::device_input<Key> a(in.a, offset % 16);
  const oracle::device_input<Key> b(in.b, (offset * 7 + 3) % 16);
  const oracle::device_input<Value> v(values, offset % 5);
  const oracle::device_output<Key> keys_out(count, (offset * 5 + 1) % 16);
  const oracle::device_output<Value> values_out(count, (offset * 3 + 2) % 5);
  const auto policy = cmerge::tuned<Tuning>(thrust::device);
  const auto ends = cmerge::merge_by_key_n(
      policy, a.begin(), a.end(), b.begin(), b.end(), v.begin(), v.begin() + m,
      static_cast<std::int64_t>(most), keys_out.begin(), values_out.begin(), comp);
  REQUIRE(ends.first == keys_out.end());
  REQUIRE(ends.second == values_out.end());

  // Places in the order of the merge, which is stable.
  std::vector<std::size_t> places(total);
  std::vector<std::size_t> all(total);
  std::iota(all.begin(), all.end(), std::size_t{0});
  const auto key = [&](std::size_t i) { return i < m ? in.a[i] : in.b[i - m]; };
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(m);
  std::merge(all.begin(), middle, middle, all.end(), places.begin(),
             [&](std::size_t x, std::size_t y) { return comp(key(x), key(y)); });
  const auto keys = keys_out.download();
  const auto moved = values_out.download();
  for (std::size_t k = 0; k < count; ++k) {
    const Value expected = value_of<Value>(places[k]);
    if (keys[k] != key(places[k]) || std::memcmp(&moved[k], &expected, sizeof(Value)) != 0) {
      FAIL("offset ", offset, ", m ", m, ", n ", total - m, ": output ", k, " is wrong");
    }
  }
}

struct alignas(16) sixteen {
  std::uint64_t words[2];
};

TEST_CASE_TEMPLATE("all shapes, up and down", Key, signed char, unsigned char) {
  const auto check = [](auto comp) {
    for (const shape s : oracle::all_shapes) {
      INFO("shape ", oracle::name(s), ", seed ", oracle::seed());
      const auto in = make_sorted<Key>(s, 3333, 4321, comp);
      for (std::size_t offset = 0; offset < 16; ++offset) {
        if (oracle::quick() && offset % 5 != 0) continue;
        check_merge<unsigned, fixed<strategy::by_value, 64, 8>>(in, offset, comp);
        check_merge<std::uint16_t, fixed<strategy::by_value, 96, 4>>(in, offset, comp, 5000);
        check_merge<sixteen, fixed<strategy::by_value, 32, 32>>(in, offset, comp);
      }
      if (oracle::quick()) continue;
      // Large problems, whose sections are long; one side much smaller, or empty.
      constexpr std::size_t half = cmerge::large_problem / 2;
      check_merge(make_sorted<Key>(s, half + 31, half + 1, comp), 1, comp);
      check_merge<std::uint64_t>(make_sorted<Key>(s, half / 64, 2 * half, comp), 6, comp);
      check_merge(make_sorted<Key>(s, 2 * half + 7, 1, comp), 2, comp);
      check_merge(make_sorted<Key>(s, 0, 2 * half + 3, comp), 3, comp);
      check_merge(make_sorted<Key>(s, 2 * half, half, comp), 4, comp, 2 * half + 5);
    }
  };
  check(thrust::less<>{});
  check(thrust::greater<>{});
}

TEST_CASE("all small sizes") {
  for (const shape s : {shape::random, shape::few, shape::disjoint2}) {
    CAPTURE(oracle::name(s));
    const int step = oracle::quick() ? 7 : 1;
    for (std::size_t m = 0; m < 24; m += static_cast<std::size_t>(step)) {
      for (std::size_t n = 0; n < 24; n += static_cast<std::size_t>(step)) {
        const auto in = make_sorted<signed char>(s, m, n, thrust::less<>{});
        check_merge<unsigned, fixed<strategy::by_value, 32, 1>>(in, m, thrust::less<>{});
      }
    }
  }
}

/// `size` keys, of which `width` in the middle rise through all values; the others are extreme.
std::vector<unsigned char> make_spike(std::size_t size, std::size_t width) {
  std::vector<unsigned char> keys(size, 0);
  const std::size_t begin = (size - width) / 2;
  for (std::size_t i = 0; i < width; ++i) {
    keys[begin + i] = static_cast<unsigned char>(i * 255 / width);
  }
  std::fill(keys.begin() + static_cast<std::ptrdiff_t>(begin + width), keys.end(),
            static_cast<unsigned char>(255));
  return keys;
}

TEST_CASE("one section has all values, the others one") {
  const std::size_t size = oracle::quick() ? 40000 : 1500000;
  for (const std::size_t width : {0, 300, 30000}) {
    CAPTURE(width);
    const pair_inputs<unsigned char> both{make_spike(size, width), make_spike(size - 77, width)};
    const pair_inputs<unsigned char> one{make_spike(size, width), make_spike(1000, 0)};
    for (const std::size_t offset : {0, 3}) {
      check_merge(both, offset, thrust::less<>{});
      check_merge(one, offset, thrust::less<>{});
      check_merge<unsigned, fixed<strategy::by_value, 128, 64>>(both, offset, thrust::less<>{});
      check_merge<unsigned, fixed<strategy::by_value, 256, 1024>>(both, offset, thrust::less<>{});
    }
  }
}

TEST_CASE("inputs that are not sorted: it ends, in bounds") {
  std::mt19937 random(oracle::seed());
  INFO("seed ", oracle::seed());
  std::vector<std::size_t> sizes{0, 1, 31, 3000, 20000};
  if (!oracle::quick()) sizes.push_back(2300000);
  for (const std::size_t size : sizes) {
    for (const shape s : {shape::random, shape::few, shape::disjoint}) {
      auto in = make_sorted<signed char>(s, size, size / 2 + 1, thrust::less<>{});
      std::shuffle(in.a.begin(), in.a.end(), random);
      std::shuffle(in.b.begin(), in.b.end(), random);
      const oracle::device_input<signed char> a(in.a, 1);
      const oracle::device_input<signed char> b(in.b);
      const std::vector<int> ones(in.a.size() + in.b.size(), 1);
      const oracle::device_input<int> values(ones);
      const oracle::device_output<signed char> keys_out(ones.size(), 3);
      const oracle::device_output<int> values_out(ones.size(), 1);
      const auto merge = [&](auto policy) {
        cmerge::merge_by_key(policy, a.begin(), a.end(), b.begin(), b.end(), values.begin(),
                             values.begin() + in.a.size(), keys_out.begin(), values_out.begin());
        keys_out.download();                     // checks the guards
        CHECK((values_out.download() == ones));  // nothing but values of the inputs
      };
      merge(cmerge::tuned<cmerge::default_tuning>(thrust::device));
      merge(cmerge::tuned<fixed<strategy::by_value, 32, 3>>(thrust::device));
      merge(cmerge::tuned<fixed<strategy::by_value, 256, 64>>(thrust::device));
    }
  }
}

}  // namespace gpu_test
