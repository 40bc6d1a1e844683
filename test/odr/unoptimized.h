// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function that each shared library has a private copy of.
#pragma once

#include "merge_here.h"

__attribute__((visibility("hidden"))) numbers merge_unoptimized(const numbers& a, const numbers& b);
