// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A collective whose storage does not fit in static shared memory, compiled by nvcc.
// error: cmerge: TempStorage would need more than the 48 KiB of static shared memory
#include <cmerge/block_merge.cuh>

#include <cmerge/merge.h>

#if defined(CMERGE_FAIL)
using block_merge = cmerge::block_merge<long long, 256, 15, void, cmerge::strategy::circular>;
#else
using block_merge = cmerge::block_merge<long long, 256, 15>;
#endif

__global__ void merge_lists(const long long* a, const long long* b, int size, long long* out) {
  __shared__ block_merge::TempStorage storage;
  block_merge(storage).merge(a, size, b, size, out, thrust::less<long long>{});
}
