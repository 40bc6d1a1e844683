// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The merge benchmarks of other keys of four bytes.

#include "merge.cuh"

namespace bench {
namespace {
[[maybe_unused]] const bool added =
    add_type<merge_case<std::uint32_t, void>>("u32") && add_type<merge_case<float, void>>("f32");
}  // namespace
}  // namespace bench
