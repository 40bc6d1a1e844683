// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keys without `<` and no comparator, in each call.
// error: cmerge: the keys cannot be compared by <, and no comparator is given
// mistakes: 7
#include <cmerge/cmerge.h>

#include <cstdint>
#include <vector>

struct key {
  int number;
#if !defined(CMERGE_FAIL)
  bool operator<(const key& other) const { return number < other.number; }
#elif CMERGE_FAIL == 7
  bool operator<(key& other) { return number < other.number; }
#endif
};

int main() {
  std::vector<key> a{{1}, {3}};
  std::vector<key> b{{2}, {4}};
  std::vector<key> out(4);
  std::vector<char> values(4);
  std::vector<std::uint32_t> words(4);
#if !defined(CMERGE_FAIL) || CMERGE_FAIL == 1 || CMERGE_FAIL == 7
  cmerge::merge(thrust::seq, a.begin(), a.end(), b.begin(), b.end(), out.begin());
#endif
#if !defined(CMERGE_FAIL) || CMERGE_FAIL == 2
  cmerge::merge(a.begin(), a.end(), b.begin(), b.end(), out.begin());
#endif
#if !defined(CMERGE_FAIL) || CMERGE_FAIL == 3
  cmerge::merge_by_key(thrust::seq, a.begin(), a.end(), b.begin(), b.end(), values.begin(),
                       values.begin(), out.begin(), values.begin());
#endif
#if !defined(CMERGE_FAIL) || CMERGE_FAIL == 4
  cmerge::merge_n(thrust::seq, a.begin(), a.end(), b.begin(), b.end(), 2, out.begin());
#endif
#if !defined(CMERGE_FAIL) || CMERGE_FAIL == 5
  cmerge::merge_by_key_n(thrust::seq, a.begin(), a.end(), b.begin(), b.end(), values.begin(),
                         values.begin(), 2, out.begin(), values.begin());
#endif
#if !defined(CMERGE_FAIL) || CMERGE_FAIL == 6
  cmerge::merge_indices(thrust::seq, a.begin(), a.end(), b.begin(), b.end(), words.begin());
#endif
}
