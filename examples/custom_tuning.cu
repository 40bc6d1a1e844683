// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Merges with a user-defined tuning: the strategy, the threads per block, and the outputs per
// thread. The result is the same under every tuning, but the time is not.

//! [custom_tuning]
#include <cmerge/merge.h>
#include <cmerge/chosen_tuning.cuh>

/// Small tiles for 4-byte keys. All other keys get the library's default.
struct my_tuning {
  static constexpr cmerge::tuning get(cmerge::tuning_query query) {
    if (query.key_bytes != 4) return cmerge::default_tuning::get(query);
    return {cmerge::strategy::circular, 128, 7};
  }
};
//! [custom_tuning]

#include <thrust/device_vector.h>
#include <thrust/equal.h>
#include <thrust/execution_policy.h>
#include <thrust/sequence.h>

#include <cstdio>

int main() {
  constexpr int size = 1 << 20;
  thrust::device_vector<int> tens(size);
  thrust::device_vector<int> threes(size);
  thrust::sequence(tens.begin(), tens.end(), 0, 10);
  thrust::sequence(threes.begin(), threes.end(), 0, 3);

  thrust::device_vector<int> usual(2 * size);
  cmerge::merge(thrust::device, tens.begin(), tens.end(), threes.begin(), threes.end(),
                usual.begin());

  thrust::device_vector<int> tuned(2 * size);
  //! [tuned]
  cmerge::merge(cmerge::tuned<my_tuning>(thrust::device), tens.begin(), tens.end(), threes.begin(),
                threes.end(), tuned.begin());
  //! [tuned]
  const bool equal = thrust::equal(usual.begin(), usual.end(), tuned.begin());

  //! [chosen_tuning]
  const cmerge::tuning chosen =
      cmerge::chosen_tuning(cmerge::tuned<my_tuning>(thrust::device), tens.begin(), tens.end(),
                            threes.begin(), threes.end(), tuned.begin());
  std::printf("custom_tuning: strategy %s, %d threads, %d outputs per thread\n",
              cmerge::name(chosen.how), chosen.threads, chosen.items);
  //! [chosen_tuning]

  // With values, 4-byte keys have the same tuning.
  const thrust::device_vector<float> values(size);
  thrust::device_vector<float> values_out(2 * size);
  //! [chosen_tuning_by_key]
  const cmerge::tuning with_values = cmerge::chosen_tuning_by_key(
      cmerge::tuned<my_tuning>(thrust::device), tens.begin(), tens.end(), threes.begin(),
      threes.end(), values.begin(), values.begin(), tuned.begin(), values_out.begin());
  //! [chosen_tuning_by_key]

  const auto is_mine = [](cmerge::tuning t) {
    return t.how == cmerge::strategy::circular && t.threads == 128 && t.items == 7;
  };
  const bool right = equal && is_mine(chosen) && is_mine(with_values);
  std::printf("custom_tuning: merged %d multiples of 10 and %d of 3 with two tunings: %s\n", size,
              size, right ? "right" : "wrong");
  return right ? 0 : 1;
}
