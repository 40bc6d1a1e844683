// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device-wide merge in the manner of CUB, which returns cudaError_t.
#pragma once

#include <cmerge/detail/core/arguments.h>
#include <cmerge/detail/policy/preconditions.h>
#include <cmerge/detail/policy/cuda_merge.cuh>

#if defined(CMERGE_CHECK_PRECONDITIONS)
#include <thrust/system/cuda/execution_policy.h>

#include <algorithm>
#include <cstdio>
#include <tuple>
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

/// Whether a type can be a size. A value above the largest `std::int64_t` becomes negative, which
/// is an error.
template <class Size>
inline constexpr bool is_size = std::is_convertible_v<Size, std::int64_t>;

/// Enables the form whose sizes are numbers and whose comparator is not, so that no pointer or
/// iterator is taken for a size.
template <class Size1, class Size2, class Compare>
using enable_if_sizes =
    std::enable_if_t<is_size<Size1> && is_size<Size2> && !is_size<Compare>, int>;

}  // namespace detail

/// The merge as a call of CUB's: what `cub::DeviceMerge` does, by another name.
///
/// Each of the two functions has three forms:
///
/// 1. CUB's two phases. Nothing is stored in the temporary storage: a call with a null pointer asks
///    for one byte, the least that can be allocated, and does nothing else.
/// 2. Without temporary storage, in one phase.
/// 3. The same, with sizes in device memory, which an earlier kernel of the stream may write: the
///    host gives upper bounds only. What is below 0 or above its bound counts as that. A launch for
///    the upper bounds is made, whose surplus blocks end at once.
///
/// Sizes can have any integer type. The position of the sizes among the arguments selects the form.
///
/// The merge itself, its preconditions, stability and complexity are those of `merge` under
/// `thrust::cuda::par_nosync.on(stream)`: asynchronous, without allocation, ready for graph
/// capture.
///
/// The tuning is the default one; `merge` takes another with its policy.
///
/// Errors: `cudaErrorInvalidValue` for a size that is negative, or two whose sum has more than 63
/// bits, `cudaErrorMisalignedAddress` for a pointer that is not aligned as its type,
/// `cudaErrorInvalidResourceHandle` for a stream of another device than the one in use,
/// `cudaErrorInvalidConfiguration` for sizes, or bounds of them, of more tiles than a grid has
/// blocks (2^31), or where a tile does not fit in shared memory beside what the comparator or an
/// iterator has there (a smaller tuning does, with `merge`), `cudaErrorNoKernelImageForDevice`,
/// `cudaErrorInvalidDeviceFunction` or `cudaErrorUnsupportedPtxVersion` in a program without code
/// for the GPU in use, and whatever the launch returns. An error of an earlier kernel that nobody
/// has seen yet can be returned, too.
struct DeviceMerge {
  /// Merges keys; with temporary storage, as `cub::DeviceMerge::MergeKeys`.
  ///
  /// \param d_temp_storage     null to ask how large it must be
  /// \param temp_storage_bytes set to 1 where `d_temp_storage` is null
  /// \param keys_in1           the first sorted range
  /// \param num_keys1          elements in the first range
  /// \param keys_in2           the second sorted range
  /// \param num_keys2          elements in the second range
  /// \param keys_out           output for `num_keys1 + num_keys2` keys, which overlaps no input
  /// \param compare_op         strict weak order, default `<`
  /// \param stream             the only stream that is used
  template <class KeyIt1, class Size1, class KeyIt2, class Size2, class KeyIt3,
            class CompareOp = detail::less, detail::enable_if_sizes<Size1, Size2, CompareOp> = 0>
  static cudaError_t MergeKeys(void* d_temp_storage, std::size_t& temp_storage_bytes,
                               KeyIt1 keys_in1, Size1 num_keys1, KeyIt2 keys_in2, Size2 num_keys2,
                               KeyIt3 keys_out, CompareOp compare_op = {},
                               cudaStream_t stream = nullptr) {
    if (d_temp_storage == nullptr) return ask_for_storage(temp_storage_bytes);
    return MergeKeys(keys_in1, num_keys1, keys_in2, num_keys2, keys_out, compare_op, stream);
  }

  /// Merges keys, in one phase.
  template <class KeyIt1, class Size1, class KeyIt2, class Size2, class KeyIt3,
            class CompareOp = detail::less, detail::enable_if_sizes<Size1, Size2, CompareOp> = 0>
  static cudaError_t MergeKeys(KeyIt1 keys_in1, Size1 num_keys1, KeyIt2 keys_in2, Size2 num_keys2,
                               KeyIt3 keys_out, CompareOp compare_op = {},
                               cudaStream_t stream = nullptr) {
    const auto m = static_cast<std::int64_t>(num_keys1);
    const auto n = static_cast<std::int64_t>(num_keys2);
    return run(all_keys(keys_in1, m, keys_in2, n, keys_out, compare_op), stream);
  }

  /// Merges keys, in one phase, `*d_num_keys1` and `*d_num_keys2` of them.
  ///
  /// \param d_num_keys1   elements in the first range, in device memory
  /// \param max_num_keys1 upper bound of it
  /// \param d_num_keys2   elements in the second range, in device memory
  /// \param max_num_keys2 upper bound of it
  template <class KeyIt1, class KeyIt2, class KeyIt3, class CompareOp = detail::less>
  static cudaError_t MergeKeys(KeyIt1 keys_in1, const std::int64_t* d_num_keys1,
                               std::int64_t max_num_keys1, KeyIt2 keys_in2,
                               const std::int64_t* d_num_keys2, std::int64_t max_num_keys2,
                               KeyIt3 keys_out, CompareOp compare_op = {},
                               cudaStream_t stream = nullptr) {
    return run(all_keys(keys_in1, max_num_keys1, keys_in2, max_num_keys2, keys_out, compare_op),
               stream, d_num_keys1, d_num_keys2);
  }

  /// Merges keys with their values; with temporary storage, as `cub::DeviceMerge::MergePairs`.
  ///
  /// \param values_in1 the values of the first range, as many as keys
  /// \param values_in2 the values of the second range, as many as keys
  /// \param values_out output of the values, which overlaps no input
  template <class KeyIt1, class ValueIt1, class Size1, class KeyIt2, class ValueIt2, class Size2,
            class KeyIt3, class ValueIt3, class CompareOp = detail::less,
            detail::enable_if_sizes<Size1, Size2, CompareOp> = 0>
  static cudaError_t MergePairs(void* d_temp_storage, std::size_t& temp_storage_bytes,
                                KeyIt1 keys_in1, ValueIt1 values_in1, Size1 num_pairs1,
                                KeyIt2 keys_in2, ValueIt2 values_in2, Size2 num_pairs2,
                                KeyIt3 keys_out, ValueIt3 values_out, CompareOp compare_op = {},
                                cudaStream_t stream = nullptr) {
    if (d_temp_storage == nullptr) return ask_for_storage(temp_storage_bytes);
    return MergePairs(keys_in1, values_in1, num_pairs1, keys_in2, values_in2, num_pairs2, keys_out,
                      values_out, compare_op, stream);
  }

  /// Merges keys with their values, in one phase.
  template <class KeyIt1, class ValueIt1, class Size1, class KeyIt2, class ValueIt2, class Size2,
            class KeyIt3, class ValueIt3, class CompareOp = detail::less,
            detail::enable_if_sizes<Size1, Size2, CompareOp> = 0>
  static cudaError_t MergePairs(KeyIt1 keys_in1, ValueIt1 values_in1, Size1 num_pairs1,
                                KeyIt2 keys_in2, ValueIt2 values_in2, Size2 num_pairs2,
                                KeyIt3 keys_out, ValueIt3 values_out, CompareOp compare_op = {},
                                cudaStream_t stream = nullptr) {
    const auto m = static_cast<std::int64_t>(num_pairs1);
    const auto n = static_cast<std::int64_t>(num_pairs2);
    return run(all_pairs(keys_in1, values_in1, m, keys_in2, values_in2, n, keys_out, values_out,
                         compare_op),
               stream);
  }

  /// Merges keys with their values, in one phase, `*d_num_pairs1` and `*d_num_pairs2` of them.
  template <class KeyIt1, class ValueIt1, class KeyIt2, class ValueIt2, class KeyIt3,
            class ValueIt3, class CompareOp = detail::less>
  static cudaError_t MergePairs(KeyIt1 keys_in1, ValueIt1 values_in1,
                                const std::int64_t* d_num_pairs1, std::int64_t max_num_pairs1,
                                KeyIt2 keys_in2, ValueIt2 values_in2,
                                const std::int64_t* d_num_pairs2, std::int64_t max_num_pairs2,
                                KeyIt3 keys_out, ValueIt3 values_out, CompareOp compare_op = {},
                                cudaStream_t stream = nullptr) {
    return run(all_pairs(keys_in1, values_in1, max_num_pairs1, keys_in2, values_in2, max_num_pairs2,
                         keys_out, values_out, compare_op),
               stream, d_num_pairs1, d_num_pairs2);
  }

 private:
  /// One byte: an allocation of none may give a null pointer, which would ask again.
  static cudaError_t ask_for_storage(std::size_t& bytes) {
    bytes = 1;
    return cudaSuccess;
  }

  /// The number of outputs, or -1 where there is none.
  static std::int64_t sum_of(std::int64_t m, std::int64_t n) {
    return m < 0 || n < 0 ? -1 : detail::saturating_sum(m, n);
  }

  template <class Keys1, class Keys2, class KeysOut, class Compare>
  static auto all_keys(Keys1 keys1, std::int64_t m, Keys2 keys2, std::int64_t n, KeysOut keys_out,
                       Compare comp) {
    detail::check_arguments<Keys1, Keys2, KeysOut, Compare>();
    return detail::keys_problem(keys1, keys2, keys_out, comp, {m, n, sum_of(m, n)});
  }

  template <class Keys1, class Values1, class Keys2, class Values2, class KeysOut, class ValuesOut,
            class Compare>
  static auto all_pairs(Keys1 keys1, Values1 values1, std::int64_t m, Keys2 keys2, Values2 values2,
                        std::int64_t n, KeysOut keys_out, ValuesOut values_out, Compare comp) {
    detail::check_arguments<Keys1, Keys2, KeysOut, Compare>();
    detail::check_values<Values1, Values2, ValuesOut>();
    return detail::pairs_problem(keys1, values1, keys2, values2, keys_out, values_out, comp,
                                 {m, n, sum_of(m, n)});
  }

  template <class Problem>
  static cudaError_t run(const Problem& problem, cudaStream_t stream) {
    if (cudaError_t e = check_problem(problem, stream); e != cudaSuccess) return e;
    return detail::launch_merge<default_tuning>(detail::unwrap_problem(problem), stream);
  }

  template <class Problem>
  static cudaError_t run(const Problem& problem, cudaStream_t stream, const std::int64_t* size1,
                         const std::int64_t* size2) {
    if (size1 == nullptr || size2 == nullptr) return cudaErrorInvalidValue;
#if defined(CMERGE_CHECK_PRECONDITIONS)
    Problem known = problem;  // with sizes that the host can see
    for (const auto& [to, from, most] :
         {std::tuple(&known.m, size1, problem.m), std::tuple(&known.n, size2, problem.n)}) {
      if (cudaError_t e = cudaMemcpyAsync(to, from, sizeof(*to), cudaMemcpyDefault, stream);
          e != cudaSuccess) {
        return e;
      }
      if (cudaError_t e = cudaStreamSynchronize(stream); e != cudaSuccess) return e;
      *to = std::clamp<std::int64_t>(*to, 0, (std::max<std::int64_t>)(most, 0));
    }
    known.outputs = detail::saturating_sum(known.m, known.n);
    if (cudaError_t e = check_problem(known, stream); e != cudaSuccess) return e;
#endif
    const auto raw = detail::unwrap_problem(problem);
    using sized = detail::device_sized<std::decay_t<decltype(raw)>>;
    return detail::launch_merge<default_tuning>(sized{raw, size1, size2}, stream);
  }

  /// Where CMERGE_CHECK_PRECONDITIONS is defined: says on stderr what does not hold.
  template <class Problem>
  static cudaError_t check_problem(const Problem& problem, cudaStream_t stream) {
#if defined(CMERGE_CHECK_PRECONDITIONS)
    if (!detail::has_valid_sizes(problem)) return cudaErrorInvalidValue;
    try {
      detail::check_preconditions(thrust::cuda::par_nosync.on(stream), problem,
                                  "cmerge::DeviceMerge");
    } catch (const thrust::system_error& error) {
      std::fprintf(stderr, "%s\n", error.what());
      return cudaErrorInvalidValue;
    }
#endif
    (void)problem;
    (void)stream;
    return cudaSuccess;
  }
};

}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
