// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Worst-case inputs for merges in shared memory. They determine which input each output of a warp
// comes from, so that many of its threads read the same bank at the same time. Plain C++, no CUDA.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace bench {

/// For each output of a warp, whether it comes from the second input.
using merge_pattern = std::vector<std::uint8_t>;

/// The pattern of a warp whose threads make `items` consecutive outputs each, at the same pace.
///
/// Both inputs are in shared memory. Element `i` of either input is in bank `i % lanes`. There are
/// as many banks, each as wide as an element, as there are threads that read at the same time. In
/// step `j` a thread reads its output `j`. (A merge that reads ahead reads the element after it.
/// This moves every bank by one and does not change conflicts.) An element is called aligned if it
/// is read in step `j` from bank `start + j`. A thread that stays in one input then stays aligned.
///
/// A warp reads only `items` elements of one bank, so at most `items * items` elements can be
/// aligned. Up to `lanes / 2` items, that many are possible if `items` and `lanes` have no common
/// factor. Then `items` threads read the same bank in each step.
///
/// The measure of aligned elements, and the proof of their maximum, are from K. Berney and
/// N. Sitchinava, "Engineering Worst-Case Inputs for Pairwise Merge Sort on GPUs", IPDPS 2020. They
/// construct a pattern for each thread. See B. Karsin et al., "Analysis-Driven Engineering of
/// Comparison-Based Sorting Algorithms on GPUs", ICS 2018, for the cost of conflicts. Here,
/// dynamic programming finds the pattern, for any number of items. After `k` outputs, only the bank
/// of the first input's next element matters for the rest, because that of the second input follows
/// from it. Both inputs end in the bank in which they began. So the pattern can be repeated for all
/// warps of a tile, and with exchanged inputs.
inline merge_pattern worst_pattern(int items, int lanes) {
  const int outputs = items * lanes;
  const auto place = [lanes](int k, int bank) { return k * lanes + bank; };
  merge_pattern best;
  int best_aligned = -1;
  for (int start = 0; start < lanes; ++start) {
    // The maximum number of aligned elements among the first `k` outputs if the first input is then
    // at a bank, and whether the last of these outputs came from the second input.
    constexpr int unreachable = -1;
    std::vector<int> aligned(static_cast<std::size_t>((outputs + 1) * lanes), unreachable);
    merge_pattern last(aligned.size());
    aligned[0] = 0;
    for (int k = 0; k < outputs; ++k) {
      const int bank = (start + k % items) % lanes;
      for (int a = 0; a < lanes; ++a) {
        const int so_far = aligned[place(k, a)];
        if (so_far == unreachable) continue;
        const int b = ((k - a) % lanes + lanes) % lanes;
        for (const int second : {0, 1}) {
          const int next = place(k + 1, second == 1 ? a : (a + 1) % lanes);
          const int value = so_far + ((second == 1 ? b : a) == bank ? 1 : 0);
          if (value <= aligned[next]) continue;
          aligned[next] = value;
          last[next] = static_cast<std::uint8_t>(second);
        }
      }
    }
    if (aligned[place(outputs, 0)] <= best_aligned) continue;
    best_aligned = aligned[place(outputs, 0)];
    best.assign(outputs, 0);
    for (int k = outputs, a = 0; k > 0; --k) {
      best[k - 1] = last[place(k, a)];
      if (best[k - 1] == 0) a = (a + lanes - 1) % lanes;
    }
  }
  return best;
}

/// The number of threads of a warp that read the busiest bank, on average over the steps. It is 1
/// without conflicts. The time of a read is proportional to it.
inline double conflicts_per_step(const merge_pattern& pattern, int items, int lanes) {
  std::vector<int> hits(static_cast<std::size_t>(items * lanes));  // by step and bank
  int next[2] = {0, 0};
  for (int k = 0; k < items * lanes; ++k) {
    ++hits[k % items * lanes + next[pattern[k]]++ % lanes];
  }
  int sum = 0;
  for (int step = 0; step < items; ++step) {
    const auto banks = hits.begin() + step * lanes;
    sum += *std::max_element(banks, banks + lanes);
  }
  return static_cast<double>(sum) / items;
}

}  // namespace bench
