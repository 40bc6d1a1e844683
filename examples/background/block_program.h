// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Block programs: code for one block of GPU threads that also runs on the host, thread after thread
// from barrier to barrier. The host counts memory accesses, bank conflicts and active warps, and
// throws if a barrier is missing. device_program.cuh runs the same programs on a GPU.
#pragma once

#include <cmerge/config.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <unordered_map>
#include <vector>

#if defined(__CUDA_ARCH__)
#define BACKGROUND_UNROLL _Pragma("unroll")  // so that arrays become registers
#else
#define BACKGROUND_UNROLL
#endif

namespace background {

// A block program is a struct with these static members, written once for host and device:
//
// - `threads`, a multiple of 32;
// - `storage`, the type of the block's shared memory;
// - `run(block, shared, arguments)`. All work is in `block.for_each_thread([&](int t) {...})`, and
//   `block.sync()` is the barrier. Values that a thread keeps from one such part to the next are
//   in a `Block::registers<T>`. `load` and `store` access global memory, `read` and `write` shared
//   memory. If the last argument of `load` is false, it accesses nothing and returns zero; the
//   same argument turns a `store` off.

/// The storage of a program without shared memory.
struct no_storage {};

CMERGE_HOST_DEVICE constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

/// The cost of a block or a grid. The threads of a warp execute an instruction together, so their
/// accesses in it are one request.
struct counts {
  std::uint64_t loads = 0;            ///< elements from global memory
  std::uint64_t stores = 0;           ///< elements to global memory
  std::uint64_t barriers = 0;         ///< of all blocks together
  std::uint64_t global_requests = 0;  ///< warp-wide accesses to global memory
  std::uint64_t sectors = 0;          ///< 32-byte sectors that these touch
  std::uint64_t shared_requests = 0;  ///< warp-wide accesses to shared memory
  std::uint64_t wavefronts = 0;       ///< passes that these take; one each without bank conflicts
  std::uint64_t active_lanes = 0;     ///< threads with an access, summed over the steps
  std::uint64_t active_warps = 0;     ///< warps with such a thread, summed over the steps

  counts& operator+=(const counts& c) {
    loads += c.loads;
    stores += c.stores;
    barriers += c.barriers;
    global_requests += c.global_requests;
    sectors += c.sectors;
    shared_requests += c.shared_requests;
    wavefronts += c.wavefronts;
    active_lanes += c.active_lanes;
    active_warps += c.active_warps;
    return *this;
  }
};

enum class access { load, store, read, write };

/// The accesses of a warp in one instruction.
struct warp_request {
  access kind;
  const void* memory;
  std::set<std::size_t> words = {};  // offsets in 4-byte words; the elements here are that wide

  /// Passes through shared memory: as many as there are different words in the busiest bank.
  std::uint64_t wavefronts() const {
    std::uint64_t hits[32] = {};
    for (const std::size_t word : words) ++hits[word % 32];
    return *std::max_element(hits, hits + 32);
  }

  std::uint64_t sectors() const {
    std::set<std::size_t> touched;
    for (const std::size_t word : words) touched.insert(word / 8);
    return touched.size();
  }
};

/// Finds missing barriers: between two of them, no thread may read or write a word of shared memory
/// that another one writes.
class race_detector {
 public:
  void sync() { ++epoch_; }

  void check(const void* address, bool is_write, int thread) {
    word_state& word = words_[address];
    if (!is_write && word.write_epoch == 0) throw std::logic_error("read of unwritten memory");
    const bool has_writer = word.write_epoch == epoch_ && word.writer != thread;
    const bool has_reader = word.read_epoch == epoch_ && word.reader != thread;
    if (has_writer || (is_write && has_reader)) throw std::logic_error("a barrier is missing");
    if (is_write) {
      word.write_epoch = epoch_;
      word.writer = thread;
    } else {
      word.reader = has_reader ? several : thread;
      word.read_epoch = epoch_;
    }
  }

 private:
  static constexpr int several = -1;
  struct word_state {
    std::uint64_t write_epoch = 0;  // 0: never
    std::uint64_t read_epoch = 0;
    int writer = several;
    int reader = several;
  };
  std::unordered_map<const void*, word_state> words_;
  std::uint64_t epoch_ = 1;  // one more with each barrier
};

/// A block whose threads run one after the other on the host.
template <int Threads>
class host_block {
  static_assert(Threads > 0 && Threads % 32 == 0, "whole warps");

 public:
  static constexpr int threads = Threads;

  /// A value for each thread, zero at first.
  template <class T>
  class registers {
   public:
    T& operator[](int t) { return values_[static_cast<std::size_t>(t)]; }

   private:
    std::vector<T> values_ = std::vector<T>(Threads);
  };

  explicit host_block(std::int64_t index) : index_(index) {}

  std::int64_t index() const { return index_; }

  /// The counts of each `for_each_thread`, and of the barrier that follows it.
  const std::vector<counts>& steps() const { return steps_; }

  template <class Function>
  void for_each_thread(Function function) {
    steps_.emplace_back();
    for (int warp = 0; warp < Threads / 32; ++warp) {
      requests_.clear();
      const std::uint64_t lanes_before = steps_.back().active_lanes;
      for (thread_ = warp * 32; thread_ < warp * 32 + 32; ++thread_) {
        instruction_ = 0;
        function(thread_);
        steps_.back().active_lanes += instruction_ > 0 ? 1 : 0;
      }
      steps_.back().active_warps += steps_.back().active_lanes > lanes_before ? 1 : 0;
      count_requests();
    }
  }

  void sync() {
    ++steps_.back().barriers;
    races_.sync();
  }

  template <class T>
  T load(const T* memory, std::size_t i, bool is_inside = true) {
    note<T>(access::load, memory, i, is_inside);
    steps_.back().loads += is_inside ? 1 : 0;
    return is_inside ? memory[i] : T{};
  }

  template <class T>
  void store(T* memory, std::size_t i, T value, bool is_inside = true) {
    note<T>(access::store, memory, i, is_inside);
    steps_.back().stores += is_inside ? 1 : 0;
    if (is_inside) memory[i] = value;
  }

  template <class T>
  T read(const T* memory, int i) {
    note<T>(access::read, memory, static_cast<std::size_t>(i), true);
    races_.check(memory + i, false, thread_);
    return memory[i];
  }

  template <class T>
  void write(T* memory, int i, T value) {
    note<T>(access::write, memory, static_cast<std::size_t>(i), true);
    races_.check(memory + i, true, thread_);
    memory[i] = value;
  }

 private:
  template <class T>
  void note(access kind, const void* memory, std::size_t i, bool is_on) {
    static_assert(sizeof(T) == 4, "one bank wide");
    if (instruction_ == requests_.size()) requests_.push_back({kind, memory});
    warp_request& request = requests_[instruction_++];
    if (request.kind != kind || request.memory != memory) {
      throw std::logic_error("the threads of a warp execute different instructions");
    }
    if (is_on) request.words.insert(i);
  }

  void count_requests() {
    for (const warp_request& request : requests_) {
      counts& step = steps_.back();
      if (request.kind == access::read || request.kind == access::write) {
        ++step.shared_requests;
        step.wavefronts += request.wavefronts();
      } else if (!request.words.empty()) {
        ++step.global_requests;
        step.sectors += request.sectors();
      }
    }
  }

  std::int64_t index_;
  int thread_ = 0;                      // the one that runs
  std::size_t instruction_ = 0;         // how many accesses it has made in this step
  std::vector<warp_request> requests_;  // of its warp in this step
  std::vector<counts> steps_;
  race_detector races_;
};

/// Runs all blocks of a grid on the host. Returns the counts of each step, summed over the blocks.
template <class Program, class Arguments>
std::vector<counts> run_on_host(std::int64_t blocks, const Arguments& arguments) {
  std::vector<counts> steps;
  for (std::int64_t index = 0; index < blocks; ++index) {
    typename Program::storage shared;
    host_block<Program::threads> block(index);
    Program::run(block, shared, arguments);
    steps.resize(std::max(steps.size(), block.steps().size()));
    for (std::size_t s = 0; s < block.steps().size(); ++s) steps[s] += block.steps()[s];
  }
  return steps;
}

inline counts sum(const std::vector<counts>& steps) {
  counts total;
  for (const counts& step : steps) total += step;
  return total;
}

}  // namespace background
