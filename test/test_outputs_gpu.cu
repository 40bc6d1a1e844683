// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Outputs of another type than the keys, wherever in a granule they begin.
#include "gpu/oracle.cuh"

#include <cmerge/merge.h>

#include <algorithm>
#include <vector>

namespace gpu_test {

using cmerge::strategy;
using oracle::fixed;

template <class Key, class Out, class Policy>
void check_output(const Policy& policy) {
  std::vector<Key> a(3000);
  std::vector<Key> b(2001);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<Key>(i % 125 * (i / 125) / 24);
  for (std::size_t j = 0; j < b.size(); ++j) b[j] = static_cast<Key>(j % 100);
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  std::vector<Key> merged(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), merged.begin());
  const std::vector<Out> expected(merged.begin(), merged.end());

  const oracle::device_input<Key> in1(a);
  const oracle::device_input<Key> in2(b);
  for (std::size_t offset = 0; offset <= 15; ++offset) {
    CAPTURE(offset);
    // The elements before and behind must stay as they are.
    std::vector<Out> image(offset + expected.size() + 1, Out{77});
    oracle::device_input<Out> out(image);
    cmerge::merge(policy, in1.begin(), in1.end(), in2.begin(), in2.end(), out.begin() + offset);
    oracle::check_cuda(
        cudaMemcpy(image.data(), out.begin(), image.size() * sizeof(Out), cudaMemcpyDefault),
        "cudaMemcpy");
    CHECK(std::equal(expected.begin(), expected.end(),
                     image.begin() + static_cast<std::ptrdiff_t>(offset)));
    CHECK(std::all_of(image.begin(), image.begin() + static_cast<std::ptrdiff_t>(offset),
                      [](Out x) { return x == Out{77}; }));
    CHECK(image.back() == Out{77});
  }
}

TEST_CASE_TEMPLATE("an output of another type than the keys", T, cmerge::default_tuning,
                   fixed<strategy::circular, 64, 5, 2>, fixed<strategy::circular, 32, 3, 1>,
                   fixed<strategy::tiled, 64, 5>, fixed<strategy::single, 64, 5>,
                   fixed<strategy::basic, 64, 5>) {
  const auto policy = cmerge::tuned<T>(thrust::device);
  check_output<int, long long>(policy);
  check_output<double, float>(policy);
  check_output<long long, signed char>(policy);
}

}  // namespace gpu_test
