// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A comparator for other element types.
// error: cmerge: comp(element2, element1) must compile and give a bool
#include <cmerge/merge.h>

#include <string>
#include <vector>

#if defined(CMERGE_FAIL)
using element = std::string;
#else
using element = int;
#endif

struct before {
  bool operator()(const element& a, const element& b) const { return a < b; }
};

int main() {
  std::vector<int> a{1, 3};
  std::vector<int> b{2, 4};
  std::vector<int> out(4);
  cmerge::merge(thrust::seq, a.begin(), a.end(), b.begin(), b.end(), out.begin(), before{});
}
