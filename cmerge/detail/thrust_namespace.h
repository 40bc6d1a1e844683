// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names Thrust, wherever THRUST_CUB_WRAPPED_NAMESPACE puts it. Layer 1, includes
// detail/thrust_version.h and Thrust's configuration.
#pragma once

#include <cmerge/detail/thrust_version.h>

#include <thrust/detail/config.h>

namespace cmerge {
namespace thrust = THRUST_NS_QUALIFIER;
}  // namespace cmerge
