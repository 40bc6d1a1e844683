// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A reference merge on the device, independent of cmerge and Thrust: each element finds its output
// position by a binary search in the other input. It compiles in a second; thrust::merge takes ten.
#pragma once

#include "device_memory.cuh"

namespace oracle {

/// How many of the first `size` elements satisfy `is_before`, which holds for a prefix only.
template <class Predicate>
__device__ std::int64_t partition_point(std::int64_t size, Predicate is_before) {
  std::int64_t low = 0;
  std::int64_t high = size;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (is_before(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// Calls `write(k, from_b, i)` for each output position `k` and its element `i` of `a` or `b`.
template <class A, class B, class Compare, class Write>
__global__ void reference_merge_kernel(A a, std::int64_t m, B b, std::int64_t n, Compare comp,
                                       Write write) {
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t e = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; e < m + n;
       e += stride) {
    if (e < m) {
      const auto before = [&](std::int64_t j) { return comp(b[j], a[e]); };
      write(e + partition_point(n, before), false, e);
    } else {
      const std::int64_t j = e - m;
      const auto before = [&](std::int64_t i) { return !comp(b[j], a[i]); };
      write(j + partition_point(m, before), true, j);
    }
  }
}

/// Copies elements to their output positions: keys, or values in the order of their keys.
template <class A, class B, class Out>
struct copy_element {
  A a;
  B b;
  Out out;
  __device__ void operator()(std::int64_t k, bool from_b, std::int64_t i) const {
    if (from_b) {
      out[k] = b[i];
    } else {
      out[k] = a[i];
    }
  }
};
template <class A, class B, class Compare, class Write>
void start_reference_merge(A a, std::size_t m, B b, std::size_t n, Compare comp, Write write) {
  reference_merge_kernel<<<1024, 256>>>(a, static_cast<std::int64_t>(m), b,
                                        static_cast<std::int64_t>(n), comp, write);
  check_cuda(cudaGetLastError(), "launch of the reference merge");
}

/// Merges keys in the default stream.
template <class A, class B, class Out, class Compare>
void reference_merge(A a, std::size_t m, B b, std::size_t n, Out out, Compare comp) {
  start_reference_merge(a, m, b, n, comp, copy_element<A, B, Out>{a, b, out});
}

/// Moves values to the positions of their keys, in the default stream.
template <class A, class B, class ValuesA, class ValuesB, class ValuesOut, class Compare>
void reference_merge_values(A a, std::size_t m, B b, std::size_t n, ValuesA values_a,
                            ValuesB values_b, ValuesOut values_out, Compare comp) {
  start_reference_merge(a, m, b, n, comp,
                        copy_element<ValuesA, ValuesB, ValuesOut>{values_a, values_b, values_out});
}

}  // namespace oracle
