// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sweep over tiles, for keys with values of the same size.

#include "sweep.cuh"

namespace bench {
namespace {
[[maybe_unused]] const bool added =
    add_sweep<std::int32_t, std::int32_t, small<single<128, 5, 7, 9, 11, 15>, single<64, 7, 11>>,
              large<single<256, 11, 13, 15, 17, 19>, single<128, 15>, circular<256, 11>>>(
        "i32-i32") &&
    add_sweep<std::int64_t, std::int64_t, small<single<128, 7, 11>>,
              large<single<256, 7, 9, 10, 11>, single<128, 11, 13, 15>>>("i64-i64");
}  // namespace
}  // namespace bench
