// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which values a section of the output has, and where the run of each begins: found by a block.
#pragma once

#include <cmerge/detail/block/by_value/key_search.cuh>
#include <cmerge/detail/block/granule.cuh>

#include <cstdint>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

/// How a block's searches are done.
template <int KeyBytes>
struct value_search_shape {
  /// Inputs of that many bytes a thread are scanned: that is one round, a search two or three.
  static constexpr int scan_bytes = 128;
  /// Inputs with that many bytes for each value are scanned, too: a search reads about 600 bytes,
  /// and scattered ones.
  static constexpr int run_bytes = 400;
  static constexpr int lanes = 4;  // threads that search for a run's begin, if there are many
};

/// The shared memory of `value_starts`.
template <class Key>
struct value_starts_storage {
  /// Maximum number of values whose starts can be found.
  static constexpr int room = sizeof(Key) == 1 ? 256 : 2048;

  value_bound ends[2];             // of the section
  place_bounds outer[2][2];        // in both inputs: where the first and the last value start
  int begins[unsigned{room} + 1];  // in the section, of each value; [0] is not used
};

/// The values of outputs `[k0, k1)`, found by a block; all its threads hold the same.
///
/// The run of rank `v` begins at output `F(v)`, the number of smaller keys in both inputs; output
/// `k` is the last `v` with `F(v) <= k`. So no exact co-rank is needed.
///
/// Where the inputs are not sorted, values are unspecified, but everything stays in bounds.
template <int Threads, class Key, bool Descending, class Shape>
class value_starts {
  using order = key_order<Key, Descending>;

 public:
  using shared = value_starts_storage<Key>;
  static constexpr int room = shared::room;

  template <class Problem>
  __device__ value_starts(shared& storage, const Problem& problem, std::int64_t k0, std::int64_t k1)
      : shared_(storage) {
    for (int r = static_cast<int>(threadIdx.x); r <= room; r += Threads) shared_.begins[r] = 0;
    const std::int64_t k_last = min(k1, problem.m + problem.n - 1);
    const std::int64_t width = (k1 - k0) / 32;
    for (unsigned e = threadIdx.x / 32; e < 2; e += Threads / 32) {
      const value_bound found =
          warp_bound_value<order>(problem, e == 0 ? k0 : k_last, e == 1, width);
      if (threadIdx.x % 32 == 0) shared_.ends[e] = found;
    }
    __syncthreads();
    const value_bound begin = shared_.ends[0];
    const value_bound end = shared_.ends[1];
    first_ = begin.rank;
    count_ = max(0, end.rank - begin.rank);
    const auto part = [&](const Key* keys, std::int64_t from, std::int64_t to) {
      const std::int64_t size = min(max(to - from, std::int64_t{0}), k1 - k0 + 2 * width);
      return input_part{keys + from, static_cast<int>(size)};
    };
    a_ = part(problem.keys_a, begin.a, end.a);
    b_ = part(problem.keys_b, begin.b, end.b);
    // What lies beyond the section has no run in it.
    const std::int64_t length = k1 - k0;
    offset_ = static_cast<int>(max(-length, min(begin.a + begin.b - k0, length)));
  }

  /// The rank of the first output, or one below.
  __device__ int first() const { return first_; }
  /// Number of higher ranks that the section may have, too.
  __device__ int count() const { return count_; }

  /// Finds where the runs of ranks `first() + 1 .. first() + count()` begin: `begins[1..count()]`,
  /// in the section, or a little before or behind it; they are there after a block barrier.
  __device__ void find_begins() const {
    constexpr int few = Threads / 64;  // a warp for each value and input
    const std::int64_t bytes = (std::int64_t{a_.size} + b_.size) * int{sizeof(Key)};
    if (bytes <= Threads * Shape::scan_bytes || bytes <= 2 * Shape::run_bytes * count_) {
      scan();
    } else if (count_ <= few) {
      search<32>([&](const input_part& in, int, int) { return target{{0, in.size}, {0, 0}}; });
    } else {
      find_outer();
      __syncthreads();
      search<Shape::lanes>([&](const input_part&, int input, int r) { return inner(input, r); });
    }
  }

 private:
  /// The part of an input where runs may begin; also at its end.
  struct input_part {
    const Key* keys;
    int size;
  };
  struct target {
    place_bounds bounds;
    place_guess guess;
  };

  __device__ input_part part_of(int input) const { return input == 0 ? a_ : b_; }

  /// Counts `place` keys, of one input, as those before the runs of ranks above `from` up to `to`.
  __device__ void mark(int from, int to, int place) const {
#pragma unroll 1
    for (int r = max(from - first_, 0) + 1; r <= min(to - first_, count_); ++r) {
      atomicAdd(&shared_.begins[r], place);
    }
  }

  __device__ int rank_before(const input_part& in, int place) const {
    const int rank = order::rank(read_key(in.keys + max(place - 1, 0)));
    return place > 0 ? rank : first_;
  }

  /// Reads all keys of both inputs, and looks where they change. All that a thread reads in a
  /// round is under way at the same time.
  __device__ void scan() const {
    constexpr int batch = 4;  // granules
    constexpr int items = granule_items<Key>;
    constexpr int edges = (64 + Threads - 1) / Threads;
    const granule_cut cut_a = granule_cut::of(a_.keys, static_cast<unsigned>(a_.size));
    const granule_cut cut_b = granule_cut::of(b_.keys, static_cast<unsigned>(b_.size));
    const int thread = static_cast<int>(threadIdx.x);

    // Keys beside whole granules: a warp for each input.
    int edge_place[edges];
    int edge_before[edges];
    int edge_rank[edges];
#pragma unroll
    for (int i = 0; i < edges; ++i) {
      const int t = thread + i * Threads;
      const bool is_a = t < 32;
      const input_part in = is_a ? a_ : b_;
      const auto head = static_cast<int>(is_a ? cut_a.head : cut_b.head);
      const auto body = static_cast<int>(is_a ? cut_a.body : cut_b.body);
      const int place = t % 32 < head ? t % 32 : t % 32 + body;
      const bool is_edge = t < 64 && place < in.size;
      edge_place[i] = place + (is_a ? offset_ : 0);
      edge_before[i] = edge_rank[i] = first_;
      if (is_edge) {
        edge_before[i] = rank_before(in, place);
        edge_rank[i] = order::rank(read_key(in.keys + place));
      }
    }

    const int granules_a = static_cast<int>(cut_a.body) / items;
    const int granules = granules_a + static_cast<int>(cut_b.body) / items;
    const auto head_a = static_cast<int>(cut_a.head);
    const int head_b = static_cast<int>(cut_b.head) - granules_a * items;
    for (int base = thread; base < granules; base += batch * Threads) {
      uint4 keys[batch];
      int before[batch];
#pragma unroll
      for (int b = 0; b < batch; ++b) {
        const int granule = min(base + b * Threads, granules - 1);
        const bool is_a = granule < granules_a;
        const input_part in = is_a ? a_ : b_;
        const int place = granule * items + (is_a ? head_a : head_b);
        keys[b] = __ldg(reinterpret_cast<const uint4*>(in.keys + place));
        before[b] = rank_before(in, place);
      }
#pragma unroll
      for (int b = 0; b < batch; ++b) {
        const int granule = base + b * Threads;
        const int place = granule * items + (granule < granules_a ? head_a + offset_ : head_b);
        if (granule < granules) mark_granule(keys[b], before[b], place);
      }
    }
#pragma unroll
    for (int i = 0; i < edges; ++i) mark(edge_before[i], edge_rank[i], edge_place[i]);
    mark_rest(a_, offset_);
    mark_rest(b_, 0);
  }

  /// All runs above the last key begin at the end, if they do.
  __device__ void mark_rest(const input_part& in, int offset) const {
    const int runs = in.size > 0 ? max(rank_before(in, in.size) - first_, 0) : 0;
    for (int r = runs + 1 + static_cast<int>(threadIdx.x); r <= count_; r += Threads) {
      atomicAdd(&shared_.begins[r], offset + in.size);
    }
  }

  __device__ void mark_granule(const uint4& keys, int before, int place) const {
    constexpr int bits = 8 * sizeof(Key);
    const unsigned words[4] = {keys.x, keys.y, keys.z, keys.w};
#pragma unroll
    for (int w = 0; w < 4; ++w) {
      if (words[w] == order::word(before)) continue;
#pragma unroll 1
      for (int e = 0; e < 32 / bits; ++e) {
        const unsigned key = words[w] >> (e * bits) & (~0u >> (32 - bits));
        const int rank = order::rank(static_cast<Key>(key));
        mark(before, rank, place + w * (32 / bits) + e);
        before = rank;
      }
    }
  }

  /// Finds where the first and the last of many runs begin, to within a small part of a run.
  __device__ void find_outer() const {
    for (int s = static_cast<int>(threadIdx.x) / 32; s < 4; s += Threads / 32) {
      const input_part in = part_of(s % 2);
      const bool is_last = s >= 2;
      const float run = __fdividef(static_cast<float>(in.size), static_cast<float>(count_));
      const float reach = 0.75f * run + 8;
      const place_guess guess{is_last ? static_cast<float>(in.size) - reach : reach, reach};
      const place_bounds found =
          group_lower_bound<order, 32, 1>(in.keys, first_ + (is_last ? count_ : 1), {0, in.size},
                                          guess, max(16, static_cast<int>(run / 8)));
      if (threadIdx.x % 32 == 0) shared_.outer[s % 2][is_last ? 1 : 0] = found;
    }
  }

  /// Where run `r` is to be searched: near the straight line from the first to the last one. If
  /// values are drawn alike, it is at most three standard deviations away.
  __device__ target inner(int input, int r) const {
    const place_bounds first = shared_.outer[input][0];
    const place_bounds last = shared_.outer[input][1];
    const float x = __fdividef(static_cast<float>(r - 1), static_cast<float>(count_ - 1));
    const float keys = max(0.0f, last.middle() - first.middle());
    const float variance = max(1.0f, keys * x * (1 - x));
    const float reach = 3 * variance * rsqrtf(variance) +
                        0.5f * static_cast<float>(max(first.range(), last.range()));
    const place_bounds between{first.low, max(first.low, last.high)};
    return {r == 1 ? first : r == count_ ? last : between, {first.middle() + keys * x, reach + 4}};
  }

  /// Searches for all runs' begins in both inputs, each with `Lanes` threads.
  template <int Lanes, class Target>
  __device__ void search(Target target_of) const {
    constexpr int groups = Threads / Lanes;
    for (int base = 0; base < 2 * count_; base += groups) {
      const int index = base + static_cast<int>(threadIdx.x) / Lanes;
      const int s = min(index, 2 * count_ - 1);
      const input_part in = part_of(s % 2);
      const int r = s / 2 + 1;
      const target to = target_of(in, s % 2, r);
      const int place =
          group_lower_bound<order, Lanes, 4>(in.keys, first_ + r, to.bounds, to.guess, 0).low;
      if (index < 2 * count_ && threadIdx.x % Lanes == 0) {
        atomicAdd(&shared_.begins[r], place + (s % 2 == 0 ? offset_ : 0));
      }
    }
  }

  shared& shared_;
  input_part a_;
  input_part b_;
  int offset_;  // the output in the section that the first places of both parts stand for
  int first_;
  int count_;
};

}  // namespace detail
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
