// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value output to which the values cannot be assigned.
// error: cmerge: the value output must be a random-access iterator to which values of both
#include <cmerge/merge.h>

#include <string>
#include <vector>

#if defined(CMERGE_FAIL)
using value_out = int;
#else
using value_out = std::string;
#endif

int main() {
  std::vector<int> a{1, 3};
  std::vector<int> b{2, 4};
  std::vector<int> keys(4);
  std::vector<std::string> values{"a", "b"};
  std::vector<value_out> values_out(4);
  cmerge::merge_by_key(thrust::seq, a.begin(), a.end(), b.begin(), b.end(), values.begin(),
                       values.begin(), keys.begin(), values_out.begin());
}
