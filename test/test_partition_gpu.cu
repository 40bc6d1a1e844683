// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The partition kernel: merges of so many tiles that a separate launch searches for their ends.
#include "gpu/fickle.cuh"
#include "gpu/oracle.cuh"
#include "gpu/reference_merge.cuh"

#include <cmerge/merge.h>
#include <cmerge/detail/device/partition_kernel.cuh>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include <cstdint>

namespace gpu_test {

using cmerge::strategy;
using cmerge::detail::co_rank_bounds;
using oracle::fixed;
using oracle::shape;
using oracle::tagged;

/// The slots that the partition kernel fills for tiles of `Tile` outputs, from `first_slot` on.
template <std::int64_t Tile, class Iterator, class Compare>
std::vector<cmerge::detail::tile_slot> find_slots(Iterator first1, std::int64_t m, Iterator first2,
                                                  std::int64_t n, std::int64_t first_slot,
                                                  std::int64_t width, Compare comp) {
  using cmerge::detail::partition_kernel;
  using cmerge::detail::tile_slot;
  using key = cmerge::detail::value_t<Iterator>;
  static_assert(Tile * sizeof(key) >= sizeof(tile_slot));
  const oracle::device_output<key> out(static_cast<std::size_t>(m + n), 1);
  const auto problem =
      cmerge::detail::keys_problem(first1, first2, out.begin(), comp, {m, n, m + n});
  static_assert(cmerge::detail::has_slots<std::decay_t<decltype(problem)>>);
  const cmerge::detail::section_schedule schedule{m + n, Tile, 0};
  const std::int64_t slots = schedule.tiles() - first_slot;
  const int served = cmerge::detail::partition_tiles(90);
  const auto blocks = static_cast<unsigned>((slots + served - 1) / served);
  partition_kernel<<<blocks, cmerge::detail::partition_threads>>>(problem, schedule, first_slot,
                                                                  width, std::int64_t{0}, served);
  oracle::check_cuda(cudaGetLastError(), "launch");
  std::vector<tile_slot> found;
  for (std::int64_t tile = first_slot; tile < schedule.tiles(); ++tile) {
    const std::int64_t begin = schedule.tile_begin(tile);
    if ((m + n - begin) * std::int64_t{sizeof(key)} < std::int64_t{sizeof(tile_slot)}) break;
    oracle::check_cuda(cudaMemcpy(&found.emplace_back(), out.begin() + begin, sizeof(tile_slot),
                                  cudaMemcpyDefault),
                       "cudaMemcpy");
  }
  return found;
}

TEST_CASE("bounds each tile and the tile to prefetch") {
  constexpr std::int64_t tile = 16;
  constexpr std::int64_t width = 5;
  constexpr std::int64_t first_slot = 3;
  // Fewer tiles than one block serves, exactly as many, some more, and many.
  for (const std::int64_t tiles : {40, 211, 212, 260, oracle::quick() ? 300 : 1300}) {
    const auto total = static_cast<std::size_t>(tiles * tile - 7);
    CAPTURE(tiles);
    for (const shape s : oracle::all_shapes) {
      CAPTURE(oracle::name(s));
      INFO("seed ", oracle::seed());
      const auto in = oracle::make_inputs(s, total / 3, total - total / 3);
      const auto m = static_cast<std::int64_t>(in.a.size());
      const auto n = static_cast<std::int64_t>(in.b.size());
      const oracle::device_input<tagged> a(in.a);
      const oracle::device_input<tagged> b(in.b);
      const oracle::device_errors errors;
      const auto slots = find_slots<tile>(
          static_cast<const tagged*>(a.begin()), m, static_cast<const tagged*>(b.begin()), n,
          first_slot, width, oracle::checked({0, in.a.size(), 0, in.b.size()}, errors));
      CHECK_MESSAGE(errors.count() == 0, "something other than an input element was compared");
      REQUIRE(static_cast<std::int64_t>(slots.size()) == tiles - first_slot);
      const auto check = [&](std::int64_t e, const co_rank_bounds& bounds, std::int64_t reach) {
        const std::int64_t k = std::min(e * tile, m + n);
        const std::int64_t i = cmerge::co_rank(k, in.a.data(), m, in.b.data(), n, oracle::by_key{});
        CAPTURE(e);
        REQUIRE(bounds.low - reach <= i);
        REQUIRE(i <= bounds.high + reach);
        REQUIRE(bounds.range() <= width);
      };
      for (std::size_t place = 0; place < slots.size(); ++place) {
        const std::int64_t e = first_slot + static_cast<std::int64_t>(place);
        check(e, slots[place].begin.unpack(), 0);
        check(e + 1, slots[place].end.unpack(), 0);
        const std::int64_t later = e + cmerge::detail::tiles_ahead;
        if (later >= tiles) continue;
        const co_rank_bounds ahead = slots[place].ahead.unpack();
        check(later, {ahead.low, ahead.low}, width);
        check(later + 1, {ahead.high, ahead.high}, width);
      }
    }
  }
}

TEST_CASE("prefetches within the inputs under an inconsistent comparator") {
  constexpr std::int64_t tile = 16;
  constexpr std::int64_t first_slot = 3;
  const std::int64_t m = 4000;
  const std::int64_t n = 1500;
  const oracle::device_errors errors;
  const thrust::counting_iterator<std::int64_t> indices(0);
  const auto slots =
      find_slots<tile>(indices, m, indices, n, first_slot, 4, fickle{errors.get(), m, n});
  CHECK(errors.count() == 0);
  std::int64_t e = first_slot + cmerge::detail::tiles_ahead;
  for (const cmerge::detail::tile_slot& slot : slots) {
    const std::int64_t k0 = std::min(e * tile, m + n);
    const std::int64_t k1 = std::min(k0 + tile, m + n);
    const co_rank_bounds ahead = slot.ahead.unpack();
    const auto part = cmerge::detail::make_merge_range(k0, ahead.low, k1, ahead.high);
    ++e;
    if (k0 == k1) continue;
    CAPTURE(e);
    REQUIRE(part.size() == k1 - k0);
    REQUIRE(0 <= part.a_begin);
    REQUIRE(part.a_begin <= part.a_end);
    REQUIRE(part.a_end <= m);
    REQUIRE(0 <= part.b_begin);
    REQUIRE(part.b_begin <= part.b_end);
    REQUIRE(part.b_end <= n);
  }
}

/// Outputs that make several times more tiles than resident blocks.
template <class Tuning>
std::size_t many_tiles() {
  int sms = 0;
  oracle::check_cuda(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0),
                     "cudaDeviceGetAttribute");
  const int threads = Tuning::get({}).threads;
  const int blocks = std::min(32, 2048 / threads);
  return static_cast<std::size_t>(sms) * static_cast<std::size_t>(blocks) * Tuning::tile * 9 / 2;
}

/// Merges on the device and checks the result there.
template <class Policy, class Key>
void check_merge(const Policy& policy, const oracle::device_input<Key>& a,
                 const oracle::device_input<Key>& b, std::size_t offset) {
  const oracle::device_output<Key> out(a.size() + b.size(), offset);
  const oracle::device_errors errors;
  Key* const end = cmerge::merge(policy, a.begin(), a.end(), b.begin(), b.end(), out.begin(),
                                 oracle::checked({0, a.size(), 0, b.size()}, errors));
  CHECK(end == out.end());
  CHECK_MESSAGE(errors.count() == 0, "something other than an input element was compared");
  CHECK(oracle::is_merged(a.begin(), a.size(), b.begin(), b.size(), out.begin()));
}

template <class Tuning, int Bytes = 8>
void check_many_tiles(bool all_splits = false) {
  const std::size_t total = many_tiles<Tuning>() + 77;
  const auto policy = cmerge::tuned<Tuning>(thrust::device);
  for (const shape s : oracle::all_shapes) {
    CAPTURE(oracle::name(s));
    INFO("seed ", oracle::seed());
    // Even splits, and nearly everything in one input. No range ends at the end of a tile.
    for (const std::size_t m : {total / 2, total - 5, total / 100}) {
      CAPTURE(m);
      if (!all_splits && m != total / 2) continue;
      if (oracle::quick() && (s != shape::skewed || m != total / 2)) continue;
      const auto in = oracle::make_inputs<Bytes>(s, m, total - m);
      const oracle::device_input<oracle::record<Bytes>> a(in.a, 1);
      const oracle::device_input<oracle::record<Bytes>> b(in.b, 3);
      check_merge(policy, a, b, 1);
    }
  }
}

TEST_CASE("merges more tiny tiles than resident blocks, in all splits") {
  check_many_tiles<fixed<strategy::single, 32, 1>>(true);
}

TEST_CASE("merges more tiles than resident blocks, of other sizes and keys") {
  if (oracle::quick()) return;
  check_many_tiles<fixed<strategy::single, 64, 3>>();
  check_many_tiles<fixed<strategy::single, 32, 2>, 16>();
  check_many_tiles<fixed<strategy::single, 32, 1>, 20>();  // keys whose tiles need exact ends
}

TEST_CASE("merges more tiles than resident blocks with the default tuning") {
  if (oracle::quick()) return;
  const std::size_t total = 40000000;
  for (const unsigned spread : {2u, 1000u, 1u << 24}) {
    CAPTURE(spread);
    for (const std::size_t m : {total / 2 + 3, total / 3, total - 1}) {
      CAPTURE(m);
      const oracle::device_input<tagged> a(m);
      const oracle::device_input<tagged> b(total - m, 1);
      oracle::fill_sorted(a, false, spread);
      oracle::fill_sorted(b, true, spread);
      check_merge(thrust::device, a, b, 1);
    }
  }
}

/// Compares first components.
struct by_first {
  template <class Pair>
  __host__ __device__ bool operator()(const Pair& x, const Pair& y) const {
    return thrust::get<0>(x) < thrust::get<0>(y);
  }
};

TEST_CASE("merges more tiles than resident blocks with zip iterators") {
  if (oracle::quick()) return;
  using tuning = fixed<strategy::single, 32, 1>;
  const auto n = static_cast<std::int64_t>(many_tiles<tuning>() / 2);
  // Both inputs have key i / 3 at index i. The second component is the index.
  std::vector<int> keys_in(static_cast<std::size_t>(n));
  std::vector<int> indices_in(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < keys_in.size(); ++i) {
    keys_in[i] = static_cast<int>(i / 3);
    indices_in[i] = static_cast<int>(i);
  }
  const oracle::device_input<int> keys(keys_in);
  const oracle::device_input<int> indices(indices_in);
  const oracle::device_output<int> keys_out(2 * keys_in.size());
  const oracle::device_output<int> indices_out(2 * keys_in.size());
  const auto in = thrust::make_zip_iterator(keys.begin(), indices.begin());
  const auto out = thrust::make_zip_iterator(keys_out.begin(), indices_out.begin());
  CHECK(cmerge::merge(cmerge::tuned<tuning>(thrust::device), in, in + n, in, in + n, out,
                      by_first{}) == out + 2 * n);
  const std::vector<int> keys_host = keys_out.download();
  const std::vector<int> indices_host = indices_out.download();
  for (std::int64_t k = 0; k < 2 * n; ++k) {
    // Three outputs of the first input, then three of the second; there can be fewer at the end.
    const std::int64_t first = k / 6 * 3;
    const std::int64_t count = first + 3 < n ? 3 : n - first;
    const auto at = static_cast<std::size_t>(k);
    REQUIRE(keys_host[at] == k / 6);
    REQUIRE(indices_host[at] == first + k % 6 % count);
  }
}

/// Sorted keys of 1 byte.
std::vector<signed char> rising_keys(std::size_t size) {
  std::vector<signed char> keys(size);
  for (std::size_t i = 0; i < size; ++i) {
    keys[i] = static_cast<signed char>(static_cast<int>(i * 250 / size) - 125);
  }
  return keys;
}

struct plain_less {
  __device__ bool operator()(signed char x, signed char y) const { return x < y; }
};

/// Merges with values `from`, `from + 1`, ... of one type.
template <class Tuning, class Value>
void check_narrow_keys(std::size_t m, std::size_t n) {
  const auto values = [](std::size_t size, int from) {
    std::vector<Value> all(size);
    for (std::size_t i = 0; i < size; ++i) {
      all[i] = static_cast<Value>(static_cast<std::int64_t>(i) + from);
    }
    return all;
  };
  // Nothing is aligned.
  const oracle::device_input<signed char> a(rising_keys(m), 1);
  const oracle::device_input<signed char> b(rising_keys(n), 2);
  const oracle::device_input<Value> values_a(values(m, 0));
  const oracle::device_input<Value> values_b(values(n, 100));
  const oracle::device_output<signed char> keys(m + n, 3);
  const oracle::device_output<Value> moved(m + n, 1);
  const oracle::device_output<signed char> expected_keys(m + n);
  const oracle::device_output<Value> expected_values(m + n);
  oracle::reference_merge(a.begin(), m, b.begin(), n, expected_keys.begin(), plain_less{});
  oracle::reference_merge_values(a.begin(), m, b.begin(), n, values_a.begin(), values_b.begin(),
                                 expected_values.begin(), plain_less{});
  cmerge::merge_by_key(cmerge::tuned<Tuning>(thrust::device), a.begin(), a.end(), b.begin(),
                       b.end(), values_a.begin(), values_b.begin(), keys.begin(), moved.begin());
  CHECK((keys.download() == expected_keys.download()));
  CHECK((moved.download() == expected_values.download()));
}

TEST_CASE(
    "merges more tiles than resident blocks with narrow keys, values and a last tile of one") {
  if (oracle::quick()) return;
  using tuning = fixed<strategy::single, 32, 3>;
  const std::size_t total = many_tiles<tuning>() / 96 * 96 + 1;
  const std::size_t m = total / 3;
  check_narrow_keys<tuning, int>(m, total - m);
  check_narrow_keys<tuning, short>(m, total - m);
  check_narrow_keys<tuning, double>(m, total - m);
}

}  // namespace gpu_test
