// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The block-wide collective by itself: one block merges ranges of any length, many blocks at once.
#include "gpu/oracle.cuh"

#include <cmerge/block_merge.cuh>

namespace gpu_test {

using cmerge::strategy;
using oracle::merge_case;
using oracle::shape;
using oracle::tagged;

template <strategy How, int Threads, int Items, int Stages = 2, class KeyType = tagged,
          class Value = void>
struct block {
  enum : unsigned { threads = Threads, tile = Threads * Items };
  using key = KeyType;
  using type = cmerge::block_merge<key, Threads, Items, Value, How, Stages>;
};

/// One merge a block, of parts of pools. What the block has written is copied by other threads
/// than wrote it, after a block barrier.
template <class Block, class Key>
__global__ void __launch_bounds__(Block::threads)
    merge_cases_kernel(const merge_case* cases, const std::size_t* places, const Key* a,
                       const Key* b, Key* out, Key* copy, unsigned* errors) {
  __shared__ typename Block::type::TempStorage storage;
  const merge_case c = cases[blockIdx.x];
  const oracle::checked_by_key comp{
      static_cast<unsigned>(c.a_begin), static_cast<unsigned>(c.a_begin + c.m),
      static_cast<unsigned>(c.b_begin), static_cast<unsigned>(c.b_begin + c.n), errors};
  typename Block::type collective(storage);
  Key* const begin = out + places[blockIdx.x];
  collective.merge(a + c.a_begin, static_cast<std::int64_t>(c.m), b + c.b_begin,
                   static_cast<std::int64_t>(c.n), begin, comp);
  __syncthreads();
  for (std::size_t k = threadIdx.x; k < c.m + c.n; k += Block::threads) {
    copy[places[blockIdx.x] + k] = begin[c.m + c.n - 1 - k];
  }
}

template <class Block>
void run_cases(shape s, std::size_t pool_size, const std::vector<merge_case>& all) {
  INFO("shape ", oracle::name(s), ", seed ", oracle::seed());
  using key = typename Block::key;
  const auto pool = oracle::make_inputs<sizeof(key)>(s, pool_size, pool_size);
  std::vector<merge_case> cases;
  std::vector<std::size_t> places;
  std::size_t total = 3;
  for (const merge_case& c : all) {
    cases.push_back(c);
    places.push_back(total);
    total += c.m + c.n + 3;
  }
  const oracle::device_input<merge_case> device_cases(cases);
  const oracle::device_input<std::size_t> device_places(places);
  const oracle::device_input<key> a(pool.a);
  const oracle::device_input<key> b(pool.b);
  const oracle::device_output<key> out(total);
  const oracle::device_output<key> copy(total);
  const oracle::device_errors errors;
  merge_cases_kernel<Block><<<static_cast<unsigned>(cases.size()), Block::threads>>>(
      device_cases.begin(), device_places.begin(), a.begin(), b.begin(), out.begin(), copy.begin(),
      errors.get());
  oracle::check_cuda(cudaGetLastError(), "launch");
  CHECK_MESSAGE(errors.count() == 0, "something that is no element of the inputs was compared");

  const std::vector<key> result = out.download();
  const std::vector<key> copied = copy.download();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const merge_case& c = cases[i];
    const auto first1 = pool.a.begin() + static_cast<std::ptrdiff_t>(c.a_begin);
    const auto first2 = pool.b.begin() + static_cast<std::ptrdiff_t>(c.b_begin);
    std::vector<key> expected =
        oracle::merged<key>({first1, first1 + static_cast<std::ptrdiff_t>(c.m)},
                            {first2, first2 + static_cast<std::ptrdiff_t>(c.n)}, oracle::by_key{});
    INFO("m ", c.m, ", n ", c.n, ", block ", i);
    REQUIRE(oracle::first_difference(result.data() + places[i], expected) == expected.size());
    std::reverse(expected.begin(), expected.end());
    INFO("as seen by the other threads of the block");
    REQUIRE(oracle::first_difference(copied.data() + places[i], expected) == expected.size());
    const auto* gap = reinterpret_cast<const unsigned char*>(result.data() + places[i] - 3);
    REQUIRE(oracle::is_guard(gap, gap + 3 * sizeof(key)));
  }
}

TEST_CASE_TEMPLATE("a block merges ranges of any length", T, block<strategy::basic, 32, 3>,
                   block<strategy::tiled, 32, 1>, block<strategy::tiled, 64, 3>,
                   block<strategy::circular, 32, 1, 1>, block<strategy::circular, 64, 3, 1>,
                   block<strategy::circular, 32, 1, 2>, block<strategy::circular, 64, 3, 2>,
                   block<strategy::circular, 128, 5, 2>, block<strategy::single, 64, 3>,
                   block<strategy::single, 128, 7>,
                   block<strategy::circular, 32, 2, 2, oracle::record<16>>,
                   block<strategy::circular, 32, 2, 1, oracle::record<20>>,
                   block<strategy::circular, 32, 2, 2, oracle::record<96>>,
                   block<strategy::tiled, 32, 2, 2, oracle::record<12>>) {
  const std::size_t pool = 20000;
  for (const shape s : oracle::all_shapes) {
    run_cases<T>(s, pool, oracle::tile_sizes(T::tile, pool));
    // Sections of more than a hundred tiles: every refill wraps around somewhere else.
    run_cases<T>(s, pool,
                 {{0, 131 * T::tile / 2 % pool, 1, 131 * T::tile / 2 % pool},
                  {5, 3, 2, 120 * T::tile % pool}});
  }
  run_cases<T>(shape::few, 500, oracle::all_sizes(70, 500));
}

/// Inputs and output in shared memory, and twice with the same storage.
template <class Block>
__global__ void __launch_bounds__(Block::threads)
    shared_memory_kernel(const tagged* a, int m, const tagged* b, int n, tagged* out) {
  __shared__ typename Block::type::TempStorage storage;
  __shared__ alignas(16) tagged in1[128];
  __shared__ alignas(16) tagged in2[128];
  __shared__ alignas(16) tagged merged[256];
  for (int i = static_cast<int>(threadIdx.x); i < m; i += Block::threads) in1[i] = a[i];
  for (int j = static_cast<int>(threadIdx.x); j < n; j += Block::threads) in2[j] = b[j];
  __syncthreads();
  typename Block::type collective(storage);
  collective.merge(in1, m, in2, n, merged, oracle::by_key{});
  __syncthreads();
  for (int k = static_cast<int>(threadIdx.x); k < m + n; k += Block::threads) out[k] = merged[k];
  __syncthreads();
  // From shared to global memory.
  typename Block::type again(storage);
  again.merge(in1, m, in2, n, out + m + n, oracle::by_key{});
}

TEST_CASE_TEMPLATE("ranges in shared memory", T, block<strategy::basic, 32, 3>,
                   block<strategy::tiled, 32, 2>, block<strategy::circular, 32, 2, 1>,
                   block<strategy::circular, 32, 2, 2>, block<strategy::single, 64, 3>) {
  const std::size_t m = 101;
  const std::size_t n = 77;
  const auto in = oracle::make_inputs(shape::few, m, n);
  const oracle::device_input<tagged> a(in.a);
  const oracle::device_input<tagged> b(in.b);
  const oracle::device_output<tagged> out(2 * (m + n));
  shared_memory_kernel<T><<<1, T::threads>>>(a.begin(), static_cast<int>(m), b.begin(),
                                             static_cast<int>(n), out.begin());
  oracle::check_cuda(cudaGetLastError(), "launch");
  const std::vector<tagged> result = out.download();
  const auto expected = oracle::merged(in.a, in.b, oracle::by_key{});
  CHECK(oracle::first_difference(result.data(), expected) == m + n);
  CHECK(oracle::first_difference(result.data() + m + n, expected) == m + n);
}

/// Values go where their keys go.
template <class Block>
__global__ void __launch_bounds__(Block::threads)
    merge_pairs_kernel(const tagged* a, int m, const tagged* b, int n, const int* values1,
                       const int* values2, tagged* out, int* values_out) {
  __shared__ typename Block::type::TempStorage storage;
  typename Block::type(storage).merge_by_key(a, m, b, n, values1, values2, out, values_out,
                                             oracle::by_key{});
}

TEST_CASE_TEMPLATE("a block merges keys with values", T,
                   block<strategy::basic, 32, 3, 2, tagged, int>,
                   block<strategy::tiled, 32, 3, 2, tagged, int>,
                   block<strategy::circular, 32, 3, 1, tagged, int>,
                   block<strategy::circular, 32, 3, 2, tagged, int>,
                   block<strategy::single, 32, 3, 2, tagged, int>,
                   block<strategy::single, 128, 7, 2, tagged, int>) {
  const std::size_t m = 4321;
  const std::size_t n = 2345;
  for (const shape s : oracle::all_shapes) {
    CAPTURE(oracle::name(s));
    const auto in = oracle::make_inputs(s, m, n);
    std::vector<int> values1;
    std::vector<int> values2;
    for (const tagged& x : in.a) values1.push_back(static_cast<int>(x.tag));
    for (const tagged& x : in.b) values2.push_back(static_cast<int>(x.tag));
    const oracle::device_input<tagged> a(in.a);
    const oracle::device_input<tagged> b(in.b);
    const oracle::device_input<int> v1(values1);
    const oracle::device_input<int> v2(values2);
    const oracle::device_output<tagged> out(m + n);
    const oracle::device_output<int> values(m + n);
    merge_pairs_kernel<T><<<1, T::threads>>>(a.begin(), static_cast<int>(m), b.begin(),
                                             static_cast<int>(n), v1.begin(), v2.begin(),
                                             out.begin(), values.begin());
    oracle::check_cuda(cudaGetLastError(), "launch");
    const auto keys_out = out.download();
    const auto values_out = values.download();
    const auto expected = oracle::merged(in.a, in.b, oracle::by_key{});
    CHECK(oracle::first_difference(keys_out.data(), expected) == m + n);
    for (std::size_t k = 0; k < m + n; ++k) {
      if (values_out[k] != static_cast<int>(expected[k].tag)) FAIL("value ", k, " is wrong");
    }
  }
}

}  // namespace gpu_test
