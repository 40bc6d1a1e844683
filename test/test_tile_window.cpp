// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tile_window: the algorithms of `tiled` and `circular`, stepped on the host as a block runs them.
// Checks the bookkeeping of the windows, the live slots and the number of loaded elements.
#include "tile_stepper.h"

#include <cmerge/detail/block/tile_window.h>

namespace {

using cmerge::detail::tile_window;
using oracle::tagged;
using tile_stepper::pass;
using tile_stepper::step_circular;
using tile_stepper::step_tiled;

/// Merges one pair of inputs in tiles of one size, in all variants.
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

TEST_CASE_TEMPLATE("all pairs of sequences of up to 8 of the values 0, 1, 2, tiny tiles", T,
                   std::integral_constant<unsigned, 1>, std::integral_constant<unsigned, 2>,
                   std::integral_constant<unsigned, 3>, std::integral_constant<unsigned, 4>,
                   std::integral_constant<unsigned, 5>, std::integral_constant<unsigned, 6>) {
  const auto all = oracle::all_sorted(oracle::quick() ? 6 : 8);
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

TEST_CASE("with two stages, alternating inputs are merged while a refill is in flight") {
  const auto in = oracle::make_inputs(oracle::shape::alternating, 3000, 3000);
  std::vector<tagged> out(6000);
  const pass one = step_circular<16, 1, 4>(in, 0, 0, 3, out.data());
  const pass two = step_circular<16, 2, 4>(in, 0, 0, 3, out.data());
  CHECK(one.overlaps == 0);
  CHECK(two.overlaps > two.tiles / 2);
  CHECK(one.loads == two.loads);
}

TEST_CASE("long sections wrap around the buffers many times") {
  for (const oracle::shape s : oracle::all_shapes) {
    CAPTURE(oracle::name(s));
    const auto in = oracle::make_inputs(s, 3000, 2000);
    step_all<7, 4>(in, 2);
    step_all<16, 2>(in, 3);
    step_all<64, 1>(in, 5);
  }
}

TEST_CASE("the loads and tiles of the textbook example") {
  // 16 blocks of 128 threads make 64,000 outputs of int keys in tiles of 1,024.
  constexpr unsigned tile = 1024;
  constexpr unsigned threads = 128;
  constexpr int blocks = 16;
  constexpr std::size_t outputs = 64000;
  static_assert(2 * tile_window<tile>::capacity * sizeof(int) == 8192,
                "shared memory of both inputs");
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
  CHECK(full.refill() / threads == 8);  // steps of the block to load a tile
}

TEST_CASE("a window over more than 2^32 elements") {
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
