// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The library's version: CMake reads it from here. Layer 0, includes nothing.
#pragma once

#define CMERGE_VERSION_MAJOR 0
#define CMERGE_VERSION_MINOR 1
#define CMERGE_VERSION_PATCH 0
