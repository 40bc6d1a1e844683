// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The merge of one thread: of whole ranges, and of a few outputs that stay in registers. Host
// merges and block merges use it.
#pragma once

#include <cmerge/co_rank.h>
#include <cmerge/detail/core/merge_problem.h>
#include <cmerge/detail/core/register_key.h>

#include <cstdint>
#include <type_traits>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

/// Merges one part of a problem, element by element.
CMERGE_EXEC_CHECK_DISABLE
template <class Problem>
CMERGE_HOST_DEVICE constexpr void serial_merge(Problem& problem, merge_range part) {
  std::int64_t i = part.a_begin;
  std::int64_t j = part.b_begin;
  std::int64_t k = part.out_begin();
  while (i < part.a_end && j < part.b_end) {
    if (takes_b(problem.keys_a[i], problem.keys_b[j], problem.comp)) {
      problem.take_b(k++, j++);
    } else {
      problem.take_a(k++, i++);
    }
  }
  while (i < part.a_end) problem.take_a(k++, i++);
  while (j < part.b_end) problem.take_b(k++, j++);
}

/// Makes `Items` steps of a merge of two parts of a buffer, `keys[i..a_end)` and `keys[j..b_end)`.
///
/// A step has no branch, and holds the next key of either input in a register. Each step number `s`
/// is a constant after unrolling, so `sink` can keep its results in registers. It is called as
/// `sink.key(s, key)`, and as `sink.source(s, from_b, index)` with the key's index in the buffer.
///
/// Without `Bounded`, each input must have more than `Items` keys. With `Bounded`, one element
/// after the end of either input and `keys[i + Items]` must be readable. They are never compared.
/// Steps after the last key have no meaning. Keys must be trivially copyable, because a step reads
/// ahead, where there may be no key. If the size of a key is a power of two, keys are aligned to
/// it. Returns `i` after the last step.
CMERGE_EXEC_CHECK_DISABLE
template <int Items, bool Bounded, class Key, class Compare, class Sink>
CMERGE_HOST_DEVICE constexpr int merge_key_steps(const Key* keys, int i, int a_end, int j,
                                                 int b_end, Compare& comp, Sink& sink) {
  static_assert(std::is_trivially_copyable_v<Key>, "cmerge: keys must be trivially copyable");
  using held = register_key<Key>;
  held a_held = held::load(keys + i);
  held b_held = held::load(keys + j);
  const int sum = i + j;  // One counter is enough: before step s, i + j is sum + s.
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
  for (int s = 0; s < Items; ++s) {
    i = sum + s - j;
    auto&& a_key = a_held.get();
    auto&& b_key = b_held.get();
    const bool from_b = Bounded ? j < b_end && (i >= a_end || takes_b(a_key, b_key, comp))
                                : takes_b(a_key, b_key, comp);
    sink.source(s, from_b, from_b ? j : i);
    held taken = from_b ? b_held : a_held;
    sink.key(s, taken.get());
    if (from_b) ++j;
    const held next = held::load(keys + (from_b ? j : sum + s + 1 - j));
    a_held = from_b ? a_held : next;
    b_held = from_b ? next : b_held;
  }
  i = sum + Items - j;
  return i;
}

/// Makes `count` steps, at most `Items`, of a merge of `a[i..a_end)` and `b[j..b_end)`.
///
/// Keys are compared where they are and do not move. `sink.source(s, from_b, index)` tells which
/// key is next. Returns `i` after the last step.
CMERGE_EXEC_CHECK_DISABLE
template <int Items, class ViewA, class ViewB, class Compare, class Sink>
CMERGE_HOST_DEVICE constexpr int merge_index_steps(ViewA a, int i, int a_end, ViewB b, int j,
                                                   int b_end, int count, Compare& comp,
                                                   Sink& sink) {
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
  for (int s = 0; s < Items; ++s) {
    if (s < count) {
      const bool from_b = j < b_end && (i >= a_end || takes_b(a[i], b[j], comp));
      sink.source(s, from_b, from_b ? j : i);
      i += !from_b;
      j += from_b;
    }
  }
  return i;
}

}  // namespace detail

/// Merges two sorted ranges into one, in the calling thread, on the host or on a device.
///
/// - Preconditions: both inputs are sorted by `comp`, a strict weak ordering. `m` and `n` are not
///   negative. The output has room for `m + n` elements and does not overlap the inputs.
/// - Stability: stable. Equal elements of the first input come before those of the second.
/// - Complexity: at most `m + n - 1` comparisons. Each element is read once for the output and
///   written once. No storage.
///
/// \tparam IteratorA  random access to the first input
/// \tparam IteratorB  random access to the second input
/// \tparam Output     random-access iterator to which elements of both inputs can be assigned
/// \tparam Compare    type of the comparator
/// \param first_a  the `m` elements of the first input: a pointer, an iterator or a `circular_view`
/// \param m        number of elements in the first input
/// \param first_b  the `n` elements of the second input, as for the first
/// \param n        number of elements in the second input
/// \param out      beginning of the output
/// \param comp     strict weak ordering, called as `comp(element2, element1)`
/// \returns the end of the output, `out + m + n`
/// \throws anything that the comparator or the assignment of an element throws; the output is then
///         unspecified
///
/// \snippet host_calls.cpp serial_merge
CMERGE_EXEC_CHECK_DISABLE
template <class IteratorA, class IteratorB, class Output, class Compare>
CMERGE_HOST_DEVICE constexpr Output serial_merge(IteratorA first_a, std::int64_t m,
                                                 IteratorB first_b, std::int64_t n, Output out,
                                                 Compare comp) {
  auto problem = detail::keys_problem(first_a, first_b, out, comp, {m, n, m + n});
  detail::serial_merge(problem, {0, m, 0, n});
  return out + (m + n);
}

}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
