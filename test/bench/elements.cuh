// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The benchmarks of keys of any size: random keys, about half a GiB of each size, equal halves.
#pragma once

#include "merge.cuh"

#include <string>

namespace bench {

template <int Bytes>
void add_element() {
  static const std::string type = "e" + std::to_string(Bytes);
  int log2_size = 28;
  while ((std::size_t{Bytes} << log2_size) > std::size_t{1} << 29) --log2_size;
  add_workload<merge_case<element<Bytes>, void, first_word_less>, forced::none>(
      {type.c_str(), log2_size, distributions[0], splits[0]});
}

/// \returns true, so that a static initialiser can call this
template <int... Bytes>
bool add_elements() {
  (add_element<Bytes>(), ...);
  return true;
}

}  // namespace bench
