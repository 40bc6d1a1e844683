// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One call's inputs, outputs and order as one struct, passed by value through every layer down
// to the kernel. Keys alone are pairs with an empty value.
#pragma once

#include <cmerge/config.h>

#include <cstdint>
#include <limits>
#include <type_traits>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

/// Takes the place of the three value iterators where only keys are merged.
struct no_values {};

/// Takes the place of the output of keys where only values are wanted.
struct no_output {
  CMERGE_HOST_DEVICE constexpr no_output operator+(std::int64_t) const { return {}; }
};

/// A part of a merge: elements `[a_begin, a_end)` of the first input and `[b_begin, b_end)` of the
/// second one. Its outputs are `[a_begin + b_begin, a_end + b_end)`.
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
/// Clamped, so that it is a valid part with `k1 - k0` elements whatever the co-ranks are; sorted
/// inputs never need that, but a comparator that contradicts itself does.
CMERGE_HOST_DEVICE constexpr merge_range make_merge_range(std::int64_t k0, std::int64_t i0,
                                                          std::int64_t k1, std::int64_t i1) {
  const std::int64_t a_least = i1 < i0 ? i0 : i1;
  const std::int64_t a_end = a_least - i0 > k1 - k0 ? i0 + (k1 - k0) : a_least;
  return {i0, a_end, k0 - i0, k1 - a_end};
}

/// A number of outputs that means "all of them", or "too many for a signed 64-bit integer".
inline constexpr std::int64_t all_outputs = (std::numeric_limits<std::int64_t>::max)();

/// `m + n`, at most `all_outputs`. Precondition: neither is negative.
CMERGE_HOST_DEVICE constexpr std::int64_t saturating_sum(std::int64_t m, std::int64_t n) {
  return m > all_outputs - n ? all_outputs : m + n;
}

/// One call's inputs, outputs and order.
template <class KeysA, class KeysB, class KeysOut, class ValuesA, class ValuesB, class ValuesOut,
          class Compare>
struct merge_problem {
  static constexpr bool has_values = !std::is_same_v<ValuesOut, no_values>;
  static constexpr bool has_keys_out = !std::is_same_v<KeysOut, no_output>;
  /// Whether pointers may lead to other than global memory: only inside a kernel.
  static constexpr bool in_any_memory = false;
  /// Whether the sizes are upper bounds until `load_sizes` has been called.
  static constexpr bool has_device_sizes = false;
  CMERGE_HOST_DEVICE constexpr void load_sizes() {}

  /// Output `k` is element `i` of the first input.
  CMERGE_EXEC_CHECK_DISABLE
  CMERGE_HOST_DEVICE constexpr void take_a(std::int64_t k, std::int64_t i) {
    if constexpr (has_keys_out) *(keys_out + k) = keys_a[i];
    if constexpr (has_values) *(values_out + k) = values_a[i];
  }

  /// Output `k` is element `j` of the second input.
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
  std::int64_t m;        // elements in the first input
  std::int64_t n;        // elements in the second input
  std::int64_t outputs;  // how many are made: the first ones, at most saturating_sum(m, n)
  Compare comp;
};

/// A problem whose sizes are in device memory, and known to the host as upper bounds only.
template <class Problem>
struct device_sized : Problem {
  static constexpr bool has_device_sizes = true;

  /// What is below 0 or above its bound is taken for that.
  CMERGE_HOST_DEVICE constexpr void load_sizes() {
    this->m = *size_a < 0 ? 0 : *size_a < this->m ? *size_a : this->m;
    this->n = *size_b < 0 ? 0 : *size_b < this->n ? *size_b : this->n;
    this->outputs = this->m + this->n;
  }

  const std::int64_t* size_a;
  const std::int64_t* size_b;
};

/// The sizes of a problem: `m` and `n` elements, of whose merge the first `outputs` are made.
struct problem_sizes {
  std::int64_t m;
  std::int64_t n;
  std::int64_t outputs;
};

/// A merge of keys with their values. `no_values` and `no_output` stand for missing ranges.
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

/// A merge of keys alone.
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
