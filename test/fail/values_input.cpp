// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values without random access.
// error: cmerge: the values of both ranges need random-access iterators
#include <cmerge/merge.h>

#include <list>
#include <vector>

int main() {
  std::vector<int> a{1, 3};
  std::vector<int> b{2, 4};
  std::vector<int> keys(4);
#if defined(CMERGE_FAIL)
  std::list<char> values{'a', 'b'};
#else
  std::vector<char> values{'a', 'b'};
#endif
  std::vector<char> values_out(4);
  cmerge::merge_by_key(thrust::seq, a.begin(), a.end(), b.begin(), b.end(), values.begin(),
                       values.begin(), keys.begin(), values_out.begin());
}
