// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The merge in all of these files: the same types, so kernels of the same name.
#pragma once

#include "merge_on_gpu.h"

#include <cmerge/merge.h>
#include <cmerge/device_merge.cuh>

#include <thrust/copy.h>
#include <thrust/device_vector.h>

#include <cstdint>

inline numbers merge_on_gpu(const numbers& a, const numbers& b) {
  const thrust::device_vector<int> a_gpu(a.begin(), a.end());
  const thrust::device_vector<int> b_gpu(b.begin(), b.end());
  thrust::device_vector<int> out_gpu(a.size() + b.size());
  cmerge::merge(thrust::device, a_gpu.begin(), a_gpu.end(), b_gpu.begin(), b_gpu.end(),
                out_gpu.begin());
  // A second call, whose argument types do not contain the namespace of Thrust for the
  // architectures.
  thrust::device_vector<int> same(out_gpu.size());
  const auto raw = [](auto& vector) { return thrust::raw_pointer_cast(vector.data()); };
  if (cmerge::DeviceMerge::MergeKeys(raw(a_gpu), static_cast<std::int64_t>(a.size()), raw(b_gpu),
                                     static_cast<std::int64_t>(b.size()),
                                     raw(same)) != cudaSuccess) {
    return {};
  }
  numbers out(out_gpu.size());
  numbers other(out_gpu.size());
  thrust::copy(out_gpu.begin(), out_gpu.end(), out.begin());
  thrust::copy(same.begin(), same.end(), other.begin());
  return out == other ? out : numbers{};
}
