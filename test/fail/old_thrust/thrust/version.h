// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands before Thrust's own header, and gives the version that a test asks for.
#pragma once

#if defined(CMERGE_FAIL)
#if defined(__CUDACC__)
#define THRUST_VERSION 200700
#else
#define THRUST_VERSION 101600
#endif
#else
#include_next <thrust/version.h>
#endif
