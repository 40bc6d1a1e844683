// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An enumeration value that is not a strategy, compiled by nvcc.
// error: cmerge: the tuning names an unknown strategy
#include <cmerge/merge.h>

struct own_tuning {
  static constexpr cmerge::tuning get(cmerge::tuning_query) {
#if defined(CMERGE_FAIL)
    return {static_cast<cmerge::strategy>(99), 128, 7};
#else
    return {cmerge::strategy::single, 128, 7};
#endif
  }
};

int main() {
  const int* keys = nullptr;
  int* out = nullptr;
  cmerge::merge(cmerge::tuned<own_tuning>(thrust::device), keys, keys, keys, keys, out);
}
