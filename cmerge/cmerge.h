// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Includes all public headers. DeviceMerge and the collectives are included with a CUDA compiler
// only.
#pragma once

#include <cmerge/circular_view.h>
#include <cmerge/co_rank.h>
#include <cmerge/merge.h>
#include <cmerge/merge_indices.h>
#include <cmerge/merge_n.h>
#include <cmerge/merge_source.h>
#include <cmerge/serial_merge.h>
#include <cmerge/tuned.h>
#include <cmerge/tuning.h>
#include <cmerge/version.h>
#if defined(__CUDACC__)
#include <cmerge/block_merge.cuh>
#include <cmerge/chosen_tuning.cuh>
#include <cmerge/device_merge.cuh>
#endif
