// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests of the collectives, the same for blocks, warps and subwarps: many groups of threads at
// once, each with its own merge.
#pragma once

#include "oracle.cuh"

#include <cmerge/block_merge.cuh>

#include <optional>

namespace gpu_test {

using cmerge::strategy;
using oracle::merge_case;
using oracle::shape;
using oracle::tagged;

/// One block_merge for each block.
template <strategy How, int Threads, int Items, int Stages = 2, class KeyType = tagged,
          class Value = void>
struct block {
  enum : unsigned { threads = Threads, groups = 1, tile = Threads * Items };
  static constexpr int items = Items;
  using key = KeyType;
  using type = cmerge::block_merge<key, Threads, Items, Value, How, Stages>;
  __device__ static void sync() { __syncthreads(); }
};

/// One warp_merge for each `Lanes` lanes of a block of four warps.
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

/// The group of the calling thread, and its rank in the group.
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

/// Cases on the device: subranges of two pools, and the offset of each output. A gap of 3 elements
/// precedes each output.
template <class Key>
struct cases_on_device {
  cases_on_device(const oracle::inputs<Key>& pool, const std::vector<merge_case>& all)
      : size(all.size()) {
    total = 3;
    for (const merge_case& c : all) {
      host_offsets.push_back(total);
      total += c.m + c.n + 3;
    }
    cases.emplace(all);
    offsets.emplace(host_offsets);
    a.emplace(pool.a);
    b.emplace(pool.b);
    out.emplace(total);
  }

  std::size_t size;
  std::size_t total;
  std::vector<std::size_t> host_offsets;
  std::optional<oracle::device_input<merge_case>> cases;
  std::optional<oracle::device_input<std::size_t>> offsets;
  std::optional<oracle::device_input<Key>> a;
  std::optional<oracle::device_input<Key>> b;
  std::optional<oracle::device_output<Key>> out;
};

/// The order of a case. It sets `errors` if anything but an input element is compared.
__device__ inline oracle::checked_by_key order_of(const merge_case& c, unsigned* errors) {
  return {static_cast<unsigned>(c.a_begin), static_cast<unsigned>(c.a_begin + c.m),
          static_cast<unsigned>(c.b_begin), static_cast<unsigned>(c.b_begin + c.n), errors};
}

/// Each group makes one merge. After a barrier, other threads than the writers copy the output.
template <class Group, class Key>
__global__ void __launch_bounds__(Group::threads* Group::groups)
    merge_cases_kernel(const merge_case* cases, std::size_t size, const std::size_t* offsets,
                       const Key* a, const Key* b, Key* out, Key* copy, unsigned* errors) {
  __shared__ typename Group::type::TempStorage storage[Group::groups];
  const unsigned index = group_index<Group>();
  if (index >= size) return;
  const merge_case c = cases[index];
  typename Group::type collective(storage[threadIdx.x / Group::threads]);
  Key* const output = out + offsets[index];
  collective.merge(a + c.a_begin, static_cast<std::int64_t>(c.m), b + c.b_begin,
                   static_cast<std::int64_t>(c.n), output, order_of(c, errors));
  Group::sync();
  for (std::size_t k = rank<Group>(); k < c.m + c.n; k += Group::threads) {
    copy[offsets[index] + k] = output[c.m + c.n - 1 - k];
  }
}

/// The output of a case from the standard library.
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
      on_device.cases->begin(), all.size(), on_device.offsets->begin(), on_device.a->begin(),
      on_device.b->begin(), on_device.out->begin(), copy.begin(), errors.get());
  oracle::check_cuda(cudaGetLastError(), "launch");
  CHECK_MESSAGE(errors.count() == 0, "something other than an input element was compared");

  const std::vector<key> result = on_device.out->download();
  const std::vector<key> copied = copy.download();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const merge_case& c = all[i];
    const std::size_t offset = on_device.host_offsets[i];
    std::vector<key> expected = expected_of(pool, c);
    INFO("m ", c.m, ", n ", c.n, ", group ", i);
    REQUIRE(oracle::first_difference(result.data() + offset, expected) == expected.size());
    std::reverse(expected.begin(), expected.end());
    INFO("as read by other threads of the group");
    REQUIRE(oracle::first_difference(copied.data() + offset, expected) == expected.size());
    const auto* gap = reinterpret_cast<const unsigned char*>(result.data() + offset - 3);
    REQUIRE(oracle::is_guard(gap, gap + 3 * sizeof(key)));
  }
}

/// Ranges of any length and every shape.
template <class Group>
void check_any_length() {
  const std::size_t pool = 20000;
  for (const shape s : oracle::some_of(oracle::all_shapes)) {
    run_cases<Group>(s, pool, oracle::tile_sizes(Group::tile, pool));
    // Sections of more than a hundred tiles: refills wrap around at changing positions.
    run_cases<Group>(s, pool,
                     {{0, 131 * Group::tile / 2 % pool, 1, 131 * Group::tile / 2 % pool},
                      {5, 3, 2, 120 * Group::tile % pool}});
  }
  run_cases<Group>(shape::few, 500, oracle::all_sizes(70, 500));
}

/// Merges within shared memory, then from shared to global memory with the same temporary storage.
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
  typename Group::type again(storage);
  again.merge(in1, m, in2, n, out + m + n, oracle::by_key{});
}

/// For groups of a whole block.
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

}  // namespace gpu_test
