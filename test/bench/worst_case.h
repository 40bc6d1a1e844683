// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Worst-case inputs for merges in shared memory: which input gives each output of a warp, so that
// many of its threads read the same bank at the same time. Plain C++, no CUDA.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace bench {

/// For each output of a warp, whether it comes from the second input.
using merge_pattern = std::vector<std::uint8_t>;

/// The pattern of a warp whose threads make `items` consecutive outputs each, at the same pace.
///
/// Both inputs lie in shared memory, element `i` of either in bank `i % lanes`; there are as many
/// banks, of the size of an element, as there are threads that read at the same time. What a thread
/// reads in step `j` is its output `j` (or, in a merge that reads ahead, the element after it,
/// which moves every bank by one and changes no conflict). An element is called aligned if it is
/// read in step `j` from bank `start + j`: such a staircase lets a thread that stays in one input
/// keep its place on it. Of one bank a warp reads only `items` elements, so `items * items` aligned
/// ones are the most; up to `lanes / 2` items that many are possible where `items` and `lanes` have
/// no common factor, and then `items` threads meet in one bank in each step.
///
/// The aligned elements as a measure, and the proof of how many there can be, are in K. Berney and
/// N. Sitchinava, "Engineering Worst-Case Inputs for Pairwise Merge Sort on GPUs", IPDPS 2020, who
/// construct a pattern for each thread; see B. Karsin et al., "Analysis-Driven Engineering of
/// Comparison-Based Sorting Algorithms on GPUs", ICS 2018, for what conflicts cost. Here the
/// pattern is found by dynamic programming instead, which takes any number of items: after `k`
/// outputs all that matters for the rest is the bank of the first input's next element, since the
/// second input's follows from it. Both inputs end in the bank where they began, so that the
/// pattern can be repeated for all warps of a tile, and with the inputs exchanged.
inline merge_pattern worst_pattern(int items, int lanes) {
  const int outputs = items * lanes;
  const auto place = [lanes](int k, int bank) { return k * lanes + bank; };
  merge_pattern best;
  int best_aligned = -1;
  for (int start = 0; start < lanes; ++start) {
    // The most aligned elements among the first `k` outputs if the first input is then at a bank,
    // and whether the last of these outputs came from the second input.
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

/// How many threads of a warp meet in the busiest bank, on average over the steps: 1 without
/// conflicts, and as many times as long as that takes a step of the merge to read.
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
