// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What CMERGE_CHECK_PRECONDITIONS adds to each call: sorted inputs, which the output does not
// overlap. Layer 4, includes detail/arguments.h, and Thrust where the macro is defined.
#pragma once

#include <cmerge/detail/arguments.h>

#if defined(CMERGE_CHECK_PRECONDITIONS)

#include <thrust/memory.h>
#include <thrust/sort.h>
#include <thrust/system_error.h>
#include <thrust/type_traits/is_contiguous_iterator.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <type_traits>

namespace cmerge::detail {

/// Throws, for a range that is not sorted, what names it and the first bad position.
template <class Policy, class Iterator, class Compare>
void check_sorted(const Policy& policy, Iterator first, std::int64_t count, const Compare& comp,
                  const char* name, const char* which) {
  const auto sorted = static_cast<std::int64_t>(
      thrust::is_sorted_until(policy, first, first + count, comp) - first);
  if (sorted >= count) return;
  throw thrust::system_error(thrust::make_error_code(thrust::errc::invalid_argument),
                             std::string(name) + ": the " + which +
                                 " range is not sorted: element " + std::to_string(sorted) +
                                 " goes before element " + std::to_string(sorted - 1));
}

/// The bytes that a range of memory takes; none where an iterator is not known to lead to memory.
struct byte_range {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;

  template <class Iterator>
  static byte_range of(Iterator first, std::int64_t count) {
    if constexpr (thrust::is_contiguous_iterator<Iterator>::value) {
      if (count > 0) {
        const auto* const data = thrust::raw_pointer_cast(&*first);
        const auto begin = reinterpret_cast<std::uintptr_t>(data);
        return {begin, begin + static_cast<std::uintptr_t>(count) * sizeof(*data)};
      }
    }
    return {};
  }
  bool overlaps(byte_range other) const { return begin < other.end && other.begin < end; }
};

inline void check_overlap(byte_range out, byte_range in, const char* name, const char* what) {
  if (!out.overlaps(in)) return;
  throw thrust::system_error(thrust::make_error_code(thrust::errc::invalid_argument),
                             std::string(name) + ": an output overlaps the " + what);
}

/// Whether elements of one range can be compared with each other, so that one can see whether it is
/// sorted.
template <class Iterator, class Problem>
constexpr bool is_checkable =
    std::is_same_v<value_t<decltype(Problem::keys1)>, value_t<decltype(Problem::keys2)>> ||
    is_order<decltype(Problem::comp), Iterator, Iterator>;

/// Throws `thrust::system_error` where the preconditions of a merge do not hold.
template <class Policy, class Problem>
void check_preconditions(const Policy& policy, const Problem& p, const char* name) {
  for (const byte_range out :
       {byte_range::of(p.keys_out, p.outputs), byte_range::of(p.values_out, p.outputs)}) {
    check_overlap(out, byte_range::of(p.keys1, p.m), name, "first range");
    check_overlap(out, byte_range::of(p.keys2, p.n), name, "second range");
    check_overlap(out, byte_range::of(p.values1, p.m), name, "values of the first range");
    check_overlap(out, byte_range::of(p.values2, p.n), name, "values of the second range");
  }
  if constexpr (is_checkable<std::decay_t<decltype(p.keys1)>, Problem>) {
    check_sorted(policy, p.keys1, p.m, p.comp, name, "first");
  }
  if constexpr (is_checkable<std::decay_t<decltype(p.keys2)>, Problem>) {
    check_sorted(policy, p.keys2, p.n, p.comp, name, "second");
  }
}

#if defined(__CUDACC__)
template <class Iterator, class Compare>
__device__ void check_sorted_in_thread(Iterator first, std::int64_t count, Compare& comp,
                                       const char* name, const char* which) {
  for (std::int64_t i = 1; i < count; ++i) {
    if (!comp(first[i], first[i - 1])) continue;
    std::printf("%s: the %s range is not sorted: element %lld goes before element %lld\n", name,
                which, static_cast<long long>(i), static_cast<long long>(i - 1));
    __trap();
  }
}

/// As `check_preconditions`, in one thread of a kernel, which says what is wrong and ends.
template <class Problem>
__device__ void check_preconditions_in_thread(Problem p, const char* name) {
  if constexpr (is_checkable<std::decay_t<decltype(p.keys1)>, Problem>) {
    check_sorted_in_thread(p.keys1, p.m, p.comp, name, "first");
  }
  if constexpr (is_checkable<std::decay_t<decltype(p.keys2)>, Problem>) {
    check_sorted_in_thread(p.keys2, p.n, p.comp, name, "second");
  }
}
#endif

}  // namespace cmerge::detail

#endif
