// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The second file of the program.
#include "merge_here.h"

numbers merge_in_other_file(const numbers& a, const numbers& b) { return merge_here(a, b); }
