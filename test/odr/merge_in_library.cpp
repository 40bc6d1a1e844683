// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The only source of the shared library without CUDA.
#include "merge_here.h"

numbers merge_in_library(const numbers& a, const numbers& b) { return merge_here(a, b); }
