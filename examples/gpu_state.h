// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tells whether the machine has a GPU, and whether this program has code for it.
#pragma once

#include <string>

/// The reason why no GPU can be used. Empty if there is a GPU.
std::string why_no_gpu();

/// The reason why the current GPU cannot run this program. Empty if it can.
std::string why_no_gpu_code();
