// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every form of the calls of DeviceMerge with sizes of every integer type.
#pragma once

#include "oracle.cuh"

#include <cmerge/device_merge.cuh>

#include <functional>
#include <type_traits>
#include <utility>

namespace gpu_test {

using cmerge::DeviceMerge;

/// Merges {1, 3, 5} and {2, 3, 4, 6} by every form of call and checks each result. Pointers are not
/// to const, so the first one could also be temporary storage.
struct all_forms {
  const oracle::device_output<int> in{14};
  const oracle::device_output<std::int64_t> sizes{2};
  const oracle::device_output<int> out{7};
  const oracle::device_output<int> values_out{7};
  const std::vector<int> expected{1, 2, 3, 3, 4, 5, 6};
  int* a = in.begin();
  int* b = a + 3;
  int* u = b + 4;
  int* v = u + 3;
  std::int64_t* d_m = sizes.begin();
  const std::int64_t* d_n = d_m + 1;

  all_forms() {
    const int numbers[] = {1, 3, 5, 2, 3, 4, 6, 0, 0, 0, 0, 0, 0, 0};
    const std::int64_t of_both[] = {3, 4};
    oracle::check_cuda(cudaMemcpy(a, numbers, sizeof(numbers), cudaMemcpyDefault), "cudaMemcpy");
    oracle::check_cuda(cudaMemcpy(d_m, of_both, sizeof(of_both), cudaMemcpyDefault), "cudaMemcpy");
  }

  template <class Call>
  void check(Call call) const {
    oracle::check_cuda(cudaMemset(out.begin(), 0, 7 * sizeof(int)), "cudaMemset");
    CHECK(call(out.begin(), values_out.begin()) == cudaSuccess);
    CHECK(out.download() == expected);
  }

  /// Passes sizes as lvalues and as temporaries, and `rest` after the outputs.
  template <class M, class N, class... Rest>
  void check_sizes(M&& m, N&& n, const Rest&... rest) const {
    using merge = DeviceMerge;
    check([&](int* k, int*) {
      return merge::MergeKeys(a, std::forward<M>(m), b, std::forward<N>(n), k, rest...);
    });
    check([&](int* k, int* w) {
      return merge::MergePairs(a, u, std::forward<M>(m), b, v, std::forward<N>(n), k, w, rest...);
    });
    check([&](int* k, int*) { return merge::MergeKeys(a, d_m, m, b, d_n, n, k, rest...); });
    check([&](int* k, int* w) {
      return merge::MergePairs(a, u, d_m, m, b, v, d_n, n, k, w, rest...);
    });
    check_storage(nullptr, m, n, rest...);
    check_storage(static_cast<void*>(nullptr), m, n, rest...);
    check_storage(static_cast<unsigned char*>(nullptr), m, n, rest...);
    check_storage(static_cast<std::size_t*>(nullptr), m, n, rest...);
  }

  template <class Pointer, class M, class N, class... Rest>
  void check_storage(Pointer storage, M&& m, N&& n, const Rest&... rest) const {
    using merge = DeviceMerge;
    std::size_t bytes = 0;
    CHECK(merge::MergeKeys(storage, bytes, a, m, b, n, out.begin(), rest...) == cudaSuccess);
    CHECK(bytes == 1);
    bytes = 0;
    CHECK(merge::MergePairs(storage, bytes, a, u, m, b, v, n, out.begin(), values_out.begin(),
                            rest...) == cudaSuccess);
    CHECK(bytes == 1);
    if constexpr (std::is_pointer_v<Pointer>) {
      const auto some = static_cast<Pointer>(static_cast<void*>(values_out.begin()));
      check([&](int* k, int*) { return merge::MergeKeys(some, bytes, a, m, b, n, k, rest...); });
      check([&](int* k, int* w) {
        return merge::MergePairs(some, bytes, a, u, m, b, v, n, k, w, rest...);
      });
    }
  }

  template <class Size>
  void check_type() const {
    Size m = 3;
    const Size n = 4;
    cudaStream_t stream = nullptr;
    check_sizes(m, n);
    check_sizes(Size{3}, Size{4}, std::less<>{});
    check_sizes(m, m + 1, std::less<>{}, stream);
    // A braced comparator cannot be forwarded.
    std::size_t bytes = 0;
    check([&](int* k, int*) { return DeviceMerge::MergeKeys(a, m, b, n, k, {}); });
    check([&](int* k, int*) { return DeviceMerge::MergeKeys(a, m, b, n, k, {}, stream); });
    check(
        [&](int* k, int*) { return DeviceMerge::MergeKeys(a, d_m, m, b, d_n, n, k, {}, stream); });
    int* const storage = values_out.begin();
    check(
        [&](int* k, int*) { return DeviceMerge::MergeKeys(storage, bytes, a, m, b, n, k, {}, 0); });
    check([&](int* k, int* w) {
      return DeviceMerge::MergePairs(a, u, m, b, v, n, k, w, {}, stream);
    });
    check([&](int* k, int* w) {
      return DeviceMerge::MergePairs(storage, bytes, a, u, m, b, v, n, k, w, {}, stream);
    });
    // More than the largest std::int64_t.
    if constexpr (std::is_unsigned_v<Size> && sizeof(Size) == sizeof(std::int64_t)) {
      const Size huge = ~Size{0} - 1;
      int* const k = out.begin();
      CHECK(DeviceMerge::MergeKeys(a, huge, b, m, k) == cudaErrorInvalidValue);
      CHECK(DeviceMerge::MergeKeys(a, m, b, huge, k) == cudaErrorInvalidValue);
      CHECK(DeviceMerge::MergePairs(a, u, huge, b, v, m, k, k) == cudaErrorInvalidValue);
      CHECK(DeviceMerge::MergeKeys(storage, bytes, a, huge, b, m, k) == cudaErrorInvalidValue);
    }
  }

  void check_all() const {
    check_type<short>();
    check_type<unsigned short>();
    check_type<int>();
    check_type<unsigned>();
    check_type<long>();
    check_type<long long>();
    check_type<std::size_t>();
    check_type<unsigned long long>();
    check([&](int* k, int*) { return DeviceMerge::MergeKeys(a, std::size_t{3}, b, 4, k, {}, 0); });
  }
};

}  // namespace gpu_test
