// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One merge and its rivals: a plain copy, Thrust, CUB, cmerge, and cmerge with each strategy. A
// rival is built from the first case, which is not timed. Then it is called with cases of the same
// sizes, which are timed.
#pragma once

#include "device.cuh"

#include <cmerge/merge.h>

#include <thrust/merge.h>
#include <cub/device/device_merge.cuh>
#include <cuda/std/functional>

#include <cstdint>
#include <type_traits>

namespace bench {

/// The alignment of all ranges of keys and values, in bytes. A workload can shift them by a few
/// elements.
inline constexpr std::size_t alignment = 256;

/// The inputs and outputs of one merge. `Value` is void if there are no values. `Compare` is empty
/// for the default order.
template <class Key, class Value, class... Compare>
struct merge_case {
  using key_type = Key;
  using value_type = Value;
  static constexpr bool has_values = !std::is_void_v<Value>;

  /// Bytes of a key and its value.
  static constexpr std::size_t element_bytes() {
    if constexpr (has_values) {
      return sizeof(Key) + sizeof(Value);
    } else {
      return sizeof(Key);
    }
  }

  std::int64_t m;  // number of elements in the first input
  std::int64_t n;  // number of elements in the second input
  Key* keys1;
  Key* keys2;
  Key* keys_out;
  Value* values1;
  Value* values2;
  Value* values_out;

  /// Bytes of all inputs, and of all outputs.
  std::size_t bytes() const { return static_cast<std::size_t>(m + n) * element_bytes(); }

  /// Calls `to.keys` or `to.pairs` with the ranges, and with the comparator if there is one.
  template <class Callee>
  void pass(const Callee& to) const {
    const Key* const k1 = keys1;
    const Key* const k2 = keys2;
    if constexpr (has_values) {
      const Value* const v1 = values1;
      const Value* const v2 = values2;
      to.pairs(k1, v1, m, k2, v2, n, keys_out, values_out, Compare{}...);
    } else {
      to.keys(k1, m, k2, n, keys_out, Compare{}...);
    }
  }

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

/// A device-to-device copy of as many bytes, between aligned addresses: the speed that the memory
/// allows.
struct copy_rival {
  template <class Case>
  explicit copy_rival(const Case&) {}

  template <class Case>
  void operator()(const Case& c) const {
    check(cudaMemcpyAsync(aligned(c.keys_out), aligned(c.keys1), c.bytes(),
                          cudaMemcpyDeviceToDevice, stream()),
          "cudaMemcpyAsync");
  }

 private:
  static void* aligned(void* p) {
    return reinterpret_cast<void*>(reinterpret_cast<std::size_t>(p) / alignment * alignment);
  }
};

/// Thrust's two functions. cmerge's have the same names.
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

/// Passes a case to `Calls`, with a policy.
template <class Calls, class Policy>
struct call_under {
  Policy policy;

  template <class In1, class In2, class Out, class... Compare>
  void keys(In1 keys1, std::int64_t m, In2 keys2, std::int64_t n, Out out,
            Compare... compare) const {
    Calls::merge(policy, keys1, keys1 + m, keys2, keys2 + n, out, compare...);
  }
  template <class In1, class Values1, class In2, class Values2, class Out, class ValuesOut,
            class... Compare>
  void pairs(In1 keys1, Values1 values1, std::int64_t m, In2 keys2, Values2 values2, std::int64_t n,
             Out out, ValuesOut values_out, Compare... compare) const {
    Calls::merge_by_key(policy, keys1, keys1 + m, keys2, keys2 + n, values1, values2, out,
                        values_out, compare...);
  }
};
template <class Calls, class Policy, class Case>
void call(const Policy& policy, const Case& c) {
  c.pass(call_under<Calls, Policy>{policy});
}

struct thrust_rival {
  template <class Case>
  explicit thrust_rival(const Case&) {}

  template <class Case>
  void operator()(const Case& c) const {
    call<thrust_calls>(thrust::cuda::par_nosync.on(stream()), c);
  }
};

/// Passes a case to CUB, which needs a comparator. Without temporary storage, CUB returns the size
/// that it needs.
struct call_cub {
  void* storage;
  std::size_t& bytes;

  template <class In1, class In2, class Out, class Compare = ::cuda::std::less<>>
  void keys(In1 keys1, std::int64_t m, In2 keys2, std::int64_t n, Out out,
            Compare compare = {}) const {
    check(cub::DeviceMerge::MergeKeys(storage, bytes, keys1, m, keys2, n, out, compare, stream()),
          "cub::DeviceMerge");
  }
  template <class In1, class Values1, class In2, class Values2, class Out, class ValuesOut,
            class Compare = ::cuda::std::less<>>
  void pairs(In1 keys1, Values1 values1, std::int64_t m, In2 keys2, Values2 values2, std::int64_t n,
             Out out, ValuesOut values_out, Compare compare = {}) const {
    check(cub::DeviceMerge::MergePairs(storage, bytes, keys1, values1, m, keys2, values2, n, out,
                                       values_out, compare, stream()),
          "cub::DeviceMerge");
  }
};

/// CUB with temporary storage that is already allocated.
struct cub_rival {
  template <class Case>
  explicit cub_rival(const Case& c) {
    c.pass(call_cub{nullptr, bytes_});
    storage_ = buffer().reserve(bytes_);
  }

  template <class Case>
  void operator()(const Case& c) {
    c.pass(call_cub{storage_, bytes_});
  }

 private:
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

/// The default tuning with another strategy. `tiled` and `circular` get the threads and items that
/// the library uses when it selects `circular`.
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
