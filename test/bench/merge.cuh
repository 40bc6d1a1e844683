// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The merge benchmarks of one key and value type: which there are, their shared inputs, and how
// one is verified and timed. A benchmark is called
//   merge/<type>/<log2 of the outputs>/<distribution>/<split>/<rival>
#pragma once

#include "data.cuh"
#include "rivals.cuh"

#include <benchmark/benchmark.h>

#include <map>
#include <string>
#include <vector>

namespace bench {

inline constexpr int samples = 25;  // timed calls of a benchmark
inline constexpr int warm_ups = 3;  // untimed ones, the verified one among them

/// Whether small inputs may still be in the L2 cache from the call before (`--warm`).
bool warm_cache();

struct split {
  const char* name;
  std::int64_t parts;  ///< the first input is one of so many parts, or one element if 0
};
inline constexpr split splits[] = {{"1:1", 2}, {"1:3", 4}, {"1:99", 100}, {"1:all", 0}};

struct workload {
  const char* type;
  int log2_size;
  distribution_name keys;
  split sizes;

  std::string name() const {
    return std::string("merge/") + type + '/' + std::to_string(log2_size) + '/' + keys.name + '/' +
           sizes.name;
  }
};

/// The device memory that all benchmarks share, and what is in it.
struct shared_inputs {
  device_buffer memory;
  device_buffer cache_flush;
  std::string contents;                  // the workload whose inputs are there
  std::map<std::string, double> copied;  // by type and size: the seconds of a copy
};
inline shared_inputs& shared() {
  static shared_inputs only;
  return only;
}

/// A workload in device memory: `sets` copies of the same inputs, each with outputs of its own, and
/// Thrust's result.
///
/// The copies lie apart, and each call gets the next, so that no call finds its data in the cache:
/// there are so many that they fill it four times, or one for each timed call.
template <class Case>
class prepared {
  using key_type = typename Case::key_type;
  using value_type = typename Case::value_type;

 public:
  explicit prepared(const workload& w) {
    const std::int64_t total = std::int64_t{1} << w.log2_size;
    first_.m = w.sizes.parts == 0 ? 1 : total / w.sizes.parts;
    first_.n = total - first_.m;

    std::size_t end = 0;
    const auto take = [&end](auto*& pointer, std::int64_t count, std::size_t bytes) {
      pointer = reinterpret_cast<std::decay_t<decltype(pointer)>>(end);
      end += (static_cast<std::size_t>(count) * bytes + 255) / 256 * 256;
    };
    constexpr std::size_t value_bytes = Case::element_bytes() - sizeof(key_type);
    take(first_.keys1, first_.m, sizeof(key_type));
    take(first_.keys2, first_.n, sizeof(key_type));
    take(first_.values1, first_.m, value_bytes);
    take(first_.values2, first_.n, value_bytes);
    take(first_.keys_out, total, sizeof(key_type));
    take(first_.values_out, total, value_bytes);
    stride_ = end;

    const std::size_t enough = warm_cache() ? 1 : 4 * l2_bytes() / stride_ + 1;
    sets_ = static_cast<int>(std::min<std::size_t>(enough, samples));
    const auto expected = static_cast<std::size_t>(sets_) * stride_;
    const bool is_there = shared().contents == w.name();
    if (!is_there) shared().contents.clear();
    char* const memory = shared().memory.reserve(expected + first_.bytes());
    first_ = first_.moved(reinterpret_cast<std::size_t>(memory));
    expected_ = memory + expected;
    if (!is_there) {
      fill(w.keys.id);
      shared().contents = w.name();
    }
  }

  Case set(int i) const { return first_.moved(static_cast<std::size_t>(i % sets_) * stride_); }

  /// Overwrites the outputs of the first set, so that what a rival leaves out is seen.
  void poison() const {
    check(cudaMemsetAsync(first_.keys_out, 0xA5, first_.bytes(), stream()), "cudaMemsetAsync");
  }

  /// Whether the first set's outputs are Thrust's.
  bool as_expected() const { return same_bytes(first_.keys_out, expected_, first_.bytes()); }

  /// Pushes all of this out of the cache.
  void flush_cache() const {
    if (warm_cache()) return;
    const std::size_t bytes = 2 * l2_bytes();
    check(cudaMemsetAsync(shared().cache_flush.reserve(bytes), 0, bytes, stream()),
          "cudaMemsetAsync");
    synchronize();
  }

 private:
  void fill(distribution d) const {
    fill_side(d, 0, first_.keys1, first_.values1, first_.m);
    fill_side(d, 1, first_.keys2, first_.values2, first_.n);
    poison();
    call<thrust_calls>(thrust::cuda::par_nosync.on(stream()), first_);
    check(cudaMemcpyAsync(expected_, first_.keys_out, first_.bytes(), cudaMemcpyDeviceToDevice,
                          stream()),
          "cudaMemcpyAsync");
    synchronize();
  }

  void fill_side(distribution d, int side, key_type* keys, value_type* values,
                 std::int64_t size) const {
    fill_input<<<2048, 256, 0, stream()>>>(keys, values, d, side, sorted_uniform(side, size), size,
                                           std::max(first_.m, first_.n), sets_, stride_);
    check(cudaGetLastError(), "fill_input");
  }

  Case first_{};
  std::size_t stride_ = 0;
  int sets_ = 1;
  char* expected_ = nullptr;
};

/// The seconds of the `i`th call.
template <class Case, class Rival>
double time_call(gpu_timer& timer, const prepared<Case>& inputs, Rival& rival, int i) {
  const Case c = inputs.set(i);
  return timer.seconds([&] { rival(c); });
}

/// The seconds that a copy of a workload takes, measured now if it was not before.
template <class Case>
double copy_seconds(const workload& w, const prepared<Case>& inputs, gpu_timer& timer) {
  const std::string key = std::string(w.type) + '/' + std::to_string(w.log2_size);
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
  benchmark::RegisterBenchmark((w.name() + '/' + rival).c_str(), run<Case, Rival>, w)
      ->Iterations(samples)
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
}

template <class Case>
void add_workload(const workload& w) {
  add<Case, copy_rival>(w, "copy");
  add<Case, thrust_rival>(w, "thrust");
  add<Case, cub_rival>(w, "cub");
  add<Case, cmerge_rival>(w, "cmerge");
  add<Case, forced_rival<cmerge::strategy::basic>>(w, "cmerge_basic");
  add<Case, forced_rival<cmerge::strategy::tiled>>(w, "cmerge_tiled");
  add<Case, forced_rival<cmerge::strategy::circular>>(w, "cmerge_circular");
  add<Case, forced_rival<cmerge::strategy::single>>(w, "cmerge_single");
}

/// Adds all benchmarks of one type: each size with each distribution at equal halves, and with
/// random keys at the other splits.
///
/// \returns true, so that a file can call this as it is loaded
template <class Case>
bool add_type(const char* type) {
  for (int log2_size = 10; log2_size <= 30; ++log2_size) {
    for (const distribution_name& keys : distributions) {
      // Short keys are too few to alternate that often.
      const bool fine = keys.id == distribution::alternating || keys.id == distribution::tiles;
      if (fine && sizeof(typename Case::key_type) < 4) continue;
      add_workload<Case>({type, log2_size, keys, splits[0]});
    }
    for (const split& sizes : splits) {
      if (sizes.parts == splits[0].parts) continue;
      add_workload<Case>({type, log2_size, distributions[0], sizes});
    }
  }
  return true;
}

}  // namespace bench
