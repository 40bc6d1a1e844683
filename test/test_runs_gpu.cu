// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// strategy::by_value: keys with few possible values, of all types, orders, shapes and sizes,
// against std::merge; and which problems have it.
#include "gpu/oracle.cuh"

#include <cmerge/merge.h>

#include <thrust/device_vector.h>
#include <thrust/equal.h>
#include <thrust/functional.h>
#include <thrust/merge.h>
#include <thrust/sort.h>
#include <thrust/tabulate.h>

#include <functional>
#include <limits>

namespace gpu_test {

using cmerge::strategy;
using oracle::fixed;
using oracle::shape;
namespace detail = cmerge::detail;

// ---- who has it -------------------------------------------------------------------------------

template <class Key1, class Key2, class Compare, class Out = Key1>
using keys_problem = detail::merge_problem<const Key1*, const Key2*, Out*, detail::no_values,
                                           detail::no_values, detail::no_values, Compare>;

/// Whether a call with these arguments can have `strategy::by_value`.
template <class Key1, class Key2, class Compare, class Out = Key1>
constexpr bool has_runs() {
  using problem =
      decltype(detail::unwrap_problem(std::declval<keys_problem<Key1, Key2, Compare, Out>>()));
  return detail::can_merge_by_value<problem>;
}

struct by_digit {
  __host__ __device__ bool operator()(int a, int b) const { return a % 10 < b % 10; }
};

TEST_CASE("the problems that have strategy::by_value") {
  static_assert(has_runs<signed char, signed char, detail::less>());
  static_assert(has_runs<unsigned char, unsigned char, thrust::less<>>());
  static_assert(has_runs<char, char, thrust::less<char>>());
  static_assert(has_runs<bool, bool, std::less<>>());
  static_assert(has_runs<short, short, std::less<short>>());
  static_assert(has_runs<short, short, std::greater<short>>());
  static_assert(has_runs<char16_t, char16_t, thrust::greater<>>());
  static_assert(has_runs<unsigned short, unsigned short, thrust::greater<unsigned short>>());
  static_assert(!has_runs<int, int, detail::less>(), "too many values");
  static_assert(!has_runs<signed char, short, detail::less>(), "two types");
  static_assert(!has_runs<short, short, detail::less, int>(), "another type of output");
  static_assert(!has_runs<signed char, signed char, by_digit>(), "equal keys differ");
  static_assert(!has_runs<signed char, signed char, std::less<unsigned char>>(), "another order");

  using cmerge::problem_size;
  const auto how = [](int key_bytes, problem_size size, bool by_value) {
    return cmerge::default_tuning::get({90, key_bytes, 0, size, true, by_value}).how;
  };
  CHECK(how(1, problem_size::large, true) == strategy::by_value);
  CHECK(how(2, problem_size::large, true) == strategy::single);
  CHECK(how(2, problem_size::huge, true) == strategy::by_value);
  CHECK(how(1, problem_size::large, false) != strategy::by_value);
  CHECK(how(2, problem_size::huge, false) != strategy::by_value);
}

// ---- against std::merge -----------------------------------------------------------------------

template <class T>
std::vector<T> convert(const std::vector<std::int64_t>& keys) {
  std::vector<T> converted;
  converted.reserve(keys.size());
  for (const std::int64_t k : keys) {
    if constexpr (std::is_same_v<T, bool>) {
      converted.push_back(k > 40000);
    } else {
      converted.push_back(static_cast<T>(sizeof(T) == 1 ? k >> 8 : k));
    }
  }
  return converted;
}

/// Keys of one type between 0 and 65535 or 255, wrapped to the type's range.
template <class T, class Compare>
oracle::inputs<T> make_sorted(shape s, std::size_t m, std::size_t n, Compare comp) {
  const auto keys = oracle::make_keys(s, m, n, 65535);
  oracle::inputs<T> in{convert<T>(keys.a), convert<T>(keys.b)};
  std::stable_sort(in.a.begin(), in.a.end(), comp);
  std::stable_sort(in.b.begin(), in.b.end(), comp);
  return in;
}

/// One merge, with inputs and output at any offsets from a granule.
template <class Tuning = cmerge::default_tuning, class T, class Compare>
void check_merge(const oracle::inputs<T>& in, std::size_t offset, Compare comp) {
  const oracle::device_input<T> a(in.a, offset % 16);
  const oracle::device_input<T> b(in.b, (offset * 7 + 3) % 16);
  const oracle::device_output<T> out(in.a.size() + in.b.size(), (offset * 5 + 1) % 16);
  REQUIRE(cmerge::merge(cmerge::tuned<Tuning>(thrust::device), a.begin(), a.end(), b.begin(),
                        b.end(), out.begin(), comp) == out.end());
  const auto expected = oracle::merged(in.a, in.b, comp);
  const std::size_t difference = oracle::first_difference(out.download().data(), expected);
  if (difference != expected.size()) {
    FAIL("offset ", offset, ", m ", in.a.size(), ", n ", in.b.size(), ": output ", difference,
         " is wrong");
  }
}

/// The default order, and its reverse, by names that host and device know.
using orders = std::tuple<thrust::less<>, thrust::greater<>>;

template <class T, class Compare>
void check_shapes(Compare comp) {
  for (const shape s : oracle::all_shapes) {
    INFO("shape ", oracle::name(s), ", seed ", oracle::seed());
    const auto in = make_sorted<T>(s, 3333, 4321, comp);
    for (std::size_t offset = 0; offset < 16; ++offset) {
      if (oracle::quick() && offset % 5 != 0) continue;
      check_merge(in, offset, comp);
      check_merge<fixed<strategy::by_value, 64, 8>>(in, offset, comp);
    }
    if (oracle::quick()) continue;
    // Large problems, whose sections are long; one side much smaller, or empty.
    constexpr std::size_t half = cmerge::large_problem / 2;
    check_merge(make_sorted<T>(s, half + 31, half + 1, comp), 1, comp);
    check_merge(make_sorted<T>(s, half / 64, 2 * half, comp), 6, comp);
    check_merge(make_sorted<T>(s, 2 * half + 7, 1, comp), 2, comp);
    check_merge(make_sorted<T>(s, 0, 2 * half + 3, comp), 3, comp);
  }
}

TEST_CASE_TEMPLATE("all shapes, up and down", T, signed char, unsigned char, char, bool, short,
                   unsigned short) {
  // (No vector of bool has contiguous elements: its keys are made of bytes.)
  if constexpr (!std::is_same_v<T, bool>) {
    check_shapes<T>(std::get<0>(orders{}));
    check_shapes<T>(std::get<1>(orders{}));
  } else {
    for (const std::size_t zeros : {0, 1, 500, 20000}) {
      oracle::inputs<unsigned char> in;
      in.a.assign(30000, 1);
      in.b.assign(30001, 1);
      std::fill_n(in.a.begin(), zeros, static_cast<unsigned char>(0));
      std::fill_n(in.b.begin(), zeros / 3, static_cast<unsigned char>(0));
      const oracle::device_input<unsigned char> a(in.a);
      const oracle::device_input<unsigned char> b(in.b, 1);
      const oracle::device_output<unsigned char> out(60001, 5);
      const auto* first1 = reinterpret_cast<const bool*>(a.begin());
      const auto* first2 = reinterpret_cast<const bool*>(b.begin());
      cmerge::merge(thrust::device, first1, first1 + 30000, first2, first2 + 30001,
                    reinterpret_cast<bool*>(out.begin()));
      CHECK(out.download() == oracle::merged(in.a, in.b, thrust::less<>{}));
    }
  }
}

TEST_CASE("the names of the orders") {
  const auto up = make_sorted<short>(shape::random, 3000, 5000, thrust::less<>{});
  const auto down = make_sorted<short>(shape::random, 3000, 5000, thrust::greater<>{});
  using runs = fixed<strategy::by_value, 32, 32>;
  check_merge<runs>(up, 1, std::less<>{});
  check_merge<runs>(up, 2, std::less<short>{});
  check_merge<runs>(up, 3, thrust::less<short>{});
  check_merge<runs>(down, 4, std::greater<>{});
  check_merge<runs>(down, 5, std::greater<short>{});
  check_merge<runs>(down, 6, thrust::greater<short>{});
}

/// Many merges of parts of two pools, under one tuning: section borders fall everywhere.
template <class Tuning, class T>
void run_cases(shape s, std::size_t pool, const std::vector<oracle::merge_case>& cases) {
  CAPTURE(oracle::name(s));
  const auto policy = cmerge::tuned<Tuning>(thrust::cuda::par_nosync);
  oracle::check_cases(
      make_sorted<T>(s, pool, pool, thrust::less<>{}), cases, thrust::less<>{},
      [&](const T* a, const T* a_end, const T* b, const T* b_end, T* out,
          const oracle::merge_case&) { return cmerge::merge(policy, a, a_end, b, b_end, out); });
}

TEST_CASE_TEMPLATE("sizes around the section", T, fixed<strategy::by_value, 32, 1>,
                   fixed<strategy::by_value, 32, 32>, fixed<strategy::by_value, 96, 8>,
                   fixed<strategy::by_value, 256, 64>) {
  for (const shape s : {shape::random, shape::few, shape::equal, shape::disjoint, shape::skewed}) {
    constexpr std::size_t pool = 40000;
    run_cases<T, signed char>(s, 500, oracle::all_sizes(40, 500));
    run_cases<T, signed char>(s, pool, oracle::tile_sizes(T::tile, pool));
    run_cases<T, short>(s, 500, oracle::all_sizes(40, 500));
    run_cases<T, short>(s, pool, oracle::tile_sizes(T::tile, pool));
  }
}

/// `size` keys, of which `width` in the middle rise through all values; the others are extreme.
template <class T>
std::vector<T> make_spike(std::size_t size, std::size_t width) {
  using limits = std::numeric_limits<T>;
  std::vector<T> keys(size, limits::min());
  const std::size_t begin = (size - width) / 2;
  for (std::size_t i = 0; i < width; ++i) {
    keys[begin + i] = static_cast<T>(limits::min() + static_cast<std::int64_t>(i) *
                                                         (limits::max() - limits::min()) /
                                                         static_cast<std::int64_t>(width));
  }
  std::fill(keys.begin() + static_cast<std::ptrdiff_t>(begin + width), keys.end(), limits::max());
  return keys;
}

TEST_CASE_TEMPLATE("one section has all values, the others one", T, signed char, unsigned char,
                   short, unsigned short) {
  const std::size_t size = oracle::quick() ? 40000 : 3000000;
  for (const std::size_t width : {300, 5000, 30000}) {
    CAPTURE(width);
    const oracle::inputs<T> both{make_spike<T>(size, width), make_spike<T>(size - 77, width)};
    const oracle::inputs<T> one{make_spike<T>(size, width), make_spike<T>(1000, 0)};
    for (const std::size_t offset : {0, 3}) {
      check_merge(both, offset, thrust::less<>{});
      check_merge(one, offset, thrust::less<>{});
      check_merge<fixed<strategy::by_value, 128, 64>>(both, offset, thrust::less<>{});
    }
  }
}

TEST_CASE_TEMPLATE("values far apart, and next to each other", T, signed char, short) {
  using limits = std::numeric_limits<T>;
  const std::size_t size = oracle::quick() ? 30000 : 2500000;
  std::vector<T> ends(size, limits::min());
  std::fill(ends.begin() + static_cast<std::ptrdiff_t>(size / 3), ends.end(), limits::max());
  std::vector<T> middle(size, 0);
  std::fill(middle.begin() + static_cast<std::ptrdiff_t>(size / 2), middle.end(), T{1});
  for (const auto& in : {oracle::inputs<T>{ends, ends}, oracle::inputs<T>{ends, middle},
                         oracle::inputs<T>{middle, ends}, oracle::inputs<T>{middle, middle}}) {
    check_merge(in, 1, thrust::less<>{});
    check_merge<fixed<strategy::by_value, 64, 32>>(in, 2, thrust::less<>{});
  }
}

// ---- all ways to search, and sections of any length ---------------------------------------------

/// Shapes that scan everything, or search for everything, with few or many threads each.
template <int Bytes, int Lanes>
struct shape_of {
  static constexpr int scan_bytes = Bytes;
  static constexpr int bytes_per_value = Bytes;
  static constexpr int lanes = Lanes;
};

template <class Runs, class Problem>
__global__ void sections_kernel(Problem problem, detail::section_schedule schedule) {
  extern __shared__ __align__(16) unsigned char storage[];
  Runs::run(storage, problem, schedule.one_tile(blockIdx.x));
}

template <int Threads, class Shape, class T>
void check_sections(const oracle::inputs<T>& in, std::int64_t section) {
  CAPTURE(Threads);
  CAPTURE(section);
  const oracle::device_input<T> a(in.a, 5);
  const oracle::device_input<T> b(in.b, 2);
  const auto outputs = static_cast<std::int64_t>(in.a.size() + in.b.size());
  const oracle::device_output<T> out(static_cast<std::size_t>(outputs), 3);
  const keys_problem<T, T, detail::less> problem =
      detail::make_merge_problem(static_cast<const T*>(a.begin()), static_cast<const T*>(b.begin()),
                                 out.begin(), detail::no_values{}, detail::no_values{},
                                 detail::no_values{}, static_cast<std::int64_t>(in.a.size()),
                                 static_cast<std::int64_t>(in.b.size()), outputs, detail::less{});
  using runs = detail::by_value_keys<Threads, T, false, Shape>;
  // With one block on the device, sections are as long as they may be.
  const auto schedule = detail::by_value_schedule(problem.keys_out, outputs, section, 1);
  sections_kernel<runs>
      <<<static_cast<unsigned>(schedule.blocks()), Threads, runs::storage_bytes(Threads)>>>(
          problem, schedule);
  REQUIRE(cudaGetLastError() == cudaSuccess);
  const auto expected = oracle::merged(in.a, in.b, thrust::less<>{});
  REQUIRE(oracle::first_difference(out.download().data(), expected) == expected.size());
}

TEST_CASE_TEMPLATE("scans and searches, sections of any length", T, signed char, unsigned short) {
  const std::size_t size = oracle::quick() ? 30000 : 500000;
  for (const shape s : {shape::random, shape::few, shape::disjoint, shape::skewed}) {
    CAPTURE(oracle::name(s));
    for (const auto& in : {make_sorted<T>(s, size, size + 77, thrust::less<>{}),
                           make_sorted<T>(s, size / 50, size, thrust::less<>{})}) {
      for (const std::int64_t section : {4096, 32768, 262144, 524288}) {
        check_sections<256, shape_of<1 << 20, 4>>(in, section);
        check_sections<256, shape_of<0, 4>>(in, section);
        check_sections<96, shape_of<0, 8>>(in, section);
        check_sections<32, shape_of<16, 2>>(in, section);
      }
    }
  }
}

// ---- misuse, and what does not have it --------------------------------------------------------

TEST_CASE_TEMPLATE("inputs that are not sorted: it ends, in bounds", T, signed char, short) {
  std::mt19937 random(oracle::seed());
  INFO("seed ", oracle::seed());
  std::vector<std::size_t> sizes{1, 31, 3000, 20000};
  if (!oracle::quick()) sizes.push_back(2300000);
  for (const std::size_t size : sizes) {
    for (const shape s : {shape::random, shape::few, shape::disjoint}) {
      auto in = make_sorted<T>(s, size, size / 2 + 1, thrust::less<>{});
      std::shuffle(in.a.begin(), in.a.end(), random);
      std::shuffle(in.b.begin(), in.b.end(), random);
      const oracle::device_input<T> a(in.a, 1);
      const oracle::device_input<T> b(in.b);
      const oracle::device_output<T> out(in.a.size() + in.b.size(), 3);
      const auto merge = [&](auto policy) {
        cmerge::merge(policy, a.begin(), a.end(), b.begin(), b.end(), out.begin());
        out.download();  // checks the guards
      };
      merge(cmerge::tuned<cmerge::default_tuning>(thrust::device));
      merge(cmerge::tuned<fixed<strategy::by_value, 32, 3>>(thrust::device));
      merge(cmerge::tuned<fixed<strategy::by_value, 256, 64>>(thrust::device));
    }
  }
}

TEST_CASE("other strategies can be forced; problems without runs get the default") {
  const auto in = make_sorted<short>(shape::random, 3000, 5000, thrust::less<>{});
  check_merge<fixed<strategy::single, 128, 7>>(in, 1, thrust::less<>{});
  check_merge<fixed<strategy::circular, 128, 7>>(in, 1, thrust::less<>{});
  using runs = fixed<strategy::by_value, 64, 8>;
  const auto tagged = oracle::make_inputs(shape::few, 3000, 5000);
  check_merge<runs>(tagged, 1, oracle::by_key{});
  auto digits = make_sorted<signed char>(shape::random, 3000, 5000, by_digit{});
  check_merge<runs>(digits, 1, by_digit{});
}

struct scattered {
  std::uint64_t seed;
  __host__ __device__ short operator()(std::uint64_t i) const {
    return static_cast<short>((i + seed) * 0x9E3779B97F4A7C15u >> 48);
  }
};

TEST_CASE("so many two-byte keys that the default is runs") {
  if (oracle::quick()) return;
  const auto m = static_cast<std::size_t>(cmerge::huge_problem) / 2 + 5;
  const auto n = static_cast<std::size_t>(cmerge::huge_problem) / 2 + 1;
  thrust::device_vector<short> a(m);
  thrust::device_vector<short> b(n);
  thrust::tabulate(a.begin(), a.end(), scattered{1});
  thrust::tabulate(b.begin(), b.end(), scattered{1u << 30});
  const auto check = [&](auto comp) {
    thrust::sort(a.begin(), a.end(), comp);
    thrust::sort(b.begin(), b.end(), comp);
    thrust::device_vector<short> expected(m + n);
    thrust::device_vector<short> out(m + n);
    thrust::merge(a.begin(), a.end(), b.begin(), b.end(), expected.begin(), comp);
    cmerge::merge(thrust::device, a.begin(), a.end(), b.begin(), b.end(), out.begin(), comp);
    CHECK(thrust::equal(out.begin(), out.end(), expected.begin()));
  };
  check(thrust::less<short>{});
  check(thrust::greater<short>{});
}

}  // namespace gpu_test
