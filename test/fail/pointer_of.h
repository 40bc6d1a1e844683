// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pointer to integers as an iterator. The test chooses its reference and difference types.
#pragma once

#include <cstddef>
#include <iterator>

template <class Reference, class Difference = std::ptrdiff_t>
struct pointer_of {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = int;
  using difference_type = Difference;
  using pointer = int*;
  using reference = Reference;

  int* place;

  Reference operator*() const { return static_cast<Reference>(*place); }
  Reference operator[](Difference i) const { return static_cast<Reference>(place[i]); }
  pointer_of operator+(Difference i) const { return {place + i}; }
  pointer_of& operator+=(Difference i) { return place += i, *this; }
  Difference operator-(pointer_of other) const { return place - other.place; }
};
