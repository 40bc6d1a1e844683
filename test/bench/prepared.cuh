// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A workload in device memory: inputs, memory for outputs, and Thrust's result.
#pragma once

#include "data.cuh"
#include "rivals.cuh"
#include "workload.h"

#include <algorithm>
#include <map>
#include <string>
#include <type_traits>

namespace bench {

/// Whether small inputs may be in the L2 cache because of the previous call (`--warm`).
bool warm_cache();

/// The device memory that all benchmarks share, and its contents.
struct shared_inputs {
  device_buffer memory;
  device_buffer cache_flush;
  std::string contents;                  // the workload whose inputs it contains
  std::map<std::string, double> copied;  // seconds of a copy, by type and size
};
inline shared_inputs& shared() {
  static shared_inputs only;
  return only;
}

/// A workload in device memory: `sets` copies of the same inputs, each with its own outputs, and
/// Thrust's result.
///
/// Each call gets the next copy, so that no call finds its data in the cache. The copies fill the
/// cache four times, unless there is already one copy per timed call.
template <class Case>
class prepared {
  using key_type = typename Case::key_type;
  using value_type = typename Case::value_type;

 public:
  explicit prepared(const workload& w) {
    const std::int64_t total = w.total();
    first_.m = w.first();
    first_.n = total - first_.m;

    std::size_t end = 0;
    const auto take = [&end, &w](auto*& pointer, std::int64_t count, std::size_t bytes, int shift) {
      const std::size_t skipped = w.sizes.offset ? shift * bytes : 0;
      pointer = reinterpret_cast<std::decay_t<decltype(pointer)>>(end + skipped);
      end += (skipped + static_cast<std::size_t>(count) * bytes + alignment - 1) / alignment *
             alignment;
    };
    constexpr std::size_t value_bytes = Case::element_bytes() - sizeof(key_type);
    take(first_.keys1, first_.m, sizeof(key_type), 1);
    take(first_.keys2, first_.n, sizeof(key_type), 2);
    take(first_.values1, first_.m, value_bytes, 1);
    take(first_.values2, first_.n, value_bytes, 2);
    const std::size_t outputs = end;
    take(first_.keys_out, total, sizeof(key_type), 3);
    take(first_.values_out, total, value_bytes, 3);
    stride_ = end;
    output_bytes_ = stride_ - outputs;

    const std::size_t enough = warm_cache() ? 1 : 4 * l2_bytes() / stride_ + 1;
    sets_ = static_cast<int>(std::min<std::size_t>(enough, samples));
    const std::size_t expected = static_cast<std::size_t>(sets_) * stride_;
    const bool is_there = shared().contents == w.name();
    if (!is_there) shared().contents.clear();
    char* const memory = shared().memory.reserve(expected + output_bytes_);
    first_ = first_.moved(reinterpret_cast<std::size_t>(memory));
    outputs_ = memory + outputs;
    expected_ = memory + expected;
    if (!is_there) {
      fill(w.keys);
      shared().contents = w.name();
    }
  }

  Case set(int i) const { return first_.moved(static_cast<std::size_t>(i % sets_) * stride_); }

  /// Overwrites the outputs of the first set, so that an output that a rival does not write is
  /// detected.
  void poison() const {
    check(cudaMemsetAsync(outputs_, 0xA5, output_bytes_, stream()), "cudaMemsetAsync");
  }

  /// Whether the outputs of the first set equal Thrust's, and the memory around them is unchanged.
  bool as_expected() const { return same_bytes(outputs_, expected_, output_bytes_); }

  /// Evicts everything from the cache.
  void flush_cache() const {
    if (warm_cache()) return;
    const std::size_t bytes = 2 * l2_bytes();
    check(cudaMemsetAsync(shared().cache_flush.reserve(bytes), 0, bytes, stream()),
          "cudaMemsetAsync");
    synchronize();
  }

 private:
  void fill(const distribution_name& keys) const {
    fill_side(keys, 0, first_.keys1, first_.values1, first_.m);
    fill_side(keys, 1, first_.keys2, first_.values2, first_.n);
    poison();
    thrust_rival thrust(first_);
    thrust(first_);
    check(cudaMemcpyAsync(expected_, outputs_, output_bytes_, cudaMemcpyDeviceToDevice, stream()),
          "cudaMemcpyAsync");
    synchronize();
  }

  void fill_side(const distribution_name& d, int side, key_type* keys, value_type* values,
                 std::int64_t size) const {
    input_shape input{d.id, side, size, std::max(first_.m, first_.n), {}};
    if (d.id == distribution::worst) {
      input.worst = worst_placement(side, size, d.items, sizeof(key_type));
    }
    fill_input<<<2048, 256, 0, stream()>>>(keys, values, input, sorted_uniform(side, size), sets_,
                                           stride_);
    check(cudaGetLastError(), "fill_input");
  }

  Case first_{};
  std::size_t stride_ = 0;
  int sets_ = 1;
  char* outputs_ = nullptr;  // of the first set
  char* expected_ = nullptr;
  std::size_t output_bytes_ = 0;
};

}  // namespace bench
