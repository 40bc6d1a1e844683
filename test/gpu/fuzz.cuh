// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A family of random merges: cases that share their types and differ in everything else. A batch of
// them runs at once and is compared with std::merge.
#pragma once

#include "fuzz_check.cuh"
#include "fuzz_orders.cuh"
#include "oracle.cuh"

#include <cmerge/merge.h>
#include <cmerge/merge_indices.h>
#include <cmerge/merge_n.h>

#include <exception>

namespace fuzz {

/// A fixed tuning for moderate problems. Fewer than one case in a thousand is large and takes the
/// tuning that compiles fastest; test_tuned_gpu merges large problems by every strategy.
template <cmerge::strategy How, int Threads, int Items, int Stages = 2>
using fixed = oracle::by_size<oracle::fixed<How, Threads, Items, Stages>,
                              oracle::fixed<cmerge::strategy::basic, 32, 1>>;

/// Cases that share their types, since each combination of types takes time to compile.
template <class Keys, class Values, class Tuning, class Order, unsigned Calls>
class family {
 public:
  /// Runs these cases. Fails at the first wrong one.
  static void run(const char* name, const std::vector<std::uint64_t>& numbers, memory& mem,
                  bool is_verbose) {
    constexpr std::size_t batch_bytes = 64 << 20;
    std::vector<prepared> batch;
    mem.clear();
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      batch.push_back(prepare(numbers[i], mem));
      if (is_verbose) {
        std::printf("%s: %s\n", name, batch.back().c.text().c_str());
        std::fflush(stdout);
      }
      if (mem.bytes() < batch_bytes && i + 1 < numbers.size()) continue;
      mem.upload();
      for (const prepared& p : batch) fail_if(start(p, mem), name, p);
      if (const cudaError_t e = mem.download(); e != cudaSuccess) {
        std::string all = std::string(name) + ": " + cudaGetErrorString(e) +
                          " in one of these cases (each runs alone with CMERGE_TEST_CASE), seed " +
                          std::to_string(oracle::seed()) + ":";
        for (const prepared& p : batch) all += " " + std::to_string(p.c.number);
        FAIL(all);
      }
      for (const prepared& p : batch) fail_if(check(p, mem), name, p);
      batch.clear();
      mem.clear();
    }
  }

  /// Runs a case that has outputs, spoils them one by one, and returns what the check misses.
  static std::string test_check(std::uint64_t number, memory& mem) {
    prepared p;
    do {
      mem.clear();
      p = prepare(number++, mem);
    } while (p.c.outputs < 8);  // fewer bytes could equal guard bytes by chance
    mem.upload();
    if (mem.download() != cudaSuccess) return "no download";
    if (check(p, mem).empty()) return "missed: nothing was merged";
    std::string wrong = start(p, mem);
    if (wrong.empty() && mem.download() != cudaSuccess) wrong = "no download";
    if (wrong.empty()) wrong = check(p, mem);
    const auto spoil = [&](std::size_t at, const char* what) {
      mem.out()[at] ^= 1;
      if (check(p, mem).empty()) wrong += std::string("missed: ") + what + "; ";
      mem.out()[at] ^= 1;
    };
    for (const region& r : output_regions(p)) {
      if (!wrong.empty()) break;
      const std::size_t written = r.room() / p.room * p.c.outputs;
      spoil(r.begin - 1, "a byte before an output");
      spoil(r.begin, "the first byte of an output");
      spoil(r.begin + written / 2, "a byte in the middle of an output");
      spoil(r.begin + written - 1, "the last byte of an output");
      spoil(r.begin + written, "a byte after an output");
      spoil(r.last - 1, "the last guard byte");
    }
    if (wrong.empty()) spoil(p.storage.begin, "temporary storage in use");
    if (wrong.empty()) spoil(p.alarm.begin, "an alarm");
    return wrong.empty() ? "" : p.c.text() + ": " + wrong;
  }

 private:
  static constexpr bool has_values = !std::is_same_v<Values, none>;
  using values = std::conditional_t<has_values, Values, counted>;
  using keys_output = typename Keys::output;
  using values_output = typename values::output;
  using words32 = pointers<std::uint32_t>;
  using words64 = pointers<std::uint64_t>;

  /// (As strings: doctest prints the address of a `const char*`.)
  static void fail_if(const std::string& wrong, const char* name, const prepared& p) {
    if (!wrong.empty()) FAIL(std::string(name), ": ", p.c.text(), ": ", wrong);
  }

  static bool has_keys_out(const prepared& p) {
    return p.c.what != indices32 && p.c.what != indices64;
  }

  static std::vector<region> output_regions(const prepared& p) {
    std::vector<region> all;
    const auto add = [&](const place& output) {
      for (const region& r : output.regions) {
        if (r.room() > 0) all.push_back(r);
      }
    };
    add(p.keys_out);
    add(p.values_out);
    return all;
  }

  static auto order(const prepared& p, unsigned char* out) {
    if constexpr (Order::is_default) {
      return cmerge::detail::less{};
    } else {
      return Order::get(p.c, reinterpret_cast<unsigned*>(out + p.alarm.begin));
    }
  }

  /// Outputs per block of the kernel for a moderate problem.
  template <class KeysOut, class ValuesA, class ValuesB, class ValuesOut>
  static std::size_t tile_of(KeysOut keys_out, ValuesA values_a, ValuesB values_b,
                             ValuesOut values_out) {
    const prepared p{};
    const auto problem = cmerge::detail::unwrap_problem(
        cmerge::detail::pairs_problem(Keys::template device<false>(nullptr, p.keys1), values_a,
                                      Keys::template device<true>(nullptr, p.keys2), values_b,
                                      keys_out, values_out, order(p, nullptr), {0, 0, 0}));
    using problem_type = std::decay_t<decltype(problem)>;
    constexpr auto moderate = cmerge::problem_size::moderate;
    cmerge::detail::kernel_facts facts;
    oracle::check_cuda(cmerge::detail::get_kernel_facts<Tuning, moderate, problem_type>(facts),
                       "asking for a kernel");
    const int tile =
        cmerge::detail::kernel_tuning<Tuning, moderate, problem_type>::get(facts.arch).tile();
    return static_cast<std::size_t>(tile);
  }
  template <class Word>
  static std::size_t tile_of_indices() {
    using source = cmerge::detail::source_iterator<Word>;
    return tile_of(cmerge::detail::no_output{}, source{0}, source{0}, static_cast<Word*>(nullptr));
  }
  static std::size_t tile(call what) {
    if constexpr ((Calls & only(indices32)) != 0) {
      static const std::size_t value = tile_of_indices<std::uint32_t>();
      if (what == indices32) return value;
    }
    if constexpr ((Calls & only(indices64)) != 0) {
      static const std::size_t value = tile_of_indices<std::uint64_t>();
      if (what == indices64) return value;
    }
    static const std::size_t value = [] {
      const place p;
      const auto keys_out = keys_output::device_out(nullptr, p);
      using no_values = cmerge::detail::no_values;
      if constexpr (has_values) {
        return tile_of(keys_out, values::template device<false>(nullptr, p),
                       values::template device<true>(nullptr, p),
                       values_output::device_out(nullptr, p));
      } else {
        return tile_of(keys_out, no_values{}, no_values{}, no_values{});
      }
    }();
    return value;
  }

  /// Draws a case and writes its inputs.
  static prepared prepare(std::uint64_t number, memory& mem) {
    draw random(number);
    random.next();  // the first number has chosen the family
    constexpr std::size_t value_bytes = has_values ? values::bytes : 0;
    prepared p{};
    p.c = draw_case(random, number, Calls, Keys::bytes + value_bytes, tile);
    fuzz_case& c = p.c;
    c.descends = Order::descends(random);

    static std::vector<std::int64_t> a;  // kept for their memory
    static std::vector<std::int64_t> b;
    a.resize(c.most1);
    b.resize(c.most2);
    constexpr std::int64_t greatest = greatest_key<typename Keys::element>;
    draw_keys(random, c.keys, greatest, a, b);
    if (c.descends) {
      for (std::vector<std::int64_t>* keys : {&a, &b}) {
        for (std::int64_t& key : *keys) key = greatest - key;
      }
    }

    p.room = a.size() + b.size();
    p.keys1 = Keys::store(mem, a, false, c.offsets[0], random);
    p.keys2 = Keys::store(mem, b, true, c.offsets[1], random);
    if (has_keys_out(p)) {
      p.keys_out = keys_output::reserve(mem, p.room, c.offsets[2]);
      if constexpr (has_values) {
        p.values1 = values::store(mem, a, false, c.offsets[3], random);
        p.values2 = values::store(mem, b, true, c.offsets[4], random);
        p.values_out = values_output::reserve(mem, p.room, c.offsets[5]);
      }
    } else if (c.what == indices32) {
      p.values_out = words32::reserve(mem, p.room, c.offsets[5]);
    } else {
      p.values_out = words64::reserve(mem, p.room, c.offsets[5]);
    }
    if (c.what == device_sizes) {
      p.sizes = mem.place_input(2 * sizeof(std::int64_t), 0);
      put(mem.in(), p.sizes, 0, c.given1);
      put(mem.in(), p.sizes, 1, c.given2);
    }
    p.storage = mem.place_output(1, 0);
    p.alarm = mem.place_output(sizeof(unsigned), 0);
    return p;
  }

  /// Starts a case on the device. Returns what is wrong, or "".
  static std::string start(const prepared& p, const memory& mem) {
    try {
      if constexpr (Order::is_default) {
        return start_in_order(p, mem);
      } else {
        return start_in_order(p, mem, order(p, mem.device_out()));
      }
    } catch (const std::exception& error) {
      return error.what();
    }
  }

  template <class... Compare>
  static std::string start_in_order(const prepared& p, const memory& mem, Compare... comp) {
    const fuzz_case& c = p.c;
    unsigned char* const out = mem.device_out();
    const auto policy = cmerge::tuned<Tuning>(thrust::cuda::par_nosync);
    const auto a = Keys::template device<false>(mem.device_in(), p.keys1);
    const auto b = Keys::template device<true>(mem.device_in(), p.keys2);
    const auto most1 = static_cast<std::int64_t>(c.most1);
    const auto most2 = static_cast<std::int64_t>(c.most2);
    const auto outputs = static_cast<std::int64_t>(c.outputs);
    const auto check_end = [](bool is_right) {
      return std::string(is_right ? "" : "wrong return value");
    };

    if constexpr ((Calls & only(indices32)) != 0) {
      if (c.what == indices32) {
        auto* const words = words32::device_out(out, p.values_out);
        return check_end(cmerge::merge_indices(policy, a, a + most1, b, b + most2, words,
                                               comp...) == words + outputs);
      }
    }
    if constexpr ((Calls & only(indices64)) != 0) {
      if (c.what == indices64) {
        auto* const words = words64::device_out(out, p.values_out);
        return check_end(cmerge::merge_indices(policy, a, a + most1, b, b + most2, words,
                                               comp...) == words + outputs);
      }
    }
    const auto keys_out = keys_output::device_out(out, p.keys_out);
    if constexpr (has_values) {
      const auto values1 = values::template device<false>(mem.device_in(), p.values1);
      const auto values2 = values::template device<true>(mem.device_in(), p.values2);
      const auto values_out = values_output::device_out(out, p.values_out);
      const auto check_ends = [&](const auto& ends) {
        return check_end(ends.first == keys_out + outputs && ends.second == values_out + outputs);
      };
      if (c.what == merge) {
        return check_ends(cmerge::merge_by_key(policy, a, a + most1, b, b + most2, values1, values2,
                                               keys_out, values_out, comp...));
      }
      if (c.what == merge_n) {
        return check_ends(cmerge::merge_by_key_n(policy, a, a + most1, b, b + most2, values1,
                                                 values2, c.count, keys_out, values_out, comp...));
      }
      return start_pairs<Calls>(p, mem, a, values1, b, values2, keys_out, values_out, comp...);
    } else {
      if (c.what == merge) {
        return check_end(cmerge::merge(policy, a, a + most1, b, b + most2, keys_out, comp...) ==
                         keys_out + outputs);
      }
      if (c.what == merge_n) {
        return check_end(cmerge::merge_n(policy, a, a + most1, b, b + most2, c.count, keys_out,
                                         comp...) == keys_out + outputs);
      }
      return start_keys<Calls>(p, mem, a, b, keys_out, comp...);
    }
  }

  static std::string check(const prepared& p, const memory& mem) {
    return checker<Keys, Values, Order>::run(p, mem);
  }
};

template <class Family>
entry make_entry(const char* name) {
  return {name, Family::run, Family::test_check};
}

}  // namespace fuzz
