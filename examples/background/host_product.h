// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrices to multiply, and the plain loops that every other product is compared with.
#pragma once

#include <cstddef>
#include <random>
#include <vector>

namespace background {

using matrix = std::vector<float>;

/// Integers so small that every sum is exact, whatever its order.
inline matrix random_matrix(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  matrix values(n * n);
  for (float& value : values) value = static_cast<float>(random() % 8);
  return values;
}

inline matrix host_product(const matrix& a, const matrix& b, std::size_t n) {
  matrix c(n * n);
  for (std::size_t row = 0; row < n; ++row) {
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t column = 0; column < n; ++column) {
        c[row * n + column] += a[row * n + k] * b[k * n + column];
      }
    }
  }
  return c;
}

}  // namespace background
