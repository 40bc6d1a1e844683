// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests of collective merges of keys with values.
#pragma once

#include "collective.cuh"

namespace gpu_test {

/// `groups` groups merge the same keys with values, then the keys alone.
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

}  // namespace gpu_test
