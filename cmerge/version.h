// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The version of the library. CMake reads it from here.
#pragma once

/// Major version * 10000 + minor version * 100 + patch level.
#define CMERGE_VERSION 100
