// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The merge under a host policy: equal sections by co-rank, run by the policy's own parallelism.
// Layer 8, includes detail/adaptive_merge.h, detail/merge_window.h, serial_merge.h and Thrust.
#pragma once

#include <cmerge/detail/adaptive_merge.h>
#include <cmerge/detail/merge_window.h>
#include <cmerge/serial_merge.h>

#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/iterator_traits.h>
#include <thrust/memory.h>
#include <thrust/system/cpp/detail/execution_policy.h>
#include <thrust/system/omp/detail/execution_policy.h>
#include <thrust/system/tbb/detail/execution_policy.h>
#include <thrust/type_traits/is_contiguous_iterator.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

namespace cmerge::detail {

/// Outputs below which a further thread costs more than it saves.
inline constexpr std::int64_t least_section = std::int64_t{1} << 14;
/// Enough for balance on many threads, few enough that the searches do not count.
inline constexpr std::int64_t most_sections = 256;

template <class Derived>
std::true_type is_parallel_test(const thrust::system::omp::detail::execution_policy<Derived>&);
template <class Derived>
std::true_type is_parallel_test(const thrust::system::tbb::detail::execution_policy<Derived>&);
std::false_type is_parallel_test(...);

/// Whether a host policy has threads: those of OpenMP and TBB.
template <class Policy>
inline constexpr bool is_parallel =
    decltype(is_parallel_test(std::declval<const Policy&>()))::value;

/// Whether an iterator stands for a pointer that the host can follow.
template <class Iterator>
constexpr bool is_host_pointer() {
  if constexpr (!thrust::is_contiguous_iterator<Iterator>::value) {
    return false;
  } else if constexpr (std::is_lvalue_reference_v<decltype(*std::declval<Iterator&>())>) {
    return true;
  } else {
    // A vector of a device system that is itself a host system, seen through proxies.
    return std::is_convertible_v<typename thrust::iterator_system<Iterator>::type,
                                 thrust::system::cpp::detail::tag>;
  }
}

/// The raw pointer to `count` elements, where an iterator stands for one; else the iterator.
template <class Iterator>
auto unwrap(Iterator first, std::int64_t count) {
  if constexpr (std::is_pointer_v<Iterator>) {
    return first;
  } else if constexpr (is_host_pointer<Iterator>()) {
    if constexpr (std::is_lvalue_reference_v<decltype(*first)>) {
      return count == 0 ? nullptr : std::addressof(*first);
    } else {
      return count == 0 ? nullptr : thrust::raw_pointer_cast(&*first);
    }
  } else {
    return first;
  }
}

/// The same problem over raw pointers, as far as its iterators stand for such.
template <class Problem>
auto unwrap_on_host(const Problem& p) {
  return make_merge_problem(detail::unwrap(p.keys1, p.m), detail::unwrap(p.keys2, p.n),
                            detail::unwrap(p.keys_out, p.outputs), detail::unwrap(p.values1, p.m),
                            detail::unwrap(p.values2, p.n), detail::unwrap(p.values_out, p.outputs),
                            p.m, p.n, p.outputs, p.comp);
}

/// Whether only keys are merged, through pointers: then the standard library's loop is the one that
/// compilers know best, also for elements like strings.
template <class Problem>
inline constexpr bool is_plain =
    !Problem::has_values && std::is_pointer_v<decltype(Problem::keys1)> &&
    std::is_pointer_v<decltype(Problem::keys2)> && std::is_pointer_v<decltype(Problem::keys_out)>;

/// Merges one part in the calling thread.
template <class Problem>
void merge_part(Problem& problem, merge_range part) {
  if constexpr (can_interleave<Problem>) {
    if (part.size() < interleaved_least) {
      detail::merge_small(problem, part);
    } else {
      Problem in_memory = problem;  // so that `problem` itself can stay in registers
      adaptive_merge(in_memory, part);
    }
  } else if constexpr (is_plain<Problem>) {
    detail::merge_small(problem, part);
  } else {
    detail::serial_merge(problem, part);
  }
}

/// Merges section `s` of the output; what the policy's loop calls.
template <class Problem>
struct section_merge {
  const Problem* problem;
  std::int64_t section;  // outputs per section
  std::atomic_flag* has_error;
  std::exception_ptr* error;  // the first one

  void operator()(std::int64_t s) const {
    try {
      Problem p = *problem;  // each section has its own comparator
      const std::int64_t k0 = s * section;
      const std::int64_t k1 = std::min(k0 + section, p.outputs);
      const auto rank = [&](std::int64_t k) {
        return co_rank_between(co_rank_low(k, p.n), co_rank_high(k, p.m), k, p.keys1, p.keys2,
                               p.comp);
      };
      merge_part(p, make_merge_range(k0, rank(k0), k1, rank(k1)));
    } catch (...) {
      // An OpenMP loop must not be left by an exception.
      if (!has_error->test_and_set()) *error = std::current_exception();
    }
  }
};

/// Merges equal sections of the output in parallel; each finds its inputs by itself.
template <class Policy, class Problem>
void merge_sections(Policy& policy, const Problem& problem) {
  const std::int64_t size = problem.outputs;
  const std::int64_t most = std::min(most_sections, size / least_section);
  const std::int64_t section = (size + most - 1) / most;
  const thrust::counting_iterator<std::int64_t> first(0);
  std::atomic_flag has_error = ATOMIC_FLAG_INIT;
  std::exception_ptr error;
  thrust::for_each(policy, first, first + (size + section - 1) / section,
                   section_merge<Problem>{&problem, section, &has_error, &error});
  if (error) std::rethrow_exception(error);
}

/// Runs `problem` under a policy of a host system.
///
/// Inside a CUDA kernel, where `thrust::seq` is such a policy, the calling thread merges alone.
CMERGE_EXEC_CHECK_DISABLE
template <class Policy, class Problem>
CMERGE_HOST_DEVICE void host_merge(Policy& policy, Problem problem) {
  (void)policy;
#if defined(__CUDA_ARCH__)
  detail::serial_merge(problem, whole_part(problem));
#else
  auto raw = unwrap_on_host(problem);
  if constexpr (is_parallel<Policy>) {
    if (raw.outputs >= 2 * least_section) return merge_sections(policy, raw);
  }
  merge_part(raw, whole_part(raw));
#endif
}

}  // namespace cmerge::detail
