// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A libFuzzer target for co-ranks, windows and the block algorithms of `tiled` and `circular`,
// stepped on the host. For sorted inputs the result equals that of std::merge. For any inputs and
// any comparator the merge ends and accesses only the inputs.
#define DOCTEST_CONFIG_IMPLEMENT
#include "tile_stepper.h"

#include <cmerge/detail/core/merge_window.h>

#include <array>
#include <cstdio>

namespace {

using cmerge::detail::co_rank_bounds;
using cmerge::detail::make_merge_range;
using cmerge::detail::make_merge_window;
using cmerge::detail::merge_range;
using cmerge::detail::merge_window;
using cmerge::detail::possible_co_ranks;
using oracle::tagged;
using tile_stepper::pass;

// ---- from bytes to a case ---------------------------------------------------------------------

/// Reads the bytes of the fuzzer in order, then zeros.
class byte_reader {
 public:
  byte_reader(const std::uint8_t* data, std::size_t size) : next_(data), end_(data + size) {}

  unsigned byte() { return next_ == end_ ? 0 : *next_++; }
  unsigned below(unsigned end) { return byte() % end; }
  std::size_t left() const { return static_cast<std::size_t>(end_ - next_); }

 private:
  const std::uint8_t* next_;
  const std::uint8_t* end_;
};

/// A comparator. The bytes select its kind.
struct order {
  enum kinds {
    less,        ///< a strict weak ordering
    less_equal,  ///< not strict, but co-ranks and std::merge agree on the result
    hashed,      ///< not an ordering, but a repeated comparison gives the same result
    random,      ///< a repeated comparison may give another result
    kinds_count,
  };
  unsigned kind;
  unsigned state;

  bool is_order() const { return kind == less || kind == less_equal; }

  bool operator()(const tagged& b, const tagged& a) {
    switch (kind) {
      case less:
        return b.key < a.key;
      case less_equal:
        return b.key <= a.key;
      case hashed:
        return is_odd((a.tag * 31 + b.tag) ^ state);
      default:
        return is_odd(++state);
    }
  }

 private:
  static bool is_odd(unsigned x) { return (x * 2654435761u) >> 31 != 0; }
};

/// Longer than the largest tile, and short enough to check all ranks.
constexpr std::size_t max_keys = 400;

struct merge_case {
  explicit merge_case(byte_reader bytes) {
    order_ = {bytes.below(order::kinds_count), bytes.byte()};
    const bool is_sorted = bytes.below(4) != 0;
    const unsigned masks[] = {0, 1, 3, 15, 255};
    const unsigned mask = masks[bytes.below(5)];
    strategy = bytes.byte();
    items = 1 + bytes.below(24);
    phase1 = bytes.below(16);
    phase2 = bytes.below(16);
    for (unsigned& choice : choices) choice = bytes.byte();
    const unsigned split = bytes.byte();

    const std::size_t size = std::min(bytes.left(), max_keys);
    std::vector<int> a(size * split / 255);
    std::vector<int> b(size - a.size());
    for (std::vector<int>* keys : {&a, &b}) {
      for (int& key : *keys) key = static_cast<int>(bytes.byte() & mask);
      if (is_sorted) std::sort(keys->begin(), keys->end());
    }
    in = oracle::tag(a, b);
    m = static_cast<std::int64_t>(a.size());
    n = static_cast<std::int64_t>(b.size());
    has_result = order_.is_order() && std::is_sorted(a.begin(), a.end()) &&
                 std::is_sorted(b.begin(), b.end());
    if (has_result) expected = oracle::merged(in.a, in.b, order_);
  }

  oracle::inputs<tagged> in;
  std::int64_t m;
  std::int64_t n;
  order order_;
  bool has_result;  // whether the result is defined, and not only some elements of the inputs
  std::vector<tagged> expected;
  unsigned strategy;  // index of strategy, tile and granule
  unsigned items;
  unsigned phase1;
  unsigned phase2;
  unsigned choices[6];  // for ranks and bounds
};

// ---- co-ranks and windows ---------------------------------------------------------------------

/// The co-rank of `k`. Requires that it lies within its bounds for any inputs.
std::int64_t checked_co_rank(merge_case& c, std::int64_t k) {
  const auto possible = possible_co_ranks(k, c.m, c.n);
  REQUIRE(possible.low <= possible.high);
  bool has_error = false;
  const tile_stepper::checked_order<order> comp{c.in.a.size(), c.in.b.size(), &c.order_,
                                                &has_error};
  const std::int64_t i = cmerge::co_rank(k, c.in.a.data(), c.m, c.in.b.data(), c.n, comp);
  REQUIRE_FALSE(has_error);
  REQUIRE(i >= possible.low);
  REQUIRE(i <= possible.high);
  return i;
}

void check_co_ranks(merge_case& c) {
  std::int64_t before = 0;
  std::int64_t from_a = 0;  // how many of the first k outputs come from a
  for (std::int64_t k = 0; k <= c.m + c.n; ++k) {
    const std::int64_t i = checked_co_rank(c, k);
    if (!c.has_result) continue;
    if (k > 0) {
      from_a += (c.expected[static_cast<std::size_t>(k - 1)].tag & oracle::second_input) == 0;
    }
    REQUIRE(i == from_a);
    REQUIRE(i >= before);
    before = i;
    // The search between narrower bounds gives the same co-rank.
    const auto possible = possible_co_ranks(k, c.m, c.n);
    const std::int64_t low = std::max<std::int64_t>(possible.low, i - c.choices[0] % 8);
    const std::int64_t high = std::min<std::int64_t>(possible.high, i + c.choices[1] % 8);
    REQUIRE(cmerge::co_rank_between(low, high, k, c.in.a.data(), c.in.b.data(), c.order_) == i);
  }
}

bool is_part(const merge_range& part, std::int64_t m, std::int64_t n) {
  return 0 <= part.a_begin && part.a_begin <= part.a_end && part.a_end <= m && 0 <= part.b_begin &&
         part.b_begin <= part.b_end && part.b_end <= n;
}

/// Bounds that enclose the co-rank `i` of `k`. Without a defined result, any possible bounds.
co_rank_bounds some_bounds(const merge_case& c, std::int64_t k, std::int64_t i, unsigned choice1,
                           unsigned choice2) {
  const auto possible = possible_co_ranks(k, c.m, c.n);
  if (c.has_result) {
    return {std::max<std::int64_t>(possible.low, i - choice1 % 16),
            std::min<std::int64_t>(possible.high, i + choice2 % 16)};
  }
  const std::int64_t x = possible.low + choice1 % (possible.range() + 1);
  const std::int64_t y = possible.low + choice2 % (possible.range() + 1);
  return {std::min(x, y), std::max(x, y)};
}

/// Checks one part `[k0, k1)` of the merge, from exact co-ranks and from bounds.
void check_part(merge_case& c) {
  const std::int64_t size = c.m + c.n;
  const std::int64_t ranks[] = {c.choices[0] * size / 255, c.choices[1] * size / 255};
  const std::int64_t k0 = std::min(ranks[0], ranks[1]);
  const std::int64_t k1 = std::max(ranks[0], ranks[1]);
  const std::int64_t i0 = checked_co_rank(c, k0);
  const std::int64_t i1 = checked_co_rank(c, k1);
  const merge_range part = make_merge_range(k0, i0, k1, i1);
  REQUIRE(is_part(part, c.m, c.n));
  REQUIRE(part.out_begin() == k0);
  REQUIRE(part.size() == k1 - k0);

  const co_rank_bounds begin = some_bounds(c, k0, i0, c.choices[2], c.choices[3]);
  const co_rank_bounds end = some_bounds(c, k1, i1, c.choices[4], c.choices[5]);
  const merge_window window = make_merge_window(k0, begin, k1, end);
  REQUIRE(is_part(window.inputs, c.m, c.n));
  REQUIRE(window.out_begin() == k0);
  REQUIRE(window.count == k1 - k0);
  REQUIRE(window.skipped + window.count <= window.inputs.size());
  REQUIRE(window.inputs.size() <= window.count + begin.range() + end.range());
  if (!c.has_result) return;
  std::vector<tagged> merged(static_cast<std::size_t>(window.inputs.size()));
  std::merge(c.in.a.begin() + window.inputs.a_begin, c.in.a.begin() + window.inputs.a_end,
             c.in.b.begin() + window.inputs.b_begin, c.in.b.begin() + window.inputs.b_end,
             merged.begin(), c.order_);
  REQUIRE(std::equal(c.expected.begin() + k0, c.expected.begin() + k1,
                     merged.begin() + window.skipped, oracle::is_same<tagged>));
}

// ---- the strategies ---------------------------------------------------------------------------

constexpr unsigned tiles[] = {1, 2, 3, 4, 5, 6, 7, 8, 16, 33};
constexpr unsigned granules[] = {1, 2, 4, 8, 16};

/// A function that steps a case, and its properties.
struct strategy {
  pass (*step)(const merge_case&, tagged* out);
  unsigned tile;
  bool loads_once;
};

/// For each tile, number 0 is `tiled`; the others are `circular` with each granule and 1 or 2
/// stages.
constexpr std::size_t per_tile = 1 + 2 * std::size(granules);
constexpr std::size_t strategies_count = std::size(tiles) * per_tile;

template <std::size_t Number>
constexpr strategy make_strategy() {
  constexpr unsigned tile = tiles[Number / per_tile];
  if constexpr (Number % per_tile == 0) {
    return {[](const merge_case& c, tagged* out) {
              return tile_stepper::step_tiled<tile>(c.in, c.items, out, c.order_);
            },
            tile, false};
  } else {
    constexpr std::size_t variant = Number % per_tile - 1;
    constexpr unsigned granule = granules[variant / 2];
    return {[](const merge_case& c, tagged* out) {
              return tile_stepper::step_circular<tile, 1 + variant % 2, granule>(
                  c.in, c.phase1 % granule, c.phase2 % granule, c.items, out, c.order_);
            },
            tile, true};
  }
}

template <std::size_t... Numbers>
constexpr std::array<strategy, sizeof...(Numbers)> make_strategies(
    std::index_sequence<Numbers...>) {
  return {make_strategy<Numbers>()...};
}

bool is_element(const merge_case& c, const tagged& x) {
  const bool second = (x.tag & oracle::second_input) != 0;
  const auto& input = second ? c.in.b : c.in.a;
  const std::size_t index = x.tag & ~oracle::second_input;
  return index < input.size() && oracle::is_same(input[index], x);
}

void check_strategy(const merge_case& c) {
  static constexpr auto strategies = make_strategies(std::make_index_sequence<strategies_count>{});
  const strategy& s = strategies[c.strategy % strategies_count];
  const std::int64_t size = c.m + c.n;
  oracle::guarded<tagged> out(static_cast<std::size_t>(size));
  const pass p = s.step(c, out.data());
  REQUIRE(out.is_intact());
  REQUIRE(p.tiles == (size + s.tile - 1) / s.tile);
  if (s.loads_once) REQUIRE(p.loads == size);
  if (c.has_result) {
    REQUIRE(oracle::first_difference(out.data(), c.expected) == c.expected.size());
  } else {
    REQUIRE(std::all_of(out.begin(), out.end(), [&](const tagged& x) { return is_element(c, x); }));
  }
}

/// Handles a failed assertion outside of a doctest program: prints it and lets the fuzzer save the
/// bytes.
void fail(const doctest::AssertData& failure) {
  std::fprintf(stderr, "%s:%d: failed: %s\n", failure.m_file, failure.m_line, failure.m_expr);
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static doctest::Context context;
  static const bool is_set_up = [] {
    context.setAsDefaultForAssertsOutOfTestCases();
    context.setAssertHandler(fail);
    return true;
  }();
  (void)is_set_up;
  merge_case c{byte_reader(data, size)};
  check_co_ranks(c);
  check_part(c);
  check_strategy(c);
  return 0;
}
