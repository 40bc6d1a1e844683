// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The merge benchmarks of one key type and value type: their list, and how one is verified and
// timed.
#pragma once

#include "prepared.cuh"
#include "rivals.cuh"
#include "workload.h"

#include <limits>
#include <string>
#include <vector>

namespace bench {

/// The seconds of the `i`th call.
template <class Case, class Rival>
double time_call(gpu_timer& timer, const prepared<Case>& inputs, Rival& rival, int i) {
  const Case c = inputs.set(i);
  return timer.seconds([&] { rival(c); });
}

/// The seconds that a copy of a workload takes. It is measured once.
template <class Case>
double copy_seconds(const workload& w, const prepared<Case>& inputs, gpu_timer& timer) {
  const std::string key = std::string(w.type) + '/' + std::to_string(w.total());
  const auto known = shared().copied.find(key);
  if (known != shared().copied.end()) return known->second;
  copy_rival copy(inputs.set(0));
  for (int i = 0; i < warm_ups; ++i) time_call(timer, inputs, copy, i);
  inputs.flush_cache();
  std::vector<double> times;
  for (int i = 0; i < samples; ++i) times.push_back(time_call(timer, inputs, copy, i));
  return shared().copied[key] = summary(times).median;
}

/// One benchmark: verifies the rival once, then times it.
template <class Case, class Rival>
void run(benchmark::State& state, const workload& w) {
  try {
    const prepared<Case> inputs(w);
    gpu_timer timer;
    const double copy = copy_seconds(w, inputs, timer);
    Rival rival(inputs.set(0));
    inputs.poison();
    for (int i = 0; i < warm_ups; ++i) time_call(timer, inputs, rival, i);
    if (!std::is_same_v<Rival, copy_rival> && !inputs.as_expected()) {
      state.SkipWithError("the result is not that of thrust::merge");
      return;
    }
    inputs.flush_cache();

    std::vector<double> times;
    for (auto _ : state) {
      times.push_back(time_call(timer, inputs, rival, static_cast<int>(times.size())));
      state.SetIterationTime(times.back());
    }
    const summary s(times);
    const double bytes = 2.0 * static_cast<double>(inputs.set(0).bytes());
    state.counters["median_us"] = s.median * 1e6;
    state.counters["min_us"] = s.min * 1e6;
    state.counters["cv_percent"] = s.variation * 100;
    state.counters["gb_per_s"] = bytes / s.median * 1e-9;
    state.counters["percent_of_copy"] = copy / s.median * 100;
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
  }
}

template <class Case, class Rival>
void add(const workload& w, const char* rival) {
  all_benchmarks().push_back({w, rival, run<Case, Rival>});
}

/// cmerge with each strategy. This takes long to compile.
enum class forced { none, every_strategy };

template <class Case, forced Forced>
void add_workload(const workload& w) {
  add<Case, copy_rival>(w, "copy");
  add<Case, thrust_rival>(w, "thrust");
  add<Case, cub_rival>(w, "cub");
  add<Case, cmerge_rival>(w, "cmerge");
  if constexpr (Forced == forced::every_strategy) {
    add<Case, forced_rival<cmerge::strategy::basic>>(w, "cmerge_basic");
    add<Case, forced_rival<cmerge::strategy::tiled>>(w, "cmerge_tiled");
    add<Case, forced_rival<cmerge::strategy::circular>>(w, "cmerge_circular");
    add<Case, forced_rival<cmerge::strategy::single>>(w, "cmerge_single");
  }
}

/// Whether keys of a type can have a distribution.
template <class Key>
constexpr bool can_have(distribution d) {
  constexpr int digits = std::numeric_limits<Key>::digits;
  constexpr bool has_few_values = digits > 0 && digits < 31;  // float, too
  if (d == distribution::worst) return !has_few_values && sizeof(Key) <= 8;
  const bool is_fine = d == distribution::alternating || d == distribution::tiles;
  return !(is_fine && has_few_values);
}

/// Adds all benchmarks of one type: each size with each distribution at equal halves, and with
/// random keys at the other splits.
///
/// \returns true, so that a static initialiser can call this
template <class Case, forced Forced = forced::none>
bool add_type(const char* type) {
  constexpr std::size_t max_bytes = std::size_t{16} << 30;  // of the inputs
  for (int log2_size = 10; log2_size <= 30; ++log2_size) {
    if (Case::element_bytes() << log2_size > max_bytes) break;
    for (const distribution_name& keys : distributions) {
      if (!can_have<typename Case::key_type>(keys.id)) continue;
      add_workload<Case, Forced>({type, log2_size, keys, splits[0]});
    }
    for (const split& sizes : splits) {
      if (sizes.name == splits[0].name) continue;
      add_workload<Case, Forced>({type, log2_size, distributions[0], sizes});
    }
  }
  return true;
}

}  // namespace bench
