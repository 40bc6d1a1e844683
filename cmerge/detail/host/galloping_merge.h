// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The merges of one CPU thread for predictable inputs: output by output, or run by run. For raw
// pointers to small elements. Host only.
#pragma once

#include <cmerge/co_rank.h>
#include <cmerge/detail/core/merge_problem.h>
#include <cmerge/serial_merge.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

template <class Problem>
using key_of = std::remove_reference_t<decltype(*std::declval<Problem&>().keys_out)>;
template <class Problem>
using value_of = std::remove_reference_t<decltype(*std::declval<Problem&>().values_out)>;

/// Copies a run of elements in pieces of a size that the compiler knows. A single `memmove` was
/// never much faster. For some combinations of addresses it took four times as long (Zen 3,
/// glibc 2.36, 256 MiB: 200 ms instead of 50).
template <class T>
void copy_run(const T* first, const T* last, T* out) {
  constexpr std::ptrdiff_t piece = 128 / sizeof(T);
  for (; last - first >= piece; first += piece, out += piece) {
    std::memcpy(static_cast<void*>(out), first, sizeof(T) * piece);
  }
  for (; first != last; ++first, ++out) *out = *first;
}

/// Copies the elements `[i, i_end)` of the first input to the outputs from `k` on.
template <class Problem>
void copy_a(Problem& problem, std::int64_t k, std::int64_t i, std::int64_t i_end) {
  copy_run<key_of<Problem>>(problem.keys_a + i, problem.keys_a + i_end, problem.keys_out + k);
  if constexpr (Problem::has_values) {
    copy_run<value_of<Problem>>(problem.values_a + i, problem.values_a + i_end,
                                problem.values_out + k);
  }
}

/// Copies the elements `[j, j_end)` of the second input to the outputs from `k` on.
template <class Problem>
void copy_b(Problem& problem, std::int64_t k, std::int64_t j, std::int64_t j_end) {
  copy_run<key_of<Problem>>(problem.keys_b + j, problem.keys_b + j_end, problem.keys_out + k);
  if constexpr (Problem::has_values) {
    copy_run<value_of<Problem>>(problem.values_b + j, problem.values_b + j_end,
                                problem.values_out + k);
  }
}

/// Merges one part output by output, as `serial_merge` does, but keeps the next key of each input
/// and all other state in registers. If branches are predictable, this is 1.1 to 1.6 times as fast.
/// It is not inlined, because the callers would use some of the registers.
template <class Problem>
[[gnu::noinline]] void merge_branching(Problem& problem, merge_range part) {
  std::int64_t i = part.a_begin;
  std::int64_t j = part.b_begin;
  if (i < part.a_end && j < part.b_end) {
    const auto* const keys_a = problem.keys_a;
    const auto* const keys_b = problem.keys_b;
    auto* out = problem.keys_out + part.out_begin();
    auto a = keys_a[i];
    auto b = keys_b[j];
    while (true) {
      if (takes_b(a, b, problem.comp)) {
        *out++ = b;
        if constexpr (Problem::has_values) problem.values_out[i + j] = problem.values_b[j];
        if (++j == part.b_end) break;
        b = keys_b[j];
      } else {
        *out++ = a;
        if constexpr (Problem::has_values) problem.values_out[i + j] = problem.values_a[i];
        if (++i == part.a_end) break;
        a = keys_a[i];
      }
    }
  }
  copy_a(problem, i + j, i, part.a_end);
  copy_b(problem, part.a_end + j, j, part.b_end);
}

/// Merges a part that is too small for the other methods. It is `inline`, because passing a problem
/// through memory takes longer than merging one element (10 ns instead of 3).
template <class Problem>
inline void merge_small(Problem& problem, const merge_range& part) {
  if constexpr (Problem::has_values) {
    detail::serial_merge(problem, part);
  } else {
    std::merge(problem.keys_a + part.a_begin, problem.keys_a + part.a_end,
               problem.keys_b + part.b_begin, problem.keys_b + part.b_end,
               problem.keys_out + part.out_begin(),
               [&](const auto& b, const auto& a) { return takes_b(a, b, problem.comp); });
  }
}

/// The first index in `[low, high)` for which `before` is false, or `high`.
template <class Before>
std::int64_t partition_point(std::int64_t low, std::int64_t high, Before before) {
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (before(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// Merges one part by copying whole runs of the larger input between elements of the smaller one.
///
/// A run is extended by strides of constant length. A binary search finds its end in the last
/// stride. With doubling strides, the search would outrun the prefetcher: for inputs larger than
/// the caches, that took twice as long as a plain merge.
template <class Problem>
void merge_galloping(Problem& problem, merge_range part) {
  constexpr std::int64_t stride = 128 / sizeof(key_of<Problem>);
  std::int64_t i = part.a_begin;
  std::int64_t j = part.b_begin;
  if (part.a_end - i < part.b_end - j) {
    for (; i < part.a_end; ++i) {
      const auto before = [&](std::int64_t r) {
        return takes_b(problem.keys_a[i], problem.keys_b[r], problem.comp);
      };
      for (; part.b_end - j >= stride && before(j + stride - 1); j += stride) {
        copy_b(problem, i + j, j, j + stride);
      }
      const std::int64_t j_end = partition_point(j, (std::min)(j + stride, part.b_end), before);
      copy_b(problem, i + j, j, j_end);
      j = j_end;
      problem.take_a(i + j, i);
    }
    copy_b(problem, i + j, j, part.b_end);
  } else {
    for (; j < part.b_end; ++j) {
      const auto before = [&](std::int64_t r) {
        return !takes_b(problem.keys_a[r], problem.keys_b[j], problem.comp);
      };
      for (; part.a_end - i >= stride && before(i + stride - 1); i += stride) {
        copy_a(problem, i + j, i, i + stride);
      }
      const std::int64_t i_end = partition_point(i, (std::min)(i + stride, part.a_end), before);
      copy_a(problem, i + j, i, i_end);
      i = i_end;
      problem.take_b(i + j, j);
    }
    copy_a(problem, i + j, i, part.a_end);
  }
}

}  // namespace detail
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
