// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests of the collectives, the same for blocks and for parts of warps: many groups of threads at
// once, each with a merge of its own. Includes gpu/oracle.cuh and cmerge/block_merge.cuh.
#pragma once

#include "oracle.cuh"

#include <cmerge/block_merge.cuh>

#include <optional>

namespace gpu_test {

using cmerge::strategy;
using oracle::merge_case;
using oracle::shape;
using oracle::tagged;

/// A block_merge, one for each block.
template <strategy How, int Threads, int Items, int Stages = 2, class KeyType = tagged,
          class Value = void>
struct block {
  enum : unsigned { threads = Threads, groups = 1, tile = Threads * Items };
  static constexpr int items = Items;
  using key = KeyType;
  using type = cmerge::block_merge<key, Threads, Items, Value, How, Stages>;
  __device__ static void sync() { __syncthreads(); }
};

/// A warp_merge for each `Lanes` lanes of a block of four warps.
template <int Lanes, int Items, strategy How = strategy::single, class KeyType = tagged,
          class Value = void>
struct warp {
  enum : unsigned { threads = Lanes, groups = 128 / Lanes, tile = Lanes * Items };
  static constexpr int items = Items;
  using key = KeyType;
  using type = cmerge::warp_merge<key, Items, Value, Lanes, How>;
  __device__ static void sync() {
    __syncwarp((~0u >> (32 - Lanes)) << (threadIdx.x % 32 / Lanes * Lanes));
  }
};

/// The calling thread's group and its rank there.
template <class Group>
__device__ unsigned group_index() {
  return blockIdx.x * Group::groups + threadIdx.x / Group::threads;
}
template <class Group>
__device__ unsigned rank() {
  return threadIdx.x % Group::threads;
}
template <class Group>
unsigned blocks_for(std::size_t groups) {
  return static_cast<unsigned>((groups + Group::groups - 1) / Group::groups);
}

/// Parts of pools as inputs, and where their outputs go: a gap of 3 elements before each.
template <class Key>
struct cases_on_device {
  cases_on_device(const oracle::inputs<Key>& pool, const std::vector<merge_case>& all)
      : size(all.size()) {
    std::vector<std::size_t> begins;
    total = 3;
    for (const merge_case& c : all) {
      begins.push_back(total);
      total += c.m + c.n + 3;
    }
    cases.emplace(all);
    places.emplace(begins);
    a.emplace(pool.a);
    b.emplace(pool.b);
    out.emplace(total);
    host_places = begins;
  }

  std::size_t size;
  std::size_t total;
  std::vector<std::size_t> host_places;
  std::optional<oracle::device_input<merge_case>> cases;
  std::optional<oracle::device_input<std::size_t>> places;
  std::optional<oracle::device_input<Key>> a;
  std::optional<oracle::device_input<Key>> b;
  std::optional<oracle::device_output<Key>> out;
};

/// The order of a case, which refuses what is no element of its inputs.
__device__ inline oracle::checked_by_key order_of(const merge_case& c, unsigned* errors) {
  return {static_cast<unsigned>(c.a_begin), static_cast<unsigned>(c.a_begin + c.m),
          static_cast<unsigned>(c.b_begin), static_cast<unsigned>(c.b_begin + c.n), errors};
}

/// One merge a group. What the group has written is copied by other threads than wrote it, after a
/// barrier.
template <class Group, class Key>
__global__ void __launch_bounds__(Group::threads* Group::groups)
    merge_cases_kernel(const merge_case* cases, std::size_t size, const std::size_t* places,
                       const Key* a, const Key* b, Key* out, Key* copy, unsigned* errors) {
  __shared__ typename Group::type::TempStorage storage[Group::groups];
  const unsigned index = group_index<Group>();
  if (index >= size) return;
  const merge_case c = cases[index];
  typename Group::type collective(storage[threadIdx.x / Group::threads]);
  Key* const begin = out + places[index];
  collective.merge(a + c.a_begin, static_cast<std::int64_t>(c.m), b + c.b_begin,
                   static_cast<std::int64_t>(c.n), begin, order_of(c, errors));
  Group::sync();
  for (std::size_t k = rank<Group>(); k < c.m + c.n; k += Group::threads) {
    copy[places[index] + k] = begin[c.m + c.n - 1 - k];
  }
}

/// The case's outputs by the standard library.
template <class Key>
std::vector<Key> expected_of(const oracle::inputs<Key>& pool, const merge_case& c) {
  const auto first1 = pool.a.begin() + static_cast<std::ptrdiff_t>(c.a_begin);
  const auto first2 = pool.b.begin() + static_cast<std::ptrdiff_t>(c.b_begin);
  return oracle::merged<Key>({first1, first1 + static_cast<std::ptrdiff_t>(c.m)},
                             {first2, first2 + static_cast<std::ptrdiff_t>(c.n)}, oracle::by_key{});
}

template <class Group>
void run_cases(shape s, std::size_t pool_size, const std::vector<merge_case>& all) {
  INFO("shape ", oracle::name(s), ", seed ", oracle::seed());
  using key = typename Group::key;
  const auto pool = oracle::make_inputs<sizeof(key)>(s, pool_size, pool_size);
  const cases_on_device<key> on_device(pool, all);
  const oracle::device_output<key> copy(on_device.total);
  const oracle::device_errors errors;
  merge_cases_kernel<Group><<<blocks_for<Group>(all.size()), Group::threads * Group::groups>>>(
      on_device.cases->begin(), all.size(), on_device.places->begin(), on_device.a->begin(),
      on_device.b->begin(), on_device.out->begin(), copy.begin(), errors.get());
  oracle::check_cuda(cudaGetLastError(), "launch");
  CHECK_MESSAGE(errors.count() == 0, "something that is no element of the inputs was compared");

  const std::vector<key> result = on_device.out->download();
  const std::vector<key> copied = copy.download();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const merge_case& c = all[i];
    const std::size_t place = on_device.host_places[i];
    std::vector<key> expected = expected_of(pool, c);
    INFO("m ", c.m, ", n ", c.n, ", group ", i);
    REQUIRE(oracle::first_difference(result.data() + place, expected) == expected.size());
    std::reverse(expected.begin(), expected.end());
    INFO("as seen by the other threads of the group");
    REQUIRE(oracle::first_difference(copied.data() + place, expected) == expected.size());
    const auto* gap = reinterpret_cast<const unsigned char*>(result.data() + place - 3);
    REQUIRE(oracle::is_guard(gap, gap + 3 * sizeof(key)));
  }
}

/// Ranges of any length, of all shapes.
template <class Group>
void check_any_length() {
  const std::size_t pool = 20000;
  for (const shape s : oracle::some_of(oracle::all_shapes)) {
    run_cases<Group>(s, pool, oracle::tile_sizes(Group::tile, pool));
    // Sections of more than a hundred tiles: every refill wraps around somewhere else.
    run_cases<Group>(s, pool,
                     {{0, 131 * Group::tile / 2 % pool, 1, 131 * Group::tile / 2 % pool},
                      {5, 3, 2, 120 * Group::tile % pool}});
  }
  run_cases<Group>(shape::few, 500, oracle::all_sizes(70, 500));
}

/// Inputs and output in shared memory, and twice with the same storage.
template <class Group>
__global__ void __launch_bounds__(Group::threads)
    shared_memory_kernel(const tagged* a, int m, const tagged* b, int n, tagged* out) {
  __shared__ typename Group::type::TempStorage storage;
  __shared__ alignas(16) tagged in1[128];
  __shared__ alignas(16) tagged in2[128];
  __shared__ alignas(16) tagged merged[256];
  for (int i = static_cast<int>(threadIdx.x); i < m; i += Group::threads) in1[i] = a[i];
  for (int j = static_cast<int>(threadIdx.x); j < n; j += Group::threads) in2[j] = b[j];
  __syncthreads();
  typename Group::type collective(storage);
  collective.merge(in1, m, in2, n, merged, oracle::by_key{});
  __syncthreads();
  for (int k = static_cast<int>(threadIdx.x); k < m + n; k += Group::threads) out[k] = merged[k];
  __syncthreads();
  // From shared to global memory.
  typename Group::type again(storage);
  again.merge(in1, m, in2, n, out + m + n, oracle::by_key{});
}

/// For a group that is a whole block.
template <class Group>
void check_shared_memory() {
  const std::size_t m = 101;
  const std::size_t n = 77;
  const auto in = oracle::make_inputs(shape::few, m, n);
  const oracle::device_input<tagged> a(in.a);
  const oracle::device_input<tagged> b(in.b);
  const oracle::device_output<tagged> out(2 * (m + n));
  shared_memory_kernel<Group><<<1, Group::threads>>>(a.begin(), static_cast<int>(m), b.begin(),
                                                     static_cast<int>(n), out.begin());
  oracle::check_cuda(cudaGetLastError(), "launch");
  const std::vector<tagged> result = out.download();
  const auto expected = oracle::merged(in.a, in.b, oracle::by_key{});
  CHECK(oracle::first_difference(result.data(), expected) == m + n);
  CHECK(oracle::first_difference(result.data() + m + n, expected) == m + n);
}

/// Values go where their keys go, in as many groups as there are outputs; then keys alone.
template <class Group>
__global__ void __launch_bounds__(Group::threads* Group::groups)
    merge_pairs_kernel(const tagged* a, int m, const tagged* b, int n, const int* values1,
                       const int* values2, int groups, tagged* out, int* values_out,
                       tagged* keys_alone) {
  __shared__ typename Group::type::TempStorage storage[Group::groups];
  const unsigned index = group_index<Group>();
  if (index >= static_cast<unsigned>(groups)) return;
  typename Group::type collective(storage[threadIdx.x / Group::threads]);
  const auto begin = static_cast<std::size_t>(index) * (m + n);
  collective.merge_by_key(a, m, b, n, values1, values2, out + begin, values_out + begin,
                          oracle::by_key{});
  Group::sync();
  collective.merge(a, m, b, n, keys_alone + begin, oracle::by_key{});
}

inline std::vector<int> values_of(const std::vector<tagged>& keys) {
  std::vector<int> values;
  for (const tagged& x : keys) values.push_back(static_cast<int>(x.tag));
  return values;
}

template <class Group>
void check_pairs(std::size_t m, std::size_t n, int groups) {
  for (const shape s : oracle::some_of(oracle::all_shapes)) {
    CAPTURE(oracle::name(s));
    const auto in = oracle::make_inputs(s, m, n);
    const oracle::device_input<tagged> a(in.a);
    const oracle::device_input<tagged> b(in.b);
    const oracle::device_input<int> v1(values_of(in.a));
    const oracle::device_input<int> v2(values_of(in.b));
    const std::size_t outputs = static_cast<std::size_t>(groups) * (m + n);
    const oracle::device_output<tagged> out(outputs);
    const oracle::device_output<int> values(outputs);
    const oracle::device_output<tagged> alone(outputs);
    merge_pairs_kernel<Group>
        <<<blocks_for<Group>(static_cast<std::size_t>(groups)), Group::threads * Group::groups>>>(
            a.begin(), static_cast<int>(m), b.begin(), static_cast<int>(n), v1.begin(), v2.begin(),
            groups, out.begin(), values.begin(), alone.begin());
    oracle::check_cuda(cudaGetLastError(), "launch");
    const auto keys_out = out.download();
    const auto values_out = values.download();
    const auto keys_alone = alone.download();
    const auto expected = oracle::merged(in.a, in.b, oracle::by_key{});
    for (std::size_t g = 0; g < static_cast<std::size_t>(groups); ++g) {
      CHECK(oracle::first_difference(keys_out.data() + g * (m + n), expected) == m + n);
      CHECK(oracle::first_difference(keys_alone.data() + g * (m + n), expected) == m + n);
      for (std::size_t k = 0; k < m + n; ++k) {
        if (values_out[g * (m + n) + k] != static_cast<int>(expected[k].tag)) {
          FAIL("value ", k, " of group ", g, " is wrong");
        }
      }
    }
  }
}

/// What a register holds that no output has been written to.
constexpr int untouched = -77;

/// The first outputs of each case, from registers in the blocked arrangement; keys, then keys with
/// their tags as values.
template <class Group, class Key>
__global__ void __launch_bounds__(Group::threads* Group::groups)
    blocked_kernel(const merge_case* cases, std::size_t size, const std::size_t* places,
                   const Key* a, const Key* b, Key* out, unsigned* errors) {
  __shared__ typename Group::type::TempStorage storage[Group::groups];
  const unsigned index = group_index<Group>();
  if (index >= size) return;
  const merge_case c = cases[index];
  const auto m = static_cast<std::int64_t>(c.m);
  const auto n = static_cast<std::int64_t>(c.n);
  typename Group::type collective(storage[threadIdx.x / Group::threads]);
  Key keys[Group::items];
  Key keys2[Group::items];
  Key values[Group::items];
  for (int s = 0; s < Group::items; ++s) {
    keys[s] = oracle::make_record<sizeof(Key)>(untouched, 0);
    keys2[s] = keys[s];
    values[s] = keys[s];
  }
  collective.merge_to_blocked(a + c.a_begin, m, b + c.b_begin, n, keys, order_of(c, errors));
  Group::sync();
  collective.merge_by_key_to_blocked(a + c.a_begin, m, b + c.b_begin, n, a + c.a_begin,
                                     b + c.b_begin, keys2, values, order_of(c, errors));
  for (int s = 0; s < Group::items; ++s) {
    const std::size_t k = std::size_t{rank<Group>()} * Group::items + s;
    if (k < c.m + c.n) {
      out[places[index] + k] = keys[s];
    } else if (keys[s].key != untouched) {
      *errors = 2;
    }
    if (keys2[s].tag != keys[s].tag || values[s].tag != keys[s].tag) *errors = 3;
  }
}

/// All outputs of each case, a tile of registers at a time: each tile goes on from where the one
/// before it ended.
template <class Group, class Key>
__global__ void __launch_bounds__(Group::threads* Group::groups)
    continued_kernel(const merge_case* cases, std::size_t size, const std::size_t* places,
                     const Key* a, const Key* b, Key* out, unsigned* errors) {
  __shared__ typename Group::type::TempStorage storage[Group::groups];
  const unsigned index = group_index<Group>();
  if (index >= size) return;
  const merge_case c = cases[index];
  typename Group::type collective(storage[threadIdx.x / Group::threads]);
  std::size_t i = 0;
  std::size_t j = 0;
  while (i + j < c.m + c.n) {
    const auto m = static_cast<std::int64_t>(c.m - i);
    const auto n = static_cast<std::int64_t>(c.n - j);
    const Key* const first1 = a + c.a_begin + i;
    const Key* const first2 = b + c.b_begin + j;
    Key keys[Group::items];
    Key values[Group::items];
    cmerge::merge_consumed used;
    if (i % 2 == 0) {
      used = collective.merge_to_blocked(first1, m, first2, n, keys, order_of(c, errors));
    } else {
      used = collective.merge_by_key_to_blocked(first1, m, first2, n, first1, first2, keys, values,
                                                order_of(c, errors));
    }
    const auto made = static_cast<std::size_t>(used.first + used.second);
    if (made != min(std::size_t{Group::tile}, c.m + c.n - i - j)) {
      *errors = 4;
      return;
    }
    for (int s = 0; s < Group::items; ++s) {
      const std::size_t k = std::size_t{rank<Group>()} * Group::items + s;
      if (k < made) out[places[index] + i + j + k] = keys[s];
    }
    i += static_cast<std::size_t>(used.first);
    j += static_cast<std::size_t>(used.second);
    Group::sync();
  }
}

/// Fewer outputs than a tile has, exactly as many, and more.
template <class Group>
void check_blocked() {
  using key = typename Group::key;
  const std::size_t pool_size = 3000;
  for (const shape s : oracle::some_of(oracle::all_shapes)) {
    INFO("shape ", oracle::name(s), ", seed ", oracle::seed());
    const auto pool = oracle::make_inputs<sizeof(key)>(s, pool_size, pool_size);
    std::vector<merge_case> all = oracle::tile_sizes(Group::tile, pool_size);
    all.push_back({3, 0, 5, 0});
    const cases_on_device<key> on_device(pool, all);
    const oracle::device_errors errors;
    blocked_kernel<Group><<<blocks_for<Group>(all.size()), Group::threads * Group::groups>>>(
        on_device.cases->begin(), all.size(), on_device.places->begin(), on_device.a->begin(),
        on_device.b->begin(), on_device.out->begin(), errors.get());
    oracle::check_cuda(cudaGetLastError(), "launch");
    CHECK(errors.count() == 0);
    const std::vector<key> result = on_device.out->download();
    for (std::size_t i = 0; i < all.size(); ++i) {
      std::vector<key> expected = expected_of(pool, all[i]);
      const std::size_t made = std::min<std::size_t>(expected.size(), Group::tile);
      const std::size_t place = on_device.host_places[i];
      const auto* behind = reinterpret_cast<const unsigned char*>(result.data() + place + made);
      INFO("m ", all[i].m, ", n ", all[i].n);
      REQUIRE(oracle::is_guard(behind, behind + (expected.size() - made) * sizeof(key)));
      expected.resize(made);
      REQUIRE(oracle::first_difference(result.data() + place, expected) == made);
    }
  }
}

/// All outputs of a case, from as many merges to registers as that takes.
template <class Group>
void check_continued() {
  using key = typename Group::key;
  const std::size_t pool_size = 3000;
  for (const shape s : oracle::some_of(oracle::all_shapes)) {
    INFO("shape ", oracle::name(s), ", seed ", oracle::seed());
    const auto pool = oracle::make_inputs<sizeof(key)>(s, pool_size, pool_size);
    const std::vector<merge_case> all = oracle::tile_sizes(Group::tile, pool_size);
    const cases_on_device<key> on_device(pool, all);
    const oracle::device_errors errors;
    continued_kernel<Group><<<blocks_for<Group>(all.size()), Group::threads * Group::groups>>>(
        on_device.cases->begin(), all.size(), on_device.places->begin(), on_device.a->begin(),
        on_device.b->begin(), on_device.out->begin(), errors.get());
    oracle::check_cuda(cudaGetLastError(), "launch");
    CHECK(errors.count() == 0);
    const std::vector<key> result = on_device.out->download();
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::vector<key> expected = expected_of(pool, all[i]);
      INFO("m ", all[i].m, ", n ", all[i].n);
      REQUIRE(oracle::first_difference(result.data() + on_device.host_places[i], expected) ==
              expected.size());
    }
  }
}

}  // namespace gpu_test
