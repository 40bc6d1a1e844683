// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Merges strings on all processors of the host, with OpenMP. Needs no CUDA compiler:
// g++ -std=c++17 -O3 -fopenmp -I. -I<folder that contains thrust/> examples/openmp.cpp
#include <cmerge/merge.h>

#include <thrust/system/omp/execution_policy.h>

#include <algorithm>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

/// A sorted list of random words.
std::vector<std::string> make_words(int size, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::string> words(size);
  for (std::string& word : words) {
    word = {char('a' + random() % 26), char('a' + random() % 26), char('a' + random() % 26)};
  }
  std::sort(words.begin(), words.end());
  return words;
}

int main() {
  const std::vector<std::string> first = make_words(200000, 1);
  const std::vector<std::string> second = make_words(300000, 2);

  //! [openmp]
  std::vector<std::string> merged(first.size() + second.size());
  const auto end = cmerge::merge(thrust::omp::par, first.begin(), first.end(), second.begin(),
                                 second.end(), merged.begin());
  //! [openmp]

  std::vector<std::string> expected(merged.size());
  std::merge(first.begin(), first.end(), second.begin(), second.end(), expected.begin());
  const bool right = end == merged.end() && merged == expected;
  std::printf("openmp: merged %zu and %zu words, from %s to %s: %s\n", first.size(), second.size(),
              merged.front().c_str(), merged.back().c_str(), right ? "right" : "wrong");
  return right ? 0 : 1;
}
