// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names Thrust, wherever THRUST_CUB_WRAPPED_NAMESPACE puts it.
#pragma once

#include <cmerge/detail/core/thrust_version.h>

#include <thrust/detail/config.h>

namespace cmerge {
namespace thrust = THRUST_NS_QUALIFIER;
}  // namespace cmerge
