// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface to the GPU side of merge_lines, for the C++ compiler.
#pragma once

#include "merge_lines.h"

#include <memory>
#include <string>

namespace merge_lines {

/// Whether `--device auto` selects the GPU.
///
/// The GPU was never faster than the host. The table gives seconds for random lines of 41 bytes on
/// average, with files in memory, and includes the start of CUDA. It is from an H200 and 16 cores,
/// the median of 5 runs (test/bench/merge_lines.sh --table):
///
///   MB | sort -m | 1 thread: CPU, GPU | 2: CPU, GPU  | 4: CPU, GPU  | 16: CPU, GPU
///   20 | 0.046   | 0.025, 0.318       | 0.014, 0.311 | 0.013, 0.340 | 0.014, 0.364
///  200 | 0.384   | 0.254, 0.562       | 0.131, 0.451 | 0.086, 0.453 | 0.112, 0.456
///  735 | 1.400   | 0.997, 1.230       | 0.630, 0.963 | 0.353, 0.735 | 0.446, 0.777
///
/// Per line, a host thread takes about 20 ns to find the end and make the key, 6 ns to merge, and
/// 12 ns to copy the text. The GPU only does the merge, 15 % of the work. For that, 73 bytes per
/// line cross the bus (the text, a 16-byte key, an 8-byte size, and 8 bytes back), and CUDA takes
/// 0.3 s to start. Without the start, the GPU is 6 % faster than one thread for the largest files,
/// and slower than two or more threads. It would be faster with expensive comparisons, or with keys
/// that are already on the device.
inline constexpr bool gpu_is_faster = false;

#if defined(MERGE_LINES_GPU)
/// The reason why merge_lines cannot use a GPU. Empty if it can.
std::string why_no_gpu();
std::unique_ptr<merger> make_gpu_merger();
#else
inline std::string why_no_gpu() { return "this program was built without CUDA"; }
inline std::unique_ptr<merger> make_gpu_merger() { return nullptr; }
#endif

}  // namespace merge_lines
