// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// User classes with default visibility that hold types of cmerge. g++ warns about members and bases
// with lower visibility than their class, so the public types of cmerge must not be hidden.
#pragma once

#include <cmerge/circular_view.h>
#include <cmerge/merge.h>
#include <cmerge/merge_source.h>
#include <cmerge/tuned.h>
#if defined(__CUDACC__)
#include <cmerge/block_merge.cuh>
#endif

#include <cstdint>

struct __attribute__((visibility("default"))) exported_tuning : cmerge::default_tuning {
  cmerge::strategy how = cmerge::strategy::single;
  cmerge::problem_size size = cmerge::problem_size::moderate;
  cmerge::tuning_query query = {90, 4, 0, size, true};
  cmerge::tuning tuning = get(query);
};

struct __attribute__((visibility("default"))) exported_user {
  cmerge::circular_view<int> view;
  cmerge::merge_source<std::uint32_t> source;
  cmerge::source_element<const int*> element;
  exported_tuning tuning;
  decltype(cmerge::tuned<exported_tuning>(thrust::host)) policy;
};

#if defined(__CUDACC__)
struct __attribute__((visibility("default"))) exported_storage {
  cmerge::block_merge<int, 128, 7>::TempStorage of_block;
  cmerge::warp_merge<int, 3>::TempStorage of_warp;
};
#endif

/// Uses every member.
inline int use_exported(int* data) {
  const exported_user user{
      {data, 0, 4}, {3}, {data, data}, {}, cmerge::tuned<exported_tuning>(thrust::host)};
  return user.view[1] + *user.view.run(2) + static_cast<int>(user.source.position()) +
         static_cast<int>(user.source.is_second()) + user.element(std::uint32_t{1}) +
         user.tuning.tuning.tile();
}
