// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The warp-wide collective: warps and parts of warps merge by themselves, many at once.
#include "gpu/collective.cuh"

namespace gpu_test {

TEST_CASE_TEMPLATE("a warp, or a part of one, merges ranges of any length", T, warp<32, 1>,
                   warp<32, 7>, warp<16, 3>, warp<8, 5>, warp<4, 3>, warp<1, 4>,
                   warp<32, 3, strategy::indirect>, warp<8, 2, strategy::indirect>,
                   warp<32, 2, strategy::single, oracle::record<16>>,
                   warp<8, 2, strategy::single, oracle::record<20>>) {
  check_any_length<T>();
}

TEST_CASE_TEMPLATE("a warp merges keys with values", T, warp<32, 3, strategy::single, tagged, int>,
                   warp<16, 5, strategy::single, tagged, int>,
                   warp<2, 3, strategy::single, tagged, int>,
                   warp<32, 3, strategy::indirect, tagged, int>) {
  check_pairs<T>(321, 234, 37);
}

TEST_CASE_TEMPLATE("a warp merges to registers", T, warp<32, 3, strategy::single, tagged, tagged>,
                   warp<8, 7, strategy::single, tagged, tagged>,
                   warp<1, 4, strategy::single, tagged, tagged>,
                   warp<16, 2, strategy::indirect, tagged, tagged>,
                   warp<32, 2, strategy::single, oracle::record<20>, oracle::record<20>>) {
  check_blocked<T>();
}

TEST_CASE_TEMPLATE("a warp goes on from what it has consumed", T,
                   warp<32, 3, strategy::single, tagged, tagged>,
                   warp<8, 7, strategy::single, tagged, tagged>,
                   warp<1, 4, strategy::single, tagged, tagged>,
                   warp<16, 2, strategy::indirect, tagged, tagged>,
                   warp<32, 2, strategy::single, oracle::record<20>, oracle::record<20>>) {
  check_continued<T>();
}

}  // namespace gpu_test
