// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program of the merge benchmarks: facts about the device, and the time of an empty kernel, the
// minimum for small inputs. merge_*.cu add the benchmarks. In bench_sweep, sweep*.cu do.

#include "device.cuh"
#include "workload.h"

#include <cmerge/version.h>

#include <benchmark/benchmark.h>
#include <cub/version.cuh>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <tuple>

namespace bench {

namespace {
bool warm = false;

__global__ void empty_kernel() {}

void empty(benchmark::State& state) {
  try {
    gpu_timer timer;
    const auto call = [] { empty_kernel<<<1, 32, 0, stream()>>>(); };
    for (int i = 0; i < 3; ++i) timer.seconds(call);
    std::vector<double> times;
    for (auto _ : state) {
      times.push_back(timer.seconds(call));
      state.SetIterationTime(times.back());
    }
    const summary s(times);
    state.counters["median_us"] = s.median * 1e6;
    state.counters["min_us"] = s.min * 1e6;
    state.counters["cv_percent"] = s.variation * 100;
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
  }
}
BENCHMARK(empty)->Iterations(samples)->UseManualTime()->Unit(benchmark::kMicrosecond);

std::string version(int number) {
  return std::to_string(number / 1000) + '.' + std::to_string(number % 1000 / 10);
}

void describe_device() {
  cudaDeviceProp device{};
  int driver = 0;
  int runtime = 0;
  int core_khz = 0;
  int memory_khz = 0;
  check(cudaGetDeviceProperties(&device, 0), "cudaGetDeviceProperties");
  check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  check(cudaDeviceGetAttribute(&core_khz, cudaDevAttrClockRate, 0), "cudaDeviceGetAttribute");
  check(cudaDeviceGetAttribute(&memory_khz, cudaDevAttrMemoryClockRate, 0),
        "cudaDeviceGetAttribute");
  benchmark::AddCustomContext("device", device.name);
  benchmark::AddCustomContext("multiprocessors", std::to_string(device.multiProcessorCount));
  benchmark::AddCustomContext("l2_bytes", std::to_string(device.l2CacheSize));
  benchmark::AddCustomContext("peak_core_mhz", std::to_string(core_khz / 1000));
  benchmark::AddCustomContext("peak_memory_mhz", std::to_string(memory_khz / 1000));
  benchmark::AddCustomContext("cuda_driver", version(driver));
  benchmark::AddCustomContext("cuda_runtime", version(runtime));
}

/// Registers the benchmarks of all files with Google Benchmark, by size and split. So types and
/// distributions share the random draws of a size.
void register_all() {
  const auto draws = [](const listed_benchmark& b) {
    return std::make_tuple(b.work.log2_size, b.work.sizes.offset, -b.work.first());
  };
  std::vector<listed_benchmark>& all = all_benchmarks();
  std::stable_sort(all.begin(), all.end(),
                   [&](const auto& x, const auto& y) { return draws(x) < draws(y); });
  for (const listed_benchmark& b : all) {
    benchmark::RegisterBenchmark((b.work.name() + '/' + b.rival).c_str(), b.run, b.work)
        ->Iterations(b.repetitions)
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  }
}

}  // namespace

bool warm_cache() { return warm; }

}  // namespace bench

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (argc == 2 && std::strcmp(argv[1], "--warm") == 0) {
    bench::warm = true;
    --argc;
  }
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;

  const std::string cmerge_version = std::to_string(CMERGE_VERSION / 10000) + '.' +
                                     std::to_string(CMERGE_VERSION / 100 % 100) + '.' +
                                     std::to_string(CMERGE_VERSION % 100);
  const std::string cccl_version = std::to_string(CCCL_MAJOR_VERSION) + '.' +
                                   std::to_string(CCCL_MINOR_VERSION) + '.' +
                                   std::to_string(CCCL_PATCH_VERSION);
  benchmark::AddCustomContext("cmerge", cmerge_version);
  benchmark::AddCustomContext("cccl", cccl_version);
  benchmark::AddCustomContext("cache", bench::warm ? "warm" : "cold");
  try {
    bench::describe_device();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    benchmark::AddCustomContext("device", "none");
  }
  bench::register_all();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
