// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random merges on a GPU: random types, sizes, keys, alignments, iterators, tunings and calls.
// CMERGE_TEST_CASES sets the number of cases. CMERGE_TEST_CASE runs one case, given by its number.
#include "gpu/fuzz_case.h"
#include "gpu/fuzz_memory.cuh"

namespace gpu_test {

std::vector<fuzz::entry> all_families() {
  std::vector<fuzz::entry> all = fuzz::families_of_keys();
  const std::vector<fuzz::entry> pairs = fuzz::families_of_pairs();
  all.insert(all.end(), pairs.begin(), pairs.end());
  return all;
}

/// The family of a case.
std::size_t family_of(std::uint64_t number, std::size_t families) {
  return fuzz::draw(number).below(families);
}

TEST_CASE("finds errors in spoiled random merges") {
  if (std::getenv("CMERGE_TEST_CASE") != nullptr) return;
  fuzz::memory mem;
  for (const fuzz::entry& f : all_families()) {
    for (std::uint64_t number = 0; number < (oracle::quick() ? 1 : 8); ++number) {
      const std::string missed = f.test_check(100 * number, mem);
      CHECK_MESSAGE(missed.empty(), std::string(f.name), ": ", missed);
    }
  }
}

TEST_CASE("merges random problems") {
  const std::vector<fuzz::entry> families = all_families();
  fuzz::memory mem;
  if (const char* text = std::getenv("CMERGE_TEST_CASE"); text != nullptr) {
    const std::uint64_t number = std::strtoull(text, nullptr, 10);
    const fuzz::entry& f = families[family_of(number, families.size())];
    f.run(f.name, {number}, mem, true);
    return;
  }
  std::uint64_t cases = oracle::quick() ? 300 : 20000;
  if (const char* text = std::getenv("CMERGE_TEST_CASES"); text != nullptr) {
    cases = std::strtoull(text, nullptr, 10);
  }
  // Each family then takes a few megabytes at a time.
  constexpr std::uint64_t chunk = 4000;
  for (std::uint64_t first = 0; first < cases; first += chunk) {
    std::vector<std::vector<std::uint64_t>> numbers(families.size());
    for (std::uint64_t number = first; number < std::min(cases, first + chunk); ++number) {
      numbers[family_of(number, families.size())].push_back(number);
    }
    for (std::size_t f = 0; f < families.size(); ++f) {
      families[f].run(families[f].name, numbers[f], mem, false);
    }
  }
}

}  // namespace gpu_test
