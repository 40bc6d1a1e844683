// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws a random merge: its call, sizes, keys and alignment.
#pragma once

#include "../oracle.h"

#include <cmerge/tuning.h>

#include <cmath>
#include <iterator>
#include <limits>

namespace fuzz {

using oracle::shape;

// ---- draws ------------------------------------------------------------------------------------

/// Random numbers that depend only on the seed of all tests and the number of a case. Each case has
/// its own generator, so the state must be small: splitmix64.
class draw {
 public:
  explicit draw(std::uint64_t number) : state_(mix(mix(oracle::seed()) + number)) {}

  std::uint64_t next() { return mix(state_ += 0x9e3779b97f4a7c15u); }
  /// Below `end`, which is not 0.
  std::size_t below(std::size_t end) { return next() % end; }
  bool one_in(std::size_t n) { return below(n) == 0; }
  /// In [0, 1).
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  static std::uint64_t mix(std::uint64_t x) {
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
  }
  std::uint64_t state_;
};

/// The calls, each with or without values. Merges of indices take keys only.
enum call : unsigned {
  merge,
  merge_n,
  indices32,
  indices64,
  two_phases,  ///< DeviceMerge
  one_phase,
  device_sizes,  ///< DeviceMerge with sizes in device memory and their bounds
  calls
};
inline const char* name(call what) {
  constexpr const char* names[] = {"merge",      "merge_n",   "indices of 32 bits", "of 64 bits",
                                   "two phases", "one phase", "device sizes"};
  return names[what];
}

/// Sets of calls.
constexpr unsigned only(call what) { return 1u << what; }
inline constexpr unsigned thrust_calls = only(merge) | only(merge_n);
inline constexpr unsigned cub_calls = only(two_phases) | only(one_phase);

/// Everything that was drawn, apart from the keys.
struct fuzz_case {
  std::uint64_t number;
  call what;
  shape keys;
  bool descends;
  std::size_t tile;     ///< of the kernel for a moderate problem
  std::size_t most1;    ///< elements in input 1; only the first `m` are merged
  std::size_t most2;    ///< elements in input 2
  std::int64_t given1;  ///< the sizes in device memory
  std::int64_t given2;
  std::int64_t count;  ///< for merge_n: the number of outputs
  std::size_t m;
  std::size_t n;
  std::size_t outputs;
  std::size_t offsets[6];  ///< of keys, values and outputs from aligned addresses, in elements

  std::string text() const {
    std::string t = "CMERGE_TEST_SEED=" + std::to_string(oracle::seed()) +
                    " CMERGE_TEST_CASE=" + std::to_string(number) +
                    (oracle::quick() ? " CMERGE_TEST_QUICK=1" : "") + ": " + name(what) + ", m " +
                    std::to_string(m) + ", n " + std::to_string(n);
    if (what == merge_n) t += ", count " + std::to_string(count);
    if (what == device_sizes) {
      t += ", given " + std::to_string(given1) + " of " + std::to_string(most1) + " and " +
           std::to_string(given2) + " of " + std::to_string(most2);
    }
    t += std::string(", keys ") + oracle::name(keys) + (descends ? ", descending" : "") +
         ", tile " + std::to_string(tile) + ", offsets";
    for (const std::size_t offset : offsets) t += " " + std::to_string(offset);
    return t;
  }
};

/// The total size of both inputs. The mean is about 2200, so thousands of cases take seconds.
inline std::size_t draw_total(draw& random, std::size_t tile, std::size_t bytes) {
  const std::size_t kind = random.below(1000);
  const auto around_tiles = [&](std::size_t most) {
    const std::size_t tiles = 1 + random.below(1 + random.below(most));
    return tiles * tile + random.below(5) - std::min<std::size_t>(2, tile);
  };
  if (oracle::quick()) {
    return kind < 300                  ? random.below(71)
           : kind < 800 || tile > 1500 ? random.below(400)
                                       : around_tiles(1);
  }
  // Not for wide elements: a few such cases would take most of the time.
  if (bytes <= 24 && random.one_in(2500)) return cmerge::large_problem - 2 + random.below(50000);
  if (kind < 200) return random.below(71);
  if (kind < 680) return random.below(3001);
  if (kind < 990) return around_tiles(std::max<std::size_t>(4, 3000 / tile));
  return static_cast<std::size_t>(3000 * std::pow(200000.0 / 3000, random.unit()));
}

inline std::size_t draw_split(draw& random, std::size_t total) {
  switch (random.below(10)) {
    case 0:
    case 1:
    case 2:
      return total / 2;
    case 3:
      return total / 2 + (total > 1 ? random.below(2) : 0);
    case 4:
      return std::min(total, random.below(4));
    case 5:
      return total - std::min(total, random.below(4));
    case 6:
      return random.one_in(2) ? 0 : total;
    default:
      return random.below(total + 1);
  }
}

/// A number of outputs: from 0 to more than `total`.
inline std::int64_t draw_count(draw& random, std::size_t total, std::size_t tile) {
  const auto signed_total = static_cast<std::int64_t>(total);
  switch (random.below(8)) {
    case 0:
      return static_cast<std::int64_t>(random.below(2));
    case 1:
      return signed_total;
    case 2:
      return random.one_in(2) ? signed_total + 1 + static_cast<std::int64_t>(random.below(5000))
                              : std::numeric_limits<std::int64_t>::max();
    case 3:
    case 4:
      return static_cast<std::int64_t>(tile * (1 + random.below(3)) + random.below(3) - 1);
    default:
      return static_cast<std::int64_t>(random.below(total + 1));
  }
}

/// A size in device memory whose bound is `most`. It can be negative or above the bound.
inline std::int64_t draw_given(draw& random, std::size_t most) {
  switch (random.below(8)) {
    case 0:
      return static_cast<std::int64_t>(most);
    case 1:
      return static_cast<std::int64_t>(most + 1 + random.below(5000));
    case 2:
      return random.one_in(2) ? 0 : -1 - static_cast<std::int64_t>(random.below(5000));
    default:
      return static_cast<std::int64_t>(random.below(most + 1));
  }
}

/// Ascending keys from about `first` to about `last`, at random distances.
inline void draw_rising(draw& random, std::vector<std::int64_t>& keys, std::int64_t first,
                        std::int64_t last) {
  const double step = static_cast<double>(last - first + 1) / static_cast<double>(keys.size() + 1);
  double at = static_cast<double>(first);
  for (std::int64_t& key : keys) {
    const double u = random.unit();
    at += 3 * step * u * u;  // `step` on average; short distances are frequent
    key = std::min(last, static_cast<std::int64_t>(at));
  }
}

/// Draws ascending keys in [0, `most`] for both inputs. The sizes of `a` and `b` are set.
inline void draw_keys(draw& random, shape s, std::int64_t most, std::vector<std::int64_t>& a,
                      std::vector<std::int64_t>& b) {
  // From no ties to a small number of distinct keys.
  const auto range = static_cast<std::int64_t>(std::pow(static_cast<double>(most), random.unit()));
  const auto ranked = [&](auto rank1, auto rank2) {
    const std::int64_t ranks = static_cast<std::int64_t>(2 * std::max(a.size(), b.size())) + 1024;
    const auto spread = [=](std::int64_t r) { return ranks <= most ? r : r * most / ranks; };
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = spread(rank1(static_cast<std::int64_t>(i)));
    for (std::size_t j = 0; j < b.size(); ++j) b[j] = spread(rank2(static_cast<std::int64_t>(j)));
  };
  switch (s) {
    case shape::random:
      draw_rising(random, a, 0, range);
      draw_rising(random, b, 0, range);
      break;
    case shape::few: {
      const std::size_t distinct = 2 + random.below(7);
      const std::int64_t distance = most / static_cast<std::int64_t>(distinct);
      for (std::vector<std::int64_t>* keys : {&a, &b}) {
        std::fill(keys->begin(), keys->end(), 0);
        for (std::size_t cut = 1; cut < distinct; ++cut) {
          const std::size_t from = random.below(keys->size() + 1);
          for (std::size_t i = from; i < keys->size(); ++i) (*keys)[i] += distance;
        }
      }
      break;
    }
    case shape::equal:
      // `most / 2` becomes zero; floating-point types have two zeros.
      for (std::vector<std::int64_t>* keys : {&a, &b}) {
        std::fill(keys->begin(), keys->end(), range > most / 2 ? most / 2 : range);
      }
      break;
    case shape::disjoint:
    case shape::disjoint2: {
      std::vector<std::int64_t>& low = s == shape::disjoint ? a : b;
      std::vector<std::int64_t>& high = s == shape::disjoint ? b : a;
      draw_rising(random, low, 0, range / 2);
      draw_rising(random, high, range / 2, most);
      // One common key, or none.
      if (!low.empty()) low.back() = range / 2;
      if (!high.empty() && random.one_in(2)) high.front() = range / 2;
      break;
    }
    case shape::alternating:
      ranked([](std::int64_t i) { return 2 * i; }, [](std::int64_t j) { return 2 * j + 1; });
      break;
    case shape::blocks: {
      const auto size = 1 + static_cast<std::int64_t>(random.below(500));
      ranked([=](std::int64_t i) { return i / size * 2 * size + i % size; },
             [=](std::int64_t j) { return j / size * 2 * size + size + j % size; });
      break;
    }
    default:  // one input is dense at the low end, the other at the low or the high end
      draw_rising(random, a, 0, most);
      draw_rising(random, b, 0, most);
      const bool is_high = random.one_in(2);
      const auto low = [=](std::int64_t key) {
        const double x = static_cast<double>(key) / static_cast<double>(most);
        return static_cast<std::int64_t>(x * x * x * x * static_cast<double>(most));
      };
      for (std::int64_t& key : a) key = low(key);
      for (std::int64_t& key : b) key = is_high ? most - low(most - key) : low(key);
  }
}

/// Draws everything but the keys. `tile(what)` is the tile of a call.
template <class Tile>
fuzz_case draw_case(draw& random, std::uint64_t number, unsigned allowed, std::size_t bytes,
                    Tile tile) {
  fuzz_case c{};
  c.number = number;
  do {
    c.what = static_cast<call>(random.below(calls));
  } while ((allowed & only(c.what)) == 0);
  c.tile = tile(c.what);
  c.keys = oracle::all_shapes[random.below(std::size(oracle::all_shapes))];
  const std::size_t total = draw_total(random, c.tile, bytes);
  c.m = c.most1 = draw_split(random, total);
  c.n = c.most2 = total - c.m;
  c.count = draw_count(random, total, c.tile);
  if (c.what == device_sizes) {
    const auto clamped = [](std::int64_t size, std::size_t most) {
      return static_cast<std::size_t>(
          std::clamp<std::int64_t>(size, 0, static_cast<std::int64_t>(most)));
    };
    c.given1 = draw_given(random, c.most1);
    c.given2 = draw_given(random, c.most2);
    c.m = clamped(c.given1, c.most1);
    c.n = clamped(c.given2, c.most2);
  }
  c.outputs = c.m + c.n;
  if (c.what == merge_n && c.count < static_cast<std::int64_t>(total)) {
    c.outputs = static_cast<std::size_t>(c.count);
  }
  // All aligned, or each at a random offset.
  if (!random.one_in(3)) {
    for (std::size_t& offset : c.offsets) offset = random.below(16);
  }
  return c;
}

}  // namespace fuzz
