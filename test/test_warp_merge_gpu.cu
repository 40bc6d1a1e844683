// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The warp-wide collective: each warp or subwarp merges its own ranges.
#include "gpu/collective_pairs.cuh"
#include "gpu/collective_registers.cuh"

namespace gpu_test {

TEST_CASE_TEMPLATE("a warp or a subwarp merges ranges of any length", T, warp<32, 1>, warp<32, 7>,
                   warp<16, 3>, warp<8, 5>, warp<4, 3>, warp<1, 4>, warp<32, 3, strategy::indirect>,
                   warp<8, 2, strategy::indirect>,
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

using warps_to_registers = group_list<
    warp<32, 3, strategy::single, tagged, tagged>, warp<8, 7, strategy::single, tagged, tagged>,
    warp<1, 4, strategy::single, tagged, tagged>, warp<16, 2, strategy::indirect, tagged, tagged>,
    warp<32, 2, strategy::single, oracle::record<20>, oracle::record<20>>>;

TEST_CASE("a warp merges to registers") { warps_to_registers::check_registers(false); }

TEST_CASE("a warp continues after the elements it has consumed") {
  warps_to_registers::check_registers(true);
}

}  // namespace gpu_test
