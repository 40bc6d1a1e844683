// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tuning of a kernel after it is made to fit the shared memory of each architecture. Runs on
// the host.
#include "oracle.h"

#include <cmerge/detail/core/arguments.h>
#include <cmerge/block_merge.cuh>
#include <cmerge/detail/device/merge_kernel.cuh>

#include <iterator>
#include <utility>
#include <vector>

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

/// More shared memory than any device has.
struct huge_tuning {
  static constexpr tuning get(cmerge::tuning_query) { return {strategy::circular, 1024, 32, 2}; }
};
struct tiled_tuning {
  static constexpr tuning get(cmerge::tuning_query) { return {strategy::tiled, 512, 11}; }
};

/// A problem with keys and values (or void) in memory.
template <class Key, class Value, class Compare = less>
struct problem_of {
  using type = cmerge::detail::merge_problem<Key*, Key*, Key*, Value*, Value*, Value*, Compare>;
  static constexpr int value_bytes = sizeof(Value);
};
template <class Key, class Compare>
struct problem_of<Key, void, Compare> {
  using type =
      cmerge::detail::merge_problem<Key*, Key*, Key*, no_values, no_values, no_values, Compare>;
  static constexpr int value_bytes = 0;
};

/// The properties of a kernel's type as values. So the checks below are compiled once for all
/// kernels: doctest checks take long to compile.
struct kernel {
  int key_bytes;
  int value_bytes;
  problem_size size;
  tuning (*get)(int arch);
  unsigned (*storage_bytes)(tuning);
};
template <class Tuning, problem_size Size, class Key, class Value, class Compare = less>
kernel make_kernel() {
  using problem = problem_of<Key, Value, Compare>;
  using config = cmerge::detail::kernel_tuning<Tuning, Size, typename problem::type>;
  return {sizeof(Key), problem::value_bytes, Size, config::get, config::storage_bytes};
}
using kernels = std::vector<kernel>;

void check_fits(const kernel& k) {
  for (const int arch : {0, 75, 80, 86, 87, 89, 90, 100, 103, 120, 121, 999}) {
    const tuning t = k.get(arch);
    CAPTURE(arch);
    CAPTURE(k.key_bytes);
    CAPTURE(k.value_bytes);
    CHECK(k.storage_bytes(t) <= static_cast<unsigned>(cmerge::max_shared_bytes(arch)));
    CHECK(t.threads % 32 == 0);
    CHECK(t.threads >= 32);
    CHECK(t.items >= 1);
    if (t.how != strategy::by_value) CHECK(t.tile() <= 32768);
  }
}

/// The default tuning for moderate and large problems with and without values, and two tunings that
/// are the same for every problem size. Only 2-byte integers have kernels of huge problems.
template <class Key>
void add_tunings(kernels& all) {
  using cmerge::default_tuning;
  all.push_back(make_kernel<default_tuning, problem_size::moderate, Key, void>());
  all.push_back(make_kernel<default_tuning, problem_size::large, Key, void>());
  all.push_back(make_kernel<default_tuning, problem_size::moderate, Key, bytes<8>>());
  all.push_back(make_kernel<default_tuning, problem_size::large, Key, bytes<8>>());
  all.push_back(make_kernel<huge_tuning, problem_size::large, Key, void>());
  all.push_back(make_kernel<tiled_tuning, problem_size::large, Key, bytes<1024>>());
}

template <int... Bytes>
kernels all_tunings(std::integer_sequence<int, Bytes...>) {
  kernels all;
  (add_tunings<bytes<Bytes>>(all), ...);
  return all;
}

TEST_CASE("fits every tuning into the shared memory of every architecture") {
  for (const kernel& k : all_tunings(
           std::integer_sequence<int, 1, 2, 3, 4, 5, 7, 8, 12, 15, 16, 17, 20, 24, 31, 32, 33, 48,
                                 64, 95, 96, 100, 127, 128, 129, 200, 256, 257, 384, 511, 512, 700,
                                 756, 757, 1000, 1024, 1500, 2048, 3000, 4095, 4096>{})) {
    check_fits(k);
  }
}

TEST_CASE("fits the tunings of strategy::by_value") {
  using cmerge::default_tuning;
  using order = cmerge::detail::less;
  for (const kernel& k :
       {make_kernel<default_tuning, problem_size::large, signed char, void, order>(),
        make_kernel<default_tuning, problem_size::large, signed char, int, order>(),
        make_kernel<default_tuning, problem_size::huge, short, void, order>()}) {
    CHECK(k.get(90).how == strategy::by_value);
    check_fits(k);
  }
}

/// Checks that a kernel is launched with the tile that the table has for it.
void check_unchanged(const kernel& k) {
  for (const int arch : {80, 86, 89, 90, 100, 120}) {
    const tuning expected =
        cmerge::default_tuning::get({arch, k.key_bytes, k.value_bytes, k.size, true});
    const tuning t = k.get(arch);
    CAPTURE(arch);
    CAPTURE(k.key_bytes);
    CAPTURE(k.value_bytes);
    CHECK(t.how == strategy::single);
    CHECK(t.threads == expected.threads);
    CHECK(t.items == expected.items);
  }
}

template <std::size_t... I>
kernels table_kernels(std::index_sequence<I...>) {
  using cmerge::detail::tuning_table;
  kernels all;
  const auto add = [&](auto index) {
    constexpr cmerge::detail::tuned_tiles tiles = tuning_table[decltype(index)::value];
    using key = bytes<tiles.key_bytes>;
    using value = std::conditional_t<tiles.value_bytes == 0, void,
                                     bytes<tiles.value_bytes == 0 ? 1 : tiles.value_bytes>>;
    all.push_back(make_kernel<cmerge::default_tuning, problem_size::moderate, key, value>());
    all.push_back(make_kernel<cmerge::default_tuning, problem_size::large, key, value>());
  };
  (add(std::integral_constant<std::size_t, I>{}), ...);
  return all;
}

TEST_CASE("launches the tiles of the table unchanged") {
  for (const kernel& k :
       table_kernels(std::make_index_sequence<std::size(cmerge::detail::tuning_table)>{})) {
    check_unchanged(k);
  }
}

struct not_trivial {
  ~not_trivial() {}
  int key;
};

TEST_CASE("merges types that cannot be in shared memory indirectly") {
  using problem = cmerge::detail::merge_problem<not_trivial*, not_trivial*, not_trivial*, no_values,
                                                no_values, no_values, less>;
  CHECK(cmerge::detail::kernel_tuning<tiled_tuning, problem_size::large, problem>::get(90).how ==
        strategy::indirect);
  using large = cmerge::detail::merge_problem<bytes<100000>*, bytes<100000>*, bytes<100000>*,
                                              no_values, no_values, no_values, less>;
  CHECK(cmerge::detail::kernel_tuning<tiled_tuning, problem_size::large, large>::get(90).how ==
        strategy::indirect);
}

TEST_CASE("needs the shared memory of the textbook case") {
  // Tiles of 1,024 int keys: 8,192 bytes for A and B, plus room for alignment and staging.
  using elements = cmerge::detail::merge_elements<int, int, void>;
  const auto bytes = [](tuning t) { return cmerge::detail::storage_bytes<elements, false>(t); };
  const tuning t{strategy::circular, 128, 8, 1};
  CHECK(bytes(t) >= 8192 + 4096);
  CHECK(bytes(t) <= 8192 + 4096 + 256);
  CHECK(bytes({strategy::tiled, 128, 8}) <= 8192 + 4096 + 256);
  // Both inputs can start anywhere in a line of 128 bytes; the barrier takes 8 bytes.
  CHECK(bytes({strategy::single, 128, 8}) == 4096 + 2 * 128 + 8);
  // Subwarps copy element by element, at any granule.
  using of_lane = cmerge::warp_merge<int, 4, void, 1>;
  static_assert(sizeof(typename of_lane::TempStorage) == 64);
  // In the kernel, the bounds of either end can be 120 + 1024 / 16 elements apart.
  const tuning single{strategy::single, 128, 8};
  CHECK(cmerge::detail::storage_bytes<elements, true>(single) == 4096 + 2 * 184 * 4 + 2 * 128 + 8);
  CHECK(bytes({strategy::indirect, 128, 8}) == 2048);
  CHECK(bytes({strategy::basic, 128, 8}) == 0);
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

TEST_CASE("needs the shared memory that the documentation of block_merge names") {
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
  // The default strategy fits in static shared memory.
  static_assert(sizeof(cmerge::block_merge<long long, 256, 15>::TempStorage) == 30992);
  static_assert(sizeof(cmerge::block_merge<int, 128, 14>::TempStorage) == 7440);
  static_assert(sizeof(cmerge::block_merge<int, 1024, 11>::TempStorage) == 45328);
}

}  // namespace gpu_test
