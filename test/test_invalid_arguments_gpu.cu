// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Invalid arguments are reported before anything is launched: negative sizes, null pointers to
// sizes and misaligned pointers. No output is written.
#include "gpu/errors.cuh"

#include <cmerge/merge.h>
#include <cmerge/merge_indices.h>
#include <cmerge/merge_n.h>
#include <cmerge/device_merge.cuh>

#include <cerrno>
#include <limits>
#include <utility>

namespace gpu_test {

using cmerge::DeviceMerge;

TEST_CASE("reports negative lengths and negative numbers of outputs") {
  const small_problem p;
  const auto* const a = p.a.begin();
  const auto* const b = p.b.begin();
  const auto invalid = thrust::error_code(EINVAL, thrust::system_category());
  const auto check = [&](const auto& policy) {
    for (const bool second : {false, true}) {
      CAPTURE(second);
      const auto* const a1 = second ? a : a + 9;
      const auto* const a2 = second ? a + 500 : a + 8;
      const auto* const b1 = second ? b + 600 : b;
      const auto* const b2 = second ? b : b + 500;
      CHECK(thrown_by([&] { cmerge::merge(policy, a1, a2, b1, b2, p.out.begin(), p.comp); }) ==
            invalid);
      CHECK(thrown_by([&] {
              cmerge::merge_by_key(policy, a1, a2, b1, b2, p.values.begin(), p.values.begin(),
                                   p.out.begin(), p.values_out.begin(), p.comp);
            }) == invalid);
      CHECK(thrown_by([&] {
              cmerge::merge_n(policy, a1, a2, b1, b2, 10, p.out.begin(), p.comp);
            }) == invalid);
      CHECK(thrown_by([&] {
              cmerge::merge_by_key_n(policy, a1, a2, b1, b2, p.values.begin(), p.values.begin(), 10,
                                     p.out.begin(), p.values_out.begin(), p.comp);
            }) == invalid);
      CHECK(thrown_by([&] {
              cmerge::merge_indices(policy, a1, a2, b1, b2, p.words.begin(), p.comp);
            }) == invalid);
    }
    for (const std::int64_t count :
         {std::int64_t{-1}, -(std::int64_t{1} << 32), std::numeric_limits<std::int64_t>::min()}) {
      CAPTURE(count);
      CHECK(thrown_by([&] {
              cmerge::merge_n(policy, a, a + 1000, b, b + 600, count, p.out.begin(), p.comp);
            }) == invalid);
      CHECK(thrown_by([&] {
              cmerge::merge_by_key_n(policy, a, a + 1000, b, b + 600, p.values.begin(),
                                     p.values.begin(), count, p.out.begin(), p.values_out.begin(),
                                     p.comp);
            }) == invalid);
    }
  };
  check(thrust::device);
  check(thrust::cuda::par);
  check(thrust::cuda::par_nosync);
  CHECK(p.is_untouched());
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("reports invalid sizes and null pointers to sizes") {
  const small_problem p;
  const auto* const a = p.a.begin();
  const auto* const b = p.b.begin();
  const int* const v = p.values.begin();
  const oracle::device_input<std::int64_t> sizes(std::vector<std::int64_t>{1000, 600});
  const std::int64_t* const size = sizes.begin();
  const std::int64_t* const none = nullptr;
  tagged* const out = p.out.begin();
  int* const w = p.values_out.begin();
  const auto keys = [&](auto m, auto n) { return DeviceMerge::MergeKeys(a, m, b, n, out, p.comp); };
  const auto pairs = [&](auto m, auto n) {
    return DeviceMerge::MergePairs(a, v, m, b, v, n, out, w, p.comp);
  };
  const auto sized_keys = [&](auto* m, std::int64_t max_m, auto* n, std::int64_t max_n) {
    return DeviceMerge::MergeKeys(a, m, max_m, b, n, max_n, out, p.comp);
  };
  const auto sized_pairs = [&](auto* m, std::int64_t max_m, auto* n, std::int64_t max_n) {
    return DeviceMerge::MergePairs(a, v, m, max_m, b, v, n, max_n, out, w, p.comp);
  };
  constexpr std::int64_t max = std::numeric_limits<std::int64_t>::max();  // a sum with it overflows
  for (const auto& wrong : {std::pair<std::int64_t, std::int64_t>{-1, 600},
                            {1000, -1},
                            {-1, -1},
                            {-600, 600},
                            {max, max},
                            {1, max}}) {
    CAPTURE(wrong.first);
    CAPTURE(wrong.second);
    CHECK(keys(wrong.first, wrong.second) == cudaErrorInvalidValue);
    CHECK(pairs(wrong.first, wrong.second) == cudaErrorInvalidValue);
    CHECK(sized_keys(size, wrong.first, size + 1, wrong.second) == cudaErrorInvalidValue);
    CHECK(sized_pairs(size, wrong.first, size + 1, wrong.second) == cudaErrorInvalidValue);
    // In two phases: any pointer that is not null serves as storage.
    std::size_t bytes = 1;
    CHECK(DeviceMerge::MergeKeys(w, bytes, a, wrong.first, b, wrong.second, out, p.comp) ==
          cudaErrorInvalidValue);
    CHECK(DeviceMerge::MergePairs(w, bytes, a, v, wrong.first, b, v, wrong.second, out, w,
                                  p.comp) == cudaErrorInvalidValue);
  }
  for (const auto& wrong : {std::pair{none, size}, {size, none}, {none, none}}) {
    CHECK(sized_keys(wrong.first, 1000, wrong.second, 600) == cudaErrorInvalidValue);
    CHECK(sized_pairs(wrong.first, 1000, wrong.second, 600) == cudaErrorInvalidValue);
  }
  CHECK(p.is_untouched());
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("reports misaligned pointers") {
  const small_problem p;
  const cudaError_t misaligned = cudaErrorMisalignedAddress;
  // One pointer at a time. Calls without values have the first three.
  for (int wrong = 0; wrong < 6; ++wrong) {
    CAPTURE(wrong);
    const auto pointer = [&](int which, auto* right) {
      return which == wrong ? misalign(right) : right;
    };
    const auto* const a = pointer(0, static_cast<const tagged*>(p.a.begin()));
    const auto* const b = pointer(1, static_cast<const tagged*>(p.b.begin()));
    tagged* const out = pointer(2, p.out.begin());
    const int* const u = pointer(3, static_cast<const int*>(p.values.begin()));
    const int* const v = pointer(4, static_cast<const int*>(p.values.begin()));
    int* const w = pointer(5, p.values_out.begin());
    const auto check = [&](const auto& policy) {
      CHECK(thrown_by([&] {
              cmerge::merge_by_key(policy, a, a + 1000, b, b + 600, u, v, out, w, p.comp);
            }) == cuda_error(misaligned));
      CHECK(thrown_by([&] {
              cmerge::merge_by_key_n(policy, a, a + 1000, b, b + 600, u, v, 10, out, w, p.comp);
            }) == cuda_error(misaligned));
      if (wrong > 2) return;
      CHECK(thrown_by([&] { cmerge::merge(policy, a, a + 1000, b, b + 600, out, p.comp); }) ==
            cuda_error(misaligned));
      CHECK(thrown_by([&] { cmerge::merge_n(policy, a, a + 1000, b, b + 600, 10, out, p.comp); }) ==
            cuda_error(misaligned));
      std::uint32_t* const words = pointer(2, p.words.begin());
      CHECK(thrown_by([&] {
              cmerge::merge_indices(policy, a, a + 1000, b, b + 600, words, p.comp);
            }) == cuda_error(misaligned));
    };
    check(thrust::device);
    check(thrust::cuda::par_nosync);
    CHECK(DeviceMerge::MergePairs(a, u, 1000, b, v, 600, out, w, p.comp) == misaligned);
    if (wrong > 2) continue;
    CHECK(DeviceMerge::MergeKeys(a, 1000, b, 600, out, p.comp) == misaligned);
  }
  CHECK(p.is_untouched());
  CHECK(cudaGetLastError() == cudaSuccess);

  // An empty range can have any pointer.
  const tagged* const empty = misalign(static_cast<const tagged*>(p.a.begin()));
  CHECK(!thrown_by([&] {
    cmerge::merge(thrust::device, empty, empty, p.b.begin(), p.b.end(), p.out.begin(), p.comp);
  }));
  const std::vector<tagged> out = p.out.download();
  CHECK(oracle::first_difference(out.data(), p.in.b) == p.in.b.size());

  const std::vector<int> some{1, 2, 2, 3, 5, 8, 13};
  const oracle::device_input<int> keys(some);
  const int* const nowhere = misalign(static_cast<const int*>(keys.begin()));
  for (const bool first : {true, false}) {
    CAPTURE(first);
    const oracle::device_output<int> sorted(some.size());
    const int* const a = first ? nowhere : keys.begin();
    const int* const b = first ? keys.begin() : nowhere;
    const std::size_t m = first ? 0 : some.size();
    CHECK(!thrown_by([&] {
      cmerge::merge(thrust::device, a, a + m, b, b + (some.size() - m), sorted.begin());
    }));
    CHECK(sorted.download() == some);
  }
}

}  // namespace gpu_test
