// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host merges that every file of the program and the shared library instantiate.
#pragma once

#include "exported_types.h"

#include <cmerge/merge.h>
#include <cmerge/merge_indices.h>
#include <cmerge/merge_n.h>

#if defined(CMERGE_TEST_OPENMP)
#include <thrust/system/omp/execution_policy.h>
#endif

#include <cstdint>
#include <vector>

using numbers = std::vector<int>;

template <class Policy>
numbers merge_under(const Policy& policy, const numbers& a, const numbers& b) {
  numbers out(a.size() + b.size());
  numbers keys(out.size());
  std::vector<std::uint32_t> words(out.size());
  cmerge::merge_indices(policy, a.data(), a.data() + a.size(), b.data(), b.data() + b.size(),
                        words.data());
  cmerge::merge_n(policy, a.data(), a.data() + a.size(), b.data(), b.data() + b.size(), 2,
                  out.data());
  cmerge::merge(policy, a.begin(), a.end(), b.begin(), b.end(), out.begin());
  cmerge::merge_by_key(policy, a.data(), a.data() + a.size(), b.data(), b.data() + b.size(),
                       a.data(), b.data(), keys.data(), out.data());
  return keys == out ? out : numbers{};
}

inline numbers merge_here(const numbers& a, const numbers& b) {
  numbers data{1, 2, 3, 4};
  use_exported(data.data());
  const numbers out = merge_under(thrust::seq, a, b);
  const auto is_same = [&](const auto& policy) { return merge_under(policy, a, b) == out; };
  bool is_right = is_same(thrust::host);
#if defined(CMERGE_TEST_OPENMP)
  is_right = is_right && is_same(thrust::omp::par);
#endif
  numbers tuned(out.size());
  cmerge::merge(cmerge::tuned<exported_tuning>(thrust::host), a.begin(), a.end(), b.begin(),
                b.end(), tuned.begin());
  is_right = is_right && tuned == out;
  return is_right ? out : numbers{};
}

numbers merge_in_other_file(const numbers& a, const numbers& b);
numbers merge_in_library(const numbers& a, const numbers& b);
