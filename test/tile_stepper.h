// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The block algorithms of `tiled` and `circular`, stepped on the host as the kernels run them, with
// a check of each step: what is live is not overwritten, and nothing else is compared. For any
// comparator. Includes oracle.h, co_rank.h, block/tile_window.h and std.
#pragma once

#include "oracle.h"

#include <cmerge/co_rank.h>
#include <cmerge/detail/block/tile_window.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

/// As REQUIRE, but a condition that holds costs no more than its evaluation. doctest records every
/// assertion, and these run hundreds of millions of times.
#define STEPPER_REQUIRE(...)                  \
  do {                                        \
    if (!(__VA_ARGS__)) REQUIRE(__VA_ARGS__); \
  } while (false)

// Hidden, or g++ warns: its members are of hidden types.
namespace tile_stepper CMERGE_HIDDEN {

using cmerge::detail::tile_window;
using oracle::tagged;

/// One input's buffer: slots that are live must not be written, slots that are not must not be
/// compared.
template <class Window>
struct buffer {
  Window window;
  const tagged* input;
  std::int64_t size;
  unsigned phase;
  tagged slots[Window::capacity];
  bool is_live[Window::capacity] = {};
  std::vector<std::pair<unsigned, std::int64_t>> under_way;  // slot, element
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
    slots[s] = {-1, ~0u};  // which checked_order refuses
  }

  /// Begins a refill as the kernels do: one copy, or two where the buffer wraps around. The
  /// elements are not there before `arrive`.
  template <unsigned Granule>
  void refill() {
    const unsigned count = window.refill();
    const unsigned slot = window.end_slot();
    const std::int64_t next = window.next();
    STEPPER_REQUIRE(slot < Window::capacity);
    STEPPER_REQUIRE(next + count <= size);
    // Source and slot lie at the same place of a granule; a refill ends with one or with the input.
    STEPPER_REQUIRE((phase + next - slot) % Granule == 0);
    STEPPER_REQUIRE(((slot + count) % Granule == 0 || next + count == size));
    for (unsigned e = 0; e < count; ++e) {
      const unsigned s = (slot + e) % Window::capacity;
      STEPPER_REQUIRE(!is_live[s]);
      under_way.emplace_back(s, next + e);
    }
    window.loading(count);
    loads += count;
  }

  void arrive() {
    for (const auto& [s, element] : under_way) {
      STEPPER_REQUIRE(!is_live[s]);
      slots[s] = input[element];
      is_live[s] = true;
    }
    under_way.clear();
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

/// As `*comp`, and sees to it that nothing but elements of the inputs is compared, in the order
/// `comp(element of input 2, element of input 1)`.
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

/// Merges the next `count` outputs, each thread's share of `items` by itself, as `tile_merger`
/// does, and returns how many came from `a`.
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
  std::int64_t overlaps = 0;  // tiles that were merged while a refill was under way
};

/// The circular strategy.
template <unsigned Tile, unsigned Stages, unsigned Granule, class Compare = oracle::by_key>
pass step_circular(const oracle::inputs<tagged>& in, unsigned phase1, unsigned phase2,
                   unsigned items, tagged* out, Compare comp = {}) {
  // As circular_merge::capacity, with little to spare so that some tiles have to wait.
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
    if (is_ready && !(a.under_way.empty() && b.under_way.empty())) ++p.overlaps;
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
