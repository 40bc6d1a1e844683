// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instantiates every call in a file for nvcc.
#include <headers/calls.h>

#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/retag.h>
#include <thrust/system/cuda/execution_policy.h>

namespace calls {

template <class Merge, class Key, class Value>
__global__ void merge_group(const Key* keys, const Value* values, Key* keys_out,
                            Value* values_out) {
  __shared__ typename Merge::TempStorage storage;
  Merge(storage).merge(keys, 1, keys, 1, keys_out, after{});
  Merge(storage).merge_by_key(keys, 1, keys, 1, values, values, keys_out, values_out, after{});
  cmerge::serial_merge(keys, 1, keys, 1, keys_out, after{});
}

/// A tuning with small tiles.
template <cmerge::strategy How>
struct tuning {
  static constexpr cmerge::tuning get(cmerge::tuning_query) { return {How, 64, 3}; }
};

template <class Key, class Policy, class... Compare>
void merge_keys(const Policy& policy, Compare... comp) {
  const Key* const keys = nullptr;
  cmerge::merge(policy, keys, keys, keys, keys, static_cast<Key*>(nullptr), comp...);
}

struct own_policy : thrust::device_execution_policy<own_policy> {};
struct own_host_policy : thrust::host_execution_policy<own_host_policy> {};
struct own_tag : thrust::device_system_tag {};
struct own_host_tag : thrust::host_system_tag {};

/// Iterators with a user-defined tag, alone and mixed with others. `pointer` belongs to the system
/// of the tag.
template <class Tag, class Pointer>
void merge_retagged(Pointer pointer) {
  const auto tagged = thrust::retag<Tag>(pointer);
  cmerge::merge(tagged, tagged, tagged, tagged, tagged);
  cmerge::merge(tagged, tagged, pointer, pointer, tagged);
  cmerge::merge_by_key(pointer, pointer, tagged, tagged, pointer, tagged, tagged, pointer);
}

void on_a_device(cudaStream_t stream) {
  const auto policy = thrust::cuda::par_nosync.on(stream);
  merge_pointers<unsigned char, float>(policy);
  merge_keys<int>(cmerge::tuned<tuning<cmerge::strategy::circular>>(policy), after{});
  merge_keys<words_2>(cmerge::tuned<tuning<cmerge::strategy::tiled>>(policy));
  merge_keys<bytes_3>(policy);
  merge_keys<with_destructor>(policy);

  merge_keys<int>(own_policy{});
  merge_keys<int>(own_host_policy{});
  merge_retagged<own_policy>(thrust::device_pointer_cast(static_cast<int*>(nullptr)));
  merge_retagged<own_tag>(thrust::device_pointer_cast(static_cast<int*>(nullptr)));
  merge_retagged<own_host_policy>(static_cast<int*>(nullptr));
  merge_retagged<own_host_tag>(static_cast<int*>(nullptr));

  const int* const keys = nullptr;
  const double* const values = nullptr;
  int* const keys_out = nullptr;
  double* const values_out = nullptr;
  const std::int64_t* const size = nullptr;
  std::size_t bytes = 0;
  cmerge::DeviceMerge::MergeKeys(nullptr, bytes, keys, 0, keys, 0, keys_out);
  cmerge::DeviceMerge::MergePairs(keys, values, size, 1, keys, values, size, 1, keys_out,
                                  values_out, after{}, stream);
  merge_group<cmerge::block_merge<int, 64, 3, double>>
      <<<1, 64, 0, stream>>>(keys, values, keys_out, values_out);
  merge_group<cmerge::warp_merge<int, 3, double, 8>>
      <<<1, 8, 0, stream>>>(keys, values, keys_out, values_out);
}

}  // namespace calls
