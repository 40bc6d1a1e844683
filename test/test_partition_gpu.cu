// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How blocks find their inputs: searches by warps and threads with guesses good and bad, and merges
// of so many tiles that a launch of their own searches for their ends.
#include "gpu/oracle.cuh"

#include <cmerge/merge.h>
#include <cmerge/detail/block/co_rank_search.cuh>
#include <cmerge/detail/device/partition_kernel.cuh>

#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/merge.h>
#include <thrust/sequence.h>
#include <thrust/tabulate.h>

#include <cstdint>

namespace gpu_test {

using cmerge::strategy;
using cmerge::detail::co_rank_bounds;
using cmerge::detail::co_rank_guess;
using oracle::fixed;
using oracle::shape;
using oracle::tagged;

/// One search by a warp or a thread: what was asked, and what was found.
struct search {
  std::int64_t k;
  std::int64_t width;
  co_rank_guess guess;
  co_rank_bounds by_warp;
  co_rank_bounds by_thread;
};

/// A warp a search, which all of its threads also do by themselves.
__global__ void search_kernel(search* searches, const tagged* a, std::int64_t m, const tagged* b,
                              std::int64_t n, oracle::checked_by_key comp) {
  search& s = searches[blockIdx.x];
  const co_rank_bounds all = cmerge::detail::possible_co_ranks(s.k, m, n);
  const co_rank_bounds by_warp =
      cmerge::detail::warp_co_rank(all, s.width, s.guess, s.k, a, b, comp);
  const co_rank_bounds by_thread =
      cmerge::detail::thread_co_rank(all, s.width, s.guess, s.k, a, b, comp);
  if (threadIdx.x == 0) {
    s.by_warp = by_warp;
    s.by_thread = by_thread;
  }
}

void check_searches(shape s, std::size_t m, std::size_t n, std::size_t most) {
  CAPTURE(oracle::name(s));
  CAPTURE(m);
  CAPTURE(n);
  INFO("seed ", oracle::seed());
  std::mt19937 random(oracle::seed());
  const auto in = oracle::make_inputs(s, m, n);
  const oracle::device_input<tagged> a(in.a);
  const oracle::device_input<tagged> b(in.b);
  std::vector<search> searches;
  const std::size_t step = std::max<std::size_t>(1, (m + n) / most);
  for (std::size_t k = 0; k <= m + n; k += step) {
    // Guesses from far off to narrow, whatever they are worth.
    const auto middle = static_cast<std::int64_t>(random() % (m + n + 1)) - 5;
    const std::int64_t reaches[] = {0, 3, 40, 100000};
    const std::int64_t widths[] = {0, 1, 7, 64};
    searches.push_back({static_cast<std::int64_t>(k),
                        widths[random() % 4],
                        {middle, reaches[random() % 4]},
                        {},
                        {}});
  }
  const oracle::device_input<search> on_device(searches);
  const oracle::device_errors errors;
  search_kernel<<<static_cast<unsigned>(searches.size()), 32>>>(
      on_device.begin(), a.begin(), static_cast<std::int64_t>(m), b.begin(),
      static_cast<std::int64_t>(n), oracle::checked({0, m, 0, n}, errors));
  oracle::check_cuda(cudaGetLastError(), "launch");
  oracle::check_cuda(cudaMemcpy(searches.data(), on_device.begin(),
                                searches.size() * sizeof(search), cudaMemcpyDefault),
                     "cudaMemcpy");
  CHECK_MESSAGE(errors.count() == 0, "something that is no element of the inputs was compared");
  for (const search& found : searches) {
    const std::int64_t i =
        cmerge::co_rank(found.k, in.a.data(), static_cast<std::int64_t>(m), in.b.data(),
                        static_cast<std::int64_t>(n), oracle::by_key{});
    CAPTURE(found.k);
    CAPTURE(found.width);
    CAPTURE(found.guess.middle);
    CAPTURE(found.guess.reach);
    for (const co_rank_bounds& bounds : {found.by_warp, found.by_thread}) {
      REQUIRE(bounds.low <= i);
      REQUIRE(i <= bounds.high);
      REQUIRE(bounds.range() <= found.width);
    }
  }
}

TEST_CASE("searches of a warp and of a thread, with any guess") {
  for (const shape s : oracle::all_shapes) {
    for (const auto& size : {std::pair{0, 5}, {7, 0}, {1, 1}, {5, 40}, {40, 5}, {33, 33}}) {
      check_searches(s, static_cast<std::size_t>(size.first), static_cast<std::size_t>(size.second),
                     1000);
    }
    check_searches(s, 3000, 5000, oracle::quick() ? 200 : 8000);
    if (!oracle::quick()) check_searches(s, 400000, 300000, 20000);
  }
}

/// Answers as the clock has it, and never twice alike.
struct fickle {
  unsigned* errors;
  std::int64_t m;
  std::int64_t n;
  __device__ bool operator()(std::int64_t b, std::int64_t a) const {
    if (a < 0 || a >= m || b < 0 || b >= n) *errors = 1;
    return (clock64() * 2654435761 >> 7 & 1) != 0;
  }
};

__global__ void fickle_kernel(search* searches, std::int64_t m, std::int64_t n, fickle comp) {
  search& s = searches[blockIdx.x];
  const co_rank_bounds all = cmerge::detail::possible_co_ranks(s.k, m, n);
  const thrust::counting_iterator<std::int64_t> places(0);
  s.by_warp = cmerge::detail::warp_co_rank(all, s.width, s.guess, s.k, places, places, comp);
  s.by_thread = cmerge::detail::thread_co_rank(all, s.width, s.guess, s.k, places, places, comp);
}

TEST_CASE("searches in an order that is none end within what is possible") {
  const std::int64_t m = 5000;
  const std::int64_t n = 3000;
  std::vector<search> searches;
  for (std::int64_t k = 0; k <= m + n; k += 7) searches.push_back({k, k % 3, {k / 2, 50}, {}, {}});
  const oracle::device_input<search> on_device(searches);
  const oracle::device_errors errors;
  fickle_kernel<<<static_cast<unsigned>(searches.size()), 32>>>(on_device.begin(), m, n,
                                                                {errors.get(), m, n});
  oracle::check_cuda(cudaGetLastError(), "launch");
  oracle::check_cuda(cudaMemcpy(searches.data(), on_device.begin(),
                                searches.size() * sizeof(search), cudaMemcpyDefault),
                     "cudaMemcpy");
  CHECK(errors.count() == 0);
  for (const search& found : searches) {
    const co_rank_bounds all = cmerge::detail::possible_co_ranks(found.k, m, n);
    for (const co_rank_bounds& bounds : {found.by_warp, found.by_thread}) {
      REQUIRE(all.low <= bounds.low);
      REQUIRE(bounds.low <= bounds.high);
      REQUIRE(bounds.high <= all.high);
      REQUIRE(bounds.range() <= found.width);
    }
  }
}

/// The slots of tiles of `Tile` outputs, from `first_slot` on, as the partition kernel fills them.
template <std::int64_t Tile, class Iterator, class Compare>
std::vector<cmerge::detail::tile_slot> find_slots(Iterator first1, std::int64_t m, Iterator first2,
                                                  std::int64_t n, std::int64_t first_slot,
                                                  std::int64_t width, Compare comp) {
  using cmerge::detail::partition_kernel;
  using cmerge::detail::tile_slot;
  using key = cmerge::detail::value_t<Iterator>;
  static_assert(Tile * sizeof(key) >= sizeof(tile_slot));
  const oracle::device_output<key> out(static_cast<std::size_t>(m + n), 1);
  const cmerge::detail::no_values none;
  const auto problem = cmerge::detail::make_merge_problem(first1, first2, out.begin(), none, none,
                                                          none, m, n, m + n, comp);
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

TEST_CASE("what the partition says of each tile, and of the one that is prefetched") {
  constexpr std::int64_t tile = 16;
  constexpr std::int64_t width = 5;
  constexpr std::int64_t first_slot = 3;
  // A block's tiles and fewer, some more, and many.
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
      CHECK_MESSAGE(errors.count() == 0, "something that is no element of the inputs was compared");
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

TEST_CASE("what is prefetched in an order that is none lies in the inputs") {
  constexpr std::int64_t tile = 16;
  constexpr std::int64_t first_slot = 3;
  const std::int64_t m = 4000;
  const std::int64_t n = 1500;
  const oracle::device_errors errors;
  const thrust::counting_iterator<std::int64_t> places(0);
  const auto slots =
      find_slots<tile>(places, m, places, n, first_slot, 4, fickle{errors.get(), m, n});
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

/// More tiles than blocks that any device runs at the same time, several times.
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
  CHECK_MESSAGE(errors.count() == 0, "something that is no element of the inputs was compared");
  CHECK(oracle::is_merged(a.begin(), a.size(), b.begin(), b.size(), out.begin()));
}

template <class Tuning, int Bytes = 8>
void check_many_tiles(bool all_splits = false) {
  const std::size_t total = many_tiles<Tuning>() + 77;
  const auto policy = cmerge::tuned<Tuning>(thrust::device);
  for (const shape s : oracle::all_shapes) {
    CAPTURE(oracle::name(s));
    INFO("seed ", oracle::seed());
    // Halves, nearly all in one input, and ends that are no borders of tiles.
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

TEST_CASE("more tiles than blocks at a time, tiny") {
  check_many_tiles<fixed<strategy::single, 32, 1>>(true);
}

TEST_CASE("more tiles than blocks at a time, other tiles") {
  if (oracle::quick()) return;
  check_many_tiles<fixed<strategy::single, 64, 3>>();
  check_many_tiles<fixed<strategy::single, 32, 2>, 16>();
  check_many_tiles<fixed<strategy::single, 32, 1>, 20>();  // keys that need exact ends
}

TEST_CASE("more tiles than blocks at a time, the default tuning") {
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

struct third {
  __host__ __device__ int operator()(int i) const { return i / 3; }
};

/// Compares first components.
struct by_first {
  template <class Pair>
  __host__ __device__ bool operator()(const Pair& x, const Pair& y) const {
    return thrust::get<0>(x) < thrust::get<0>(y);
  }
};

TEST_CASE("more tiles than blocks at a time, zipped") {
  if (oracle::quick()) return;
  using tuning = fixed<strategy::single, 32, 1>;
  const auto n = static_cast<std::int64_t>(many_tiles<tuning>() / 2);
  // Key i / 3 on both sides; the second component tells where it came from.
  const thrust::device_vector<int> origins1(thrust::counting_iterator<int>(0),
                                            thrust::counting_iterator<int>(static_cast<int>(n)));
  const auto thirds = thrust::make_transform_iterator(origins1.begin(), third{});
  const thrust::device_vector<int> keys(thirds, thirds + n);
  thrust::device_vector<int> keys_out(static_cast<std::size_t>(2 * n));
  thrust::device_vector<int> origins_out(static_cast<std::size_t>(2 * n));
  const auto in = thrust::make_zip_iterator(keys.begin(), origins1.begin());
  const auto out = thrust::make_zip_iterator(keys_out.begin(), origins_out.begin());
  CHECK(cmerge::merge(cmerge::tuned<tuning>(thrust::device), in, in + n, in, in + n, out,
                      by_first{}) == out + 2 * n);
  const thrust::host_vector<int> keys_host = keys_out;
  const thrust::host_vector<int> origins_host = origins_out;
  for (std::int64_t k = 0; k < 2 * n; ++k) {
    // Three of the first input, three of the second; at the end there may be fewer.
    const std::int64_t first = k / 6 * 3;
    const std::int64_t count = first + 3 < n ? 3 : n - first;
    REQUIRE(keys_host[k] == k / 6);
    REQUIRE(origins_host[k] == first + k % 6 % count);
  }
}

struct rising {
  std::size_t size;
  __host__ __device__ signed char operator()(std::size_t i) const {
    return static_cast<signed char>(i * 250 / size) - 125;
  }
};

TEST_CASE("more tiles than blocks at a time, narrow keys with values, and a last tile of one") {
  if (oracle::quick()) return;
  using tuning = fixed<strategy::single, 32, 3>;
  const std::size_t total = many_tiles<tuning>() / 96 * 96 + 1;
  const std::size_t m = total / 3;
  const std::size_t n = total - m;
  // Nothing is aligned.
  thrust::device_vector<signed char> a(m + 1);
  thrust::device_vector<signed char> b(n + 2);
  thrust::tabulate(a.begin() + 1, a.end(), rising{m});
  thrust::tabulate(b.begin() + 2, b.end(), rising{n});
  const auto merge = [&](auto values1, auto values2, auto out, auto values_out, const auto& call) {
    call(a.begin() + 1, a.end(), b.begin() + 2, b.end(), values1, values2, out, values_out);
  };
  const auto check = [&](auto zero) {
    using value = decltype(zero);
    thrust::device_vector<value> v1(m);
    thrust::device_vector<value> v2(n);
    thrust::sequence(v1.begin(), v1.end(), value{0});
    thrust::sequence(v2.begin(), v2.end(), value{100});
    thrust::device_vector<signed char> keys[2] = {thrust::device_vector<signed char>(total + 3),
                                                  thrust::device_vector<signed char>(total + 3)};
    thrust::device_vector<value> values[2] = {thrust::device_vector<value>(total + 1),
                                              thrust::device_vector<value>(total + 1)};
    merge(v1.begin(), v2.begin(), keys[0].begin() + 3, values[0].begin() + 1,
          [](auto... all) { thrust::merge_by_key(thrust::device, all...); });
    merge(v1.begin(), v2.begin(), keys[1].begin() + 3, values[1].begin() + 1,
          [](auto... all) { cmerge::merge_by_key(cmerge::tuned<tuning>(thrust::device), all...); });
    CHECK(keys[0] == keys[1]);
    CHECK(values[0] == values[1]);
  };
  check(0);
  check(short{0});
  check(0.0);
}

}  // namespace gpu_test
