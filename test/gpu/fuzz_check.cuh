// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The check of random merges: compares outputs with std::merge, and looks for changed guard bytes.
#pragma once

#include "fuzz_calls.cuh"

#include <algorithm>
#include <string>
#include <vector>

namespace fuzz {

template <class Keys, class Values, class Order>
class checker {
 public:
  /// Compares the downloaded outputs with those of std::merge. Returns what is wrong, or "".
  static std::string run(const prepared& p, const memory& mem) {
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
    if (!p.alarm.is_guarded(mem.out(), 0))
      return "something other than an input element was compared";
    const auto first_wrong = [&](const char* what, const auto& out, const auto& expected) {
      for (std::size_t k = 0; k < c.outputs; ++k) {
        if (!expected(out[static_cast<std::ptrdiff_t>(k)], sources[k])) {
          return std::string(what) + " " + std::to_string(k) + " of " + std::to_string(c.outputs) +
                 " is wrong";
        }
      }
      return std::string();
    };
    const char* const outside = "something outside the outputs was written";
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
                    [&](const element& x, unsigned source) { return are_same(x, key(source)); });
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
                            return are_same(x, second ? value(values2[i]) : value(values1[i]));
                          });
    }
    return wrong;
  }

 private:
  static constexpr bool has_values = !std::is_same_v<Values, none>;
  using values = std::conditional_t<has_values, Values, counted>;
  using keys_output = typename Keys::output;
  using values_output = typename values::output;
  using words32 = pointers<std::uint32_t>;
  using words64 = pointers<std::uint64_t>;
};

}  // namespace fuzz
