// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What both files of a program call.
#pragma once

#include <cmerge/merge.h>

#include <vector>

using numbers = std::vector<int>;

inline numbers merge_here(const numbers& a, const numbers& b) {
  numbers out(a.size() + b.size());
  cmerge::merge(thrust::host, a.begin(), a.end(), b.begin(), b.end(), out.begin());
  numbers keys(out.size());
  cmerge::merge_by_key(a.begin(), a.end(), b.begin(), b.end(), a.begin(), b.begin(), keys.begin(),
                       out.begin());
  return out;
}

numbers merge_in_other_file(const numbers& a, const numbers& b);
