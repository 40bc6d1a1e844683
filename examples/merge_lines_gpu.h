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
/// Per line, a host thread spends about 20 ns on finding the end and making the key, 6 ns on the
/// merge, and 12 ns on copying the text. The GPU takes over only the merge, 15 % of the work. In
/// exchange 73 bytes a line cross the bus (text, 16-byte key, 8-byte size, 8 bytes back), and CUDA
/// takes 0.3 s to start. Without the start-up the GPU beats a single thread by 6 % on the largest
/// files, and loses to two or more. It would pay off with expensive comparisons, or with keys that
/// are already on the device.
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
