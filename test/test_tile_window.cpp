// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The strategies' block algorithms, stepped on the host as the kernels run them: the windows'
// bookkeeping, which slots are live, how many elements are loaded.
#include "oracle.h"

#include <cmerge/block/tile_window.h>
#include <cmerge/co_rank.h>
#include <cmerge/detail/section_schedule.h>

namespace {

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
    slots[s] = {-1, ~0u};  // which checked_by_key refuses
  }

  /// Begins a refill as the kernels do: one copy, or two where the buffer wraps around. The
  /// elements are not there before `arrive`.
  template <unsigned Granule>
  void refill() {
    const unsigned count = window.refill();
    const unsigned slot = window.end_slot();
    const std::int64_t next = window.next();
    REQUIRE(slot < Window::capacity);
    REQUIRE(next + count <= size);
    // Source and slot lie at the same place of a granule; a refill ends with one or with the input.
    REQUIRE((phase + next - slot) % Granule == 0);
    REQUIRE(((slot + count) % Granule == 0 || next + count == size));
    for (unsigned e = 0; e < count; ++e) {
      const unsigned s = (slot + e) % Window::capacity;
      REQUIRE_FALSE(is_live[s]);
      under_way.emplace_back(s, next + e);
    }
    window.loading(count);
    loads += count;
  }

  void arrive() {
    for (const auto& [s, element] : under_way) {
      REQUIRE_FALSE(is_live[s]);
      slots[s] = input[element];
      is_live[s] = true;
    }
    under_way.clear();
    window.settle();
  }

  void consume(unsigned count) {
    const auto view = window.view(slots);
    for (unsigned e = 0; e < count; ++e) {
      release(static_cast<unsigned>(&view[e] - static_cast<tagged*>(slots)));
    }
    window.consume(count);
  }
};

/// Merges the next `count` outputs, each thread's share of `items` by itself, as `tile_merger`
/// does, and returns how many came from `a`.
template <class View>
unsigned merge_tile(View a, unsigned a_count, View b, unsigned b_count, unsigned count,
                    unsigned items, oracle::checked_by_key comp, tagged* out) {
  for (unsigned k = 0; k < count; k += items) {
    unsigned i = cmerge::co_rank(k, a, a_count, b, b_count, comp);
    unsigned j = k - i;
    for (unsigned step = 0; step < items && k + step < count; ++step) {
      const bool second = j < b_count && (i >= a_count || cmerge::takes_second(a[i], b[j], comp));
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
template <unsigned Tile, unsigned Stages, unsigned Granule>
pass step_circular(const oracle::inputs<tagged>& in, unsigned phase1, unsigned phase2,
                   unsigned items, tagged* out) {
  // As circular_merge::capacity, with little to spare so that some tiles have to wait.
  constexpr unsigned ahead = Stages == 1 ? 0 : (Tile + 1) / 2;
  constexpr unsigned whole = (Tile + ahead + Granule - 1) / Granule * Granule;
  using window = tile_window<whole + (Granule > 1 ? Granule : 0), Granule>;
  buffer<window> a(in.a, phase1);
  buffer<window> b(in.b, phase2);
  unsigned errors = 0;
  const oracle::checked_by_key comp{0, static_cast<unsigned>(in.a.size()), 0,
                                    static_cast<unsigned>(in.b.size()), &errors};
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
    REQUIRE(to - out == a.size + b.size - left);
    const unsigned taken =
        merge_tile(a.window.view(a.slots), a.window.available(Tile), b.window.view(b.slots),
                   b.window.available(Tile), count, items, comp, to);
    arrive();
    left -= count;
    if (left > 0) {
      a.consume(taken);
      b.consume(Tile - taken);
      a.template refill<Granule>();
      b.template refill<Granule>();
    }
  }
  REQUIRE(errors == 0);
  p.loads = a.loads + b.loads;
  return p;
}

/// The tiled strategy.
template <unsigned Tile>
pass step_tiled(const oracle::inputs<tagged>& in, unsigned items, tagged* out) {
  using window = tile_window<Tile>;
  buffer<window> a(in.a, 0);
  buffer<window> b(in.b, 0);
  unsigned errors = 0;
  const oracle::checked_by_key comp{0, static_cast<unsigned>(in.a.size()), 0,
                                    static_cast<unsigned>(in.b.size()), &errors};
  pass p;
  for (std::int64_t left = a.size + b.size; left > 0; ++p.tiles) {
    const std::int64_t loads = a.loads + b.loads;
    a.phase = static_cast<unsigned>(a.window.next() % Tile);
    tagged* const to = out + a.window.next() + b.window.next();
    a.template refill<1>();
    b.template refill<1>();
    a.arrive();
    b.arrive();
    REQUIRE(a.loads + b.loads - loads <= 2 * Tile);
    const auto count = static_cast<unsigned>(std::min<std::int64_t>(left, Tile));
    const unsigned taken = merge_tile(static_cast<const tagged*>(a.slots), a.window.available(Tile),
                                      static_cast<const tagged*>(b.slots), b.window.available(Tile),
                                      count, items, comp, to);
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
  REQUIRE(errors == 0);
  p.loads = a.loads + b.loads;
  return p;
}

/// Steps one pair of inputs with one tile in all variants.
template <unsigned Tile, unsigned Granule>
void step_all(const oracle::inputs<tagged>& in, unsigned items) {
  const auto expected = oracle::merged(in.a, in.b, oracle::by_key{});
  const auto size = static_cast<std::int64_t>(expected.size());
  const auto check = [&](auto step, bool is_circular) {
    oracle::guarded<tagged> out(expected.size());
    const pass p = step(out.data());
    REQUIRE(oracle::first_difference(out.data(), expected) == expected.size());
    REQUIRE(out.is_intact());
    REQUIRE(p.tiles == (size + Tile - 1) / Tile);
    if (is_circular) REQUIRE(p.loads == size);
  };
  if (Granule == 1) check([&](tagged* out) { return step_tiled<Tile>(in, items, out); }, false);
  for (unsigned phase = 0; phase < Granule; ++phase) {
    const unsigned phase2 = (phase * 3 + 1) % Granule;
    check(
        [&](tagged* out) { return step_circular<Tile, 1, Granule>(in, phase, phase2, items, out); },
        true);
    check(
        [&](tagged* out) { return step_circular<Tile, 2, Granule>(in, phase, phase2, items, out); },
        true);
  }
}

TEST_CASE_TEMPLATE("all pairs of up to 8 of the values 0, 1, 2, tiny tiles", T,
                   std::integral_constant<unsigned, 1>, std::integral_constant<unsigned, 2>,
                   std::integral_constant<unsigned, 3>, std::integral_constant<unsigned, 4>,
                   std::integral_constant<unsigned, 5>, std::integral_constant<unsigned, 6>) {
  const auto all = oracle::all_sorted(8);
  unsigned count = 0;
  for (const auto& keys1 : all) {
    for (const auto& keys2 : all) {
      const auto in = oracle::tag(keys1, keys2);
      const unsigned items = count++ % T::value + 1;
      step_all<T::value, 1>(in, items);
      step_all<T::value, 2>(in, items);
      step_all<T::value, 4>(in, items);
    }
  }
}

TEST_CASE("with two stages, alike inputs are merged while the next refill is under way") {
  const auto in = oracle::make_inputs(oracle::shape::alternating, 3000, 3000);
  std::vector<tagged> out(6000);
  const pass one = step_circular<16, 1, 4>(in, 0, 0, 3, out.data());
  const pass two = step_circular<16, 2, 4>(in, 0, 0, 3, out.data());
  CHECK(one.overlaps == 0);
  CHECK(two.overlaps > two.tiles / 2);
  CHECK(one.loads == two.loads);
}

TEST_CASE("long sections wrap around many times") {
  for (const oracle::shape s : oracle::all_shapes) {
    CAPTURE(oracle::name(s));
    const auto in = oracle::make_inputs(s, 3000, 2000);
    step_all<7, 4>(in, 2);
    step_all<16, 2>(in, 3);
    step_all<64, 1>(in, 5);
  }
}

TEST_CASE("the numbers of the textbook case") {
  // 16 blocks make 64,000 outputs of int keys, with 128 threads and tiles of 1,024.
  constexpr unsigned tile = 1024;
  constexpr unsigned threads = 128;
  constexpr int blocks = 16;
  constexpr std::size_t outputs = 64000;
  static_assert(2 * tile_window<tile>::capacity * sizeof(int) == 8192, "shared memory of A and B");
  const std::size_t section = outputs / blocks;
  CHECK(section == 4000);
  const auto in = oracle::make_inputs(oracle::shape::random, section / 2, section / 2);
  std::vector<tagged> out(section);
  const pass circular = step_circular<tile, 1, 1>(in, 0, 0, tile / threads, out.data());
  CHECK(circular.tiles == 4);
  CHECK(circular.loads == 4000);
  const pass tiled = step_tiled<tile>(in, tile / threads, out.data());
  CHECK(tiled.tiles == 4);
  CHECK(tiled.loads > 4000);
  const tile_window<tile> full(64000);
  CHECK(full.refill() / threads == 8);  // steps to load a tile
}

TEST_CASE("a window of more elements than 32 bits can count") {
  constexpr std::int64_t size = (std::int64_t{1} << 33) + 5;
  tile_window<8, 4> window(size, 3);
  CHECK(window.refill() == 5);
  window.loaded(5);
  std::int64_t consumed = 0;
  while (consumed < 100) {
    window.consume(3);
    consumed += 3;
    CHECK(window.consumed() == consumed);
    window.loaded(window.refill());
  }
  CHECK(window.next() > 100);
}

}  // namespace
