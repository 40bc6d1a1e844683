// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two files of one program and a shared library merge the same types.
#include "merge_here.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>

TEST_CASE("two files and a shared library of one program give the same small merges") {
  const numbers a{1, 3, 3};
  const numbers b{2, 3, 4};
  CHECK(merge_here(a, b) == numbers{1, 2, 3, 3, 3, 4});
  CHECK(merge_in_other_file(a, b) == merge_here(a, b));
  CHECK(merge_in_library(a, b) == merge_here(a, b));
}

TEST_CASE(
    "two files and a shared library of one program give the same large merges, also in parallel") {
  numbers a(100000);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<int>(i / 3);
  numbers expected(2 * a.size());
  std::merge(a.begin(), a.end(), a.begin(), a.end(), expected.begin());
  // The parentheses keep a failure from printing both vectors.
  CHECK((merge_here(a, a) == expected));
  CHECK((merge_in_library(a, a) == expected));
}
