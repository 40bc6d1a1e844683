// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Merges on the host, so it runs on every machine. main.cu is the same for nvcc.
#include <cmerge/merge.h>

#include <vector>

int main() {
  const std::vector<int> a{1, 3, 5};
  const std::vector<int> b{2, 4};
  std::vector<int> out(5);
  cmerge::merge(thrust::host, a.begin(), a.end(), b.begin(), b.end(), out.begin());
  return out == std::vector<int>{1, 2, 3, 4, 5} ? 0 : 1;
}
