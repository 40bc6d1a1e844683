// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The second file of one of the libraries.
#include "merge_on_gpu.cuh"

numbers second_on_gpu(const numbers& a, const numbers& b) { return merge_on_gpu(a, b); }
