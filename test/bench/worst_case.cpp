// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests worst_case.h: counts the bank conflicts of its patterns, of the same patterns with
// exchanged inputs, and of random ones. Fails if there are too few, or if a pattern cannot be
// repeated.

#include "worst_case.h"

#include <cstdio>
#include <random>

namespace {

double random_conflicts(int items, int lanes) {
  constexpr int draws = 200;
  std::mt19937 engine(1);
  double sum = 0;
  for (int i = 0; i < draws; ++i) {
    bench::merge_pattern pattern(static_cast<std::size_t>(items * lanes));
    for (auto& second : pattern) second = engine() % 2;
    sum += bench::conflicts_per_step(pattern, items, lanes);
  }
  return sum / draws;
}

bool check(int items, int lanes) {
  const bench::merge_pattern pattern = bench::worst_pattern(items, lanes);
  bench::merge_pattern exchanged = pattern;
  for (auto& second : exchanged) second = second == 0 ? 1 : 0;
  const auto of_second = std::count(pattern.begin(), pattern.end(), 1);

  const double worst = bench::conflicts_per_step(pattern, items, lanes);
  const double random = random_conflicts(items, lanes);
  std::printf("%2d items, %2d lanes: %5.2f threads in the busiest bank; random inputs %.2f\n",
              items, lanes, worst, random);
  // The proven maximum if every step reaches it. Otherwise, twice the conflicts of random inputs.
  const double expected = 2 * items < lanes ? items : 2 * random;
  return worst >= expected && bench::conflicts_per_step(exchanged, items, lanes) == worst &&
         of_second % lanes == 0;
}

}  // namespace

int main() {
  bool good = true;
  for (const int lanes : {32, 16}) {
    for (const int items : {7, 15, 17, 21, 23}) good = check(items, lanes) && good;
  }
  if (!good) std::puts("FAILED");
  return good ? 0 : 1;
}
