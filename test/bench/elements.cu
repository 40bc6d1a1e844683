// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The benchmarks of small keys; elements_large.cu has the others.

#include "elements.cuh"

namespace bench {
namespace {
[[maybe_unused]] const bool added = add_elements<1, 2, 3, 4, 6, 8, 12, 16, 20, 24, 32, 48>();
}  // namespace
}  // namespace bench
