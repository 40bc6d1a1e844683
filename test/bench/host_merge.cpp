// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host merges and their rivals, in one binary. Compare only ratios of one run, for example
//   host_merge --benchmark_filter='keys/i32/random/67108864/' --benchmark_repetitions=7
//              --benchmark_enable_random_interleaving=true
// Names are what/type/distribution/outputs/who. Links with OpenMP, TBB and Google Benchmark.

#include <cmerge/merge.h>

#include <benchmark/benchmark.h>

#include <thrust/merge.h>
#include <thrust/system/omp/execution_policy.h>
#include <thrust/system/tbb/execution_policy.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <execution>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

const std::vector<std::string> distributions = {
    "random", "disjoint", "reversed", "equal", "alternating", "distinct100", "skew1000", "runs100"};

/// The key of a rank: keys are spread over the values of the type.
template <class Key>
Key make_key(std::uint64_t rank) {
  if constexpr (std::is_same_v<Key, std::string>) {
    std::string digits = std::to_string(rank);
    return std::string(24 - digits.size(), '0') + digits;
  } else {
    return static_cast<Key>(rank);
  }
}

/// Merge problems of `size` outputs: one, or many if the size is small.
template <class Key>
struct inputs {
  std::string distribution;
  std::size_t size = 0;
  std::size_t m = 0;  // number of elements of the first input of each problem
  std::size_t n = 0;
  std::size_t problems = 1;
  std::vector<Key> keys1, keys2, keys_out;
  std::vector<std::int32_t> values1, values2, values_out;

  void make(const std::string& name, std::size_t outputs) {
    if (name == distribution && outputs == size) return;
    *this = {};
    distribution = name;
    size = outputs;
    n = name == "skew1000" ? size / 1000 : size / 2;
    m = size - n;
    problems = size <= 64 ? (std::size_t{1} << 16) / size : 1;
    std::mt19937_64 random(7);
    for (std::size_t p = 0; p < problems; ++p) {
      fill(keys1, m, 0, random);
      fill(keys2, n, 1, random);
    }
    keys_out.resize(size * problems);
    values1.resize(keys1.size(), 1);
    values2.resize(keys2.size(), 2);
    values_out.resize(keys_out.size());
  }

 private:
  /// Appends `count` sorted keys to one `side` of the inputs.
  void fill(std::vector<Key>& keys, std::size_t count, std::uint64_t side,
            std::mt19937_64& random) {
    std::uint64_t range = std::uint64_t{1} << 60;
    if constexpr (std::is_integral_v<Key>) {
      range = std::uint64_t{1} << std::min(60, std::numeric_limits<Key>::digits);
    }
    std::vector<std::uint64_t> ranks(count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t even = static_cast<std::uint64_t>(
          static_cast<double>(i) / static_cast<double>(count) * static_cast<double>(range - 2));
      if (distribution == "equal") {
        ranks[i] = 1;
      } else if (distribution == "distinct100") {
        ranks[i] = random() % 100;
      } else if (distribution == "alternating") {
        ranks[i] = even / 2 * 2 + side;
      } else if (distribution == "runs100") {
        ranks[i] = i / 100 * 200 % range + side;
      } else {
        ranks[i] = random() % range;
        if (distribution == "disjoint") ranks[i] = ranks[i] / 2 + side * (range / 2);
        if (distribution == "reversed") ranks[i] = ranks[i] / 2 + (1 - side) * (range / 2);
      }
    }
    std::sort(std::execution::par, ranks.begin(), ranks.end());
    for (std::uint64_t rank : ranks) keys.push_back(make_key<Key>(rank));
  }
};

/// The most recent inputs, because the rivals of one case follow each other.
template <class Key>
inputs<Key>& cached_inputs() {
  static inputs<Key> cached;
  return cached;
}

template <class Key, class Merge>
void measure(benchmark::State& state, const std::string& distribution, std::size_t size,
             Merge merge) {
  inputs<Key>& in = cached_inputs<Key>();
  in.make(distribution, size);
  for (auto _ : state) {
    for (std::size_t p = 0; p < in.problems; ++p) merge(in, p);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(in.keys_out.size()));
}

/// Calls `merge` with the pointers of problem `p`.
template <class Merge>
auto on_keys(Merge merge) {
  return [merge](auto& in, std::size_t p) {
    auto* first1 = in.keys1.data() + p * in.m;
    auto* first2 = in.keys2.data() + p * in.n;
    merge(first1, first1 + in.m, first2, first2 + in.n, in.keys_out.data() + p * in.size);
  };
}

template <class Merge>
auto on_pairs(Merge merge) {
  return [merge](auto& in, std::size_t p) {
    auto* first1 = in.keys1.data() + p * in.m;
    auto* first2 = in.keys2.data() + p * in.n;
    merge(first1, first1 + in.m, first2, first2 + in.n, in.values1.data() + p * in.m,
          in.values2.data() + p * in.n, in.keys_out.data() + p * in.size,
          in.values_out.data() + p * in.size);
  };
}

template <class Policy>
auto thrust_merge(Policy policy) {
  return [policy](auto... arguments) { thrust::merge(policy, arguments...); };
}
template <class Policy>
auto thrust_merge_by_key(Policy policy) {
  return [policy](auto... arguments) { thrust::merge_by_key(policy, arguments...); };
}
template <class Policy>
auto cmerge_merge(Policy policy) {
  return [policy](auto... arguments) { cmerge::merge(policy, arguments...); };
}
template <class Policy>
auto cmerge_merge_by_key(Policy policy) {
  return [policy](auto... arguments) { cmerge::merge_by_key(policy, arguments...); };
}

template <class Key>
void add_case(const std::string& type, const std::string& distribution, std::size_t size) {
  const auto add = [&](const char* what, const char* who, auto merge) {
    const std::string name = std::string(what) + "/" + type + "/" + distribution + "/" +
                             std::to_string(size) + "/" + who;
    benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
      measure<Key>(state, distribution, size, merge);
    })->UseRealTime();
  };
  add("keys", "copy", on_keys([](auto* first1, auto* last1, auto* first2, auto* last2, auto* out) {
        std::copy(first2, last2, std::copy(first1, last1, out));
      }));
  add("keys", "std_merge", on_keys([](auto... arguments) { std::merge(arguments...); }));
  add("keys", "std_par",
      on_keys([](auto... arguments) { std::merge(std::execution::par, arguments...); }));
  add("keys", "thrust_seq", on_keys(thrust_merge(thrust::seq)));
  add("keys", "thrust_omp", on_keys(thrust_merge(thrust::omp::par)));
  add("keys", "thrust_tbb", on_keys(thrust_merge(thrust::tbb::par)));
  add("keys", "cmerge_seq", on_keys(cmerge_merge(thrust::seq)));
  add("keys", "cmerge_omp", on_keys(cmerge_merge(thrust::omp::par)));
  add("keys", "cmerge_tbb", on_keys(cmerge_merge(thrust::tbb::par)));
  add("pairs", "thrust_seq", on_pairs(thrust_merge_by_key(thrust::seq)));
  add("pairs", "thrust_omp", on_pairs(thrust_merge_by_key(thrust::omp::par)));
  add("pairs", "thrust_tbb", on_pairs(thrust_merge_by_key(thrust::tbb::par)));
  add("pairs", "cmerge_seq", on_pairs(cmerge_merge_by_key(thrust::seq)));
  add("pairs", "cmerge_omp", on_pairs(cmerge_merge_by_key(thrust::omp::par)));
  add("pairs", "cmerge_tbb", on_pairs(cmerge_merge_by_key(thrust::tbb::par)));
}

template <class Key>
void add_type(const std::string& type, const std::vector<std::size_t>& sizes) {
  for (const std::string& distribution : distributions) {
    for (std::size_t size : sizes) add_case<Key>(type, distribution, size);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::size_t> sizes = {1,      2,       4,       8,       16,      32,     64,
                                          1 << 8, 1 << 10, 1 << 14, 1 << 18, 1 << 22, 1 << 26};
  add_type<std::int32_t>("i32", sizes);
  add_type<std::int64_t>("i64", sizes);
  add_type<double>("f64", sizes);
  add_type<std::int8_t>("i8", sizes);
  add_type<std::string>("string", {1, 8, 64, 1 << 14, 1 << 20});
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
