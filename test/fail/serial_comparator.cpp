// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A comparator for other element types, in the functions for one thread.
// error: cmerge: comp(element2, element1) must compile
// mistakes: 2
#include <cmerge/co_rank.h>
#include <cmerge/serial_merge.h>

#include <cstdint>

struct element {
  int number;
};

struct before {
#if defined(CMERGE_FAIL)
  bool operator()(int a, int b) const { return a < b; }
#else
  bool operator()(element a, element b) const { return a.number < b.number; }
#endif
};

int main() {
  const element a[] = {{1}, {3}};
  const element b[] = {{2}, {4}};
#if !defined(CMERGE_FAIL) || CMERGE_FAIL == 1
  element out[4];
  cmerge::serial_merge(a, 2, b, 2, out, before{});
#endif
#if !defined(CMERGE_FAIL) || CMERGE_FAIL == 2
  return static_cast<int>(
      cmerge::co_rank(std::int64_t{2}, a, std::int64_t{2}, b, std::int64_t{2}, before{}));
#endif
}
