// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Thrust that is too old.
// error: cmerge: host code needs Thrust 1.17 or newer
// mistakes: 2
#if defined(CMERGE_FAIL) && CMERGE_FAIL == 2
#include <cmerge/merge_n.h>
#else
#include <cmerge/cmerge.h>
#endif

int main() {}
