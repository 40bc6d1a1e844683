// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One merge, and those who compete at it: a plain copy, Thrust, CUB, cmerge, and cmerge with each
// strategy forced. A rival is built from the first case (untimed) and then called with any case of
// the same sizes (timed).
#pragma once

#include "device.cuh"

#include <cmerge/merge.h>

#include <thrust/merge.h>
#include <cub/device/device_merge.cuh>
#include <cuda/std/functional>

#include <cstdint>
#include <tuple>
#include <type_traits>

namespace bench {

/// Where one merge's inputs and outputs are. `Value` is void for keys alone, `Compare` empty for
/// the default order.
template <class Key, class Value, class... Compare>
struct merge_case {
  using key_type = Key;
  using value_type = Value;
  static constexpr bool has_values = !std::is_void_v<Value>;

  /// Bytes of an element, key and value.
  static constexpr std::size_t element_bytes() {
    if constexpr (has_values) {
      return sizeof(Key) + sizeof(Value);
    } else {
      return sizeof(Key);
    }
  }

  std::int64_t m;  // elements in the first input
  std::int64_t n;  // elements in the second input
  Key* keys1;
  Key* keys2;
  Key* keys_out;
  Value* values1;
  Value* values2;
  Value* values_out;

  /// The bytes of all inputs, which are those of all outputs.
  std::size_t bytes() const { return static_cast<std::size_t>(m + n) * element_bytes(); }

  /// The same merge, with all its pointers moved by `offset` bytes.
  merge_case moved(std::size_t offset) const {
    const auto move = [offset](auto* p) {
      return reinterpret_cast<decltype(p)>(reinterpret_cast<char*>(p) + offset);
    };
    return {m,
            n,
            move(keys1),
            move(keys2),
            move(keys_out),
            move(values1),
            move(values2),
            move(values_out)};
  }
};

/// Device-to-device copy of as many bytes: what the memory system allows.
struct copy_rival {
  template <class Case>
  explicit copy_rival(const Case&) {}

  template <class Case>
  void operator()(const Case& c) const {
    check(cudaMemcpyAsync(c.keys_out, c.keys1, c.bytes(), cudaMemcpyDeviceToDevice, stream()),
          "cudaMemcpyAsync");
  }
};

/// Thrust's two calls; cmerge has the same two under the same names.
struct thrust_calls {
  template <class... Args>
  static void merge(const Args&... args) {
    thrust::merge(args...);
  }
  template <class... Args>
  static void merge_by_key(const Args&... args) {
    thrust::merge_by_key(args...);
  }
};
struct cmerge_calls {
  template <class... Args>
  static void merge(const Args&... args) {
    cmerge::merge(args...);
  }
  template <class... Args>
  static void merge_by_key(const Args&... args) {
    cmerge::merge_by_key(args...);
  }
};

template <class Calls, class Policy, class Key, class Value, class... Compare>
void call(const Policy& policy, const merge_case<Key, Value, Compare...>& c) {
  const Key* const keys1 = c.keys1;
  const Key* const keys2 = c.keys2;
  const Value* const values1 = c.values1;
  const Value* const values2 = c.values2;
  if constexpr (c.has_values) {
    Calls::merge_by_key(policy, keys1, keys1 + c.m, keys2, keys2 + c.n, values1, values2,
                        c.keys_out, c.values_out, Compare{}...);
  } else {
    Calls::merge(policy, keys1, keys1 + c.m, keys2, keys2 + c.n, c.keys_out, Compare{}...);
  }
}

struct thrust_rival {
  template <class Case>
  explicit thrust_rival(const Case&) {}

  template <class Case>
  void operator()(const Case& c) const {
    call<thrust_calls>(thrust::cuda::par_nosync.on(stream()), c);
  }
};

/// CUB with temporary storage that is there already.
struct cub_rival {
  template <class Case>
  explicit cub_rival(const Case& c) {
    merge(nullptr, c);
    storage_ = buffer().reserve(bytes_);
  }

  template <class Case>
  void operator()(const Case& c) {
    merge(storage_, c);
  }

 private:
  template <class Key, class Value, class... Compare>
  void merge(void* storage, const merge_case<Key, Value, Compare...>& c) {
    using order = std::tuple_element_t<0, std::tuple<Compare..., ::cuda::std::less<>>>;
    const Key* const keys1 = c.keys1;
    const Key* const keys2 = c.keys2;
    const Value* const values1 = c.values1;
    const Value* const values2 = c.values2;
    if constexpr (c.has_values) {
      check(cub::DeviceMerge::MergePairs(storage, bytes_, keys1, values1, c.m, keys2, values2, c.n,
                                         c.keys_out, c.values_out, order{}, stream()),
            "cub::DeviceMerge");
    } else {
      check(cub::DeviceMerge::MergeKeys(storage, bytes_, keys1, c.m, keys2, c.n, c.keys_out,
                                        order{}, stream()),
            "cub::DeviceMerge");
    }
  }

  static device_buffer& buffer() {
    static device_buffer only;
    return only;
  }

  void* storage_ = nullptr;
  std::size_t bytes_ = 0;
};

struct cmerge_rival {
  template <class Case>
  explicit cmerge_rival(const Case&) {}

  template <class Case>
  void operator()(const Case& c) const {
    call<cmerge_calls>(thrust::cuda::par_nosync.on(stream()), c);
  }
};

/// The default tuning with another strategy in it. The two that go tile by tile through a section
/// get the threads and items that the library gives them where it chooses one of them.
template <cmerge::strategy How>
struct forced_tuning {
  static constexpr cmerge::tuning get(cmerge::tuning_query query) {
    if (How == cmerge::strategy::tiled || How == cmerge::strategy::circular) {
      query.contiguous = false;
    }
    cmerge::tuning tuning = cmerge::default_tuning::get(query);
    tuning.how = How;
    return tuning;
  }
};

template <cmerge::strategy How>
struct forced_rival {
  template <class Case>
  explicit forced_rival(const Case&) {}

  template <class Case>
  void operator()(const Case& c) const {
    call<cmerge_calls>(cmerge::tuned<forced_tuning<How>>(thrust::cuda::par_nosync.on(stream())), c);
  }
};

}  // namespace bench
