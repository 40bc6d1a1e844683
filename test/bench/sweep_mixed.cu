// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sweep over tiles, for keys with values of another size.

#include "sweep.cuh"

namespace bench {
namespace {
using few_small = small<single<128, 7, 11>>;
using of_middling = large<single<256, 11, 13, 15, 17, 19>>;

[[maybe_unused]] const bool added =
    add_sweep<std::int8_t, std::int32_t, few_small, large<single<256, 15, 17, 19, 21, 23>>>(
        "i8-i32") &&
    add_sweep<std::int32_t, std::int64_t, few_small, of_middling>("i32-i64") &&
    add_sweep<std::int64_t, std::int32_t, few_small, of_middling>("i64-i32") &&
    add_sweep<std::int32_t, large_value<16>, few_small,
              large<single<256, 7, 9, 11>, single<128, 9, 11>>>("i32-b16");
}  // namespace
}  // namespace bench
