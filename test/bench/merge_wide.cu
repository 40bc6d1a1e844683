// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The merge benchmarks of 64-bit and 16-byte keys; `rec` has its own comparator.

#include "merge.cuh"

namespace bench {
namespace {
[[maybe_unused]] const bool added =
    add_type<merge_case<std::int64_t, void>, forced::every_strategy>("i64") &&
    add_type<merge_case<double, void>>("f64") && add_type<merge_case<__int128, void>>("i128") &&
    add_type<merge_case<record, void, record_less>>("rec");
}  // namespace
}  // namespace bench
