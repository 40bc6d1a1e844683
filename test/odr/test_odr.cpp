// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two files of one program merge the same types.
#include "merge_here.h"

#include <doctest/doctest.h>

TEST_CASE("two files of one program merge alike") {
  const numbers a{1, 3, 3};
  const numbers b{2, 3, 4};
  CHECK(merge_here(a, b) == numbers{1, 2, 3, 3, 3, 4});
  CHECK(merge_in_other_file(a, b) == merge_here(a, b));
}
