// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The single strategy: a section of at most one tile, whose inputs fit in one buffer.
#pragma once

#include <cmerge/detail/core/merge_window.h>
#include <cmerge/detail/block/strategy/single_layout.cuh>

#include <cstdint>
#include <type_traits>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

/// Merges a section of at most one tile, at three barriers; at two if keys are not staged.
///
/// Both inputs share one buffer, since together they have hardly more elements than the output. The
/// output keys are staged over them. Small values have another such buffer, from which they go
/// directly to the output. With `has_slack` the ends of the section need to be known as bounds
/// only: the buffers have room for the elements between the bounds of either end, and each thread
/// finds its share in shared memory.
template <class Config>
class single_merge {
  using group = typename Config::group;
  using key_a = typename Config::key_a;
  using key_b = typename Config::key_b;
  using value = typename Config::value;
  using elements = typename Config::elements;
  using layout = single_layout<elements, Config::has_slack>;
  using staging = tile_staging<elements>;
  static constexpr unsigned tile = Config::tile;
  static constexpr unsigned phase_bytes = layout::phase_bytes(group::size);
  using merger =
      tile_merger<Config, false, tile + 2 * single_slack<elements, Config::has_slack>(tile)>;

 public:
  static constexpr bool makes_one_tile = true;

  template <class Problem>
  using loader = layout_loader<Config, layout, Problem>;

  /// Merges one tile. Preconditions: `part.count <= tile`, and `inputs` has no more than
  /// `2 * single_slack` elements more.
  ///
  /// \param part_ahead  says which inputs, of another tile, to prefetch once the loads are under
  /// way
  template <class Problem, class PartAhead>
  __device__ static void run(loader<Problem>& loader, unsigned char* storage, Problem& problem,
                             const merge_window& part, const PartAhead& part_ahead) {
    constexpr layout at(Config::own_tuning);
    const auto inputs = load(loader, storage, problem, part.inputs, part_ahead);
    merger outputs;
    merge(outputs, inputs, problem, part);
    if constexpr (staging::has_keys) group::sync();  // all have read what is written over now
    const std::int64_t k = part.out_begin();
    const auto count = static_cast<unsigned>(part.count);
    key_a* const keys = reinterpret_cast<key_a*>(storage);
    auto* const sources = reinterpret_cast<std::uint16_t*>(storage + at.sources);
    outputs.stage(keys, sources, problem.keys_out + k);
    group::sync();
    merger::store_keys(problem, k, count, keys, sources, shared_array<key_a>{inputs.a},
                       shared_array<key_b>{inputs.b});
    if constexpr (Config::has_values) {
      merger::store_values(problem, k, count, sources, inputs.values.first, inputs.values.second);
    }
  }

  /// Merges one tile, as `run`, to registers: `Items` keys a thread, one thread's behind another's,
  /// and as many values. What lies behind the last output stays as it is.
  template <class Problem, class Key, class ThreadValue>
  __device__ static void run_to_blocked(loader<Problem>& loader, unsigned char* storage,
                                        Problem& problem, const merge_window& part,
                                        Key (&keys)[unsigned{Config::items}],
                                        ThreadValue (&values)[unsigned{Config::items}]) {
    const auto inputs = load(loader, storage, problem, part.inputs, no_part_ahead{});
    merger outputs;
    merge(outputs, inputs, problem, part);
    outputs.copy_outputs(keys, inputs.a, inputs.b);
    if constexpr (Config::has_values) {
      outputs.copy_outputs(values, inputs.values.first, inputs.values.second);
    }
  }

 private:
  /// Elements of other iterators that a thread holds at a time while it loads: all, or half of
  /// them.
  static constexpr int max_held = Config::items > 16 ? Config::items / 2 + 2 : Config::items + 2;

  /// The first place in a buffer, `offset` bytes or more behind its begin, that is as far into a
  /// line as `in` is, if that is moved by granules; with `AsBytes` wherever it begins, else only if
  /// there are whole elements before it in its granule. For others, the next granule.
  template <class T, bool AsBytes, class Iterator>
  __device__ static T* place(unsigned char* buffer, unsigned offset, Iterator in) {
    if constexpr (is_memory<Iterator> && (AsBytes || is_granular<Iterator>)) {
      if (AsBytes || is_granule_aligned(in)) {
        // A range without elements can begin anywhere; its place is aligned all the same.
        const auto from = reinterpret_cast<std::uintptr_t>(in) / alignof(T) * alignof(T);
        const auto to = static_cast<unsigned>(__cvta_generic_to_shared(buffer)) + offset;
        // An offset, not a pointer that is made from a number: the compiler would not know that one
        // to lead to shared memory, and its loads from there would be slower.
        return reinterpret_cast<T*>(buffer + offset +
                                    (static_cast<unsigned>(from) - to) % phase_bytes);
      }
    }
    return reinterpret_cast<T*>(buffer + round_up(offset));
  }

  /// How far behind the begin of a buffer a range in it ends.
  template <class T>
  __device__ static unsigned end_of(const unsigned char* buffer, const T* first, unsigned count) {
    return static_cast<unsigned>(reinterpret_cast<const unsigned char*>(first + count) - buffer);
  }

  /// Loads a range to its place. With `AsBytes` elements of any size are moved by granules, as
  /// bytes, which can cut elements.
  template <int Input, bool AsBytes, class Loader, class T, class Iterator>
  __device__ static void load_range(Loader& loader, T* to, Iterator from, unsigned count) {
    if constexpr (AsBytes && is_memory<Iterator>) {
      const auto* const bytes = reinterpret_cast<const unsigned char*>(from);
      if (Loader::can_copy(bytes)) {
        loader.template load<Input>(reinterpret_cast<unsigned char*>(to), {}, bytes,
                                    count * unsigned{sizeof(T)});
        return;
      }
    }
    loader.template load<Input>(to, {}, from, count);
  }

  /// What a tile is merged from: keys in shared memory, and where their values begin.
  template <class Values>
  struct tile_inputs {
    key_a* a;
    unsigned a_count;
    key_b* b;
    unsigned b_count;
    Values values;
  };

  /// Whether values are loaded with their keys.
  template <class Problem>
  CMERGE_HOST_DEVICE static constexpr bool loads_values() {
    if constexpr (is_buffered_value<value>) {
      return has_buffered_values<Problem, value>;
    } else {
      return false;
    }
  }

  /// Prefetches what `load` would load of the part that `part_ahead` says.
  template <class Problem, class PartAhead>
  __device__ static void prefetch(const Problem& problem, const PartAhead& part_ahead) {
    // The last warp, since the first ones load. A lane for each range.
    if (group::rank() / 32 != (group::size - 1) / 32) return;
    const merge_range inputs = part_ahead();
    const std::int64_t a_count = inputs.a_end - inputs.a_begin;
    const std::int64_t b_count = inputs.b_end - inputs.b_begin;
    switch (group::rank() % 32) {
      case 0:
        return prefetch_granules(problem.keys_a + inputs.a_begin, a_count);
      case 1:
        return prefetch_granules(problem.keys_b + inputs.b_begin, b_count);
      case 2:
        if constexpr (loads_values<Problem>()) {
          prefetch_granules(problem.values_a + inputs.a_begin, a_count);
        }
        return;
      case 3:
        if constexpr (loads_values<Problem>()) {
          prefetch_granules(problem.values_b + inputs.b_begin, b_count);
        }
        return;
    }
  }

  /// Loads keys, and values if they are small, and prefetches meanwhile what `part_ahead` says.
  template <class Loader, class Problem, class PartAhead>
  __device__ static auto load(Loader& loader, unsigned char* storage, Problem& problem,
                              const merge_range& inputs, const PartAhead& part_ahead) {
    constexpr layout at(Config::own_tuning);
    const auto a_count = static_cast<unsigned>(inputs.a_end - inputs.a_begin);
    const auto b_count = static_cast<unsigned>(inputs.b_end - inputs.b_begin);
    const auto keys_a = problem.keys_a + inputs.a_begin;
    const auto keys_b = problem.keys_b + inputs.b_begin;
    // Keys in registers: both inputs are one array, with whole elements between them.
    constexpr bool as_bytes = !staging::has_keys;
    key_a* const a = place<key_a, as_bytes>(storage, 0, keys_a);
    key_b* const b = place<key_b, as_bytes>(storage, end_of(storage, a, a_count), keys_b);
    using in_a = std::decay_t<decltype(keys_a)>;
    using in_b = std::decay_t<decltype(keys_b)>;
    if constexpr (staging::has_keys && !is_granular<in_a> && std::is_same_v<in_a, in_b>) {
      loader.template load_both<max_held>(a, keys_a, a_count, b, keys_b, b_count);
    } else {
      load_range<0, as_bytes>(loader, a, keys_a, a_count);
      load_range<1, as_bytes>(loader, b, keys_b, b_count);
    }
    const auto values = load_values(loader, storage + at.values, problem, inputs);
    loader.commit();
    if constexpr (!std::is_same_v<PartAhead, no_part_ahead>) prefetch(problem, part_ahead);
    loader.settle();
    group::sync();
    loader.wait();
    return tile_inputs<std::decay_t<decltype(values)>>{a, a_count, b, b_count, values};
  }

  /// Merges each thread's share into registers.
  template <class Inputs, class Problem>
  __device__ static void merge(merger& outputs, const Inputs& in, Problem& problem,
                               const merge_window& part) {
    outputs.merge(in.a, in.a_count, in.b, in.b_count, part.skipped,
                  static_cast<unsigned>(part.count), problem.comp);
  }

  /// Where the values of both inputs begin.
  template <class ViewA, class ViewB>
  struct value_views {
    ViewA first;
    ViewB second;
  };

  /// Loads the values if they are small; others stay where they are.
  template <class Loader, class Problem>
  __device__ static auto load_values(Loader& loader, unsigned char* buffer, Problem& problem,
                                     const merge_range& inputs) {
    if constexpr (!Config::has_values) {
      return no_values{};
    } else {
      const auto in_a = problem.values_a + inputs.a_begin;
      const auto in_b = problem.values_b + inputs.b_begin;
      if constexpr (loads_values<Problem>()) {
        const auto count_a = static_cast<unsigned>(inputs.a_end - inputs.a_begin);
        const auto count_b = static_cast<unsigned>(inputs.b_end - inputs.b_begin);
        value* const first = place<value, true>(buffer, 0, in_a);
        value* const second = place<value, true>(buffer, end_of(buffer, first, count_a), in_b);
        const value_views<shared_array<value>, shared_array<value>> views{{first}, {second}};
        load_range<0, true>(loader, views.first.data, in_a, count_a);
        load_range<1, true>(loader, views.second.data, in_b, count_b);
        return views;
      } else {
        return value_views<std::decay_t<decltype(in_a)>, std::decay_t<decltype(in_b)>>{in_a, in_b};
      }
    }
  }
};

}  // namespace detail
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
