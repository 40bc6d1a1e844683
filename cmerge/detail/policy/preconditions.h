// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checks that CMERGE_CHECK_PRECONDITIONS adds to each call: the inputs are sorted, and the
// output does not overlap them.
#pragma once

#include <cmerge/detail/core/arguments.h>
#include <cmerge/detail/policy/thrust_namespace.h>

#include <thrust/system_error.h>

#include <cerrno>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

/// The error code of invalid arguments. (`thrust::errc::invalid_argument` is a number that only
/// Thrust knows, so the system has no text for it.)
inline thrust::error_code invalid_argument() {
  return thrust::error_code(EINVAL, thrust::system_category());
}

}  // namespace detail
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge

#if defined(CMERGE_CHECK_PRECONDITIONS)

#include <thrust/memory.h>
#include <thrust/sort.h>
#include <thrust/type_traits/is_contiguous_iterator.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <type_traits>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

/// Reports a violated precondition. Throws on the host. In a kernel, prints a message and traps.
CMERGE_HOST_DEVICE inline void report(const char* name, const char* which, const char* what,
                                      std::int64_t bad = 0) {
#if defined(__CUDA_ARCH__)
  std::printf("%s: the %s %s, element %lld\n", name, which, what, static_cast<long long>(bad));
  __trap();
#else
  std::string text = std::string(name) + ": the " + which + " " + what;
  if (bad > 0) {
    text += ": element " + std::to_string(bad) + " goes before element " + std::to_string(bad - 1);
  }
  throw thrust::system_error(invalid_argument(), text);
#endif
}

CMERGE_EXEC_CHECK_DISABLE
template <class Policy, class Iterator, class Compare>
CMERGE_HOST_DEVICE void check_sorted(const Policy& policy, Iterator first, std::int64_t count,
                                     const Compare& comp, const char* name, const char* which) {
  const auto sorted = static_cast<std::int64_t>(
      thrust::is_sorted_until(policy, first, first + count, comp) - first);
  if (sorted < count) report(name, which, "is not sorted", sorted);
}

/// The addresses of a range. It is empty if the iterator is not known to be memory.
struct byte_range {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;

  CMERGE_EXEC_CHECK_DISABLE
  template <class Iterator>
  CMERGE_HOST_DEVICE static byte_range of(Iterator first, std::int64_t count) {
    if constexpr (thrust::is_contiguous_iterator<Iterator>::value) {
      if (count > 0) {
        const auto* const data = thrust::raw_pointer_cast(&*first);
        const auto begin = reinterpret_cast<std::uintptr_t>(data);
        return {begin, begin + static_cast<std::uintptr_t>(count) * sizeof(*data)};
      }
    }
    return {};
  }
  CMERGE_HOST_DEVICE bool overlaps(byte_range other) const {
    return begin < other.end && other.begin < end;
  }
};

/// Whether two elements of one range can be compared, so that the range can be checked.
template <class Iterator, class Problem>
constexpr bool is_checkable =
    std::is_same_v<value_t<decltype(Problem::keys_a)>, value_t<decltype(Problem::keys_b)>> ||
    is_order<decltype(Problem::comp), Iterator, Iterator>;

/// Checks the preconditions of a merge, and reports the first one that is violated. (It is for host
/// and device, because the compiler needs Thrust's kernels in both passes.)
CMERGE_EXEC_CHECK_DISABLE
template <class Policy, class Problem>
CMERGE_HOST_DEVICE void check_preconditions(const Policy& policy, const Problem& p,
                                            const char* name) {
  const byte_range outs[] = {byte_range::of(p.keys_out, p.outputs),
                             byte_range::of(p.values_out, p.outputs)};
  for (const byte_range out : outs) {
    const char* const overlaps = "overlaps an output";
    if (out.overlaps(byte_range::of(p.keys_a, p.m))) report(name, "first range", overlaps);
    if (out.overlaps(byte_range::of(p.keys_b, p.n))) report(name, "second range", overlaps);
    if (out.overlaps(byte_range::of(p.values_a, p.m)))
      report(name, "first range of values", overlaps);
    if (out.overlaps(byte_range::of(p.values_b, p.n)))
      report(name, "second range of values", overlaps);
  }
  if constexpr (is_checkable<std::decay_t<decltype(p.keys_a)>, Problem>) {
    check_sorted(policy, p.keys_a, p.m, p.comp, name, "first range");
  }
  if constexpr (is_checkable<std::decay_t<decltype(p.keys_b)>, Problem>) {
    check_sorted(policy, p.keys_b, p.n, p.comp, name, "second range");
  }
}

}  // namespace detail
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge

#endif
