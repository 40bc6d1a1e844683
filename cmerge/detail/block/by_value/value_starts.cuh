// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds which values a section of the output has, and where each starts, with all threads of a
// block. Used by merge_keys.cuh.
#pragma once

#include <cmerge/detail/block/by_value/key_search.cuh>
#include <cmerge/detail/block/granule.cuh>

#include <cstdint>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

/// How a block finds where values start: by reading all keys or by searching.
template <int KeyBytes>
struct value_search_shape {
  /// Inputs of at most this many bytes per thread are read completely. That is two rounds of loads,
  /// and searches take two or three rounds.
  static constexpr int scan_bytes = 128;
  /// Inputs with at most this many bytes per value, on average, are read completely too. A search
  /// reads about 600 bytes, 64 for each scattered probe. The limit is lower than that, because a
  /// scan also examines every key.
  static constexpr int bytes_per_value = 400;
  /// Threads per search if there are many values, each with four probes per round. So a round has
  /// 16 probes. More threads would read more memory, which is the cost of these searches.
  static constexpr int lanes = 4;
};

/// The shared memory of `value_starts`.
template <class Key>
struct value_starts_storage {
  /// Maximum number of values, besides the first, whose starts can be found. 1-byte keys have at
  /// most 255; for 2-byte keys `starts` takes 8 KiB.
  static constexpr int max_values = sizeof(Key) == 1 ? 256 : 2048;

  value_bound ends[2];                   // of the section
  position_bounds outer[2][2];           // starts of the first and the last value, by input
  int starts[unsigned{max_values} + 1];  // where each value starts in the section; [0] is not used
};

/// The values of outputs `[k0, k1)`, found by a block. All its threads hold equal objects.
///
/// The value of rank `v` starts at output `F(v)`, the number of smaller keys in both inputs. Output
/// `k` has the largest `v` with `F(v) <= k`. So no exact co-rank is needed.
///
/// If the inputs are not sorted, the values are unspecified, but every access stays in bounds.
template <int Threads, class Key, bool Descending, class Shape>
class value_starts {
  using order = key_order<Key, Descending>;

 public:
  using shared = value_starts_storage<Key>;
  static constexpr int max_values = shared::max_values;

  /// Bounds the values of the section. All threads of the block call it.
  template <class Problem>
  __device__ value_starts(shared& storage, const Problem& problem, std::int64_t k0, std::int64_t k1)
      : shared_(storage) {
    for (int v = static_cast<int>(threadIdx.x); v <= max_values; v += Threads)
      shared_.starts[v] = 0;
    const std::int64_t k_last = min(k1, problem.m + problem.n - 1);
    // Bounds this close extend the part of each input by little.
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
    // If both parts begin beyond the section, no value starts in it. Then any offset of at least
    // `length` will do, and this one fits in an int.
    const std::int64_t length = k1 - k0;
    offset_ = static_cast<int>(max(-length, min(begin.a + begin.b - k0, length)));
  }

  /// The rank of the section's first output, or a lower rank.
  __device__ int first() const { return first_; }
  /// Number of higher ranks that the section can have.
  __device__ int count() const { return count_; }

  /// Finds where the values of ranks `first() + 1` to `first() + count()` start, and stores it in
  /// `starts[1..count()]`. These are positions in the section, or slightly outside. They can be
  /// read after a block barrier. Precondition: `0 < count() <= max_values`.
  __device__ void find_starts() const {
    constexpr int few = Threads / 64;  // up to here, each value has a warp per input
    const std::int64_t bytes = (std::int64_t{a_.size} + b_.size) * int{sizeof(Key)};
    if (bytes <= Threads * Shape::scan_bytes || bytes <= 2 * Shape::bytes_per_value * count_) {
      scan();
    } else if (count_ <= few) {
      search<32>([&](const input_part& in, int, int) { return target{{0, in.size}, {0, 0}}; });
    } else {
      find_outer();
      __syncthreads();
      search<Shape::lanes>([&](const input_part&, int input, int v) { return inner(input, v); });
    }
  }

 private:
  /// The part of an input in which values may start. They may also start at its end.
  struct input_part {
    const Key* keys;
    int size;
  };
  /// The target of a search: a start within bounds, probably near a guess.
  struct target {
    position_bounds bounds;
    position_guess guess;
  };

  /// The part of input 0, a, or input 1, b.
  __device__ input_part part_of(int input) const { return input == 0 ? a_ : b_; }

  /// Records that in one input the values of ranks `from + 1` to `to` start at `position`.
  __device__ void mark(int from, int to, int position) const {
#pragma unroll 1
    for (int v = max(from - first_, 0) + 1; v <= min(to - first_, count_); ++v) {
      atomicAdd(&shared_.starts[v], position);
    }
  }

  /// The rank of the key before `position`, or `first()` at position 0.
  __device__ int rank_before(const input_part& in, int position) const {
    const int rank = order::rank(read_key(in.keys + max(position - 1, 0)));
    return position > 0 ? rank : first_;
  }

  /// Reads all keys of both inputs and finds where they change. A thread has all loads of a round
  /// in flight at the same time.
  __device__ void scan() const {
    constexpr int batch = 4;  // granules per thread and round: 16 registers
    constexpr int items = granule_items<Key>;
    constexpr int edges = (64 + Threads - 1) / Threads;  // for the 64 threads of two warps
    const granule_cut cut_a = granule_cut::of(a_.keys, static_cast<unsigned>(a_.size));
    const granule_cut cut_b = granule_cut::of(b_.keys, static_cast<unsigned>(b_.size));
    const int thread = static_cast<int>(threadIdx.x);

    // Keys before and after the whole granules: one warp for each input.
    int edge_position[edges];
    int edge_before[edges];
    int edge_rank[edges];
#pragma unroll
    for (int i = 0; i < edges; ++i) {
      const int t = thread + i * Threads;
      const bool is_a = t < 32;
      const input_part in = is_a ? a_ : b_;
      const auto head = static_cast<int>(is_a ? cut_a.head : cut_b.head);
      const auto body = static_cast<int>(is_a ? cut_a.body : cut_b.body);
      const int position = t % 32 < head ? t % 32 : t % 32 + body;
      const bool is_edge = t < 64 && position < in.size;
      edge_position[i] = position + (is_a ? offset_ : 0);
      edge_before[i] = edge_rank[i] = first_;
      if (is_edge) {
        edge_before[i] = rank_before(in, position);
        edge_rank[i] = order::rank(read_key(in.keys + position));
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
        const int position = granule * items + (is_a ? head_a : head_b);
        keys[b] = __ldg(reinterpret_cast<const uint4*>(in.keys + position));
        before[b] = rank_before(in, position);
      }
#pragma unroll
      for (int b = 0; b < batch; ++b) {
        const int granule = base + b * Threads;
        const int position = granule * items + (granule < granules_a ? head_a + offset_ : head_b);
        if (granule < granules) mark_granule(keys[b], before[b], position);
      }
    }
#pragma unroll
    for (int i = 0; i < edges; ++i) mark(edge_before[i], edge_rank[i], edge_position[i]);
    mark_rest(a_, offset_);
    mark_rest(b_, 0);
  }

  /// Records that in one input all values above that of its last key start at its end.
  __device__ void mark_rest(const input_part& in, int offset) const {
    const int last = in.size > 0 ? max(rank_before(in, in.size) - first_, 0) : 0;
    for (int v = last + 1 + static_cast<int>(threadIdx.x); v <= count_; v += Threads) {
      atomicAdd(&shared_.starts[v], offset + in.size);
    }
  }

  /// Records the starts of values in a granule at `position`, which follows a key of rank `before`.
  __device__ void mark_granule(const uint4& keys, int before, int position) const {
    constexpr int bits = 8 * sizeof(Key);
    const unsigned words[4] = {keys.x, keys.y, keys.z, keys.w};
#pragma unroll
    for (int w = 0; w < 4; ++w) {
      if (words[w] == order::word(before)) continue;
#pragma unroll 1
      for (int e = 0; e < 32 / bits; ++e) {
        const unsigned key = words[w] >> (e * bits) & (~0u >> (32 - bits));
        const int rank = order::rank(static_cast<Key>(key));
        mark(before, rank, position + w * (32 / bits) + e);
        before = rank;
      }
    }
  }

  /// Finds where the first and the last of many values start: to within 16 keys, or an eighth of
  /// the mean distance of two starts if that is more.
  ///
  /// The first value starts within about one mean distance from the beginning of an input part, and
  /// the last as close to its end. The guess covers 1.5 distances, and 16 keys more for short ones.
  /// `reach` is half of that.
  __device__ void find_outer() const {
    for (int s = static_cast<int>(threadIdx.x) / 32; s < 4; s += Threads / 32) {
      const input_part in = part_of(s % 2);
      const bool is_last = s >= 2;
      const float distance = __fdividef(static_cast<float>(in.size), static_cast<float>(count_));
      const float reach = 0.75f * distance + 8;
      const position_guess guess{is_last ? static_cast<float>(in.size) - reach : reach, reach};
      const position_bounds found =
          group_lower_bound<order, 32, 1>(in.keys, first_ + (is_last ? count_ : 1), {0, in.size},
                                          guess, max(16, static_cast<int>(distance / 8)));
      if (threadIdx.x % 32 == 0) shared_.outer[s % 2][is_last ? 1 : 0] = found;
    }
  }

  /// Where to search for the start of value `v` in an input. Starts lie near a straight line from
  /// the first to the last one: at most three standard deviations away, if keys are uniformly
  /// distributed. Four more keys are added, which costs nothing: up to a reach of 24, the first
  /// round leaves at most 16 candidates, and a second round probes them all.
  __device__ target inner(int input, int v) const {
    const position_bounds first = shared_.outer[input][0];
    const position_bounds last = shared_.outer[input][1];
    const float x = __fdividef(static_cast<float>(v - 1), static_cast<float>(count_ - 1));
    const float keys = max(0.0f, last.middle() - first.middle());
    const float variance = max(1.0f, keys * x * (1 - x));
    const float reach = 3 * variance * rsqrtf(variance) +
                        0.5f * static_cast<float>(max(first.range(), last.range()));
    const position_bounds between{first.low, max(first.low, last.high)};
    return {v == 1 ? first : v == count_ ? last : between, {first.middle() + keys * x, reach + 4}};
  }

  /// Finds where all values start in both inputs, with `Lanes` threads per value and input.
  template <int Lanes, class Target>
  __device__ void search(Target target_of) const {
    constexpr int groups = Threads / Lanes;
    for (int base = 0; base < 2 * count_; base += groups) {
      const int index = base + static_cast<int>(threadIdx.x) / Lanes;
      const int s = min(index, 2 * count_ - 1);
      const input_part in = part_of(s % 2);
      const int v = s / 2 + 1;
      const target to = target_of(in, s % 2, v);
      const int position =
          group_lower_bound<order, Lanes, 4>(in.keys, first_ + v, to.bounds, to.guess, 0).low;
      if (index < 2 * count_ && threadIdx.x % Lanes == 0) {
        atomicAdd(&shared_.starts[v], position + (s % 2 == 0 ? offset_ : 0));
      }
    }
  }

  shared& shared_;
  input_part a_;
  input_part b_;
  int offset_;  // number of the section's outputs before both parts; negative if these begin
                // earlier
  int first_;
  int count_;
};

}  // namespace detail
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
