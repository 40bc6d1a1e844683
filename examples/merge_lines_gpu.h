// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The GPU side of merge_lines, as far as the C++ compiler sees it.
#pragma once

#include "merge_lines.h"

#include <memory>
#include <string>

namespace merge_lines {

/// Whether `--device auto` takes the GPU: whether it is faster than the host's threads.
///
/// It never was. Seconds for random lines of 41 bytes on average, files in memory, the GPU's start
/// included; an H200 beside 16 cores, median of 5 runs (test/bench/merge_lines.sh --table):
///
///   MB | sort -m | 1 thread: CPU, GPU | 2: CPU, GPU  | 4: CPU, GPU  | 16: CPU, GPU
///   20 | 0.046   | 0.025, 0.318       | 0.014, 0.311 | 0.013, 0.340 | 0.014, 0.364
///  200 | 0.384   | 0.254, 0.562       | 0.131, 0.451 | 0.086, 0.453 | 0.112, 0.456
///  735 | 1.400   | 0.997, 1.230       | 0.630, 0.963 | 0.353, 0.735 | 0.446, 0.777
///
/// A host thread needs about 20 ns a line to find its end and make its key, 6 ns for the merge, and
/// 12 ns to gather it. The GPU takes over the merge alone, 15 % of the work. In return 73 bytes a
/// line cross the bus (the text, a key of 16, a size of 8, and 8 back), and CUDA takes 0.3 s to
/// start. Apart from the start, a GPU gains on one thread alone, 10 %; with two or more it loses.
/// It would pay off for orders that take long to compare, or for keys that are on the device
/// anyway.
inline constexpr bool gpu_is_faster = false;

#if defined(MERGE_LINES_GPU)
/// Why merge_lines cannot use a GPU; empty if it can.
std::string why_no_gpu();
std::unique_ptr<merger> make_gpu_merger();
#else
inline std::string why_no_gpu() { return "this program was built without CUDA"; }
inline std::unique_ptr<merger> make_gpu_merger() { return nullptr; }
#endif

}  // namespace merge_lines
