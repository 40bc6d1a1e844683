// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tuned: attaches a tuning to a policy, for the calls that take a policy.
#pragma once

#include <cmerge/tuning.h>

#include <type_traits>
#include <utility>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

/// A policy that carries a tuning. In all other respects it is the policy that it derives from.
template <class Tuning, class Policy>
struct CMERGE_VISIBLE tuned_policy : Policy {
  using tuning_type = Tuning;
  [[gnu::always_inline]] CMERGE_HOST_DEVICE constexpr tuned_policy(const Policy& policy)
      : Policy(policy) {}

  /// The policy on a stream, with the same tuning.
  CMERGE_EXEC_CHECK_DISABLE
  template <class Stream, class Base = Policy>
  [[gnu::always_inline]] CMERGE_HOST_DEVICE auto on(Stream&& stream) const
      -> tuned_policy<Tuning, std::decay_t<decltype(std::declval<const Base&>().on(stream))>> {
    const Base& base = *this;
    return {base.on(stream)};
  }

  /// The policy with an allocator, with the same tuning.
  CMERGE_EXEC_CHECK_DISABLE
  template <class Allocator, class Base = Policy>
  [[gnu::always_inline]] CMERGE_HOST_DEVICE auto operator()(Allocator&& allocator) const
      -> tuned_policy<
          Tuning,
          std::decay_t<decltype(std::declval<const Base&>()(std::forward<Allocator>(allocator)))>> {
    const Base& base = *this;
    return {base(std::forward<Allocator>(allocator))};
  }
};

/// The tuning of a policy: the one that `tuned` has attached, or the default.
template <class Policy, class = void>
struct tuning_of_policy {
  using type = default_tuning;
};
template <class Policy>
struct tuning_of_policy<Policy, std::void_t<typename Policy::tuning_type>> {
  using type = typename Policy::tuning_type;
};
template <class Policy>
using tuning_of = typename tuning_of_policy<Policy>::type;

}  // namespace detail

/// Attaches a tuning to a Thrust policy: `cmerge::merge(cmerge::tuned<my_tuning>(policy), ...)`.
///
/// The tuning says how a merge on a GPU is cut into blocks and tiles. The result of a merge of
/// sorted ranges does not depend on it. Host policies ignore it. A stream or an allocator can be
/// attached before or after the tuning.
///
/// - Preconditions: `Tuning` has the function
///   `static constexpr cmerge::tuning get(cmerge::tuning_query)`. It returns a tuning that
///   `is_launchable` accepts, for each query. `default_tuning` is an example, to which a tuning can
///   pass the queries that it does not care about.
/// - Complexity: no work at run time beyond a copy of the policy. `get` is evaluated at compile
///   time for each architecture that the file is compiled for, and with `arch` 0 for the host. It
///   is evaluated at run time for the architecture of the code that the current device runs.
///
/// \tparam Tuning  type with the function `get`
/// \tparam Policy  type of the policy
/// \param policy  any Thrust policy
/// \returns a policy for `merge`, `merge_by_key`, `merge_n`, `merge_by_key_n` and `merge_indices`
///
/// \snippet custom_tuning.cu custom_tuning
/// \snippet custom_tuning.cu tuned
template <class Tuning, class Policy>
CMERGE_HOST_DEVICE constexpr detail::tuned_policy<Tuning, Policy> tuned(const Policy& policy) {
  return detail::tuned_policy<Tuning, Policy>(policy);
}

}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
