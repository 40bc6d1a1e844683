// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Searches for co-ranks by warps and threads, with good and bad guesses.
#include "gpu/fickle.cuh"
#include "gpu/oracle.cuh"

#include <cmerge/co_rank.h>
#include <cmerge/detail/block/co_rank_search.cuh>

#include <thrust/iterator/counting_iterator.h>

#include <cstdint>

namespace gpu_test {

using cmerge::detail::co_rank_bounds;
using cmerge::detail::co_rank_guess;
using oracle::shape;
using oracle::tagged;

/// One search by a warp and by a thread: the question and both answers.
struct search {
  std::int64_t k;
  std::int64_t width;
  co_rank_guess guess;
  co_rank_bounds by_warp;
  co_rank_bounds by_thread;
};

/// Each warp makes one search. Then each of its threads makes the same search alone.
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

void check_searches(shape s, std::size_t m, std::size_t n, std::size_t max_searches) {
  CAPTURE(oracle::name(s));
  CAPTURE(m);
  CAPTURE(n);
  INFO("seed ", oracle::seed());
  std::mt19937 random(oracle::seed());
  const auto in = oracle::make_inputs(s, m, n);
  const oracle::device_input<tagged> a(in.a);
  const oracle::device_input<tagged> b(in.b);
  std::vector<search> searches;
  const std::size_t step = std::max<std::size_t>(1, (m + n) / max_searches);
  for (std::size_t k = 0; k <= m + n; k += step) {
    // Guesses may be narrow or wide, right or wrong.
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
      on_device.data(), a.begin(), static_cast<std::int64_t>(m), b.begin(),
      static_cast<std::int64_t>(n), oracle::checked({0, m, 0, n}, errors));
  oracle::check_cuda(cudaGetLastError(), "launch");
  oracle::check_cuda(cudaMemcpy(searches.data(), on_device.begin(),
                                searches.size() * sizeof(search), cudaMemcpyDefault),
                     "cudaMemcpy");
  CHECK_MESSAGE(errors.count() == 0, "something other than an input element was compared");
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

TEST_CASE("searches by a warp and by a thread from any guess") {
  for (const shape s : oracle::all_shapes) {
    for (const auto& size : {std::pair{0, 5}, {7, 0}, {1, 1}, {5, 40}, {40, 5}, {33, 33}}) {
      check_searches(s, static_cast<std::size_t>(size.first), static_cast<std::size_t>(size.second),
                     1000);
    }
    check_searches(s, 3000, 5000, oracle::quick() ? 200 : 8000);
    if (!oracle::quick()) check_searches(s, 400000, 300000, 20000);
  }
}

__global__ void fickle_kernel(search* searches, std::int64_t m, std::int64_t n, fickle comp) {
  search& s = searches[blockIdx.x];
  const co_rank_bounds all = cmerge::detail::possible_co_ranks(s.k, m, n);
  const thrust::counting_iterator<std::int64_t> indices(0);
  s.by_warp = cmerge::detail::warp_co_rank(all, s.width, s.guess, s.k, indices, indices, comp);
  s.by_thread = cmerge::detail::thread_co_rank(all, s.width, s.guess, s.k, indices, indices, comp);
}

TEST_CASE("searches within bounds under an inconsistent comparator") {
  const std::int64_t m = 5000;
  const std::int64_t n = 3000;
  std::vector<search> searches;
  for (std::int64_t k = 0; k <= m + n; k += 7) searches.push_back({k, k % 3, {k / 2, 50}, {}, {}});
  const oracle::device_input<search> on_device(searches);
  const oracle::device_errors errors;
  fickle_kernel<<<static_cast<unsigned>(searches.size()), 32>>>(on_device.data(), m, n,
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

}  // namespace gpu_test
