// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instantiates every call that a host compiler supports.
#include <headers/calls.h>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/system/cpp/execution_policy.h>

#include <deque>
#include <string>
#include <tuple>

namespace calls {

template <class Index>
Index co_ranks(Index k) {
  const short* const keys = nullptr;
  return cmerge::co_rank(k, keys, k, keys, k, after{}) +
         cmerge::co_rank(k, cmerge::circular_view<const short>(nullptr, 0, 1), k, keys, k, after{});
}

void on_the_host() {
  merge_pointers<signed char, short>(thrust::seq);
  merge_pointers<unsigned short, bytes_3>(thrust::seq, after{});
  merge_pointers<int, std::string>(thrust::host);
  merge_pointers<std::uint64_t, double>(thrust::cpp::par);
  merge_pointers<bytes_3, unsigned char>(thrust::seq);
  merge_pointers<words_2, words_2>(thrust::seq);
  merge_pointers<std::string, int>(thrust::seq);
  merge_pointers<with_destructor, float>(thrust::seq);
  std::deque<unsigned> keys;
  merge_with(thrust::seq, keys.cbegin(), thrust::counting_iterator<unsigned>(0), keys.begin(),
             keys.begin());
  merge_with(thrust::seq, thrust::counting_iterator<unsigned>(0), keys.begin(), keys.begin(),
             keys.begin());
  const unsigned char* const bytes = nullptr;
  std::int64_t* const out = nullptr;
  cmerge::merge(bytes, bytes, keys.begin(), keys.end(), out);
  cmerge::serial_merge(bytes, 0, keys.begin(), 0, out, thrust::less<>{});
  co_ranks(std::int64_t{0});
  co_ranks(0);
  const cmerge::source_element<const int*> element{nullptr, nullptr};
  element(std::uint32_t{0});
  element(std::uint64_t{0});
  for (const int arch : {75, 80, 90}) {
    cmerge::default_tuning::get({arch, 4, 0, cmerge::problem_size::large, true});
  }
}

}  // namespace calls
