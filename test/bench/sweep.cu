// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sweep over tiles, for keys without values.

#include "sweep.cuh"

namespace bench {
namespace {
using few_small = small<single<128, 7, 11>>;
using all_small = small<single<128, 5, 7, 9, 11, 15>, single<64, 7, 11>>;
using of_narrow = large<single<256, 23, 27, 31, 35>>;

[[maybe_unused]] const bool added =
    add_sweep<std::int8_t, void, few_small, of_narrow>("i8") &&
    add_sweep<std::int16_t, void, few_small, of_narrow>("i16") &&
    add_sweep<std::int32_t, void, all_small,
              large<single<256, 15, 17, 19, 21, 23, 25, 27>, single<384, 17>, single<128, 19, 23>,
                    single<512, 15>, circular<256, 17, 23>>>("i32") &&
    // At most 16 outputs: elements of zip iterators, which can have as many bytes, are loaded in
    // one batch up to there. With 17, keys of 8 bytes gain 0.1 points of a copy, but zipped ones
    // lose 5.
    add_sweep<std::int64_t, void, all_small,
              large<single<256, 11, 13, 15>, single<128, 15>, circular<256, 11>>>("i64") &&
    add_sweep<__int128, void, few_small, large<single<256, 7, 9, 11, 13>, single<128, 11, 13>>>(
        "i128");
}  // namespace
}  // namespace bench
