// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests of collective merges whose outputs stay in registers, in a blocked arrangement.
#pragma once

#include "collective.cuh"

namespace gpu_test {

/// The content of a register that no output has been written to.
constexpr int untouched = -77;

/// Merges a tile of keys to registers, then the same tile with the keys as values. With
/// `continues`, goes on with the elements that no tile has consumed yet, until none are left.
template <class Group, class Key>
__global__ void __launch_bounds__(Group::threads* Group::groups)
    registers_kernel(const merge_case* cases, std::size_t size, const std::size_t* offsets,
                     const Key* a, const Key* b, Key* out, bool continues, unsigned* errors) {
  __shared__ typename Group::type::TempStorage storage[Group::groups];
  const unsigned index = group_index<Group>();
  if (index >= size) return;
  const merge_case c = cases[index];
  typename Group::type collective(storage[threadIdx.x / Group::threads]);
  std::size_t i = 0;
  std::size_t j = 0;
  do {
    const auto m = static_cast<std::int64_t>(c.m - i);
    const auto n = static_cast<std::int64_t>(c.n - j);
    const Key* const first_a = a + c.a_begin + i;
    const Key* const first_b = b + c.b_begin + j;
    Key keys[Group::items];
    Key pair_keys[Group::items];
    Key values[Group::items];
    for (int s = 0; s < Group::items; ++s) {
      keys[s] = oracle::make_record<sizeof(Key)>(untouched, 0);
      pair_keys[s] = keys[s];
      values[s] = keys[s];
    }
    const cmerge::merge_consumed used =
        collective.merge_to_blocked(first_a, m, first_b, n, keys, order_of(c, errors));
    Group::sync();
    const cmerge::merge_consumed used_by_pairs = collective.merge_by_key_to_blocked(
        first_a, m, first_b, n, first_a, first_b, pair_keys, values, order_of(c, errors));
    const auto made = static_cast<std::size_t>(used.first + used.second);
    if (made != min(std::size_t{Group::tile}, c.m + c.n - i - j) ||
        used.first != used_by_pairs.first || used.second != used_by_pairs.second) {
      *errors = 4;
      return;
    }
    for (int s = 0; s < Group::items; ++s) {
      const std::size_t k = std::size_t{rank<Group>()} * Group::items + s;
      if (k < made) {
        out[offsets[index] + i + j + k] = keys[s];
      } else if (keys[s].key != untouched) {
        *errors = 2;
      }
      if (pair_keys[s].tag != keys[s].tag || values[s].tag != keys[s].tag) *errors = 3;
    }
    i += static_cast<std::size_t>(used.first);
    j += static_cast<std::size_t>(used.second);
    Group::sync();
  } while (continues && i + j < c.m + c.n);
}

/// Fewer outputs than one tile has, exactly as many, and more: the first tile, or all of them.
template <class Group>
void check_registers(bool continues) {
  using key = typename Group::key;
  CAPTURE(static_cast<unsigned>(Group::threads));
  CAPTURE(static_cast<unsigned>(Group::tile));
  CAPTURE(sizeof(key));
  const std::size_t pool_size = 3000;
  for (const shape s : oracle::some_of(oracle::all_shapes)) {
    INFO("shape ", oracle::name(s), ", seed ", oracle::seed());
    const auto pool = oracle::make_inputs<sizeof(key)>(s, pool_size, pool_size);
    std::vector<merge_case> all = oracle::tile_sizes(Group::tile, pool_size);
    all.push_back({3, 0, 5, 0});
    const cases_on_device<key> on_device(pool, all);
    const oracle::device_errors errors;
    registers_kernel<Group><<<blocks_for<Group>(all.size()), Group::threads * Group::groups>>>(
        on_device.cases->begin(), all.size(), on_device.offsets->begin(), on_device.a->begin(),
        on_device.b->begin(), on_device.out->begin(), continues, errors.get());
    oracle::check_cuda(cudaGetLastError(), "launch");
    CHECK(errors.count() == 0);
    const std::vector<key> result = on_device.out->download();
    for (std::size_t c = 0; c < all.size(); ++c) {
      std::vector<key> expected = expected_of(pool, all[c]);
      const std::size_t made =
          continues ? expected.size() : std::min<std::size_t>(expected.size(), Group::tile);
      const std::size_t offset = on_device.host_offsets[c];
      const auto* rest = reinterpret_cast<const unsigned char*>(result.data() + offset + made);
      INFO("m ", all[c].m, ", n ", all[c].n);
      REQUIRE(oracle::is_guard(rest, rest + (expected.size() - made) * sizeof(key)));
      expected.resize(made);
      REQUIRE(oracle::first_difference(result.data() + offset, expected) == made);
    }
  }
}

/// Groups for several test cases.
template <class... Groups>
struct group_list {
  static void check_registers(bool continues) {
    (gpu_test::check_registers<Groups>(continues), ...);
  }
};

}  // namespace gpu_test
