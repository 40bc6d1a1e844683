// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Families of random merges with values, for test_fuzz_gpu.
#include "fuzz.cuh"

namespace fuzz {

std::vector<entry> families_of_pairs() {
  using cmerge::default_tuning;
  using cmerge::strategy;
  using oracle::record;
  using oracle::tagged;
  constexpr unsigned all_calls = thrust_calls | cub_calls;
  return {
      make_entry<family<pointers<int>, pointers<unsigned>, default_tuning, by_default,
                        all_calls | only(device_sizes)>>("int, 4 bytes, default"),
      make_entry<family<pointers<signed char>, pointers<record<16>>, default_tuning, by_greater,
                        all_calls>>("char, 16 bytes, default, greater"),
      make_entry<family<pointers<signed char>, pointers<unsigned>,
                        fixed<strategy::by_value, 64, 32>, by_default, thrust_calls>>(
          "char, 4 bytes, by_value"),
      make_entry<family<pointers<unsigned char>, pointers<record<16>>,
                        fixed<strategy::by_value, 128, 16>, by_greater, thrust_calls>>(
          "unsigned char, 16 bytes, by_value, greater"),
      make_entry<family<device_pointers<long long>, pointers<record<40>>, default_tuning,
                        by_default, all_calls>>("long long behind device_ptr, 40 bytes, default"),
      make_entry<family<pointers<record<20>>, pointers<record<16>>, fixed<strategy::single, 32, 3>,
                        by_state, thrust_calls>>("20 bytes, 16 bytes, single, state"),
      make_entry<family<pointers<int>, pointers<record<40>>, fixed<strategy::basic, 64, 3>,
                        by_default, thrust_calls>>("int, 40 bytes, basic"),
      make_entry<family<pointers<short>, pointers<unsigned>, fixed<strategy::circular, 32, 3, 1>,
                        by_greater, thrust_calls>>("short, 4 bytes, circular, 1 stage, greater"),
      make_entry<family<pointers<float>, pointers<record<16>>, fixed<strategy::circular, 64, 5, 2>,
                        by_default, thrust_calls>>("float, 16 bytes, circular, 2 stages"),
      make_entry<family<pointers<double>, pointers<unsigned>, fixed<strategy::tiled, 32, 5>,
                        by_default, thrust_calls>>("double, 4 bytes, tiled"),
      make_entry<family<pointers<tagged>, pointers<record<16>>, fixed<strategy::indirect, 32, 2>,
                        by_state, thrust_calls>>("8 bytes, 16 bytes, indirect, state"),
      make_entry<
          family<pointers<packed>, pointers<unsigned>, default_tuning, by_member, all_calls>>(
          "9 bytes, 4 bytes, default, member"),
      make_entry<family<pointers<int>, zipped, default_tuning, by_default, all_calls>>(
          "int, zipped values, default"),
      make_entry<
          family<computed, counted, default_tuning, by_default, all_calls | only(device_sizes)>>(
          "counting and transform, default"),
      make_entry<
          family<computed, counted, fixed<strategy::circular, 64, 3, 1>, by_default, thrust_calls>>(
          "counting and transform, circular"),
      make_entry<family<reversed<tagged>, permuted<record<16>>, fixed<strategy::single, 32, 1>,
                        by_member, thrust_calls>>("reverse, permutation of values, single"),
  };
}

}  // namespace fuzz
