// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled into each library. The library names the function by MERGE_ON_GPU.
#include "merge_on_gpu.cuh"

numbers MERGE_ON_GPU(const numbers& a, const numbers& b) { return merge_on_gpu(a, b); }
