// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The benchmarks of large keys.

#include "elements.cuh"

namespace bench {
namespace {
[[maybe_unused]] const bool added =
    add_elements<64, 95, 96, 128, 192, 256, 384, 512, 756, 1024, 1536, 2048, 3072, 4096>();
}  // namespace
}  // namespace bench
