// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One tile, from shared memory to the output: each thread merges its share into registers, the
// block stages and stores it. Common to all strategies that use tiles.
#pragma once

#include <cmerge/circular_view.h>
#include <cmerge/serial_merge.h>
#include <cmerge/detail/block/element_mover.cuh>
#include <cmerge/detail/block/merge_config.cuh>
#include <cmerge/detail/block/tile_loader.cuh>
#include <cmerge/detail/block/tile_storer.cuh>

#include <cstdint>
#include <type_traits>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

/// Whether the tile's keys travel through registers: small keys of one type, of which any number
/// fit between two granule borders, so that both inputs lie in one array. They must be trivially
/// copyable, because a thread reads past its last key, where there may be none. Other keys stay in
/// shared memory: only their positions are merged, and each key is converted once, when stored.
template <class KeyA, class KeyB>
inline constexpr bool keys_in_registers =
    std::conjunction_v<std::is_same<KeyA, KeyB>, std::is_trivially_copyable<KeyA>,
                       std::is_copy_assignable<KeyA>,
                       std::bool_constant<granule_bytes % sizeof(KeyA) == 0>>;

/// The shared memory that a tile's outputs pass through; keys do if they travel through registers.
template <class Elements,
          bool InRegisters = keys_in_registers<typename Elements::key_a, typename Elements::key_b>>
struct tile_staging {
  static constexpr bool has_keys = InRegisters;
  static constexpr bool has_sources = Elements::has_values || !has_keys;

  /// Bytes for the keys of a tile, wherever in a granule its output begins.
  CMERGE_HOST_DEVICE static constexpr unsigned key_bytes(unsigned tile) {
    return has_keys ? round_up(tile * unsigned{sizeof(typename Elements::key_a)} + granule_bytes)
                    : 0;
  }
  CMERGE_HOST_DEVICE static constexpr unsigned source_bytes(unsigned tile) {
    return has_sources ? round_up(tile * unsigned{sizeof(std::uint16_t)}) : 0;
  }
};

/// A thread's outputs: keys in registers, and for each output where it came from: `i` for element
/// `i` of the tile's first input, `second + j` for element `j` of the second.
template <int Items, class Key, bool KeepKeys>
struct thread_outputs {
  using key_array = std::conditional_t<KeepKeys, element_array<Key, unsigned{Items}>, no_values>;

  CMERGE_HOST_DEVICE void key(int s, const Key& key) { detail::construct(keys.items + s, key); }
  CMERGE_HOST_DEVICE void source(int s, bool second, int place) {
    sources[s] = place + (second ? offset_b : offset_a);
  }

  key_array keys;
  int sources[unsigned{Items}];
  int offset_a;  // from places, as the merge steps count them, to sources
  int offset_b;
};

/// Stands for the type of values that are not loaded into shared memory.
struct unbuffered_values;

/// Whether values of a type are loaded into shared memory with their keys, by a strategy that has
/// room for them. Others are moved from global to global memory: of large ones, too few would fit.
template <class Value>
inline constexpr bool is_buffered_value =
    sizeof(Value) <= max_buffered_value&& std::is_trivially_copyable_v<Value>;
template <>
inline constexpr bool is_buffered_value<void> = false;
template <>
inline constexpr bool is_buffered_value<unbuffered_values> = false;

/// Whether both inputs' values are of that type, and behind pointers.
template <class Problem, class Value>
inline constexpr bool has_buffered_values =
    is_memory<decltype(Problem::values_a)>&& is_memory<decltype(Problem::values_b)>&&
        std::is_same_v<value_t<decltype(Problem::values_a)>, Value>&&
            std::is_same_v<value_t<decltype(Problem::values_b)>, Value>;

/// The larger of two types.
template <class T1, class T2>
using larger_of = std::conditional_t<(sizeof(T1) > sizeof(T2)), T1, T2>;

/// One tile of a group's outputs, `Items` for each thread, from inputs of at most `Capacity`
/// elements together. `BulkStores` is that of `tile_storer`. Without `InRegisters` only positions
/// are merged, and keys can be of any type.
template <class Config, bool BulkStores, unsigned Capacity = Config::tile,
          bool InRegisters = keys_in_registers<typename Config::key_a, typename Config::key_b>>
class tile_merger {
  using Group = typename Config::group;
  using KeyA = typename Config::key_a;
  using KeyB = typename Config::key_b;
  static constexpr int Items = Config::items;

 public:
  static constexpr unsigned tile = Config::tile;
  using staging = tile_staging<typename Config::elements, InRegisters>;
  using storer = tile_storer<Group, BulkStores>;
  /// The source, as a number, that is the first element of the second input.
  static constexpr unsigned second = Capacity;
  using mover = element_mover<Group, second>;
  static_assert(2 * Capacity <= 1u << 16, "cmerge: a tile has at most 32768 outputs");

  /// Merges this thread's share of the tile's `count` outputs, which follow `skipped` others of the
  /// merge of `a` and `b`, into registers.
  ///
  /// \returns how many elements of `a` are among the outputs up to this thread's last; only the
  /// thread that makes the last output of a whole tile has use for it
  template <class ViewA, class ViewB, class Compare>
  __device__ unsigned merge(ViewA a, unsigned a_count, ViewB b, unsigned b_count, unsigned skipped,
                            unsigned count, Compare& comp) {
    begin_ = min(Group::rank() * Items, count);
    count_ = min(unsigned{Items}, count - begin_);
    const unsigned k = skipped + begin_;
    const unsigned i =
        co_rank_between(co_rank_low(k, b_count), co_rank_high(k, a_count), k, a, b, comp);
    const unsigned j = k - i;
    const int a_left = static_cast<int>(a_count - i);
    const int b_left = static_cast<int>(b_count - j);
    if constexpr (staging::has_keys) {
      const KeyA* const keys = run(a, i);
      const auto to_b = static_cast<int>(run(b, j) - keys);
      outputs_.offset_a = static_cast<int>(i);
      outputs_.offset_b = static_cast<int>(second + j) - to_b;
      if (a_left > Items && b_left > Items) {
        return i +
               merge_key_steps<Items, false>(keys, 0, a_left, to_b, to_b + b_left, comp, outputs_);
      }
      if (count_ == 0) return i;
      return i + merge_key_steps<Items, true>(keys, 0, a_left, to_b, to_b + b_left, comp, outputs_);
    } else {
      outputs_.offset_a = 0;
      outputs_.offset_b = int{second};
      return merge_index_steps<Items>(a, static_cast<int>(i), static_cast<int>(a_count), b,
                                      static_cast<int>(j), static_cast<int>(b_count),
                                      static_cast<int>(count_), comp, outputs_);
    }
  }

  /// Writes the registers to shared memory, keys as far as they go to `out`; what is staged there
  /// is complete after a barrier.
  template <class Output>
  __device__ void stage(KeyA* keys, std::uint16_t* sources, Output out) const {
    // As `store` finds them: granules matter where the keys go out as they are.
    if constexpr (std::is_same_v<Output, KeyA*>) keys += granule_phase(out);
    keys += begin_;
    sources += begin_;
    if (count_ == Items) {
#pragma unroll
      for (int s = 0; s < Items; ++s) stage_one<Output>(keys, sources, s);
    } else {
#pragma unroll
      for (int s = 0; s < Items; ++s) {
        if (static_cast<unsigned>(s) < count_) stage_one<Output>(keys, sources, s);
      }
    }
    if constexpr (staging::has_keys) storer::publish();
  }

  /// Copies this thread's outputs from the tile's inputs, which begin at `a[0]` and `b[0]`.
  template <class T, class ViewA, class ViewB>
  __device__ void copy_outputs(T (&to)[unsigned{Items}], ViewA a, ViewB b) const {
#pragma unroll
    for (int s = 0; s < Items; ++s) {
      if (static_cast<unsigned>(s) < count_) {
        const auto source = static_cast<unsigned>(outputs_.sources[s]);
        if (source < second) {
          to[s] = a[source];
        } else {
          to[s] = b[source - second];
        }
      }
    }
  }

  /// Stores the keys of a staged tile, by all threads of the group: outputs `[k, k + count)`, from
  /// inputs that begin at `a[0]` and `b[0]`.
  template <class Problem, class ViewA, class ViewB>
  __device__ static void store_keys(Problem& problem, std::int64_t k, unsigned count, KeyA* keys,
                                    const std::uint16_t* sources, ViewA a, ViewB b) {
    if constexpr (!Problem::has_keys_out) {
      return;
    } else if constexpr (staging::has_keys) {
      storer::template store<Problem::in_any_memory>(keys, problem.keys_out + k, count);
    } else {
      mover::move(problem.keys_out + k, a, b, sources, count);
    }
  }

  /// Moves each value of a staged tile once, from wherever the tile's inputs begin: neighbouring
  /// outputs come from at most two runs of neighbouring inputs, so that reads of global memory
  /// coalesce.
  template <class Problem, class ValuesA, class ValuesB>
  __device__ static void store_values(Problem& problem, std::int64_t k, unsigned count,
                                      const std::uint16_t* sources, ValuesA a, ValuesB b) {
    mover::move(problem.values_out + k, a, b, sources, count);
  }

  /// Waits until `keys` may be staged again, after the next block barrier.
  __device__ static void wait_stored() {
    if constexpr (staging::has_keys) storer::wait_read();
  }

  /// Waits until all stored outputs are visible to the block, after its next barrier.
  __device__ static void finish() {
    if constexpr (staging::has_keys) storer::wait_written();
  }

 private:
  template <class Key>
  __device__ static const Key* run(const Key* keys, unsigned i) {
    return keys + i;
  }
  template <class Key>
  __device__ static const Key* run(circular_view<Key> keys, unsigned i) {
    return keys.run(i);
  }

  template <class Output>
  __device__ void stage_one(KeyA* keys, std::uint16_t* sources, int s) const {
    if constexpr (staging::has_keys && !std::is_same_v<Output, no_output>)
      detail::construct(keys + s, outputs_.keys.items[s]);
    if constexpr (staging::has_sources)
      sources[s] = static_cast<std::uint16_t>(outputs_.sources[s]);
  }

  thread_outputs<Items, KeyA, staging::has_keys> outputs_;
  unsigned begin_;  // first output of this thread in the tile
  unsigned count_;  // outputs of this thread
};

}  // namespace detail
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
