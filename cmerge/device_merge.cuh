// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DeviceMerge: device-wide merges with the interface of CUB, which return a cudaError_t.
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

/// Whether a type can be a size. A value above the maximum of `std::int64_t` becomes negative, and
/// is rejected.
template <class Size>
inline constexpr bool is_size = std::is_convertible_v<Size, std::int64_t>;

/// Selects the overload whose sizes are numbers and whose comparator is not a number. So no pointer
/// or iterator is taken for a size.
template <class Size1, class Size2, class Compare>
using enable_if_sizes =
    std::enable_if_t<is_size<Size1> && is_size<Size2> && !is_size<Compare>, int>;

}  // namespace detail

/// Merges with the interface of `cub::DeviceMerge`.
///
/// `MergeKeys` merges keys, and `MergePairs` merges keys with values. Each has three forms:
///
/// 1. Two phases, as in CUB. A call with a null pointer as temporary storage only gives the
///    number of bytes to allocate. That is 1, because nothing is stored there.
/// 2. One phase, without temporary storage.
/// 3. One phase, with sizes in device memory, which an earlier kernel of the stream may write. The
///    host gives upper bounds. Sizes are clamped to [0, bound]. The launch is that for the upper
///    bounds, and surplus blocks end at once.
///
/// Sizes can have any integer type. Their position among the arguments selects the form.
///
/// Preconditions, stability and complexity are those of `merge` under
/// `thrust::cuda::par_nosync.on(stream)`. In short:
///
/// - Preconditions: the inputs are sorted by `compare_op`, a strict weak ordering. The outputs do
///   not overlap each other or the inputs. All ranges stay allocated, and nothing else changes
///   them, until the stream has passed the merge. So do sizes in device memory.
/// - Stability: stable. Equal keys of the first range come before those of the second.
/// - Complexity: O(m + n) work in one or two launches. Nothing is allocated. A large merge keeps a
///   few intermediate words per tile in the output range, before the final elements overwrite them.
/// - Synchronisation: none. The call returns when the kernels are launched, and can be captured in
///   a graph. If `CMERGE_CHECK_PRECONDITIONS` is defined, it waits for the stream.
/// - Tuning: the default. `merge` takes another one with its policy.
/// - Errors: an error of the launch is returned. An error in the kernel itself, such as an invalid
///   address, surfaces at a later CUDA call. An error of an earlier kernel that nobody has seen yet
///   can be returned, too. The causes of some results:
///   - `cudaErrorInvalidValue`: a size is negative, there are 2^63 - 1 outputs or more, or a
///     pointer to a size is null. Or a check of `CMERGE_CHECK_PRECONDITIONS` failed, and stderr has
///     the reason.
///   - `cudaErrorMisalignedAddress`: a pointer is not aligned to its type.
///   - `cudaErrorInvalidResourceHandle`: the stream belongs to a device other than the current one.
///     Only CUDA 12.8 and newer can tell.
///   - `cudaErrorInvalidConfiguration`: the sizes, or their bounds, make 2^31 tiles or more. Or a
///     tile does not fit in shared memory next to the static shared memory of the comparator or an
///     iterator. `merge` with a smaller tuning can help.
///   - `cudaErrorNoKernelImageForDevice`, `cudaErrorInvalidDeviceFunction` or
///     `cudaErrorUnsupportedPtxVersion`: the program has no code for this GPU.
struct DeviceMerge {
  /// Merges keys in two phases, as `cub::DeviceMerge::MergeKeys`.
  ///
  /// \tparam KeyIt1     random-access iterator over the first range
  /// \tparam Size1      type of the size of the first range
  /// \tparam KeyIt2     random-access iterator over the second range
  /// \tparam Size2      type of the size of the second range
  /// \tparam KeyIt3     random-access iterator to which keys of both ranges can be assigned
  /// \tparam CompareOp  type of the comparator
  /// \param d_temp_storage     null to ask for the number of bytes, otherwise any other pointer
  /// \param temp_storage_bytes set to 1 if `d_temp_storage` is null, otherwise ignored
  /// \param keys_in1           beginning of the first sorted range
  /// \param num_keys1          number of keys in the first range
  /// \param keys_in2           beginning of the second sorted range
  /// \param num_keys2          number of keys in the second range
  /// \param keys_out           beginning of the output of `num_keys1 + num_keys2` keys
  /// \param compare_op         strict weak ordering, by default `<`
  /// \param stream             the stream of the merge, on the current device
  /// \returns `cudaSuccess`, or an error as described at `DeviceMerge`
  ///
  /// \snippet device_merge.cu two_phases
  template <class KeyIt1, class Size1, class KeyIt2, class Size2, class KeyIt3,
            class CompareOp = detail::less, detail::enable_if_sizes<Size1, Size2, CompareOp> = 0>
  static cudaError_t MergeKeys(void* d_temp_storage, std::size_t& temp_storage_bytes,
                               KeyIt1 keys_in1, Size1 num_keys1, KeyIt2 keys_in2, Size2 num_keys2,
                               KeyIt3 keys_out, CompareOp compare_op = {},
                               cudaStream_t stream = nullptr) {
    if (d_temp_storage == nullptr) return ask_for_storage(temp_storage_bytes);
    return MergeKeys(keys_in1, num_keys1, keys_in2, num_keys2, keys_out, compare_op, stream);
  }

  /// Merges keys in one phase. The arguments are those of the form with two phases, without the
  /// first two.
  /// \snippet device_merge.cu one_phase
  template <class KeyIt1, class Size1, class KeyIt2, class Size2, class KeyIt3,
            class CompareOp = detail::less, detail::enable_if_sizes<Size1, Size2, CompareOp> = 0>
  static cudaError_t MergeKeys(KeyIt1 keys_in1, Size1 num_keys1, KeyIt2 keys_in2, Size2 num_keys2,
                               KeyIt3 keys_out, CompareOp compare_op = {},
                               cudaStream_t stream = nullptr) {
    const auto m = static_cast<std::int64_t>(num_keys1);
    const auto n = static_cast<std::int64_t>(num_keys2);
    return run(all_keys(keys_in1, m, keys_in2, n, keys_out, compare_op), stream);
  }

  /// Merges keys in one phase, with sizes in device memory.
  ///
  /// Each size is a pointer to device memory, such as `d_num_keys1`, and an upper bound, such as
  /// `max_num_keys1`. All other arguments are those of the form with one phase. The output has room
  /// for the sum of the sizes.
  /// \snippet device_merge.cu device_sizes
  template <class KeyIt1, class KeyIt2, class KeyIt3, class CompareOp = detail::less>
  static cudaError_t MergeKeys(KeyIt1 keys_in1, const std::int64_t* d_num_keys1,
                               std::int64_t max_num_keys1, KeyIt2 keys_in2,
                               const std::int64_t* d_num_keys2, std::int64_t max_num_keys2,
                               KeyIt3 keys_out, CompareOp compare_op = {},
                               cudaStream_t stream = nullptr) {
    return run(all_keys(keys_in1, max_num_keys1, keys_in2, max_num_keys2, keys_out, compare_op),
               stream, d_num_keys1, d_num_keys2);
  }

  /// Merges keys with their values in two phases, as `cub::DeviceMerge::MergePairs`.
  ///
  /// \tparam KeyIt1     random-access iterator over the keys of the first range
  /// \tparam ValueIt1   random-access iterator over the values of the first range
  /// \tparam Size1      type of the size of the first range
  /// \tparam KeyIt2     random-access iterator over the keys of the second range
  /// \tparam ValueIt2   random-access iterator over the values of the second range
  /// \tparam Size2      type of the size of the second range
  /// \tparam KeyIt3     random-access iterator to which keys of both ranges can be assigned
  /// \tparam ValueIt3   random-access iterator to which values of both ranges can be assigned
  /// \tparam CompareOp  type of the comparator
  /// \param d_temp_storage     null to ask for the number of bytes, otherwise any other pointer
  /// \param temp_storage_bytes set to 1 if `d_temp_storage` is null, otherwise ignored
  /// \param keys_in1           beginning of the sorted keys of the first range
  /// \param values_in1         beginning of the values of the first range, one per key
  /// \param num_pairs1         number of keys in the first range
  /// \param keys_in2           beginning of the sorted keys of the second range
  /// \param values_in2         beginning of the values of the second range, one per key
  /// \param num_pairs2         number of keys in the second range
  /// \param keys_out           beginning of the output of `num_pairs1 + num_pairs2` keys
  /// \param values_out         beginning of the output of as many values
  /// \param compare_op         strict weak ordering of keys, by default `<`
  /// \param stream             the stream of the merge, on the current device
  /// \returns `cudaSuccess`, or an error as described at `DeviceMerge`
  ///
  /// \snippet device_merge.cu pairs_two_phases
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

  /// Merges keys with their values in one phase. The arguments are those of the form with two
  /// phases, without the first two.
  /// \snippet device_merge.cu pairs_one_phase
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

  /// Merges keys with their values in one phase, with sizes in device memory.
  ///
  /// Each size is a pointer to device memory, such as `d_num_pairs1`, and an upper bound, such as
  /// `max_num_pairs1`. All other arguments are those of the form with one phase. Each output has
  /// room for the sum of the sizes.
  /// \snippet device_merge.cu pairs_device_sizes
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
  /// Asks for one byte, because an allocation of no bytes may return a null pointer, which would
  /// ask again.
  static cudaError_t ask_for_storage(std::size_t& bytes) {
    bytes = 1;
    return cudaSuccess;
  }

  /// The number of outputs, or -1 if a size is invalid.
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
    Problem known = problem;  // with sizes that are known on the host
    for (const auto& [to, from, bound] :
         {std::tuple(&known.m, size1, problem.m), std::tuple(&known.n, size2, problem.n)}) {
      if (cudaError_t e = cudaMemcpyAsync(to, from, sizeof(*to), cudaMemcpyDefault, stream);
          e != cudaSuccess) {
        return e;
      }
      if (cudaError_t e = cudaStreamSynchronize(stream); e != cudaSuccess) return e;
      *to = std::clamp<std::int64_t>(*to, 0, (std::max<std::int64_t>)(bound, 0));
    }
    known.outputs = detail::saturating_sum(known.m, known.n);
    if (cudaError_t e = check_problem(known, stream); e != cudaSuccess) return e;
#endif
    const auto raw = detail::unwrap_problem(problem);
    using sized = detail::device_sized<std::decay_t<decltype(raw)>>;
    return detail::launch_merge<default_tuning>(sized{raw, size1, size2}, stream);
  }

  /// If CMERGE_CHECK_PRECONDITIONS is defined, checks the preconditions, and prints the first
  /// violation to stderr.
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
