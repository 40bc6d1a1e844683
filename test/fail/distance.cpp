// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Iterators with distances of more than 64 bits.
// error: cmerge: last - first of both inputs must have a type of at most 64 bits
// mistakes: 4
#include <cmerge/cmerge.h>

#include "pointer_of.h"

#include <cstdint>

#if defined(CMERGE_FAIL)
using iterator = pointer_of<int&, __int128>;
#else
using iterator = pointer_of<int&, short>;
#endif

int main() {
  int numbers[] = {1, 3, 2, 4};
  int out[4];
  int values_out[4];
  std::uint32_t words[4];
  const iterator a{numbers};
  const iterator b{numbers + 2};
#if !defined(CMERGE_FAIL) || CMERGE_FAIL == 1
  cmerge::merge(thrust::seq, a, a + 2, b, b + 2, out);
#endif
#if !defined(CMERGE_FAIL) || CMERGE_FAIL == 2
  cmerge::merge_n(thrust::seq, a, a + 2, b, b + 2, 2, out);
#endif
#if !defined(CMERGE_FAIL) || CMERGE_FAIL == 3
  cmerge::merge_by_key(thrust::seq, a, a + 2, b, b + 2, numbers, numbers, out, values_out);
#endif
#if !defined(CMERGE_FAIL) || CMERGE_FAIL == 4
  cmerge::merge_indices(thrust::seq, a, a + 2, b, b + 2, words);
#endif
}
