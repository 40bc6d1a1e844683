// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tuning of half a warp, compiled by nvcc.
// error: cmerge: a tuning has 32 to 1024 threads
#include <cmerge/merge.h>

struct own_tuning {
  static constexpr cmerge::tuning get(cmerge::tuning_query) {
#if defined(CMERGE_FAIL)
    return {cmerge::strategy::basic, 16, 7};
#else
    return {cmerge::strategy::basic, 32, 7};
#endif
  }
};

int main() {
  const int* keys = nullptr;
  int* out = nullptr;
  cmerge::merge(cmerge::tuned<own_tuning>(thrust::device), keys, keys, keys, keys, out);
}
