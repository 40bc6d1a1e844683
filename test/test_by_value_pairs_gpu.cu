// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// strategy::by_value for 1-byte keys with values that identify their keys: every order, shape, size
// and alignment, compared with std::merge.
#include "gpu/by_value.cuh"

#include <cmerge/merge.h>
#include <cmerge/merge_n.h>

#include <thrust/functional.h>
#include <thrust/iterator/counting_iterator.h>

#include <numeric>

namespace gpu_test {

using cmerge::strategy;
using oracle::by_size;
using oracle::fixed;
using oracle::moderate_default;
using oracle::unused;
namespace detail = cmerge::detail;

// ---- problems ---------------------------------------------------------------------------------

template <class Key, class Values1, class Values2 = Values1, class Compare = detail::less>
using pairs_problem = detail::merge_problem<const Key*, const Key*, Key*, Values1, Values2,
                                            detail::value_t<Values1>*, Compare>;

struct large_value {
  int words[5];
};

TEST_CASE("knows which pair problems can merge by value") {
  using detail::can_merge_by_value;
  using counting = thrust::counting_iterator<long long>;
  static_assert(can_merge_by_value<pairs_problem<signed char, const int*>>);
  static_assert(can_merge_by_value<pairs_problem<unsigned char, const double2*>>);
  static_assert(can_merge_by_value<pairs_problem<bool, counting, const long long*>>);
  static_assert(!can_merge_by_value<pairs_problem<short, const int*>>, "values have short runs");
  static_assert(!can_merge_by_value<pairs_problem<char, const large_value*>>,
                "too large for registers");
  static_assert(!can_merge_by_value<pairs_problem<char, const int*, const long*>>, "two types");
  static_assert(!can_merge_by_value<pairs_problem<char, const int*, const int*, oracle::by_key>>);
  CHECK(cmerge::default_tuning::get({90, 1, 4, cmerge::problem_size::large, true, true}).how ==
        strategy::by_value);
}

// ---- against std::merge -----------------------------------------------------------------------

/// A value of any size that holds a number, or its low bytes.
template <class Value>
Value value_of(std::size_t number) {
  Value value{};
  std::memcpy(&value, &number, std::min(sizeof(Value), sizeof(number)));
  return value;
}

/// Merges the first `max_count` outputs. Each value is its own position: the values of the second
/// input follow those of the first.
template <class Value, class Tuning, class Key, class Compare>
void check_merge(const oracle::inputs<Key>& in, std::size_t offset, Compare comp,
                 std::size_t max_count = std::numeric_limits<std::int64_t>::max()) {
  const std::size_t m = in.a.size();
  const std::size_t total = m + in.b.size();
  const std::size_t count = std::min(max_count, total);
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
      static_cast<std::int64_t>(max_count), keys_out.begin(), values_out.begin(), comp);
  REQUIRE(ends.first == keys_out.end());
  REQUIRE(ends.second == values_out.end());

  // The positions in the order of the stable merge.
  std::vector<std::size_t> positions(total);
  std::vector<std::size_t> all(total);
  std::iota(all.begin(), all.end(), std::size_t{0});
  const auto key = [&](std::size_t i) { return i < m ? in.a[i] : in.b[i - m]; };
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(m);
  std::merge(all.begin(), middle, middle, all.end(), positions.begin(),
             [&](std::size_t x, std::size_t y) { return comp(key(x), key(y)); });
  const auto keys = keys_out.download();
  const auto moved = values_out.download();
  for (std::size_t k = 0; k < count; ++k) {
    const Value expected = value_of<Value>(positions[k]);
    if (keys[k] != key(positions[k]) || std::memcmp(&moved[k], &expected, sizeof(Value)) != 0) {
      FAIL("offset ", offset, ", m ", m, ", n ", total - m, ": output ", k, " is wrong");
    }
  }
}

struct alignas(16) sixteen {
  std::uint64_t words[2];
};

// The tunings below are named after their sections in moderate problems. Together they have blocks
// of 32 to 256 threads and sections of 32 to 262144 outputs, in both moderate and large problems.

/// The default in large problems, where it merges by value.
using sections_of_512 = by_size<fixed<strategy::by_value, 64, 8>, cmerge::default_tuning>;
using sections_of_32 =
    by_size<fixed<strategy::by_value, 32, 1>, fixed<strategy::by_value, 128, 64>>;
using sections_of_16384 =
    by_size<fixed<strategy::by_value, 256, 64>, fixed<strategy::by_value, 32, 3>>;
using longest_sections = fixed<strategy::by_value, 256, 1024>;

using sections_of_384 = by_size<fixed<strategy::by_value, 96, 4>, unused>;
using sections_of_1024 = by_size<fixed<strategy::by_value, 32, 32>, unused>;
using large_sections = by_size<unused, cmerge::default_tuning>;

/// Every key type in both orders with 4-byte values. Values of 2, 8 and 16 bytes occur with each
/// key type and with each order, but not with each of their four combinations.
template <class Key, class Compare>
void check_shapes(Compare comp) {
  constexpr bool is_ascending = std::is_same_v<Compare, thrust::less<>>;
  constexpr bool is_first_half = is_ascending == std::is_signed_v<Key>;
  for (const shape s : oracle::all_shapes) {
    INFO("shape ", oracle::name(s), ", seed ", oracle::seed());
    const auto in = make_sorted<Key>(s, 3333, 4321, comp);
    for (std::size_t offset = 0; offset < 16; ++offset) {
      if (oracle::quick() && offset % 5 != 0) continue;
      check_merge<unsigned, sections_of_512>(in, offset, comp);
      if constexpr (is_first_half) {
        check_merge<std::uint16_t, sections_of_384>(in, offset, comp, 5000);
      } else {
        check_merge<sixteen, sections_of_1024>(in, offset, comp);
      }
    }
    if (oracle::quick()) continue;
    // Large problems have long sections. One input is much smaller, or empty.
    constexpr std::size_t half = cmerge::large_problem / 2;
    const auto check = [&](std::size_t m, std::size_t n, std::size_t offset, auto... max_count) {
      check_merge<unsigned, sections_of_512>(make_sorted<Key>(s, m, n, comp), offset, comp,
                                             max_count...);
    };
    check(half + 31, half + 1, 1);
    check(2 * half + 7, 1, 2);
    check(0, 2 * half + 3, 3);
    check(2 * half, half, 4, 2 * half + 5);
    if constexpr (is_first_half) {
      check_merge<std::uint64_t, large_sections>(make_sorted<Key>(s, half / 64, 2 * half, comp), 6,
                                                 comp);
    } else {
      check(half / 64, 2 * half, 6);
    }
  }
}

TEST_CASE_TEMPLATE("merges pairs of every shape, ascending and descending", Key, signed char,
                   unsigned char) {
  check_shapes<Key>(thrust::less<>{});
  check_shapes<Key>(thrust::greater<>{});
}

TEST_CASE("merges pairs of all small sizes") {
  for (const shape s : {shape::random, shape::few, shape::disjoint2}) {
    CAPTURE(oracle::name(s));
    const int step = oracle::quick() ? 7 : 1;
    for (std::size_t m = 0; m < 24; m += static_cast<std::size_t>(step)) {
      for (std::size_t n = 0; n < 24; n += static_cast<std::size_t>(step)) {
        const auto in = make_sorted<signed char>(s, m, n, thrust::less<>{});
        check_merge<unsigned, sections_of_32>(in, m, thrust::less<>{});
      }
    }
  }
}

TEST_CASE("merges pairs where one section has all values") {
  using key = unsigned char;
  const std::size_t size = oracle::quick() ? 40000 : 1500000;
  for (const std::size_t width : {0, 300, 30000}) {
    CAPTURE(width);
    const oracle::inputs<key> both{make_spike<key>(size, width), make_spike<key>(size - 77, width)};
    const oracle::inputs<key> one{make_spike<key>(size, width), make_spike<key>(1000, 0)};
    for (const std::size_t offset : {0, 3}) {
      check_merge<unsigned, sections_of_512>(both, offset, thrust::less<>{});
      check_merge<unsigned, sections_of_512>(one, offset, thrust::less<>{});
      check_merge<unsigned, sections_of_32>(both, offset, thrust::less<>{});
      check_merge<unsigned, longest_sections>(both, offset, thrust::less<>{});
    }
  }
}

TEST_CASE("merges unsorted pairs within bounds, moving values of the inputs only") {
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
      const std::vector<unsigned> ones(in.a.size() + in.b.size(), 1);
      const oracle::device_input<unsigned> values(ones);
      const oracle::device_output<signed char> keys_out(ones.size(), 3);
      const oracle::device_output<unsigned> values_out(ones.size(), 1);
      const auto merge = [&](auto policy) {
        cmerge::merge_by_key(policy, a.begin(), a.end(), b.begin(), b.end(), values.begin(),
                             values.begin() + in.a.size(), keys_out.begin(), values_out.begin());
        keys_out.download();  // checks the guard bytes
        CHECK((values_out.download() == ones));
      };
      merge(cmerge::tuned<sections_of_512>(thrust::device));
      merge(cmerge::tuned<sections_of_32>(thrust::device));
      merge(cmerge::tuned<sections_of_16384>(thrust::device));
      if (size <= 20000) merge(cmerge::tuned<moderate_default>(thrust::device));
    }
  }
}

}  // namespace gpu_test
