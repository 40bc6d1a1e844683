// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One random case under host policies: its sizes, kind, inputs and expected outputs. Used by
// test_fuzz.cpp.
#pragma once

#include "host/fuzz_elements.h"
#include "host/fuzz_ranges.h"
#include "host_policies.h"
#include "oracle.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <optional>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

namespace host_fuzz {

/// The random choices of one case, except its kind.
struct plan {
  explicit plan(std::uint64_t number) : random((std::uint64_t{oracle::seed()} << 32) + number) {}

  /// A random number in [0, end).
  std::size_t below(std::size_t end) { return random() % end; }

  /// Sizes of both inputs: mostly small, sometimes large enough for several sections or blocks.
  std::pair<std::size_t, std::size_t> sizes() {
    const std::size_t choice = below(1000);
    const std::size_t size = choice < 800   ? below(201)
                             : choice < 989 ? below(4001)
                             : choice < 999 ? (1 << 15) + below(1 << 15)
                                            : below(300000);
    const std::size_t parts[] = {size / 2, below(size + 1), std::min(size, below(4)),
                                 size / (100 + below(200)), 0};
    const std::size_t part = parts[below(std::size(parts))];
    return below(2) == 0 ? std::pair(part, size - part) : std::pair(size - part, part);
  }

  std::size_t policy = 0;  // index in for_each_host_system
  std::mt19937_64 random;
};

/// A kind of case: key type, comparator, the ranges of both inputs and of the output, value type.
template <class Key, class Compare, template <class> class Range1,
          template <class> class Range2 = Range1, template <class> class RangeOut = Range2,
          class Val = unsigned>
struct kind {
  using key = Key;
  using order = Compare;
  using value = Val;
  using input1 = Range1<Key>;
  using input2 = Range2<Key>;
  using output_keys = output<RangeOut, Key>;
};

/// The inputs of one case, and the expected source of each output.
template <class Kind>
class inputs {
  using key = typename Kind::key;
  using order = typename Kind::order;
  using value = typename Kind::value;

 public:
  inputs(const oracle::key_pair& keys, int divisor)
      : m(static_cast<std::ptrdiff_t>(keys.a.size())),
        n(static_cast<std::ptrdiff_t>(keys.b.size())),
        size(keys.a.size() + keys.b.size()) {
    seen_.m = keys.a.size();
    seen_.n = keys.b.size();
    seen_.divisor = divisor;
    fill(keys.a, 0, plain1_, values1);
    fill(keys.b, oracle::second_input, plain2_, values2);
    keys1.emplace(plain1_);
    keys2.emplace(plain2_);

    std::vector<unsigned> tags1(keys.a.size());
    std::vector<unsigned> tags2(keys.b.size());
    std::iota(tags1.begin(), tags1.end(), 0u);
    std::iota(tags2.begin(), tags2.end(), oracle::second_input);
    sources =
        oracle::merged(tags1, tags2, [this, comp = order(seen_)](unsigned y, unsigned x) mutable {
          return comp(plain2_[y ^ oracle::second_input], plain1_[x]);
        });
    seen_.comparisons = 0;
  }

  /// Calls `call(policy, comp)` with one of the policies, or `call(policy)` for the default
  /// comparator. Then checks what the comparator recorded.
  template <class Call>
  void run(plan& p, Call call) {
    std::size_t left = p.policy;
    oracle::for_each_host_system([&](const auto& policy) {
      if (left-- != 0) return;
      if constexpr (std::is_same_v<order, by_default>) {
        call(policy);
      } else {
        call(policy, order(seen_));
      }
    });
    REQUIRE_FALSE(seen_.has_error);
    // One comparison an output, as many again for probes and searches, 64 for small inputs.
    REQUIRE(seen_.comparisons <= static_cast<std::int64_t>(2 * size + 64));
  }

  /// The first `count` outputs.
  std::vector<key> expected_keys(std::size_t count) const {
    std::vector<key> keys;
    keys.reserve(count);
    for (std::size_t k = 0; k < count; ++k) {
      const unsigned tag = sources[k];
      const bool second = tag >= oracle::second_input;
      keys.push_back(second ? plain2_[tag ^ oracle::second_input] : plain1_[tag]);
    }
    return keys;
  }
  std::vector<value> expected_values(std::size_t count) const {
    std::vector<value> values;
    values.reserve(count);
    for (std::size_t k = 0; k < count; ++k) values.push_back(make_value<value>(sources[k]));
    return values;
  }

  std::ptrdiff_t m;
  std::ptrdiff_t n;
  std::size_t size;  // of the output
  std::optional<const typename Kind::input1> keys1;
  std::optional<const typename Kind::input2> keys2;
  std::vector<value> values1;
  std::vector<value> values2;
  std::vector<unsigned> sources;  // tag of each output

 private:
  static void fill(const std::vector<std::int64_t>& from, unsigned input, std::vector<key>& keys,
                   std::vector<value>& values) {
    const std::size_t count = from.size();
    keys.reserve(count);
    values.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      const unsigned tag = static_cast<unsigned>(i) | input;
      keys.push_back(make<key>(from[order::is_descending ? count - 1 - i : i], tag));
      values.push_back(make_value<value>(tag));
    }
  }

  observer seen_;
  std::vector<key> plain1_;
  std::vector<key> plain2_;
};

}  // namespace host_fuzz
