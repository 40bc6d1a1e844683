// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A family of random merges: cases that share their types, and differ in all else. A batch of them
// runs at once, and is compared with std::merge.
#pragma once

#include "fuzz_places.cuh"

#include <cmerge/merge.h>
#include <cmerge/merge_indices.h>
#include <cmerge/merge_n.h>
#include <cmerge/device_merge.cuh>

#include <exception>

namespace fuzz {

/// Cases that share their types, which is what costs time to compile.
template <class Keys, class Values, class Tuning, class Order, unsigned Calls>
class family {
 public:
  /// Runs these cases. Fails at the first that is wrong.
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

  /// Runs a case that has outputs, spoils them one by one, and says what the check does not notice.
  static std::string test_check(std::uint64_t number, memory& mem) {
    prepared p;
    do {
      mem.clear();
      p = prepare(number++, mem);
    } while (p.c.outputs < 8);  // of fewer bytes, guards could be by chance what is expected
    mem.upload();
    if (mem.download() != cudaSuccess) return "no download";
    if (check(p, mem).empty()) return "what is not noticed: nothing was merged";
    std::string wrong = start(p, mem);
    if (wrong.empty() && mem.download() != cudaSuccess) wrong = "no download";
    if (wrong.empty()) wrong = check(p, mem);
    const auto spoil = [&](std::size_t at, const char* what) {
      mem.out()[at] ^= 1;
      if (check(p, mem).empty()) wrong += std::string("what is not noticed: ") + what + "; ";
      mem.out()[at] ^= 1;
    };
    for (const region& r : output_regions(p)) {
      if (!wrong.empty()) break;
      const std::size_t written = r.room() / p.room * p.c.outputs;
      spoil(r.begin - 1, "a byte in front of an output");
      spoil(r.begin, "the first byte of an output");
      spoil(r.begin + written / 2, "a byte in the middle of an output");
      spoil(r.begin + written - 1, "the last byte of an output");
      spoil(r.begin + written, "a byte behind an output");
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

  struct prepared {
    fuzz_case c;
    std::size_t room;  // outputs that there is memory for
    place keys1;
    place keys2;
    place values1;
    place values2;
    place keys_out;
    place values_out;  // or words of indices
    region sizes;      // in device memory
    region storage;    // temporary, which is to stay as it was
    region alarm;      // of comparators, likewise
  };

  /// (As strings: of other text, doctest prints the address.)
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

  /// Outputs per block of the kernel that merges a small problem.
  template <class... Outputs>
  static std::size_t tile_of(Outputs... outputs) {
    const prepared p{};
    const auto problem = cmerge::detail::unwrap_problem(cmerge::detail::make_problem(
        Keys::template device<false>(nullptr, p.keys1),
        Keys::template device<false>(nullptr, p.keys1),
        Keys::template device<true>(nullptr, p.keys2),
        Keys::template device<true>(nullptr, p.keys2), outputs..., order(p, nullptr)));
    using problem_type = std::decay_t<decltype(problem)>;
    constexpr auto small = cmerge::problem_size::moderate;
    cmerge::detail::kernel_facts facts;
    oracle::check_cuda(cmerge::detail::get_kernel_facts<Tuning, small, problem_type>(facts),
                       "asking for a kernel");
    const int tile =
        cmerge::detail::kernel_tuning<Tuning, small, problem_type>::get(facts.arch).tile();
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
    random.next();  // has chosen the family
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

  /// Starts a case on the device. Returns what is wrong, or nothing.
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
      return start_pairs(p, mem, a, values1, b, values2, keys_out, values_out, comp...);
    } else {
      if (c.what == merge) {
        return check_end(cmerge::merge(policy, a, a + most1, b, b + most2, keys_out, comp...) ==
                         keys_out + outputs);
      }
      if (c.what == merge_n) {
        return check_end(cmerge::merge_n(policy, a, a + most1, b, b + most2, c.count, keys_out,
                                         comp...) == keys_out + outputs);
      }
      return start_keys(p, mem, a, b, keys_out, comp...);
    }
  }

  static std::string text(cudaError_t status) {
    return status == cudaSuccess ? "" : cudaGetErrorString(status);
  }
  static const std::int64_t* sizes(const prepared& p, const memory& mem) {
    return reinterpret_cast<const std::int64_t*>(mem.device_in() + p.sizes.begin);
  }

  /// The calls of DeviceMerge. Those that the family does not make are not compiled.
  template <class Keys1, class Keys2, class KeysOut, class... Compare>
  static std::string start_keys(const prepared& p, const memory& mem, Keys1 a, Keys2 b,
                                KeysOut keys_out, Compare... comp) {
    using cub = cmerge::DeviceMerge;
    [[maybe_unused]] const auto most1 = static_cast<std::int64_t>(p.c.most1);
    [[maybe_unused]] const auto most2 = static_cast<std::int64_t>(p.c.most2);
    if constexpr ((Calls & only(two_phases)) != 0) {
      if (p.c.what == two_phases) {
        std::size_t bytes = 0;
        const cudaError_t asked =
            cub::MergeKeys(nullptr, bytes, a, most1, b, most2, keys_out, comp...);
        if (asked != cudaSuccess || bytes != 1) return "wrong temporary storage";
        return text(cub::MergeKeys(mem.device_out() + p.storage.begin, bytes, a, most1, b, most2,
                                   keys_out, comp...));
      }
    }
    if constexpr ((Calls & only(one_phase)) != 0) {
      if (p.c.what == one_phase) {
        return text(cub::MergeKeys(a, most1, b, most2, keys_out, comp...));
      }
    }
    if constexpr ((Calls & only(device_sizes)) != 0) {
      if (p.c.what == device_sizes) {
        return text(cub::MergeKeys(a, sizes(p, mem), most1, b, sizes(p, mem) + 1, most2, keys_out,
                                   comp...));
      }
    }
    return "no such call";
  }

  template <class Keys1, class Values1, class Keys2, class Values2, class KeysOut, class ValuesOut,
            class... Compare>
  static std::string start_pairs(const prepared& p, const memory& mem, Keys1 a, Values1 values1,
                                 Keys2 b, Values2 values2, KeysOut keys_out, ValuesOut values_out,
                                 Compare... comp) {
    using cub = cmerge::DeviceMerge;
    [[maybe_unused]] const auto most1 = static_cast<std::int64_t>(p.c.most1);
    [[maybe_unused]] const auto most2 = static_cast<std::int64_t>(p.c.most2);
    if constexpr ((Calls & only(two_phases)) != 0) {
      if (p.c.what == two_phases) {
        std::size_t bytes = 0;
        const cudaError_t asked = cub::MergePairs(nullptr, bytes, a, values1, most1, b, values2,
                                                  most2, keys_out, values_out, comp...);
        if (asked != cudaSuccess || bytes != 1) return "wrong temporary storage";
        return text(cub::MergePairs(mem.device_out() + p.storage.begin, bytes, a, values1, most1, b,
                                    values2, most2, keys_out, values_out, comp...));
      }
    }
    if constexpr ((Calls & only(one_phase)) != 0) {
      if (p.c.what == one_phase) {
        return text(
            cub::MergePairs(a, values1, most1, b, values2, most2, keys_out, values_out, comp...));
      }
    }
    if constexpr ((Calls & only(device_sizes)) != 0) {
      if (p.c.what == device_sizes) {
        return text(cub::MergePairs(a, values1, sizes(p, mem), most1, b, values2, sizes(p, mem) + 1,
                                    most2, keys_out, values_out, comp...));
      }
    }
    return "no such call";
  }

  /// Compares what was downloaded with what std::merge makes of the sources. Returns what is wrong,
  /// or nothing.
  static std::string check(const prepared& p, const memory& mem) {
    const fuzz_case& c = p.c;
    static std::vector<unsigned> sources;  // kept for their memory
    const auto a = Keys::host(mem.in(), p.keys1);
    const auto b = Keys::host(mem.in(), p.keys2);
    const auto less = Order::host(c);
    using element = typename Keys::element;
    const auto key = [&](unsigned source) -> element {
      const auto i = static_cast<std::ptrdiff_t>(source & ~oracle::second_input);
      if ((source & oracle::second_input) != 0) return b[i];
      return a[i];
    };
    const auto tags = [](std::size_t i, bool second) {
      return thrust::counting_iterator<unsigned>(tag_of(i, second));
    };
    sources.resize(c.m + c.n);
    std::merge(tags(0, false), tags(c.m, false), tags(0, true), tags(c.n, true), sources.begin(),
               [&](unsigned x, unsigned y) { return less(key(x), key(y)); });
    sources.resize(c.outputs);

    if (!p.storage.is_guarded(mem.out(), 0)) return "temporary storage was written to";
    if (!p.alarm.is_guarded(mem.out(), 0)) return "what is no element of the inputs was compared";
    const auto first_wrong = [&](const char* what, const auto& out, const auto& expected) {
      for (std::size_t k = 0; k < c.outputs; ++k) {
        if (!expected(out[static_cast<std::ptrdiff_t>(k)], sources[k])) {
          return std::string(what) + " " + std::to_string(k) + " of " + std::to_string(c.outputs) +
                 " is wrong";
        }
      }
      return std::string();
    };
    const char* const outside = "something outside of the outputs was written";
    std::string wrong;
    if (c.what == indices32) {
      if (!words32::is_guarded(mem.out(), p.values_out, c.outputs)) return outside;
      return first_wrong("word", words32::host(mem.out(), p.values_out),
                         [](std::uint32_t word, unsigned source) { return word == source; });
    }
    if (c.what == indices64) {
      if (!words64::is_guarded(mem.out(), p.values_out, c.outputs)) return outside;
      return first_wrong("word", words64::host(mem.out(), p.values_out),
                         [](std::uint64_t word, unsigned source) {
                           const std::uint64_t bit = source >> 31;
                           return word == (bit << 63 | (source & ~oracle::second_input));
                         });
    }
    if (!keys_output::is_guarded(mem.out(), p.keys_out, c.outputs)) return outside;
    wrong =
        first_wrong("key", keys_output::host(mem.out(), p.keys_out),
                    [&](const element& x, unsigned source) { return are_alike(x, key(source)); });
    if constexpr (has_values) {
      if (!wrong.empty()) return wrong;
      if (!values_output::is_guarded(mem.out(), p.values_out, c.outputs)) return outside;
      const auto values1 = values::host(mem.in(), p.values1);
      const auto values2 = values::host(mem.in(), p.values2);
      using value = typename values::element;
      wrong = first_wrong("value", values_output::host(mem.out(), p.values_out),
                          [&](const value& x, unsigned source) {
                            const auto i =
                                static_cast<std::ptrdiff_t>(source & ~oracle::second_input);
                            const bool second = (source & oracle::second_input) != 0;
                            return are_alike(x, second ? value(values2[i]) : value(values1[i]));
                          });
    }
    return wrong;
  }
};

template <class Family>
entry make_entry(const char* name) {
  return {name, Family::run, Family::test_check};
}

}  // namespace fuzz
