// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The GPU side of merge_lines, as far as the C++ compiler sees it.
#pragma once

#include "merge_lines.h"

#include <memory>
#include <string>

namespace merge_lines {

#if defined(MERGE_LINES_GPU)
std::string why_no_gpu();
std::unique_ptr<merger> make_gpu_merger();
#else
inline std::string why_no_gpu() { return "this program was built without CUDA"; }
inline std::unique_ptr<merger> make_gpu_merger() { return nullptr; }
#endif

}  // namespace merge_lines
