// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inputs without random access.
// error: cmerge: both inputs need random-access iterators
#include <cmerge/merge.h>

#include <list>
#include <vector>

int main() {
#if defined(CMERGE_FAIL)
  std::list<int> a{1, 3};
#else
  std::vector<int> a{1, 3};
#endif
  std::vector<int> b{2, 4};
  std::vector<int> out(4);
  cmerge::merge(thrust::seq, a.begin(), a.end(), b.begin(), b.end(), out.begin());
}
