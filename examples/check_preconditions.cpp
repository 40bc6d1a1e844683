// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A merge of unsorted input, with the checks that CMERGE_CHECK_PRECONDITIONS turns on. Define the
// macro for the whole program, for example with -DCMERGE_CHECK_PRECONDITIONS.

//! [check_preconditions]
#define CMERGE_CHECK_PRECONDITIONS
#include <cmerge/merge.h>

#include <thrust/execution_policy.h>
#include <thrust/system_error.h>

#include <cstdio>
#include <string>
#include <vector>

/// Merges a sorted range and an unsorted one. Returns the text of the error.
std::string merge_unsorted() {
  const std::vector<int> a{1, 4, 6};
  const std::vector<int> b{2, 5, 3};
  std::vector<int> out(a.size() + b.size());
  try {
    cmerge::merge(thrust::host, a.begin(), a.end(), b.begin(), b.end(), out.begin());
  } catch (const thrust::system_error& error) {
    return error.what();
  }
  return "no error";
}
//! [check_preconditions]

int main() {
  const std::string text = merge_unsorted();
  std::printf("check_preconditions: %s\n", text.c_str());
  const std::string expected =
      "cmerge::merge: the second range is not sorted: element 2 goes before element 1";
  return text.compare(0, expected.size(), expected) == 0 ? 0 : 1;
}
