// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rejects a missing Thrust, or one that is too old, before any other header of it is included.
#pragma once

#if !__has_include(<thrust/version.h>)
#error \
    "cmerge: Thrust is not on the include path. Install it (Debian: libthrust-dev), or add the \
folder of a CUDA toolkit: -isystem /usr/local/cuda/include/cccl -isystem /usr/local/cuda/include"
#endif
#include <thrust/version.h>

#if defined(__CUDACC__)
#if THRUST_VERSION < 200800
#error \
    "cmerge: CUDA code needs CCCL 2.8 or newer. Use CUDA 12.9 or newer, or put the headers of a \
newer CCCL before those of the toolkit: nvcc -I"
#endif
#elif THRUST_VERSION < 101700
#error \
    "cmerge: host code needs Thrust 1.17 or newer. Put the folder of a newer Thrust or CCCL \
first on the include path"
#endif
