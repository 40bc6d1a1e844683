// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inputs, outputs and comparator of one call, as a struct. It is passed by value through every
// layer down to the kernel. A merge of keys is a merge of pairs whose value type is empty.
#pragma once

#include <cmerge/config.h>

#include <cstdint>
#include <limits>
#include <type_traits>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

/// Replaces the three value iterators if only keys are merged.
struct no_values {};

/// Replaces the output of keys if only values are written.
struct no_output {
  CMERGE_HOST_DEVICE constexpr no_output operator+(std::int64_t) const { return {}; }
};

/// A part of a merge: elements `[a_begin, a_end)` of the first input and `[b_begin, b_end)` of the
/// second. Its outputs are `[a_begin + b_begin, a_end + b_end)`.
struct merge_range {
  std::int64_t a_begin;
  std::int64_t a_end;
  std::int64_t b_begin;
  std::int64_t b_end;

  CMERGE_HOST_DEVICE constexpr std::int64_t out_begin() const { return a_begin + b_begin; }
  CMERGE_HOST_DEVICE constexpr std::int64_t size() const {
    return a_end - a_begin + b_end - b_begin;
  }
};

/// The part whose outputs are `[k0, k1)`, from the co-ranks of both ends.
///
/// The result is clamped, so that it is a valid part with `k1 - k0` elements for any co-ranks. Only
/// unsorted inputs and inconsistent comparators need this.
CMERGE_HOST_DEVICE constexpr merge_range make_merge_range(std::int64_t k0, std::int64_t i0,
                                                          std::int64_t k1, std::int64_t i1) {
  const std::int64_t a_least = i1 < i0 ? i0 : i1;
  const std::int64_t a_end = a_least - i0 > k1 - k0 ? i0 + (k1 - k0) : a_least;
  return {i0, a_end, k0 - i0, k1 - a_end};
}

/// As a number of outputs: all of them, or more than a signed 64-bit integer can count.
inline constexpr std::int64_t all_outputs = (std::numeric_limits<std::int64_t>::max)();

/// `m + n`, but at most `all_outputs`. Precondition: neither is negative.
CMERGE_HOST_DEVICE constexpr std::int64_t saturating_sum(std::int64_t m, std::int64_t n) {
  return m > all_outputs - n ? all_outputs : m + n;
}

/// The inputs, outputs and comparator of one call.
template <class KeysA, class KeysB, class KeysOut, class ValuesA, class ValuesB, class ValuesOut,
          class Compare>
struct merge_problem {
  static constexpr bool has_values = !std::is_same_v<ValuesOut, no_values>;
  static constexpr bool has_keys_out = !std::is_same_v<KeysOut, no_output>;
  /// Whether pointers can lead to memory other than global memory. Only collectives in a user's
  /// kernel can get such pointers.
  static constexpr bool in_any_memory = false;
  /// Whether the sizes are upper bounds until `load_sizes` has been called.
  static constexpr bool has_device_sizes = false;
  CMERGE_HOST_DEVICE constexpr void load_sizes() {}

  /// Writes element `i` of the first input to output `k`.
  CMERGE_EXEC_CHECK_DISABLE
  CMERGE_HOST_DEVICE constexpr void take_a(std::int64_t k, std::int64_t i) {
    if constexpr (has_keys_out) *(keys_out + k) = keys_a[i];
    if constexpr (has_values) *(values_out + k) = values_a[i];
  }

  /// Writes element `j` of the second input to output `k`.
  CMERGE_EXEC_CHECK_DISABLE
  CMERGE_HOST_DEVICE constexpr void take_b(std::int64_t k, std::int64_t j) {
    if constexpr (has_keys_out) *(keys_out + k) = keys_b[j];
    if constexpr (has_values) *(values_out + k) = values_b[j];
  }

  KeysA keys_a;
  KeysB keys_b;
  KeysOut keys_out;
  ValuesA values_a;
  ValuesB values_b;
  ValuesOut values_out;
  std::int64_t m;        // number of elements in the first input
  std::int64_t n;        // number of elements in the second input
  std::int64_t outputs;  // number of outputs to make, at most saturating_sum(m, n)
  Compare comp;
};

/// A problem whose sizes are in device memory. The host knows only upper bounds.
template <class Problem>
struct device_sized : Problem {
  static constexpr bool has_device_sizes = true;

  /// Loads the sizes, and clamps each between 0 and its upper bound.
  CMERGE_HOST_DEVICE constexpr void load_sizes() {
    this->m = *size_a < 0 ? 0 : *size_a < this->m ? *size_a : this->m;
    this->n = *size_b < 0 ? 0 : *size_b < this->n ? *size_b : this->n;
    this->outputs = this->m + this->n;
  }

  const std::int64_t* size_a;
  const std::int64_t* size_b;
};

/// The sizes of a problem: inputs of `m` and `n` elements, and the number of outputs to make.
struct problem_sizes {
  std::int64_t m;
  std::int64_t n;
  std::int64_t outputs;
};

/// A merge of keys with their values. `no_values` and `no_output` replace missing ranges.
CMERGE_EXEC_CHECK_DISABLE
template <class KeysA, class ValuesA, class KeysB, class ValuesB, class KeysOut, class ValuesOut,
          class Compare>
CMERGE_HOST_DEVICE constexpr merge_problem<KeysA, KeysB, KeysOut, ValuesA, ValuesB, ValuesOut,
                                           Compare>
pairs_problem(KeysA keys_a, ValuesA values_a, KeysB keys_b, ValuesB values_b, KeysOut keys_out,
              ValuesOut values_out, Compare comp, problem_sizes sizes) {
  return {keys_a,     keys_b,  keys_out, values_a,      values_b,
          values_out, sizes.m, sizes.n,  sizes.outputs, comp};
}

/// A merge of keys without values.
CMERGE_EXEC_CHECK_DISABLE
template <class KeysA, class KeysB, class Output, class Compare>
CMERGE_HOST_DEVICE constexpr merge_problem<KeysA, KeysB, Output, no_values, no_values, no_values,
                                           Compare>
keys_problem(KeysA keys_a, KeysB keys_b, Output out, Compare comp, problem_sizes sizes) {
  return {keys_a, keys_b, out, {}, {}, {}, sizes.m, sizes.n, sizes.outputs, comp};
}

}  // namespace detail
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
