// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CMake links this file to each GPU example. It ends the program before main if the program cannot
// run: with 77, which ctest reports as skipped, if there is no GPU, and with 1 and advice if there
// is no code for the GPU. So the examples contain only what a user would write.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "gpu_state.h"

namespace {

// The kernel in gpu_state.cu must be registered before this initialiser runs. Initialisers run in
// the order of the link, so CMake links gpu_state.cu before this file.
[[maybe_unused]] const bool can_run = [] {
  if (const std::string reason = why_no_gpu(); !reason.empty()) {
    std::printf("This example needs a GPU: %s\n", reason.c_str());
    std::exit(77);
  }
  if (const std::string reason = why_no_gpu_code(); !reason.empty()) {
    std::printf("This example cannot run: %s\n", reason.c_str());
    std::exit(1);
  }
  return true;
}();

}  // namespace
