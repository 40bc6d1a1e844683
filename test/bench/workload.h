// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of distributions and splits, and the list of all benchmarks. Their names are
//   merge/<type>/<log2 of the outputs>/<distribution>/<split>/<rival>
// Plain C++, no CUDA.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <vector>

namespace bench {

inline constexpr int samples = 25;  ///< timed calls of a benchmark, at most
inline constexpr int warm_ups = 3;  ///< untimed ones, the verified one among them

enum class distribution {
  random,       ///< two independent uniform draws
  few,          ///< 1000 distinct keys (10 of one byte)
  equal,        ///< one key
  a_before_b,   ///< every key of the first input before every key of the second
  b_before_a,   ///< the other way round
  alternating,  ///< one from the first, one from the second
  tiles,        ///< `run_length` from the first, as many from the second
  skewed,       ///< the first uniform, the second the cube of a uniform draw
  worst,        ///< bank conflicts for threads that make so many outputs each, see worst_case.h
};

struct distribution_name {
  distribution id;
  const char* name;
  int items = 0;  ///< of `distribution::worst`: the outputs of a thread
};
inline constexpr distribution_name distributions[] = {
    {distribution::random, "random"},         {distribution::few, "few"},
    {distribution::equal, "equal"},           {distribution::a_before_b, "a_before_b"},
    {distribution::b_before_a, "b_before_a"}, {distribution::alternating, "alternating"},
    {distribution::tiles, "tiles"},           {distribution::skewed, "skewed"},
    {distribution::worst, "worst7", 7},       {distribution::worst, "worst15", 15},
    {distribution::worst, "worst17", 17},     {distribution::worst, "worst21", 21},
    {distribution::worst, "worst23", 23}};

/// Length of a run in `distribution::tiles`: about a tile of the library, but not a multiple of
/// one.
inline constexpr std::int64_t run_length = 2000;

/// The sizes of both inputs in relation to the output, and the alignment of all ranges.
struct split {
  const char* name;
  std::int64_t part;   ///< the first input is `part` of `parts`; one element if that is 0
  std::int64_t parts;  ///< see `part`
  /// Whether sizes are odd, and the two inputs and the output begin 1, 2 and 3 elements after an
  /// aligned address.
  bool offset = false;
};
inline constexpr split splits[] = {
    {"1:1", 1, 2}, {"1:3", 1, 4}, {"1:99", 1, 100}, {"1:all", 0, 1}, {"offset", 3, 10, true}};

struct workload {
  const char* type;
  int log2_size;
  distribution_name keys;
  split sizes;

  std::string name() const {
    return std::string("merge/") + type + '/' + std::to_string(log2_size) + '/' + keys.name + '/' +
           sizes.name;
  }

  /// Number of elements of the output.
  std::int64_t total() const {
    const std::int64_t whole = std::int64_t{1} << log2_size;
    if (!sizes.offset) return whole;
    return whole - (whole / 8 < 12345 ? whole / 8 + 1 : 12345);
  }

  /// Number of elements of the first input.
  std::int64_t first() const { return sizes.part == 0 ? 1 : total() / sizes.parts * sizes.part; }
};

/// A benchmark that is not registered with Google Benchmark yet.
struct listed_benchmark {
  workload work;
  std::string rival;
  void (*run)(benchmark::State&, const workload&);
  int repetitions = samples;
};

/// All benchmarks. They run in the order of their sizes, so that the types share random draws.
inline std::vector<listed_benchmark>& all_benchmarks() {
  static std::vector<listed_benchmark> only;
  return only;
}

}  // namespace bench
