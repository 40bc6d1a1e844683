// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// strategy::by_value for keys alone: every type, order, shape and size, compared with std::merge.
#include "gpu/by_value.cuh"

#include <cmerge/merge.h>

#include <thrust/functional.h>

#include <functional>

namespace gpu_test {

using cmerge::strategy;
using oracle::by_size;
using oracle::fixed;
using oracle::fixed_moderate;
using oracle::moderate_default;
using oracle::unused;
namespace detail = cmerge::detail;

// ---- problems ---------------------------------------------------------------------------------

template <class Key1, class Key2, class Compare, class Out = Key1>
using keys_problem = detail::merge_problem<const Key1*, const Key2*, Out*, detail::no_values,
                                           detail::no_values, detail::no_values, Compare>;

/// Whether a call with these arguments can use `strategy::by_value`.
template <class Key1, class Key2, class Compare, class Out = Key1>
constexpr bool has_by_value() {
  using problem =
      decltype(detail::unwrap_problem(std::declval<keys_problem<Key1, Key2, Compare, Out>>()));
  return detail::can_merge_by_value<problem>;
}

struct by_digit {
  __host__ __device__ bool operator()(int a, int b) const { return a % 10 < b % 10; }
};

TEST_CASE("knows which key problems can merge by value") {
  static_assert(has_by_value<signed char, signed char, detail::less>());
  static_assert(has_by_value<unsigned char, unsigned char, thrust::less<>>());
  static_assert(has_by_value<char, char, thrust::less<char>>());
  static_assert(has_by_value<bool, bool, std::less<>>());
  static_assert(has_by_value<short, short, std::less<short>>());
  static_assert(has_by_value<short, short, std::greater<short>>());
  static_assert(has_by_value<char16_t, char16_t, thrust::greater<>>());
  static_assert(has_by_value<unsigned short, unsigned short, thrust::greater<unsigned short>>());
  static_assert(!has_by_value<int, int, detail::less>(), "too many values");
  static_assert(!has_by_value<signed char, short, detail::less>(), "two types");
  static_assert(!has_by_value<short, short, detail::less, int>(), "another type of output");
  static_assert(!has_by_value<signed char, signed char, by_digit>(),
                "equal keys are distinguishable");
  static_assert(!has_by_value<signed char, signed char, std::less<unsigned char>>(),
                "another order");

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
//
// The tunings below are named after their sections in moderate problems. Together they have
// sections of 32 to 16384 outputs and blocks of 32 to 256 threads in both moderate and large
// problems.

/// The default in large and huge problems, where it merges by value: huge ones of 2-byte keys,
/// large ones of 1-byte keys.
using small_sections = by_size<fixed<strategy::by_value, 64, 8>, cmerge::default_tuning>;
using sections_of_32 =
    by_size<fixed<strategy::by_value, 32, 1>, fixed<strategy::by_value, 32, 3>, unused>;
using sections_of_768 =
    by_size<fixed<strategy::by_value, 96, 8>, fixed<strategy::by_value, 64, 32>, unused>;
using sections_of_1024 =
    by_size<fixed<strategy::by_value, 32, 32>, fixed<strategy::by_value, 128, 64>, unused>;
using sections_of_16384 =
    by_size<fixed<strategy::by_value, 256, 64>, fixed<strategy::by_value, 256, 64>, unused>;

/// One merge. The offset changes the alignment of both inputs and of the output.
template <class Tuning, class T, class Compare>
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

/// Runs every shape: `Tuning` at every alignment, and on large problems. `Other` is another tuning
/// for moderate problems.
template <class T, class Tuning, class Other = void, class Compare>
void check_shapes(Compare comp) {
  for (const shape s : oracle::all_shapes) {
    INFO("shape ", oracle::name(s), ", seed ", oracle::seed());
    const auto in = make_sorted<T>(s, 3333, 4321, comp);
    for (std::size_t offset = 0; offset < 16; ++offset) {
      if (oracle::quick() && offset % 5 != 0) continue;
      check_merge<Tuning>(in, offset, comp);
      if constexpr (!std::is_void_v<Other>) check_merge<Other>(in, offset, comp);
    }
    if (oracle::quick()) continue;
    // Large problems have long sections. One input is much smaller, or empty.
    constexpr std::size_t half = cmerge::large_problem / 2;
    check_merge<Tuning>(make_sorted<T>(s, half + 31, half + 1, comp), 1, comp);
    check_merge<Tuning>(make_sorted<T>(s, half / 64, 2 * half, comp), 6, comp);
    check_merge<Tuning>(make_sorted<T>(s, 2 * half + 7, 1, comp), 2, comp);
    check_merge<Tuning>(make_sorted<T>(s, 0, 2 * half + 3, comp), 3, comp);
  }
}

/// Every type merges by value in both orders. With the default tuning, moderate problems take
/// another strategy; each type has it in one order, and each order with several types.
template <class T>
using order_of_default =
    std::conditional_t<std::is_unsigned_v<T>, thrust::greater<>, thrust::less<>>;

TEST_CASE_TEMPLATE("merges keys of every shape, ascending and descending", T, signed char,
                   unsigned char, char, short, unsigned short) {
  using other_order = std::conditional_t<std::is_unsigned_v<T>, thrust::less<>, thrust::greater<>>;
  check_shapes<T, small_sections, moderate_default>(order_of_default<T>{});
  check_shapes<T, small_sections>(other_order{});
}

TEST_CASE_TEMPLATE("merges bool", T, small_sections, moderate_default) {
  // std::vector<bool> is not contiguous, so the keys are bytes.
  for (const std::size_t zeros : {0, 1, 500, 20000}) {
    oracle::inputs<unsigned char> in;
    in.a.assign(30000, 1);
    in.b.assign(30001, 1);
    std::fill_n(in.a.begin(), zeros, static_cast<unsigned char>(0));
    std::fill_n(in.b.begin(), zeros / 3, static_cast<unsigned char>(0));
    const oracle::device_input<unsigned char> a(in.a);
    const oracle::device_input<unsigned char> b(in.b, 1);
    const oracle::device_output<unsigned char> out(60001, 5);
    const auto* const first_a = reinterpret_cast<const bool*>(a.begin());
    const auto* const first_b = reinterpret_cast<const bool*>(b.begin());
    cmerge::merge(cmerge::tuned<T>(thrust::device), first_a, first_a + 30000, first_b,
                  first_b + 30001, reinterpret_cast<bool*>(out.begin()));
    CHECK(out.download() == oracle::merged(in.a, in.b, thrust::less<>{}));
  }
}

TEST_CASE("knows the orders by all their names") {
  const auto up = make_sorted<short>(shape::random, 3000, 5000, thrust::less<>{});
  const auto down = make_sorted<short>(shape::random, 3000, 5000, thrust::greater<>{});
  check_merge<sections_of_1024>(up, 1, std::less<>{});
  check_merge<sections_of_1024>(up, 2, std::less<short>{});
  check_merge<sections_of_1024>(up, 3, thrust::less<short>{});
  check_merge<sections_of_1024>(down, 4, std::greater<>{});
  check_merge<sections_of_1024>(down, 5, std::greater<short>{});
  check_merge<sections_of_1024>(down, 6, thrust::greater<short>{});
}

/// Many merges of subranges of two pools, so that sections end everywhere.
template <class Tuning, class T>
void run_cases(shape s, std::size_t pool, const std::vector<oracle::merge_case>& cases) {
  CAPTURE(oracle::name(s));
  const auto policy = cmerge::tuned<Tuning>(thrust::cuda::par_nosync);
  oracle::check_cases(
      make_sorted<T>(s, pool, pool, thrust::less<>{}), cases, thrust::less<>{},
      [&](const T* a, const T* a_end, const T* b, const T* b_end, T* out,
          const oracle::merge_case&) { return cmerge::merge(policy, a, a_end, b, b_end, out); });
}

TEST_CASE_TEMPLATE("merges sizes around the section", T, sections_of_32, sections_of_1024,
                   sections_of_768, sections_of_16384) {
  for (const shape s : {shape::random, shape::few, shape::equal, shape::disjoint, shape::skewed}) {
    constexpr std::size_t pool = 40000;
    run_cases<T, signed char>(s, 500, oracle::all_sizes(40, 500));
    run_cases<T, signed char>(s, pool, oracle::tile_sizes(T::tile, pool));
    run_cases<T, short>(s, 500, oracle::all_sizes(40, 500));
    run_cases<T, short>(s, pool, oracle::tile_sizes(T::tile, pool));
  }
}

TEST_CASE_TEMPLATE("merges inputs where one section has all values", T, signed char, unsigned char,
                   short, unsigned short) {
  const std::size_t size = oracle::quick() ? 40000 : 3000000;
  for (const std::size_t width : {300, 5000, 30000}) {
    CAPTURE(width);
    const oracle::inputs<T> both{make_spike<T>(size, width), make_spike<T>(size - 77, width)};
    const oracle::inputs<T> one{make_spike<T>(size, width), make_spike<T>(1000, 0)};
    for (const std::size_t offset : {0, 3}) {
      check_merge<small_sections>(both, offset, thrust::less<>{});
      check_merge<small_sections>(one, offset, thrust::less<>{});
      check_merge<sections_of_1024>(both, offset, thrust::less<>{});
    }
  }
}

TEST_CASE_TEMPLATE("merges the extreme values and adjacent values", T, signed char, short) {
  using limits = std::numeric_limits<T>;
  const std::size_t size = oracle::quick() ? 30000 : 2500000;
  std::vector<T> ends(size, limits::min());
  std::fill(ends.begin() + static_cast<std::ptrdiff_t>(size / 3), ends.end(), limits::max());
  std::vector<T> middle(size, 0);
  std::fill(middle.begin() + static_cast<std::ptrdiff_t>(size / 2), middle.end(), T{1});
  for (const auto& in : {oracle::inputs<T>{ends, ends}, oracle::inputs<T>{ends, middle},
                         oracle::inputs<T>{middle, ends}, oracle::inputs<T>{middle, middle}}) {
    check_merge<small_sections>(in, 1, thrust::less<>{});
    check_merge<sections_of_768>(in, 2, thrust::less<>{});
  }
}

// ---- searches and section lengths ---------------------------------------------------------------

/// A kernel shape that scans up to `Bytes` bytes and searches beyond that, with `Lanes` threads
/// each.
template <int Bytes, int Lanes>
struct shape_of {
  static constexpr int scan_bytes = Bytes;
  static constexpr int run_bytes = Bytes;
  static constexpr int lanes = Lanes;
};

template <class Merge, class Problem>
__global__ void sections_kernel(Problem problem, detail::section_schedule schedule) {
  extern __shared__ __align__(16) unsigned char storage[];
  Merge::run(storage, problem, schedule.one_tile(blockIdx.x));
}

template <int Threads, class Shape, class T>
void check_sections(const oracle::inputs<T>& in, std::int64_t section) {
  CAPTURE(Threads);
  CAPTURE(section);
  const oracle::device_input<T> a(in.a, 5);
  const oracle::device_input<T> b(in.b, 2);
  const auto outputs = static_cast<std::int64_t>(in.a.size() + in.b.size());
  const oracle::device_output<T> out(static_cast<std::size_t>(outputs), 3);
  const keys_problem<T, T, detail::less> problem = detail::keys_problem(
      static_cast<const T*>(a.begin()), static_cast<const T*>(b.begin()), out.begin(),
      detail::less{},
      {static_cast<std::int64_t>(in.a.size()), static_cast<std::int64_t>(in.b.size()), outputs});
  using merge = detail::by_value_keys<Threads, T, false, Shape>;
  // One resident block: sections have their maximum length.
  const auto schedule = detail::by_value_schedule(problem.keys_out, outputs, section, 1);
  sections_kernel<merge><<<static_cast<unsigned>(schedule.blocks()), Threads,
                           detail::by_value_keys_bytes<T>(Threads)>>>(problem, schedule);
  REQUIRE(cudaGetLastError() == cudaSuccess);
  const auto expected = oracle::merged(in.a, in.b, thrust::less<>{});
  REQUIRE(oracle::first_difference(out.download().data(), expected) == expected.size());
}

TEST_CASE_TEMPLATE("scans and searches in sections of any length", T, signed char, unsigned short) {
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

// ---- misuse and other strategies --------------------------------------------------------------

TEST_CASE_TEMPLATE("merges unsorted inputs within bounds", T, signed char, short) {
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
        out.download();  // checks the guard bytes
      };
      merge(cmerge::tuned<small_sections>(thrust::device));
      merge(cmerge::tuned<sections_of_32>(thrust::device));
      merge(cmerge::tuned<sections_of_16384>(thrust::device));
      if (size <= 20000) merge(cmerge::tuned<moderate_default>(thrust::device));
    }
  }
}

TEST_CASE("merges by another strategy on request, and if by_value is impossible") {
  const auto in = make_sorted<short>(shape::random, 3000, 5000, thrust::less<>{});
  check_merge<fixed_moderate<strategy::single, 128, 7>>(in, 1, thrust::less<>{});
  check_merge<fixed_moderate<strategy::circular, 128, 7>>(in, 1, thrust::less<>{});
  // These two get the default tuning.
  using forced = fixed_moderate<strategy::by_value, 64, 8>;
  const auto tagged = oracle::make_inputs(shape::few, 3000, 5000);
  check_merge<forced>(tagged, 1, oracle::by_key{});
  auto digits = make_sorted<signed char>(shape::random, 3000, 5000, by_digit{});
  check_merge<forced>(digits, 1, by_digit{});
}

/// Random keys of all values, sorted: how often each value occurs.
std::vector<std::size_t> random_counts(std::size_t size, std::uint64_t salt) {
  std::vector<std::size_t> counts(65536);
  for (std::uint64_t i = 0; i < size; ++i) ++counts[(i + salt) * 0x9E3779B97F4A7C15u >> 48];
  return counts;
}

/// Sorted keys with these counts, in ascending or descending order.
std::vector<short> make_keys(const std::vector<std::size_t>& counts, bool descending) {
  std::vector<short> keys;
  for (std::size_t v = 0; v < counts.size(); ++v) {
    const auto key = static_cast<short>(static_cast<int>(v) - 32768);
    keys.insert(keys.end(), counts[v], key);
  }
  if (descending) std::reverse(keys.begin(), keys.end());
  return keys;
}

TEST_CASE("merges huge problems of 2-byte keys by value") {
  if (oracle::quick()) return;
  const auto counts_a = random_counts(static_cast<std::size_t>(cmerge::huge_problem) / 2 + 5, 1);
  const auto counts_b =
      random_counts(static_cast<std::size_t>(cmerge::huge_problem) / 2 + 1, 1u << 30);
  std::vector<std::size_t> counts(counts_a);
  for (std::size_t v = 0; v < counts.size(); ++v) counts[v] += counts_b[v];
  const auto check = [&](bool descending, auto comp) {
    const oracle::device_input<short> a(make_keys(counts_a, descending));
    const oracle::device_input<short> b(make_keys(counts_b, descending));
    const oracle::device_output<short> out(a.size() + b.size());
    cmerge::merge(cmerge::tuned<small_sections>(thrust::device), a.begin(), a.end(), b.begin(),
                  b.end(), out.begin(), comp);
    CHECK((out.download() == make_keys(counts, descending)));
  };
  check(false, thrust::less<short>{});
  check(true, thrust::greater<short>{});
}

}  // namespace gpu_test
