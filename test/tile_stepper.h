// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The block algorithms of `tiled` and `circular`, stepped on the host as the kernels run them, for
// any comparator. Each step is checked: live elements are not overwritten, and only live elements
// are compared. Used by test_tile_window.cpp and fuzz/fuzz_tile.cpp.
#pragma once

#include "oracle.h"

#include <cmerge/co_rank.h>
#include <cmerge/detail/block/tile_window.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

/// Like REQUIRE, but a condition that holds costs only its evaluation. doctest records every
/// assertion, and recording these took nine tenths of the test.
#define STEPPER_REQUIRE(...)                                        \
  do {                                                              \
    if (!(__VA_ARGS__)) tile_stepper::fail(#__VA_ARGS__, __LINE__); \
  } while (false)

// Hidden, since g++ warns if visible classes have members of hidden types.
namespace tile_stepper CMERGE_HIDDEN {

/// Fails the test. stderr gets the condition too, because the handler of the fuzz target prints
/// only the assertion.
inline void fail(const char* condition, int line) {
  std::fprintf(stderr, "tile_stepper.h:%d: %s\n", line, condition);
  REQUIRE_MESSAGE(false, "tile_stepper.h:", line, ": ", condition);
}

using cmerge::detail::tile_window;
using oracle::tagged;

/// The buffer of one input. Live slots must not be written; other slots must not be compared.
template <class Window>
struct buffer {
  Window window;
  const tagged* input;
  std::int64_t size;
  unsigned phase;
  tagged slots[Window::capacity];
  bool is_live[Window::capacity] = {};
  std::vector<std::pair<unsigned, std::int64_t>> in_flight;  // slot, element
  std::int64_t loads = 0;

  buffer(const std::vector<tagged>& in, unsigned first_slot)
      : window(static_cast<std::int64_t>(in.size()), first_slot),
        input(in.data()),
        size(static_cast<std::int64_t>(in.size())),
        phase(first_slot) {
    forget();
  }

  void forget() {
    for (unsigned s = 0; s < Window::capacity; ++s) release(s);
  }
  void release(unsigned s) {
    is_live[s] = false;
    slots[s] = {-1, ~0u};  // checked_order reports this tag
  }

  /// Starts a refill as the kernels do: one copy, or two if it wraps around the buffer. The
  /// elements become live in `arrive`.
  template <unsigned Granule>
  void refill() {
    const unsigned count = window.refill();
    const unsigned slot = window.end_slot();
    const std::int64_t next = window.next();
    STEPPER_REQUIRE(slot < Window::capacity);
    STEPPER_REQUIRE(next + count <= size);
    // Source and slot have the same offset in a granule. A refill ends with a granule or the input.
    STEPPER_REQUIRE((phase + next - slot) % Granule == 0);
    STEPPER_REQUIRE(((slot + count) % Granule == 0 || next + count == size));
    for (unsigned e = 0; e < count; ++e) {
      const unsigned s = (slot + e) % Window::capacity;
      STEPPER_REQUIRE(!is_live[s]);
      in_flight.emplace_back(s, next + e);
    }
    window.loading(count);
    loads += count;
  }

  void arrive() {
    for (const auto& [s, element] : in_flight) {
      STEPPER_REQUIRE(!is_live[s]);
      slots[s] = input[element];
      is_live[s] = true;
    }
    in_flight.clear();
    window.settle();
  }

  void consume(unsigned count) {
    STEPPER_REQUIRE(count <= Window::capacity);
    const auto view = window.view(slots);
    bool were_live = true;
    for (unsigned e = 0; e < count; ++e) {
      const auto s = static_cast<unsigned>(&view[e] - static_cast<tagged*>(slots));
      were_live = were_live && is_live[s];
      release(s);
    }
    STEPPER_REQUIRE(were_live);
    window.consume(count);
  }
};

/// Calls `*comp(b, a)`. Reports arguments that are not an element of `b` and one of `a`, in this
/// order.
template <class Compare>
struct checked_order {
  std::size_t m;
  std::size_t n;
  Compare* comp;
  bool* has_error;

  bool operator()(const tagged& b, const tagged& a) const {
    if (a.tag >= m || (b.tag ^ oracle::second_input) >= n) *has_error = true;
    return (*comp)(b, a);
  }
};

/// Merges the next `count` outputs as `tile_merger` does: `items` for each thread, from its own
/// co-rank. Returns the number of elements taken from `a`.
template <class View, class Compare>
unsigned merge_tile(View a, unsigned a_count, View b, unsigned b_count, unsigned count,
                    unsigned items, checked_order<Compare> comp, tagged* out) {
  for (unsigned k = 0; k < count; k += items) {
    unsigned i = cmerge::co_rank(k, a, a_count, b, b_count, comp);
    unsigned j = k - i;
    for (unsigned step = 0; step < items && k + step < count; ++step) {
      const bool second = j < b_count && (i >= a_count || cmerge::takes_b(a[i], b[j], comp));
      out[k + step] = second ? b[j] : a[i];
      i += !second;
      j += second;
    }
  }
  return cmerge::co_rank(count, a, a_count, b, b_count, comp);
}

struct pass {
  std::int64_t tiles = 0;
  std::int64_t loads = 0;
  std::int64_t overlaps = 0;  // tiles merged while a refill was in flight
};

/// The circular strategy.
template <unsigned Tile, unsigned Stages, unsigned Granule, class Compare = oracle::by_key>
pass step_circular(const oracle::inputs<tagged>& in, unsigned phase1, unsigned phase2,
                   unsigned items, tagged* out, Compare comp = {}) {
  // Like circular_merge::capacity, but with little room to spare, so that some tiles have to wait.
  constexpr unsigned ahead = Stages == 1 ? 0 : (Tile + 1) / 2;
  constexpr unsigned whole = (Tile + ahead + Granule - 1) / Granule * Granule;
  using window = tile_window<whole + (Granule > 1 ? Granule : 0), Granule>;
  buffer<window> a(in.a, phase1);
  buffer<window> b(in.b, phase2);
  bool has_error = false;
  const checked_order<Compare> checked{in.a.size(), in.b.size(), &comp, &has_error};
  const auto arrive = [&] {
    a.arrive();
    b.arrive();
  };
  a.template refill<Granule>();
  b.template refill<Granule>();
  arrive();
  pass p;
  for (std::int64_t left = a.size + b.size; left > 0; ++p.tiles) {
    const bool is_ready = a.window.is_ready(Tile) && b.window.is_ready(Tile);
    if (is_ready && !(a.in_flight.empty() && b.in_flight.empty())) ++p.overlaps;
    if (!is_ready) arrive();
    const auto count = static_cast<unsigned>(std::min<std::int64_t>(left, Tile));
    tagged* const to = out + a.window.consumed() + b.window.consumed();
    STEPPER_REQUIRE(to - out == a.size + b.size - left);
    const unsigned taken =
        merge_tile(a.window.view(a.slots), a.window.available(Tile), b.window.view(b.slots),
                   b.window.available(Tile), count, items, checked, to);
    arrive();
    left -= count;
    if (left > 0) {
      a.consume(taken);
      b.consume(Tile - taken);
      a.template refill<Granule>();
      b.template refill<Granule>();
    }
  }
  STEPPER_REQUIRE(!has_error);
  p.loads = a.loads + b.loads;
  return p;
}

/// The tiled strategy.
template <unsigned Tile, class Compare = oracle::by_key>
pass step_tiled(const oracle::inputs<tagged>& in, unsigned items, tagged* out, Compare comp = {}) {
  using window = tile_window<Tile>;
  buffer<window> a(in.a, 0);
  buffer<window> b(in.b, 0);
  bool has_error = false;
  const checked_order<Compare> checked{in.a.size(), in.b.size(), &comp, &has_error};
  pass p;
  for (std::int64_t left = a.size + b.size; left > 0; ++p.tiles) {
    const std::int64_t loads = a.loads + b.loads;
    a.phase = static_cast<unsigned>(a.window.next() % Tile);
    tagged* const to = out + a.window.next() + b.window.next();
    a.template refill<1>();
    b.template refill<1>();
    a.arrive();
    b.arrive();
    STEPPER_REQUIRE(a.loads + b.loads - loads <= 2 * Tile);
    const auto count = static_cast<unsigned>(std::min<std::int64_t>(left, Tile));
    const unsigned taken = merge_tile(static_cast<const tagged*>(a.slots), a.window.available(Tile),
                                      static_cast<const tagged*>(b.slots), b.window.available(Tile),
                                      count, items, checked, to);
    left -= count;
    if (left > 0) {
      a.consume(taken);
      b.consume(Tile - taken);
      a.window.discard();
      b.window.discard();
      a.forget();
      b.forget();
    }
  }
  STEPPER_REQUIRE(!has_error);
  p.loads = a.loads + b.loads;
  return p;
}

}  // namespace tile_stepper
