// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The oracle for GPU tests: fixed tunings, many merges checked at once, and a check of large
// outputs that runs on the device.
#pragma once

#include "device_memory.cuh"

#include <cmerge/tuned.h>

#include <stdexcept>

namespace oracle {

// ---- tunings ----------------------------------------------------------------------------------

/// The same tuning for every problem. A call instantiates a merge kernel for each problem size, so
/// each fixed tuning is compiled at least twice.
template <cmerge::strategy How, int Threads, int Items, int Stages = 2>
struct fixed {
  static constexpr cmerge::tuning get(cmerge::tuning_query) {
    return {How, Threads, Items, Stages};
  }
  static constexpr int tile = Threads * Items;
};

/// Different tunings for moderate, large and huge problems. A kernel does not depend on the problem
/// size apart from its tuning, so several tunings are tested at the cost of one.
template <class Moderate, class Large, class Huge = Large>
struct by_size : Moderate {
  static constexpr cmerge::tuning get(cmerge::tuning_query query) {
    using cmerge::problem_size;
    return query.size == problem_size::moderate ? Moderate::get(query)
           : query.size == problem_size::large  ? Large::get(query)
                                                : Huge::get(query);
  }
};

/// For kernels that are compiled but not launched: the tuning that compiles fastest. Only a launch
/// asks for a tuning at run time, and fails.
struct unused : fixed<cmerge::strategy::basic, 32, 1> {
  static constexpr cmerge::tuning get(cmerge::tuning_query query) {
    if (!__builtin_is_constant_evaluated()) {
      throw std::logic_error("a problem of this size has no tuning in this test");
    }
    return fixed<cmerge::strategy::basic, 32, 1>::get(query);
  }
};

/// For test cases that launch moderate problems only.
template <cmerge::strategy How, int Threads, int Items, int Stages = 2>
using fixed_moderate = by_size<fixed<How, Threads, Items, Stages>, unused>;
using moderate_default = by_size<cmerge::default_tuning, unused>;

// ---- many small merges ------------------------------------------------------------------------

/// One merge of subranges of two pools. A subrange of a sorted sequence is sorted.
struct merge_case {
  std::size_t a_begin;
  std::size_t m;
  std::size_t b_begin;
  std::size_t n;
};

/// All given shapes, or the first two in a quick run: tools slow down each launch.
template <std::size_t N>
std::vector<shape> some_of(const shape (&shapes)[N]) {
  return {std::begin(shapes), quick() && N > 2 ? std::begin(shapes) + 2 : std::end(shapes)};
}

/// All sizes from 0 to `most` for both inputs, at pool offsets of every alignment.
inline std::vector<merge_case> all_sizes(std::size_t most, std::size_t pool) {
  std::vector<merge_case> cases;
  const std::size_t stride = quick() ? 61 : 1;
  std::size_t count = 0;
  for (std::size_t m = 0; m <= most; ++m) {
    for (std::size_t n = 0; n <= most; ++n, ++count) {
      if (count % stride != 0) continue;
      cases.push_back({count * 7 % (pool - most), m, count * 13 % (pool - most), n});
    }
  }
  return cases;
}

/// Totals around one, two, five and nine tiles, split evenly and unevenly.
inline std::vector<merge_case> tile_sizes(std::size_t tile, std::size_t pool) {
  std::vector<merge_case> cases;
  std::size_t count = 0;
  for (const std::size_t total :
       {tile - 1, tile, tile + 1, 2 * tile - 1, 2 * tile, 2 * tile + 1, 5 * tile + 3, 9 * tile}) {
    for (const std::size_t m :
         {std::size_t{0}, std::size_t{1}, total / 10, total / 2, total - 1, total}) {
      if (m > pool || total - m > pool || (quick() && count++ % 5 != 0)) continue;
      ++count;
      cases.push_back(
          {count * 7 % (pool - m + 1), m, count * 13 % (pool - (total - m) + 1), total - m});
    }
  }
  return cases;
}

/// Runs all cases and compares each output with std::merge.
///
/// `call(a, a_end, b, b_end, out, c)` starts one merge on the device and returns the end of the
/// output.
template <class Key, class Compare, class Call>
void check_cases(const inputs<Key>& pool, const std::vector<merge_case>& cases, Compare comp,
                 Call call) {
  constexpr std::size_t gap = 3;  // elements; odd, so that outputs start at every alignment
  std::size_t total = gap;
  for (const merge_case& c : cases) total += c.m + c.n + gap;
  const device_input<Key> a(pool.a);
  const device_input<Key> b(pool.b);
  const device_output<Key> out(total);
  Key* next = out.begin() + gap;
  for (const merge_case& c : cases) {
    const Key* const first1 = a.begin() + c.a_begin;
    const Key* const first2 = b.begin() + c.b_begin;
    Key* const end = call(first1, first1 + c.m, first2, first2 + c.n, next, c);
    if (end != next + c.m + c.n) FAIL("wrong return value for m ", c.m, ", n ", c.n);
    next = end + gap;
  }
  const std::vector<Key> result = out.download();
  const auto* bytes = reinterpret_cast<const unsigned char*>(result.data());
  std::size_t at = 0;
  for (const merge_case& c : cases) {
    REQUIRE(is_guard(bytes + at * sizeof(Key), bytes + (at + gap) * sizeof(Key)));
    at += gap;
    const auto first1 = pool.a.begin() + static_cast<std::ptrdiff_t>(c.a_begin);
    const auto first2 = pool.b.begin() + static_cast<std::ptrdiff_t>(c.b_begin);
    std::vector<Key> expected;
    expected.reserve(c.m + c.n);
    std::merge(first1, first1 + static_cast<std::ptrdiff_t>(c.m), first2,
               first2 + static_cast<std::ptrdiff_t>(c.n), std::back_inserter(expected), comp);
    const std::size_t difference = first_difference(result.data() + at, expected);
    if (difference != c.m + c.n) {
      FAIL("seed ", seed(), ": m ", c.m, ", n ", c.n, ", input 1 from ", c.a_begin,
           ", input 2 from ", c.b_begin, ": output ", difference, " is wrong");
    }
    at += c.m + c.n;
  }
  REQUIRE(is_guard(bytes + at * sizeof(Key), bytes + result.size() * sizeof(Key)));
}

/// A comparator that reports elements from outside a case.
inline checked_by_key checked(const merge_case& c, const device_errors& errors) {
  const auto u = [](std::size_t v) { return static_cast<unsigned>(v); };
  return {u(c.a_begin), u(c.a_begin + c.m), u(c.b_begin), u(c.b_begin + c.n), errors.get()};
}

// ---- large outputs ----------------------------------------------------------------------------

/// Sets `errors` unless `out` is the stable merge of tagged keys. No two elements agree in key,
/// input and index. So an output is a permutation if all its elements are input elements and it is
/// strictly increasing in these three.
template <class Key>
__global__ void check_merged_kernel(const Key* a, std::size_t m, const Key* b, std::size_t n,
                                    const Key* out, unsigned* errors) {
  const std::size_t k = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k >= m + n) return;
  const Key x = out[k];
  const unsigned index = x.tag & ~second_input;
  const bool second = (x.tag & second_input) != 0;
  if (index >= (second ? n : m) || (second ? b : a)[index].key != x.key) {
    *errors = 1;
    return;
  }
  if (k + 1 == m + n) return;
  const Key y = out[k + 1];
  if (!(x.key < y.key || (x.key == y.key && x.tag < y.tag))) *errors = 2;
}

/// Whether `out` is the stable merge of the tagged keys `a` and `b`, all in device memory.
template <class Key>
bool is_merged(const Key* a, std::size_t m, const Key* b, std::size_t n, const Key* out) {
  const device_errors errors;
  if (m + n > 0) {
    check_merged_kernel<<<static_cast<unsigned>((m + n + 255) / 256), 256>>>(a, m, b, n, out,
                                                                             errors.get());
  }
  check_cuda(cudaGetLastError(), "launch");
  return errors.count() == 0;
}

/// Fills `out` with sorted tagged keys. With `spread` 2 they interleave with some jitter; otherwise
/// each key occurs `spread` times.
template <class Key>
__global__ void fill_sorted_kernel(Key* out, std::size_t size, bool second, unsigned spread) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= size) return;
  const auto index = static_cast<unsigned>(i);
  const unsigned noise = (index ^ (second ? 0x5bd1e995u : 0u)) * 2654435761u >> 16;
  const unsigned key = spread == 2 ? index + noise % 2 : index / spread * spread;
  out[i] =
      make_record<int{sizeof(Key)}>(static_cast<int>(key), second ? index | second_input : index);
}

/// Fills device memory with sorted tagged keys: well mixed (`spread` 2) or in blocks of equal keys.
inline void fill_sorted(const device_input<tagged>& out, bool second, unsigned spread) {
  fill_sorted_kernel<<<static_cast<unsigned>((out.size() + 255) / 256), 256>>>(
      out.data(), out.size(), second, spread);
  check_cuda(cudaGetLastError(), "launch");
}

}  // namespace oracle
