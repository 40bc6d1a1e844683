// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The GPU side of merge_lines, as far as the C++ compiler sees it.
#pragma once

#include "merge_lines.h"

#include <memory>
#include <string>

namespace merge_lines {

/// Whether `--device auto` takes the GPU, if there is one: where it needs less time than `threads`
/// threads of the host, with its start.
///
/// What was found, with random lines of 41 bytes on average: a host thread needs 20 ns a line to
/// find its end and make its key, 6 ns for the merge, 12 ns to gather it. The GPU takes over the
/// merge alone, 15 % of the work. In return 73 bytes a line cross the bus (the text, a key of 16,
/// a size of 8, and 8 back), from memory that is not pinned, so that the thread copies them first.
/// That takes about as long as the merge did, whatever the number of threads; and CUDA takes some
/// tenths of a second to start. An H200 and 16 threads merge 735 MB, 14 million lines, in 0.56 to
/// 0.92 s; the threads alone in 0.26 to 0.71 s. test/bench/merge_lines.sh --table measures it.
inline bool gpu_is_faster(std::size_t bytes, int threads) {
  constexpr int max_threads = 0;                           // with more, the host is faster
  constexpr std::size_t min_bytes = std::size_t{1} << 30;  // below, the start costs too much
  return threads <= max_threads && bytes >= min_bytes;
}

#if defined(MERGE_LINES_GPU)
/// Why merge_lines cannot use a GPU; empty if it can.
std::string why_no_gpu();
std::unique_ptr<merger> make_gpu_merger();
#else
inline std::string why_no_gpu() { return "this program was built without CUDA"; }
inline std::unique_ptr<merger> make_gpu_merger() { return nullptr; }
#endif

}  // namespace merge_lines
