// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every strategy, forced by a tuning, for keys alone: tiny tiles, so that tiles end everywhere, and
// tiles of realistic sizes. A kernel does not depend on the problem size apart from its tuning, so
// each tuning runs all small problems, and each strategy also runs large ones in at least one
// tuning of either kind of tiles.
#include "gpu/oracle.cuh"

#include <cmerge/merge.h>

#include <map>
#include <tuple>

namespace gpu_test {

using cmerge::strategy;
using oracle::fixed;
using oracle::fixed_moderate;
using oracle::shape;
using oracle::tagged;

constexpr std::size_t pool_size = 20000;

/// Runs cases under a tuning. Reports comparisons of anything but input elements.
template <class Tuning, class Key = tagged>
void run_cases(const oracle::inputs<Key>& pool, const std::vector<oracle::merge_case>& cases) {
  const oracle::device_errors errors;
  const auto policy = cmerge::tuned<Tuning>(thrust::cuda::par_nosync);
  oracle::check_cases(pool, cases, oracle::by_key{},
                      [&](const Key* a, const Key* a_end, const Key* b, const Key* b_end, Key* out,
                          const oracle::merge_case& c) {
                        return cmerge::merge(policy, a, a_end, b, b_end, out,
                                             oracle::checked(c, errors));
                      });
  CHECK_MESSAGE(errors.count() == 0, "something other than an input element was compared");
}

/// A large problem on the device: `a` and `b` hold tagged keys.
template <class Tuning, class Key>
void run_large(const oracle::device_input<Key>& a, const oracle::device_input<Key>& b) {
  const oracle::device_output<Key> out(a.size() + b.size(), 1);
  const oracle::device_errors errors;
  Key* const end =
      cmerge::merge(cmerge::tuned<Tuning>(thrust::device), a.begin(), a.end(), b.begin(), b.end(),
                    out.begin(), oracle::checked({0, a.size(), 0, b.size()}, errors));
  CHECK(end == out.end());
  CHECK_MESSAGE(errors.count() == 0, "something other than an input element was compared");
  CHECK(oracle::is_merged(a.begin(), a.size(), b.begin(), b.size(), out.begin()));
}

/// Keys of one shape and size on the device. They are made once and used under all tunings.
template <int Bytes>
struct large_inputs {
  large_inputs(shape s, std::size_t m, std::size_t n)
      : a(oracle::make_inputs<Bytes>(s, m, n).a, 1), b(oracle::make_inputs<Bytes>(s, m, n).b, 3) {}

  static const large_inputs& get(shape s, std::size_t m, std::size_t n) {
    static std::map<std::tuple<shape, std::size_t, std::size_t>, large_inputs> all;
    return all.try_emplace({s, m, n}, s, m, n).first->second;
  }

  oracle::device_input<oracle::record<Bytes>> a;
  oracle::device_input<oracle::record<Bytes>> b;
};

template <class Tuning, int Bytes = 8>
void run_large(shape s, std::size_t m, std::size_t n) {
  INFO("shape ", oracle::name(s), ", m ", m, ", n ", n, ", seed ", oracle::seed());
  const auto& in = large_inputs<Bytes>::get(s, m, n);
  run_large<Tuning>(in.a, in.b);
}

/// The maximum number of resident blocks of any kernel.
std::size_t max_resident_blocks() {
  int device = 0;
  int sms = 0;
  int blocks = 0;
  oracle::check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
  cudaDeviceGetAttribute(&blocks, cudaDevAttrMaxBlocksPerMultiprocessor, device);
  return static_cast<std::size_t>(sms) * static_cast<std::size_t>(blocks);
}

template <class Tuning>
constexpr bool is_moderate = false;
template <class Tuning>
constexpr bool is_moderate<oracle::by_size<Tuning, oracle::unused>> = true;

/// Large problems are left out for tunings of moderate problems.
template <class T>
void test_tuning() {
  SUBCASE("all small sizes") {
    for (const shape s : oracle::some_of({shape::few, shape::random, shape::equal})) {
      CAPTURE(oracle::name(s));
      run_cases<T>(oracle::make_inputs(oracle::make_keys(s, 500, 500, 50)),
                   oracle::all_sizes(70, 500));
    }
  }
  SUBCASE("sizes around the tile, in every shape") {
    for (const shape s : oracle::some_of(oracle::all_shapes)) {
      CAPTURE(oracle::name(s));
      run_cases<T>(oracle::make_inputs(s, pool_size, pool_size),
                   oracle::tile_sizes(T::tile, pool_size));
    }
  }
  SUBCASE("large problems of every shape") {
    if (oracle::quick() || is_moderate<T>) return;
    for (const shape s : oracle::all_shapes) {
      run_large<T>(s, cmerge::large_problem / 2 + 5, cmerge::large_problem / 2 - 4);
    }
    run_large<T>(shape::random, 10, cmerge::large_problem);
    run_large<T>(shape::random, cmerge::large_problem, 11);
  }
}

TEST_CASE_TEMPLATE("merges in tiny tiles", T, fixed<strategy::basic, 32, 3>,
                   fixed<strategy::tiled, 32, 1>, fixed_moderate<strategy::tiled, 64, 3>,
                   fixed<strategy::circular, 32, 1, 1>,
                   fixed_moderate<strategy::circular, 64, 3, 1>,
                   fixed<strategy::circular, 32, 1, 2>,
                   fixed_moderate<strategy::circular, 64, 2, 2>, fixed<strategy::single, 32, 1>,
                   fixed_moderate<strategy::single, 64, 3>) {
  test_tuning<T>();
}

TEST_CASE_TEMPLATE("merges in tiles of realistic sizes", T, fixed<strategy::basic, 256, 8>,
                   fixed<strategy::tiled, 256, 7>, fixed<strategy::circular, 256, 7, 1>,
                   fixed<strategy::circular, 128, 11, 2>, fixed_moderate<strategy::single, 256, 11>,
                   fixed<strategy::single, 1024, 8>) {
  test_tuning<T>();
}

TEST_CASE_TEMPLATE("merges keys that are too wide for registers", T, fixed<strategy::tiled, 32, 3>,
                   fixed<strategy::circular, 32, 3, 1>, fixed<strategy::circular, 32, 3, 2>,
                   fixed<strategy::single, 32, 3>) {
  for (const shape s : {shape::few, shape::alternating}) {
    CAPTURE(oracle::name(s));
    run_cases<T>(oracle::make_inputs<20>(oracle::make_keys(s, 5000, 5000, 1 << 20)),
                 oracle::all_sizes(70, 5000));
    run_cases<T>(oracle::make_inputs<20>(oracle::make_keys(s, 5000, 5000, 1 << 20)),
                 oracle::tile_sizes(T::tile, 5000));
  }
  if (!oracle::quick()) {
    run_large<T, 20>(shape::random, cmerge::large_problem / 2, cmerge::large_problem / 2);
  }
}

TEST_CASE("merges in sections of more than a hundred tiles") {
  if (oracle::quick()) return;
  // 220 tiles for each resident block: the first sections take three quarters of all tiles.
  const std::size_t size = std::size_t{32} * max_resident_blocks() * 110;
  const oracle::device_input<tagged> a(size);
  const oracle::device_input<tagged> b(size);
  for (const unsigned spread : {2u, 1000u}) {
    CAPTURE(spread);
    oracle::fill_sorted(a, false, spread);
    oracle::fill_sorted(b, true, spread);
    run_large<fixed<strategy::circular, 32, 1, 1>>(a, b);
    run_large<fixed<strategy::circular, 32, 1, 2>>(a, b);
    run_large<fixed<strategy::tiled, 32, 1>>(a, b);
  }
}

TEST_CASE("merges at the border between moderate and large problems") {
  for (const long long total :
       {cmerge::large_problem - 1, cmerge::large_problem, cmerge::large_problem + 1}) {
    if (oracle::quick()) continue;
    const auto n = static_cast<std::size_t>(total) / 3;
    run_large<cmerge::default_tuning>(shape::random, static_cast<std::size_t>(total) - n, n);
    run_large<cmerge::default_tuning>(shape::equal, n, static_cast<std::size_t>(total) - n);
  }
}

TEST_CASE("merges sizes around the tiles of the default tuning") {
  using problem =
      cmerge::detail::merge_problem<const tagged*, const tagged*, tagged*,
                                    cmerge::detail::no_values, cmerge::detail::no_values,
                                    cmerge::detail::no_values, oracle::checked_by_key>;
  int device = 0;
  oracle::check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  cmerge::detail::kernel_facts facts;
  const auto check_size = [&](auto size) {
    constexpr cmerge::problem_size value = decltype(size)::value;
    using config = cmerge::detail::kernel_tuning<cmerge::default_tuning, value, problem>;
    REQUIRE(cmerge::detail::get_kernel_facts<cmerge::default_tuning, value, problem>(facts) ==
            cudaSuccess);
    const int tile = config::get(facts.arch).tile();
    CAPTURE(tile);
    for (const shape s : oracle::some_of(oracle::all_shapes)) {
      CAPTURE(oracle::name(s));
      run_cases<cmerge::default_tuning>(
          oracle::make_inputs(s, pool_size, pool_size),
          oracle::tile_sizes(static_cast<std::size_t>(tile), pool_size));
    }
  };
  check_size(std::integral_constant<cmerge::problem_size, cmerge::problem_size::moderate>{});
  check_size(std::integral_constant<cmerge::problem_size, cmerge::problem_size::large>{});
}

}  // namespace gpu_test
