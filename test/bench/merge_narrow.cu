// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The merge benchmarks of 8- and 16-bit integers.

#include "merge.cuh"

namespace bench {
namespace {
[[maybe_unused]] const bool added = add_type<merge_case<std::int8_t, void>>("i8") &&
                                    add_type<merge_case<std::int16_t, void>>("i16") &&
                                    add_type<merge_case<std::int8_t, std::int32_t>>("i8-i32");
}  // namespace
}  // namespace bench
