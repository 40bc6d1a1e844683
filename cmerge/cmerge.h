// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything: the drop-in calls, tunings, the functions that they are made of, and under a CUDA
// compiler the device-wide calls and the collectives.
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
#include <cmerge/device_merge.cuh>
#endif
