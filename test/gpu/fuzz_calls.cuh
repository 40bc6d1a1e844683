// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The calls of DeviceMerge in random merges.
#pragma once

#include "fuzz_places.cuh"

#include <cmerge/device_merge.cuh>

#include <string>

namespace fuzz {

/// A case whose inputs are stored and whose outputs have room.
struct prepared {
  fuzz_case c;
  std::size_t room;  // for outputs, in elements
  place keys1;
  place keys2;
  place values1;
  place values2;
  place keys_out;
  place values_out;  // or words of indices
  region sizes;      // in device memory
  region storage;    // temporary storage, which a merge must not change
  region alarm;      // of comparators; set if their arguments are wrong
};

inline std::string text(cudaError_t status) {
  return status == cudaSuccess ? "" : cudaGetErrorString(status);
}
inline const std::int64_t* sizes(const prepared& p, const memory& mem) {
  return reinterpret_cast<const std::int64_t*>(mem.device_in() + p.sizes.begin);
}

/// Starts a call of DeviceMerge. Calls outside of `Calls` are not compiled.
template <unsigned Calls, class Keys1, class Keys2, class KeysOut, class... Compare>
std::string start_keys(const prepared& p, const memory& mem, Keys1 a, Keys2 b, KeysOut keys_out,
                       Compare... comp) {
  using cub = cmerge::DeviceMerge;
  [[maybe_unused]] const auto most1 = static_cast<std::int64_t>(p.c.most1);
  [[maybe_unused]] const auto most2 = static_cast<std::int64_t>(p.c.most2);
  if constexpr ((Calls & only(two_phases)) != 0) {
    if (p.c.what == two_phases) {
      std::size_t bytes = 0;
      const cudaError_t asked =
          cub::MergeKeys(nullptr, bytes, a, most1, b, most2, keys_out, comp...);
      if (asked != cudaSuccess || bytes != 1) return "wrong temporary storage";
      return text(cub::MergeKeys(mem.device_out() + p.storage.begin, bytes, a, most1, b, most2,
                                 keys_out, comp...));
    }
  }
  if constexpr ((Calls & only(one_phase)) != 0) {
    if (p.c.what == one_phase) {
      return text(cub::MergeKeys(a, most1, b, most2, keys_out, comp...));
    }
  }
  if constexpr ((Calls & only(device_sizes)) != 0) {
    if (p.c.what == device_sizes) {
      return text(
          cub::MergeKeys(a, sizes(p, mem), most1, b, sizes(p, mem) + 1, most2, keys_out, comp...));
    }
  }
  return "not one of the calls";
}

template <unsigned Calls, class Keys1, class Values1, class Keys2, class Values2, class KeysOut,
          class ValuesOut, class... Compare>
std::string start_pairs(const prepared& p, const memory& mem, Keys1 a, Values1 values1, Keys2 b,
                        Values2 values2, KeysOut keys_out, ValuesOut values_out, Compare... comp) {
  using cub = cmerge::DeviceMerge;
  [[maybe_unused]] const auto most1 = static_cast<std::int64_t>(p.c.most1);
  [[maybe_unused]] const auto most2 = static_cast<std::int64_t>(p.c.most2);
  if constexpr ((Calls & only(two_phases)) != 0) {
    if (p.c.what == two_phases) {
      std::size_t bytes = 0;
      const cudaError_t asked = cub::MergePairs(nullptr, bytes, a, values1, most1, b, values2,
                                                most2, keys_out, values_out, comp...);
      if (asked != cudaSuccess || bytes != 1) return "wrong temporary storage";
      return text(cub::MergePairs(mem.device_out() + p.storage.begin, bytes, a, values1, most1, b,
                                  values2, most2, keys_out, values_out, comp...));
    }
  }
  if constexpr ((Calls & only(one_phase)) != 0) {
    if (p.c.what == one_phase) {
      return text(
          cub::MergePairs(a, values1, most1, b, values2, most2, keys_out, values_out, comp...));
    }
  }
  if constexpr ((Calls & only(device_sizes)) != 0) {
    if (p.c.what == device_sizes) {
      return text(cub::MergePairs(a, values1, sizes(p, mem), most1, b, values2, sizes(p, mem) + 1,
                                  most2, keys_out, values_out, comp...));
    }
  }
  return "not one of the calls";
}

}  // namespace fuzz
