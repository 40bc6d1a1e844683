// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The version of the library. CMake reads it from this file.
#pragma once

/// \file
/// The version of the library.

/// The version as one integer: `major * 10000 + minor * 100 + patch`.
///
/// \snippet host_calls.cpp version
#define CMERGE_VERSION 100
