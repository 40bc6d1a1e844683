// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Merges with a tuning of one's own: how many threads a block has, how many outputs a thread makes,
// and by which strategy. The result is the same under every tuning, the time is not.
#include <cmerge/merge.h>

#include <thrust/device_vector.h>
#include <thrust/equal.h>
#include <thrust/execution_policy.h>
#include <thrust/sequence.h>

#include <cstdio>

#include "require_gpu.h"

/// Small tiles for 4-byte keys; for all others what the library would choose.
struct my_tuning {
  static constexpr cmerge::tuning get(cmerge::tuning_query query) {
    if (query.key_bytes != 4) return cmerge::default_tuning::get(query);
    return {cmerge::strategy::circular, 128, 7};
  }
};

int main() {
  require_gpu();
  constexpr int size = 1 << 20;
  thrust::device_vector<int> tens(size);
  thrust::device_vector<int> threes(size);
  thrust::sequence(tens.begin(), tens.end(), 0, 10);
  thrust::sequence(threes.begin(), threes.end(), 0, 3);

  thrust::device_vector<int> usual(2 * size);
  cmerge::merge(thrust::device, tens.begin(), tens.end(), threes.begin(), threes.end(),
                usual.begin());

  thrust::device_vector<int> tuned(2 * size);
  cmerge::merge(cmerge::tuned<my_tuning>(thrust::device), tens.begin(), tens.end(), threes.begin(),
                threes.end(), tuned.begin());

  const bool equal = thrust::equal(usual.begin(), usual.end(), tuned.begin());
  std::printf("custom_tuning: merged %d multiples of 10 and %d of 3 under two tunings: %s\n", size,
              size, equal ? "same result" : "results differ");
  return equal ? 0 : 1;
}
