// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A read-only output.
// error: cmerge: the output must be a random-access iterator to which elements of both
#include <cmerge/merge.h>

#include <vector>

int main() {
  std::vector<int> a{1, 3};
  std::vector<int> b{2, 4};
  std::vector<int> out(4);
#if defined(CMERGE_FAIL)
  const auto first = out.cbegin();
#else
  const auto first = out.begin();
#endif
  cmerge::merge(thrust::seq, a.begin(), a.end(), b.begin(), b.end(), first);
}
