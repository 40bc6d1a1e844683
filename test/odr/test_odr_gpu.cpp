// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared libraries in one program give the same merges. They are built for different architectures,
// or for one architecture without optimisation, with their own CUDA runtime or the shared one.
#include "merge_on_gpu.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>

TEST_CASE("shared libraries, and two files of one of them, give the same merge") {
  // A small and a large size, since they may take different kernels.
  for (const std::size_t size : {std::size_t{5}, std::size_t{3'000'000}}) {
    CAPTURE(size);
    numbers a(size);
    numbers b(size / 2);
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<int>(i / 3);
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<int>(i);
    numbers expected(a.size() + b.size());
    std::merge(a.begin(), a.end(), b.begin(), b.end(), expected.begin());

    // The parentheses keep a failure from printing both vectors.
    CHECK((merge_on_gpu_oldest(a, b) == expected));
    CHECK((merge_on_gpu_native(a, b) == expected));
    CHECK((second_on_gpu(a, b) == expected));
    CHECK((merge_on_gpu_oldest(a, b) == expected));
    for (const auto merge : {merge_on_gpu_static1, merge_on_gpu_static2, merge_on_gpu_shared}) {
      CHECK((merge(a, b) == expected));
    }
  }
}
