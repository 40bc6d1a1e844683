// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The merge under a host policy. The output is divided into equal sections by co-rank, and a loop
// of the policy merges them in parallel.
#pragma once

#include <cmerge/detail/core/merge_window.h>
#include <cmerge/detail/host/adaptive_merge.h>
#include <cmerge/detail/policy/thrust_namespace.h>
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
#include <vector>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

/// Minimum number of outputs per section. With fewer, another thread costs more time than it saves.
inline constexpr std::int64_t min_section = std::int64_t{1} << 14;
/// Maximum number of sections. They are enough to balance many threads, and so few that their
/// searches take no measurable time.
inline constexpr std::int64_t max_sections = 256;

template <class Derived>
std::true_type is_parallel_test(const thrust::system::omp::detail::execution_policy<Derived>&);
template <class Derived>
std::true_type is_parallel_test(const thrust::system::tbb::detail::execution_policy<Derived>&);
std::false_type is_parallel_test(...);

/// Whether a host policy runs threads: a policy of OpenMP or TBB.
template <class Policy>
inline constexpr bool is_parallel =
    decltype(is_parallel_test(std::declval<const Policy&>()))::value;

/// Whether a type is the reference or the iterator of `std::vector<bool>`, or a class template with
/// one of them among its arguments, such as the reference of a zip iterator.
template <class T>
inline constexpr bool holds_bits = std::is_same_v<T, std::vector<bool>::reference> ||
                                   std::is_same_v<T, std::vector<bool>::iterator>;
template <template <class...> class Template, class... Arguments>
inline constexpr bool holds_bits<Template<Arguments...>> = (... || holds_bits<Arguments>);

template <class Iterator, class = void>
struct iterator_value {
  using type = void;
};
template <class Iterator>
struct iterator_value<Iterator, std::void_t<value_t<Iterator>>> {
  using type = value_t<Iterator>;
};

/// Whether an output iterator is known to write packed bits: to a `std::vector<bool>`, or as `bool`
/// through another proxy class. Neighbouring bits share a word, so two threads must not write them
/// at the same time.
template <class Output>
constexpr bool writes_bits() {
  if constexpr (std::is_same_v<Output, no_output> || std::is_same_v<Output, no_values>) {
    return false;
  } else {
    using reference = std::remove_reference_t<decltype(*std::declval<Output&>())>;
    using value = typename iterator_value<Output>::type;
    return holds_bits<reference> || (std::is_same_v<value, bool> && std::is_class_v<reference>);
  }
}

/// Whether an iterator can be replaced by a pointer that the host can dereference.
template <class Iterator>
constexpr bool is_host_pointer() {
  if constexpr (!thrust::is_contiguous_iterator<Iterator>::value) {
    return false;
  } else if constexpr (std::is_lvalue_reference_v<decltype(*std::declval<Iterator&>())>) {
    return true;
  } else {
    // An iterator with proxy references, of a device system that is also a host system.
    return std::is_convertible_v<typename thrust::iterator_system<Iterator>::type,
                                 thrust::system::cpp::detail::tag>;
  }
}

/// The raw pointer to `count` elements, if the iterator can be replaced by one. Otherwise the
/// iterator.
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

/// The same problem, with raw pointers instead of iterators where possible.
template <class Problem>
auto unwrap_on_host(const Problem& p) {
  return pairs_problem(detail::unwrap(p.keys_a, p.m), detail::unwrap(p.values_a, p.m),
                       detail::unwrap(p.keys_b, p.n), detail::unwrap(p.values_b, p.n),
                       detail::unwrap(p.keys_out, p.outputs),
                       detail::unwrap(p.values_out, p.outputs), p.comp, {p.m, p.n, p.outputs});
}

/// Whether only keys are merged, through pointers. Then the loop of the standard library is
/// fastest, also for elements such as strings.
template <class Problem>
inline constexpr bool is_plain =
    !Problem::has_values && std::is_pointer_v<decltype(Problem::keys_a)> &&
    std::is_pointer_v<decltype(Problem::keys_b)> && std::is_pointer_v<decltype(Problem::keys_out)>;

/// Merges one part in the calling thread.
template <class Problem>
void merge_part(Problem& problem, merge_range part) {
  if constexpr (can_interleave<Problem>) {
    if (part.size() < min_interleaved) {
      detail::merge_small(problem, part);
    } else {
      Problem in_memory = problem;  // a copy, so that `problem` can stay in registers
      adaptive_merge(in_memory, part);
    }
  } else if constexpr (is_plain<Problem>) {
    detail::merge_small(problem, part);
  } else {
    detail::serial_merge(problem, part);
  }
}

/// A function of a section number, with its type erased. Thrust's loop is compiled for this type
/// only. Each further type would take seconds to compile.
struct section_step {
  void* function;
  void (*call)(void* function, std::int64_t section);

  void operator()(std::int64_t section) const { call(function, section); }
};

/// Calls `step(s)` for all sections `s`, in the policy's threads. Rethrows the first exception
/// after the loop, because an exception must not leave an OpenMP loop.
template <class Policy, class Step>
void for_each_section(Policy& policy, std::int64_t count, Step step) {
  struct {
    Step* step;
    std::atomic_flag has_error = ATOMIC_FLAG_INIT;
    std::exception_ptr error = nullptr;
  } guarded;
  guarded.step = &step;
  const auto call = [](void* function, std::int64_t section) {
    auto& run = *static_cast<decltype(guarded)*>(function);
    try {
      (*run.step)(section);
    } catch (...) {
      if (!run.has_error.test_and_set()) run.error = std::current_exception();
    }
  };
  const thrust::counting_iterator<std::int64_t> first(0);
  thrust::for_each(policy, first, first + count, section_step{&guarded, call});
  if (guarded.error) std::rethrow_exception(guarded.error);
}

/// Merges equal sections of the output in parallel.
///
/// All co-ranks are found before any element is written. Elements that a move iterator has moved
/// away can no longer be compared.
template <class Policy, class Problem>
void merge_sections(Policy& policy, const Problem& problem) {
  const std::int64_t most = (std::min)(max_sections, problem.outputs / min_section);
  const std::int64_t size = (problem.outputs + most - 1) / most;
  const std::int64_t count = (problem.outputs + size - 1) / size;
  const auto out_begin = [&](std::int64_t s) { return (std::min)(s * size, problem.outputs); };
  std::int64_t begins[max_sections + 1] = {};  // co-rank of the first output of section `s`
  for_each_section(policy, count, [&](std::int64_t s) {
    Problem p = problem;  // each section has its own comparator
    const std::int64_t k = out_begin(s + 1);
    begins[s + 1] =
        co_rank_between(co_rank_low(k, p.n), co_rank_high(k, p.m), k, p.keys_a, p.keys_b, p.comp);
  });
  for_each_section(policy, count, [&](std::int64_t s) {
    Problem p = problem;
    merge_part(p, make_merge_range(out_begin(s), begins[s], out_begin(s + 1), begins[s + 1]));
  });
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
  if constexpr (is_parallel<Policy> && !writes_bits<decltype(raw.keys_out)>() &&
                !writes_bits<decltype(raw.values_out)>()) {
    if (raw.outputs >= 2 * min_section) return merge_sections(policy, raw);
  }
  merge_part(raw, whole_part(raw));
#endif
}

}  // namespace detail
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
