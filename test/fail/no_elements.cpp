// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Iterators without elements: pointers to void, or no member types for std::iterator_traits.
// error: need elements: *
// mistakes: 7
#include <cmerge/cmerge.h>

#include "pointer_of.h"

#include <cstdint>

/// An iterator without the member types that std::iterator_traits needs.
struct plain_iterator {
  int* pointer;
  int& operator*() const { return *pointer; }
  int& operator[](std::ptrdiff_t i) const { return pointer[i]; }
  plain_iterator operator+(std::ptrdiff_t i) const { return {pointer + i}; }
  std::ptrdiff_t operator-(plain_iterator other) const { return pointer - other.pointer; }
};

#if !defined(CMERGE_FAIL)
using iterator = pointer_of<int&>;
#elif CMERGE_FAIL == 6
using iterator = plain_iterator;
#else
using iterator = pointer_of<void>;
#endif

int main() {
  int numbers[] = {1, 3, 2, 4};
  int out[4];
  int values_out[4];
  std::uint32_t words[4];
  const iterator a{numbers};
  const iterator b{numbers + 2};
#if !defined(CMERGE_FAIL) || CMERGE_FAIL == 1 || CMERGE_FAIL == 6
  cmerge::merge(thrust::seq, a, a + 2, b, b + 2, out);
#endif
#if !defined(CMERGE_FAIL) || CMERGE_FAIL == 7
  cmerge::merge(a, a + 2, b, b + 2, out);
#endif
#if !defined(CMERGE_FAIL) || CMERGE_FAIL == 2
  cmerge::merge_n(thrust::seq, a, a + 2, b, b + 2, 2, out);
#endif
#if !defined(CMERGE_FAIL) || CMERGE_FAIL == 3
  cmerge::merge_by_key(thrust::seq, a, a + 2, b, b + 2, numbers, numbers, out, values_out);
#endif
#if !defined(CMERGE_FAIL) || CMERGE_FAIL == 4
  cmerge::merge_by_key(thrust::seq, numbers, numbers + 2, numbers + 2, numbers + 4, a, b, out,
                       values_out);
#endif
#if !defined(CMERGE_FAIL) || CMERGE_FAIL == 5
  cmerge::merge_indices(thrust::seq, a, a + 2, b, b + 2, words);
#endif
}
