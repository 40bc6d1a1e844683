// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The merge benchmarks of keys with small values; for one type, also with each strategy.

#include "merge.cuh"

namespace bench {
namespace {
[[maybe_unused]] const bool added =
    add_type<merge_case<std::int32_t, std::int32_t>, forced::every_strategy>("i32-i32") &&
    add_type<merge_case<std::int64_t, std::int64_t>>("i64-i64") &&
    add_type<merge_case<std::int64_t, std::int32_t>>("i64-i32");
}  // namespace
}  // namespace bench
