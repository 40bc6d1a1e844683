// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No Thrust on the include path.
// error: cmerge: Thrust is not on the include path. Install it
// mistakes: 2
#if defined(CMERGE_FAIL) && CMERGE_FAIL == 1
#include <cmerge/merge.h>
#elif defined(CMERGE_FAIL) && CMERGE_FAIL == 2
#include <cmerge/cmerge.h>
#else
#include <cmerge/co_rank.h>
#include <cmerge/serial_merge.h>
#endif

int main() {}
