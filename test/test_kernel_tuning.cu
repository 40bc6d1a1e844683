// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tuning that kernels really have, made to fit the shared memory of each architecture. Runs on
// the host.
#include "oracle.h"

#include <cmerge/block_merge.cuh>
#include <cmerge/detail/device/merge_kernel.cuh>

namespace gpu_test {

using cmerge::problem_size;
using cmerge::strategy;
using cmerge::tuning;
using cmerge::detail::no_values;

template <int Bytes>
struct bytes {
  unsigned char content[Bytes];
};

struct less {
  template <class T>
  __host__ __device__ bool operator()(const T&, const T&) const {
    return false;
  }
};

/// Larger than any device has.
struct huge_tuning {
  static constexpr tuning get(cmerge::tuning_query) { return {strategy::circular, 1024, 32, 2}; }
};
struct tiled_tuning {
  static constexpr tuning get(cmerge::tuning_query) { return {strategy::tiled, 512, 11}; }
};

template <class Tuning, class Key, class Value>
void check_fits() {
  using problem = std::conditional_t<
      std::is_void_v<Value>,
      cmerge::detail::merge_problem<Key*, Key*, Key*, no_values, no_values, no_values, less>,
      cmerge::detail::merge_problem<Key*, Key*, Key*, Value*, Value*, Value*, less>>;
  for (const int arch : {0, 75, 80, 86, 87, 89, 90, 100, 103, 120, 121, 999}) {
    const auto check = [&](auto size) {
      using config = cmerge::detail::kernel_tuning<Tuning, decltype(size)::value, problem>;
      const tuning t = config::get(arch);
      CAPTURE(arch);
      CAPTURE(sizeof(Key));
      CHECK(config::storage_bytes(t) <= static_cast<unsigned>(cmerge::max_shared_bytes(arch)));
      CHECK(t.threads % 32 == 0);
      CHECK(t.threads >= 32);
      CHECK(t.items >= 1);
      CHECK(t.tile() <= 32768);
    };
    check(std::integral_constant<problem_size, problem_size::moderate>{});
    check(std::integral_constant<problem_size, problem_size::large>{});
    check(std::integral_constant<problem_size, problem_size::huge>{});
  }
}

template <class Key>
void check_tunings() {
  check_fits<cmerge::default_tuning, Key, void>();
  check_fits<cmerge::default_tuning, Key, bytes<8>>();
  check_fits<huge_tuning, Key, void>();
  check_fits<tiled_tuning, Key, bytes<1024>>();
}

template <int... Bytes>
void check_sizes(std::integer_sequence<int, Bytes...>) {
  (check_tunings<bytes<Bytes>>(), ...);
}

TEST_CASE("every tuning fits the shared memory of every architecture") {
  check_sizes(
      std::integer_sequence<int, 1, 2, 3, 4, 5, 7, 8, 12, 15, 16, 17, 20, 24, 31, 32, 33, 48, 64,
                            95, 96, 100, 127, 128, 129, 200, 256, 257, 384, 511, 512, 700, 756, 757,
                            1000, 1024, 1500, 2048, 3000, 4095, 4096>{});
}

/// Checks that one entry of the table, `Key` and `Value` (or void), is launched as it is there.
template <class Key, class Value>
void check_unchanged() {
  using problem = std::conditional_t<
      std::is_void_v<Value>,
      cmerge::detail::merge_problem<Key*, Key*, Key*, no_values, no_values, no_values, less>,
      cmerge::detail::merge_problem<Key*, Key*, Key*, Value*, Value*, Value*, less>>;
  int value_bytes = 0;
  if constexpr (!std::is_void_v<Value>) value_bytes = sizeof(Value);
  for (const int arch : {80, 86, 89, 90, 100, 120}) {
    const auto check = [&](auto size) {
      using config =
          cmerge::detail::kernel_tuning<cmerge::default_tuning, decltype(size)::value, problem>;
      const tuning meant = cmerge::default_tuning::get(
          {arch, int{sizeof(Key)}, value_bytes, decltype(size)::value, true});
      const tuning t = config::get(arch);
      CAPTURE(arch);
      CAPTURE(sizeof(Key));
      CAPTURE(value_bytes);
      CHECK(t.how == strategy::single);
      CHECK(t.threads == meant.threads);
      CHECK(t.items == meant.items);
    };
    check(std::integral_constant<problem_size, problem_size::moderate>{});
    check(std::integral_constant<problem_size, problem_size::large>{});
    check(std::integral_constant<problem_size, problem_size::huge>{});
  }
}

template <std::size_t... I>
void check_table(std::index_sequence<I...>) {
  using cmerge::detail::tuning_table;
  const auto check = [](auto index) {
    constexpr cmerge::detail::tuned_tiles tiles = tuning_table[decltype(index)::value];
    if constexpr (tiles.value_bytes == 0) {
      check_unchanged<bytes<tiles.key_bytes>, void>();
    } else {
      check_unchanged<bytes<tiles.key_bytes>, bytes<tiles.value_bytes>>();
    }
  };
  (check(std::integral_constant<std::size_t, I>{}), ...);
}

TEST_CASE("the table's tiles fit as they are") {
  check_table(std::make_index_sequence<std::size(cmerge::detail::tuning_table)>{});
}

/// What a type cannot do in shared memory is not asked of it.
struct not_trivial {
  ~not_trivial() {}
  int key;
};

TEST_CASE("types that shared memory cannot hold stay where they are") {
  using problem = cmerge::detail::merge_problem<not_trivial*, not_trivial*, not_trivial*, no_values,
                                                no_values, no_values, less>;
  CHECK(cmerge::detail::kernel_tuning<tiled_tuning, problem_size::large, problem>::get(90).how ==
        strategy::indirect);
  using large = cmerge::detail::merge_problem<bytes<100000>*, bytes<100000>*, bytes<100000>*,
                                              no_values, no_values, no_values, less>;
  CHECK(cmerge::detail::kernel_tuning<tiled_tuning, problem_size::large, large>::get(90).how ==
        strategy::indirect);
}

TEST_CASE("shared memory of the textbook case") {
  // Tiles of 1,024 int keys: 8,192 bytes for A and B, apart from room for alignment and staging.
  using merge = cmerge::block_merge<int, 128, 8, void, strategy::circular, 1>;
  const tuning t{strategy::circular, 128, 8, 1};
  CHECK(merge::storage_bytes(t) >= 8192 + 4096);
  CHECK(merge::storage_bytes(t) <= 8192 + 4096 + 256);
  CHECK(merge::storage_bytes({strategy::tiled, 128, 8}) <= 8192 + 4096 + 256);
  // Two inputs can begin anywhere in a line of 128 bytes; 8 bytes count what has arrived.
  CHECK(merge::storage_bytes({strategy::single, 128, 8}) == 4096 + 2 * 128 + 8);
  // Parts of a warp copy by hand, at any granule.
  using of_lane = cmerge::warp_merge<int, 4, void, 1>;
  static_assert(sizeof(typename of_lane::TempStorage) == 64);
  // In the kernel, both ends may be known to within 120 + 1024 / 16 elements only.
  using in_kernel =
      cmerge::detail::group_merge<cmerge::detail::block_group<128>, int, 8, void, strategy::single,
                                  1, int, cmerge::detail::merge_caller::kernel>;
  CHECK(in_kernel::storage_bytes({strategy::single, 128, 8}) == 4096 + 2 * 184 * 4 + 2 * 128 + 8);
  CHECK(merge::storage_bytes({strategy::indirect, 128, 8}) == 2048);
  CHECK(merge::storage_bytes({strategy::basic, 128, 8}) == 0);
}

template <strategy How, int Stages = 2>
void check_storage(std::size_t ints, std::size_t longs, std::size_t pairs) {
  CAPTURE(static_cast<int>(How));
  using cmerge::block_merge;
  CHECK(sizeof(typename block_merge<int, 128, 7, void, How, Stages>::DynamicTempStorage) == ints);
  CHECK(sizeof(typename block_merge<long long, 256, 15, void, How, Stages>::DynamicTempStorage) ==
        longs);
  CHECK(sizeof(typename block_merge<int, 128, 7, int, How, Stages>::DynamicTempStorage) == pairs);
}

TEST_CASE("shared memory of block_merge is what its documentation says") {
  check_storage<strategy::single>(3856, 30992, 9488);
  check_storage<strategy::tiled>(10816, 92224, 12608);
  check_storage<strategy::circular>(18048, 125248, 19840);
  check_storage<strategy::circular, 1>(10880, 92480, 12672);
  check_storage<strategy::indirect>(1792, 7680, 1792);
  check_storage<strategy::basic>(16, 16, 16);
  // With large values `single` needs more than `circular`; `merge_to_blocked` uses it.
  using cmerge::block_merge;
  CHECK(sizeof(block_merge<int, 128, 7, bytes<64>, strategy::circular>::DynamicTempStorage) ==
        sizeof(block_merge<int, 128, 7, bytes<64>, strategy::single>::DynamicTempStorage));
  // By default, what fits in static shared memory.
  static_assert(sizeof(cmerge::block_merge<long long, 256, 15>::TempStorage) == 30992);
  static_assert(sizeof(cmerge::block_merge<int, 128, 14>::TempStorage) == 7440);
  static_assert(sizeof(cmerge::block_merge<int, 1024, 11>::TempStorage) == 45328);
}

}  // namespace gpu_test
