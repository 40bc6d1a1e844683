// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One thread's merge: of whole ranges, and of a few outputs that stay in registers.
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

/// `Items` steps of a merge of keys in one buffer: `keys[i..a_end)` and `keys[j..b_end)`.
///
/// Branch-free, with the next key of either side in a register. Each step `s` is a constant after
/// unrolling, so that `sink` can keep its results in registers: `sink.key(s, key)`, and
/// `sink.source(s, second, index)` with the key's place in the buffer.
///
/// Without `Bounded`, each side must have more than `Items` keys. With it, one element behind
/// either side must be readable, and `keys[i + Items]` too, but neither is ever compared; steps
/// behind the last key are without meaning. So keys are trivially copyable: what is read ahead may
/// be no key. They lie at multiples of their size, if that is a power of two. Returns `i` as it is
/// after the last step.
CMERGE_EXEC_CHECK_DISABLE
template <int Items, bool Bounded, class Key, class Compare, class Sink>
CMERGE_HOST_DEVICE constexpr int merge_key_steps(const Key* keys, int i, int a_end, int j,
                                                 int b_end, Compare& comp, Sink& sink) {
  static_assert(std::is_trivially_copyable_v<Key>, "cmerge: keys must be trivially copyable");
  using held = register_key<Key>;
  held a_held = held::load(keys + i);
  held b_held = held::load(keys + j);
  const int sum = i + j;  // one counter is enough: after step s, i + j is sum + s
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
  for (int s = 0; s < Items; ++s) {
    i = sum + s - j;
    auto&& a_key = a_held.get();
    auto&& b_key = b_held.get();
    const bool second = Bounded ? j < b_end && (i >= a_end || takes_b(a_key, b_key, comp))
                                : takes_b(a_key, b_key, comp);
    sink.source(s, second, second ? j : i);
    held taken = second ? b_held : a_held;
    sink.key(s, taken.get());
    if (second) ++j;
    const held next = held::load(keys + (second ? j : sum + s + 1 - j));
    a_held = second ? a_held : next;
    b_held = second ? next : b_held;
  }
  i = sum + Items - j;
  return i;
}

/// `count` steps, at most `Items`, of a merge of `a[i..a_end)` and `b[j..b_end)`, whose keys are
/// compared where they are: `sink.source(s, second, index)` says which one comes next. Returns `i`
/// as it is after the last step.
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
      const bool second = j < b_end && (i >= a_end || takes_b(a[i], b[j], comp));
      sink.source(s, second, second ? j : i);
      i += !second;
      j += second;
    }
  }
  return i;
}

}  // namespace detail

/// Merges two sorted ranges into one, in the calling thread, host or device.
///
/// - Preconditions: both inputs are sorted by the strict weak order `comp`; `m` and `n` are not
///   negative; the output does not overlap the inputs.
/// - Stability: stable; of equal elements those of the first input come first.
/// - Complexity: at most `m + n - 1` comparisons; each element is read and written once; no
///   storage.
///
/// \param first_a  random access to the `m` elements of the first input
/// \param m       number of elements in the first input
/// \param first_b  random access to the `n` elements of the second input
/// \param n       number of elements in the second input
/// \param out     random-access output for `m + n` elements
/// \param comp    strict weak order
/// \returns `out + m + n`
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
