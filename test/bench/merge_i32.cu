// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The merge benchmarks of 32-bit integers, also with each strategy.

#include "merge.cuh"

namespace bench {
namespace {
[[maybe_unused]] const bool added =
    add_type<merge_case<std::int32_t, void>, forced::every_strategy>("i32");
}  // namespace
}  // namespace bench
