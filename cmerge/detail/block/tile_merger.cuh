// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One tile of outputs: each thread merges its share of the tile into registers, then the group
// stages the result in shared memory and stores it. Used by all strategies except basic.
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

/// Whether the keys of a tile travel through registers. This is for small keys of one type whose
/// size divides a granule, so that both inputs can lie in one array. They must be trivially
/// copyable, because a thread reads one key past its last one, where there may be no object.
///
/// Other keys stay in shared or global memory. Only their positions are merged, and each key is
/// converted once, when it is stored.
template <class KeyA, class KeyB>
inline constexpr bool keys_in_registers =
    std::conjunction_v<std::is_same<KeyA, KeyB>, std::is_trivially_copyable<KeyA>,
                       std::is_copy_assignable<KeyA>,
                       std::bool_constant<granule_bytes % sizeof(KeyA) == 0>>;

/// The shared memory that a tile's outputs pass through: keys if they travel through registers, and
/// source numbers if values or keys are moved by them.
template <class Elements,
          bool InRegisters = keys_in_registers<typename Elements::key_a, typename Elements::key_b>>
struct tile_staging {
  static constexpr bool has_keys = InRegisters;
  static constexpr bool has_sources = Elements::has_values || !has_keys;

  /// Bytes for the keys of a tile, at any offset within a granule.
  CMERGE_HOST_DEVICE static constexpr unsigned key_bytes(unsigned tile) {
    return has_keys ? round_up(tile * unsigned{sizeof(typename Elements::key_a)} + granule_bytes)
                    : 0;
  }
  /// Bytes for the source numbers of a tile.
  CMERGE_HOST_DEVICE static constexpr unsigned source_bytes(unsigned tile) {
    return has_sources ? round_up(tile * unsigned{sizeof(std::uint16_t)}) : 0;
  }
};

/// A thread's outputs, in registers: keys if `KeepKeys`, and the source number of each output. In
/// the inputs of the tile, element `i` of a has source number `i`, and element `j` of b has
/// `b_source + j`. The merge steps of serial_merge.h report to this object.
template <int Items, class Key, bool KeepKeys>
struct thread_outputs {
  using key_array = std::conditional_t<KeepKeys, element_array<Key, unsigned{Items}>, no_values>;

  CMERGE_HOST_DEVICE void key(int s, const Key& key) { detail::construct(keys.items + s, key); }
  CMERGE_HOST_DEVICE void source(int s, bool from_b, int index) {
    sources[s] = index + (from_b ? offset_b : offset_a);
  }

  key_array keys;
  int sources[unsigned{Items}];
  int offset_a;  // added to the index that a merge step reports for an element of a
  int offset_b;  // the same for b
};

/// Replaces the value type if values are not loaded into shared memory.
struct unbuffered_values;

/// Whether values of a type are loaded into shared memory with their keys, by a strategy that has
/// room for them. Other values are moved from global to global memory. Too few
/// values above `max_buffered_value` bytes would fit in shared memory.
template <class Value>
inline constexpr bool is_buffered_value =
    sizeof(Value) <= max_buffered_value&& std::is_trivially_copyable_v<Value>;
template <>
inline constexpr bool is_buffered_value<void> = false;
template <>
inline constexpr bool is_buffered_value<unbuffered_values> = false;

/// Whether the values of both inputs have type `Value` and lie in contiguous memory.
template <class Problem, class Value>
inline constexpr bool has_buffered_values =
    is_memory<decltype(Problem::values_a)>&& is_memory<decltype(Problem::values_b)>&&
        std::is_same_v<value_t<decltype(Problem::values_a)>, Value>&&
            std::is_same_v<value_t<decltype(Problem::values_b)>, Value>;

/// The larger of two types.
template <class T1, class T2>
using larger_of = std::conditional_t<(sizeof(T1) > sizeof(T2)), T1, T2>;

/// One tile of a group's outputs: `Items` for each thread, from inputs of at most `Capacity`
/// elements in total. `BulkStores` is passed to `tile_storer`. Without `InRegisters` only positions
/// are merged, and keys can have any type.
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
  /// The source number of b's first element.
  static constexpr unsigned b_source = Capacity;
  using mover = element_mover<Group, b_source>;
  // Source numbers have 16 bits.
  static_assert(2 * Capacity <= 1u << 16, "cmerge: a tile has at most 32768 outputs");

  /// Merges this thread's share of the tile into registers. The `count` outputs of the tile follow
  /// the first `skipped` outputs of the merge of `a` and `b`.
  ///
  /// \returns how many elements of `a` are among all outputs up to this thread's last one. Callers
  ///          need it only from the thread that makes the last output of a whole tile
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
      const KeyA* const keys = memory_at(a, i);
      const auto to_b = static_cast<int>(memory_at(b, j) - keys);
      outputs_.offset_a = static_cast<int>(i);
      outputs_.offset_b = static_cast<int>(b_source + j) - to_b;
      if (a_left > Items && b_left > Items) {
        return i +
               merge_key_steps<Items, false>(keys, 0, a_left, to_b, to_b + b_left, comp, outputs_);
      }
      if (count_ == 0) return i;
      return i + merge_key_steps<Items, true>(keys, 0, a_left, to_b, to_b + b_left, comp, outputs_);
    } else {
      outputs_.offset_a = 0;
      outputs_.offset_b = int{b_source};
      return merge_index_steps<Items>(a, static_cast<int>(i), static_cast<int>(a_count), b,
                                      static_cast<int>(j), static_cast<int>(b_count),
                                      static_cast<int>(count_), comp, outputs_);
    }
  }

  /// Writes the registers to shared memory, where all threads can read them after a barrier. Keys
  /// are written only if they are staged and there is an output of keys.
  template <class Output>
  __device__ void stage(KeyA* keys, std::uint16_t* sources, Output out) const {
    // `store` expects keys that it can copy in granules at the offset of `out` within its granule.
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

  /// Copies this thread's outputs to an array. `a` and `b` are the tile's inputs.
  template <class T, class ViewA, class ViewB>
  __device__ void copy_outputs(T (&to)[unsigned{Items}], ViewA a, ViewB b) const {
#pragma unroll
    for (int s = 0; s < Items; ++s) {
      if (static_cast<unsigned>(s) < count_) {
        const auto source = static_cast<unsigned>(outputs_.sources[s]);
        if (source < b_source) {
          to[s] = a[source];
        } else {
          to[s] = b[source - b_source];
        }
      }
    }
  }

  /// Stores the keys of a staged tile as outputs `[k, k + count)`, with all threads of the group.
  /// `a` and `b` are the tile's inputs.
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

  /// Moves each value of a staged tile once, from wherever the values are. `a` and `b` are the
  /// values of the tile's inputs. The values of a tile come from one range of each, so that reads
  /// of global memory mostly coalesce.
  template <class Problem, class ValuesA, class ValuesB>
  __device__ static void store_values(Problem& problem, std::int64_t k, unsigned count,
                                      const std::uint16_t* sources, ValuesA a, ValuesB b) {
    mover::move(problem.values_out + k, a, b, sources, count);
  }

  /// Waits for stores, so that `keys` may be staged again after the next block barrier.
  __device__ static void wait_stored() {
    if constexpr (staging::has_keys) storer::wait_read();
  }

  /// Waits for stores, so that the block sees all outputs after its next barrier.
  __device__ static void finish() {
    if constexpr (staging::has_keys) storer::wait_written();
  }

 private:
  /// Pointer to element `i` of a view. The keys that a thread merges follow it in memory.
  template <class Key>
  __device__ static const Key* memory_at(const Key* keys, unsigned i) {
    return keys + i;
  }
  template <class Key>
  __device__ static const Key* memory_at(circular_view<Key> keys, unsigned i) {
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
  unsigned begin_;  // index within the tile of this thread's first output
  unsigned count_;  // number of this thread's outputs
};

}  // namespace detail
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
