// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An inconsistent comparator.
#pragma once

#include <cstdint>

namespace gpu_test {

/// A comparator of indices that answers by the clock, so it is inconsistent. Sets `errors` if an
/// index is out of range.
struct fickle {
  unsigned* errors;
  std::int64_t m;
  std::int64_t n;
  __device__ bool operator()(std::int64_t b, std::int64_t a) const {
    if (a < 0 || a >= m || b < 0 || b >= n) *errors = 1;
    return (clock64() * 2654435761 >> 7 & 1) != 0;
  }
};

}  // namespace gpu_test
