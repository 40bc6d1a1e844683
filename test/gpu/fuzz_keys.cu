// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Families of random merges of keys alone, for test_fuzz_gpu.
#include "fuzz.cuh"

namespace fuzz {

std::vector<entry> families_of_keys() {
  using cmerge::default_tuning;
  using cmerge::strategy;
  using oracle::record;
  using oracle::tagged;
  constexpr unsigned all_calls = thrust_calls | cub_calls;
  return {
      make_entry<family<pointers<signed char>, none, default_tuning, by_default,
                        all_calls | only(device_sizes)>>("char, default"),
      make_entry<family<pointers<signed char>, none, fixed<strategy::by_value, 64, 32>, by_greater,
                        thrust_calls>>("char, by_value, greater"),
      make_entry<
          family<device_pointers<unsigned short>, none, default_tuning, by_greater, all_calls>>(
          "unsigned short behind device_ptr, default, greater"),
      make_entry<family<pointers<int>, none, default_tuning, by_default,
                        all_calls | only(device_sizes) | only(indices32)>>("int, default"),
      make_entry<family<pointers<int>, none, fixed<strategy::circular, 128, 7, 2>, by_greater,
                        thrust_calls>>("int, circular, 2 stages, greater"),
      make_entry<family<pointers<float>, none, default_tuning, by_default, all_calls>>(
          "float, default"),
      make_entry<family<device_pointers<double>, none, default_tuning, by_default,
                        all_calls | only(indices64)>>("double behind device_ptr, default"),
      make_entry<family<pointers<long long>, none, fixed<strategy::tiled, 64, 5>, by_default,
                        thrust_calls>>("long long, tiled"),
      make_entry<family<pointers<wide>, none, default_tuning, by_default, all_calls>>(
          "16 aligned bytes, default"),
      make_entry<
          family<pointers<tagged>, none, fixed<strategy::single, 32, 1>, by_state, thrust_calls>>(
          "8 bytes, single, state"),
      make_entry<family<pointers<tagged>, none, fixed<strategy::circular, 32, 3, 1>, by_state,
                        thrust_calls | only(indices32)>>("8 bytes, circular, 1 stage, state"),
      make_entry<family<pointers<record<20>>, none, default_tuning, by_member,
                        all_calls | only(device_sizes)>>("20 bytes, default, member"),
      make_entry<family<pointers<record<96>>, none, default_tuning, by_state, all_calls>>(
          "96 bytes, default, state"),
      make_entry<family<pointers<record<96>>, none, fixed<strategy::indirect, 32, 2>, by_member,
                        thrust_calls | only(indices64)>>("96 bytes, indirect, member"),
      make_entry<
          family<pointers<packed>, none, fixed<strategy::basic, 64, 2>, by_state, thrust_calls>>(
          "9 bytes, basic, state"),
      make_entry<family<reversed<tagged>, none, default_tuning, by_member, all_calls>>(
          "reverse, default, member"),
      make_entry<family<zipped, none, default_tuning, by_first, all_calls>>("zip, default, first"),
      make_entry<
          family<permuted<tagged>, none, default_tuning, by_state, all_calls | only(indices32)>>(
          "permutation, default, state"),
  };
}

}  // namespace fuzz
