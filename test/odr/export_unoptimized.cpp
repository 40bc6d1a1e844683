// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exports the merge of a shared library under the name MERGE_ON_GPU.
#include "merge_on_gpu.h"

__attribute__((visibility("hidden"))) numbers merge_unoptimized(const numbers& a, const numbers& b);

numbers MERGE_ON_GPU(const numbers& a, const numbers& b) { return merge_unoptimized(a, b); }
