// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sweep over tiles: merges of one type with many combinations of threads and items. tune.py
// makes the table of the default tuning from the results.
#pragma once

#include "merge.cuh"

#include <cmerge/detail/device/launch.cuh>

#include <string>

namespace bench {

inline constexpr int sweep_samples = 11;

/// One tuning for all queries.
template <cmerge::strategy How, int Threads, int Items>
struct fixed_tuning {
  static constexpr cmerge::tuning get(cmerge::tuning_query) { return {How, Threads, Items}; }
};

/// Passes a case to one kernel. With a policy, each candidate would be compiled twice, for moderate
/// and for large problems.
template <class Tuning, cmerge::problem_size Size>
struct call_kernel {
  template <class In1, class In2, class Out>
  void keys(In1 keys1, std::int64_t m, In2 keys2, std::int64_t n, Out out) const {
    const cmerge::detail::no_values none;
    pairs(keys1, none, m, keys2, none, n, out, none);
  }
  template <class In1, class Values1, class In2, class Values2, class Out, class ValuesOut>
  void pairs(In1 keys1, Values1 values1, std::int64_t m, In2 keys2, Values2 values2, std::int64_t n,
             Out out, ValuesOut values_out) const {
    const auto problem = cmerge::detail::pairs_problem(
        keys1, values1, keys2, values2, out, values_out, cmerge::detail::less{}, {m, n, m + n});
    using config =
        cmerge::detail::kernel_tuning<Tuning, Size, std::remove_const_t<decltype(problem)>>;
    static_assert(config::get(90).tile() == Tuning::get({}).tile(), "this tile does not fit");
    check(cmerge::detail::launch_sized<Tuning, Size>(problem, stream()), "cmerge");
  }
};

template <class Tuning, cmerge::problem_size Size>
struct kernel_rival {
  template <class Case>
  explicit kernel_rival(const Case&) {}

  template <class Case>
  void operator()(const Case& c) const {
    c.pass(call_kernel<Tuning, Size>{});
  }
};

/// Candidates of one strategy with the same number of threads.
template <cmerge::strategy How, int Threads, int... Items>
struct candidates {
  template <class Case, cmerge::problem_size Size>
  static void add(const workload& w) {
    const std::string threads =
        std::string(How == cmerge::strategy::single ? "single" : "circular") + '_' +
        std::to_string(Threads) + 'x';
    (all_benchmarks().push_back({w, threads + std::to_string(Items),
                                 run<Case, kernel_rival<fixed_tuning<How, Threads, Items>, Size>>,
                                 Size == cmerge::problem_size::large ? sweep_samples : samples}),
     ...);
  }
};
template <int Threads, int... Items>
using single = candidates<cmerge::strategy::single, Threads, Items...>;
template <int Threads, int... Items>
using circular = candidates<cmerge::strategy::circular, Threads, Items...>;

/// The candidates of a class of sizes, and the sizes at which they are measured.
template <class... Candidates>
struct small {
  template <class Case>
  static void add(const char* type) {
    const workload w{type, 20, distributions[0], splits[0]};
    bench::add<Case, copy_rival>(w, "copy");
    (Candidates::template add<Case, cmerge::problem_size::moderate>(w), ...);
  }
};
template <class... Candidates>
struct large {
  template <class Case>
  static void add(const char* type) {
    for (const int log2_size : {24, 26, 28}) {
      const workload w{type, log2_size, distributions[0], splits[0]};
      bench::add<Case, copy_rival>(w, "copy");
      (Candidates::template add<Case, cmerge::problem_size::large>(w), ...);
    }
  }
};

/// \returns true, so that a static initialiser can call this
template <class Key, class Value, class Small, class Large>
bool add_sweep(const char* type) {
  Small::template add<merge_case<Key, Value>>(type);
  Large::template add<merge_case<Key, Value>>(type);
  return true;
}

}  // namespace bench
