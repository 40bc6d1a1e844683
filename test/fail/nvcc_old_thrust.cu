// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Thrust that is too old, compiled by nvcc.
// error: cmerge: CUDA code needs CCCL 2.8 or newer
// mistakes: 2
#if defined(CMERGE_FAIL) && CMERGE_FAIL == 2
#include <cmerge/block_merge.cuh>
#else
#include <cmerge/cmerge.h>
#endif

int main() {}
