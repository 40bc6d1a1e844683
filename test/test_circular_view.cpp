// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// circular_view: every start and capacity, and co_rank through views.
#include "oracle.h"

#include <cmerge/circular_view.h>
#include <cmerge/co_rank.h>

#include <numeric>

namespace {

using cmerge::circular_view;

static_assert(std::is_trivially_copyable_v<circular_view<int>>,
              "views are passed to kernels by value");
static_assert(std::is_same_v<circular_view<const int>::value_type, const int>);

TEST_CASE("element i is slot (start + i) mod capacity") {
  for (unsigned capacity = 1; capacity <= 40; ++capacity) {
    std::vector<unsigned> buffer(capacity);
    std::iota(buffer.begin(), buffer.end(), 0u);
    for (unsigned start = 0; start < capacity; ++start) {
      const circular_view<unsigned> view(buffer.data(), start, capacity);
      for (unsigned i = 0; i < capacity; ++i) REQUIRE(view[i] == (start + i) % capacity);
    }
  }
}

TEST_CASE("elements can be written through a view") {
  int buffer[] = {0, 0, 0};
  const circular_view<int> view(buffer, 2, 3);
  for (unsigned i = 0; i < 3; ++i) view[i] = static_cast<int>(i) + 1;
  CHECK(buffer[2] == 1);
  CHECK(buffer[0] == 2);
  CHECK(buffer[1] == 3);
}

TEST_CASE("co_rank through views equals co_rank on plain sequences") {
  const unsigned m = 9;
  const unsigned n = 7;
  const auto in = oracle::make_inputs(oracle::shape::few, m, n);
  for (unsigned start1 = 0; start1 < m + 2; ++start1) {
    for (unsigned start2 = 0; start2 < n; ++start2) {
      std::vector<oracle::tagged> ring1(m + 2);
      std::vector<oracle::tagged> ring2(n);
      for (unsigned i = 0; i < m; ++i) ring1[(start1 + i) % (m + 2)] = in.a[i];
      for (unsigned j = 0; j < n; ++j) ring2[(start2 + j) % n] = in.b[j];
      const circular_view<const oracle::tagged> a(ring1.data(), start1, m + 2);
      const circular_view<const oracle::tagged> b(ring2.data(), start2, n);
      for (unsigned k = 0; k <= m + n; ++k) {
        REQUIRE(cmerge::co_rank(k, a, m, b, n, oracle::by_key{}) ==
                cmerge::co_rank(k, in.a.data(), m, in.b.data(), n, oracle::by_key{}));
      }
    }
  }
}

}  // namespace
