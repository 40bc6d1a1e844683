// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// merge and merge_by_key, under every Thrust policy. They replace the functions of the same name in
// Thrust.
#pragma once

#include <cmerge/detail/policy/dispatch.h>

#include <thrust/pair.h>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {

/// Merges two sorted ranges into one, under any Thrust execution policy.
///
/// A drop-in replacement for `thrust::merge`, with the same parameters, result and synchronisation.
/// The two ranges can have different iterator types and different element types. An element is
/// converted only when it is assigned to the output.
///
/// - `thrust::seq` and `thrust::cpp::par` merge in the calling thread.
/// - `thrust::omp::par` and `thrust::tbb::par` merge in parallel, in threads of OpenMP or TBB.
/// - `thrust::cuda::par` merges on the current device and waits for the result.
/// - `thrust::cuda::par_nosync` merges on the current device and returns at once.
/// - `thrust::host` and `thrust::device` are the policies of Thrust's host and device systems. By
///   default these are C++ and CUDA.
///
/// `.on(stream)` selects a stream, and an allocator in parentheses is accepted as well. CUDA
/// policies need a file that nvcc compiles. In a kernel, the calling thread merges alone under
/// any policy.
///
/// - Preconditions:
///   - Both inputs are sorted by `comp`, a strict weak ordering.
///   - The output has room for all elements and does not overlap the inputs.
///   - The iterators are random-access iterators, and can be used where the policy runs.
///   - Under `par_nosync`, all ranges stay allocated until the stream has passed the merge. Until
///     then, nothing else changes the inputs or the output.
/// - Unsorted inputs: if an input is not sorted, or `comp` is not a strict weak ordering, the
///   output is unspecified. Elements can be lost or duplicated, and 1- and 2-byte integers can take
///   values found in neither input. The merge still ends, and it reads, compares and writes nothing
///   outside the ranges. If `CMERGE_CHECK_PRECONDITIONS` is defined before the first include, each
///   call verifies that its inputs are sorted and that the output does not overlap them.
/// - Comparator: it is copied, for example once per thread. It is called as
///   `comp(element2, element1)`, with const lvalues of elements of the inputs or of copies of them.
/// - Elements: only elements of the inputs are compared, copied and assigned. On the host, each
///   element is read for the output once, after all comparisons that need it. So move iterators
///   work. On a device, elements are read several times, so move iterators need trivially copyable
///   elements.
/// - Stability: stable. Equal elements keep their order, and those of range 1 come before those of
///   range 2. Sorted inputs give the same output under every policy.
/// - Complexity: O(m + n) work for m and n elements. Each output takes about one comparison. The
///   output is cut into sections: at most 256 on the host, and about one per tile on a device. Each
///   section adds O(log min(m, n)) comparisons. On a device, each thread also adds O(log tile).
/// - Launches: none without outputs, otherwise one. There can be two if the output is memory
///   and has more than four times as many tiles as the device can run blocks at a time.
/// - Temporary storage: none on a device. A large merge keeps a few intermediate words per tile in
///   the output range, before the final elements overwrite them. On the host, only the loop of the
///   policy may allocate memory.
/// - Synchronisation: as Thrust. All policies but `par_nosync` return when the merge is done.
///   `par_nosync` returns at once, and its merge can be captured in a graph. A CUDA policy uses its
///   own stream only.
/// - Errors: errors of a launch are thrown at once. An error in the kernel itself, such as an
///   invalid address, surfaces when the stream is waited for: in this call under `par`, in a later
///   CUDA call under `par_nosync`. The exception has one of these codes:
///   - `EINVAL` of `thrust::system_category()`: a range ends before it begins, there are 2^63 - 1
///     outputs or more, or a check of `CMERGE_CHECK_PRECONDITIONS` failed.
///   - `cudaErrorMisalignedAddress`: a pointer is not aligned to its type.
///   - `cudaErrorInvalidResourceHandle`: the stream belongs to a device other than the current one.
///     Only CUDA 12.8 and newer can tell.
///   - `cudaErrorInvalidConfiguration`: the merge has 2^31 tiles or more. Or a tile does not fit in
///     shared memory next to the static shared memory of the comparator or an iterator. Another
///     tuning, attached by `tuned`, can help.
///   - `cudaErrorNoKernelImageForDevice`, `cudaErrorInvalidDeviceFunction` or
///     `cudaErrorUnsupportedPtxVersion`: the program has no code for this GPU.
///   - Any other CUDA error: a CUDA call returned it.
///
/// \tparam Policy     a Thrust policy, or one that `cmerge::tuned` returns
/// \tparam Iterator1  random-access iterator over the first range
/// \tparam Iterator2  random-access iterator over the second range
/// \tparam Output     random-access iterator to which elements of both ranges can be assigned
/// \tparam Compare    type of the comparator
/// \param policy  where to run
/// \param first1  beginning of the first sorted range, of `m = last1 - first1` elements
/// \param last1   end of the first sorted range
/// \param first2  beginning of the second sorted range, of `n = last2 - first2` elements
/// \param last2   end of the second sorted range
/// \param out     beginning of the output, which has room for `m + n` elements
/// \param comp    strict weak ordering, by default `<`. Large merges of 1- and 2-byte integers on a
///                GPU are fastest with the default, or with `less` or `greater` of Thrust or of the
///                standard library. Other comparators are slower there
/// \returns the end of the output, `out + m + n`
/// \throws thrust::system_error with a code of the list above. On the host, anything that the
///         comparator or the copy of an element throws; the output is then unspecified. In a
///         kernel, nothing: a range that ends before it begins is empty
///
/// \snippet first_merge.cu first_merge
///
/// With `CMERGE_CHECK_PRECONDITIONS`, an error names the range and its first bad position:
///
/// \snippet check_preconditions.cpp check_preconditions
///
/// Source: C. Siebert and J. L. Traeff, "Perfectly load-balanced, stable, synchronization-free
/// parallel merge", Parallel Processing Letters 24(1), 2014; D. Kirk, W. Hwu and I. El Hajj,
/// "Programming Massively Parallel Processors", 4th ed., 2022, chapter 12.
CMERGE_EXEC_CHECK_DISABLE
template <class Policy, class Iterator1, class Iterator2, class Output,
          class Compare = detail::less, detail::enable_if_policy<Policy> = 0>
CMERGE_HOST_DEVICE Output merge(const Policy& policy, Iterator1 first1, Iterator1 last1,
                                Iterator2 first2, Iterator2 last2, Output out, Compare comp = {}) {
  detail::check_arguments<Iterator1, Iterator2, Output, Compare>();
  const auto problem = detail::keys_problem(first1, first2, out, comp,
                                            detail::sizes_of(first1, last1, first2, last2));
  detail::dispatch(policy, problem, "cmerge::merge");
  return out + problem.outputs;
}

/// Merges two sorted ranges into one, without a policy.
///
/// As `merge` with a policy. The systems of the iterators select the policy, as in Thrust.
CMERGE_EXEC_CHECK_DISABLE
template <class Iterator1, class Iterator2, class Output, class Compare = detail::less,
          detail::enable_if_not_policy<Iterator1> = 0>
CMERGE_HOST_DEVICE Output merge(Iterator1 first1, Iterator1 last1, Iterator2 first2,
                                Iterator2 last2, Output out, Compare comp = {}) {
  return cmerge::merge(detail::select_policy(first1, first2, out), first1, last1, first2, last2,
                       out, comp);
}

/// Merges two sorted ranges of keys into one, and moves each value with its key.
///
/// A drop-in replacement for `thrust::merge_by_key`. It merges the keys as `merge` does, and all
/// that is said there holds here. Each value is read once and written once. Values are never
/// compared.
///
/// - Preconditions: those of `merge`. The output of values does not overlap any other range.
/// - Stability and complexity: as `merge`.
///
/// \tparam Policy     a Thrust policy, or one that `cmerge::tuned` returns
/// \tparam Keys1      random-access iterator over the keys of range 1
/// \tparam Keys2      random-access iterator over the keys of range 2
/// \tparam Values1    random-access iterator over the values of range 1
/// \tparam Values2    random-access iterator over the values of range 2
/// \tparam KeysOut    random-access iterator to which keys of both ranges can be assigned
/// \tparam ValuesOut  random-access iterator to which values of both ranges can be assigned
/// \tparam Compare    type of the comparator
/// \param policy      where to run, as for `merge`
/// \param keys_first1 beginning of the sorted keys of range 1, `m = keys_last1 - keys_first1` keys
/// \param keys_last1  end of the keys of range 1
/// \param keys_first2 beginning of the sorted keys of range 2, `n = keys_last2 - keys_first2` keys
/// \param keys_last2  end of the keys of range 2
/// \param values1     beginning of the `m` values of range 1
/// \param values2     beginning of the `n` values of range 2
/// \param keys_out    beginning of the output of keys, which has room for `m + n` keys
/// \param values_out  beginning of the output of values, which has room for `m + n` values
/// \param comp        strict weak ordering of keys, by default `<`
/// \returns a pair of the end of the output keys and the end of the output values
/// \throws thrust::system_error as `merge`
///
/// \snippet key_value.cu merge_by_key
CMERGE_EXEC_CHECK_DISABLE
template <class Policy, class Keys1, class Keys2, class Values1, class Values2, class KeysOut,
          class ValuesOut, class Compare = detail::less, detail::enable_if_policy<Policy> = 0>
CMERGE_HOST_DEVICE thrust::pair<KeysOut, ValuesOut> merge_by_key(
    const Policy& policy, Keys1 keys_first1, Keys1 keys_last1, Keys2 keys_first2, Keys2 keys_last2,
    Values1 values1, Values2 values2, KeysOut keys_out, ValuesOut values_out, Compare comp = {}) {
  detail::check_arguments<Keys1, Keys2, KeysOut, Compare>();
  detail::check_values<Values1, Values2, ValuesOut>();
  const auto problem =
      detail::pairs_problem(keys_first1, values1, keys_first2, values2, keys_out, values_out, comp,
                            detail::sizes_of(keys_first1, keys_last1, keys_first2, keys_last2));
  detail::dispatch(policy, problem, "cmerge::merge_by_key");
  return {keys_out + problem.outputs, values_out + problem.outputs};
}

/// Merges two sorted ranges of keys, and their values, without a policy.
///
/// As `merge_by_key` with a policy. The systems of the iterators select the policy, as in Thrust.
CMERGE_EXEC_CHECK_DISABLE
template <class Keys1, class Keys2, class Values1, class Values2, class KeysOut, class ValuesOut,
          class Compare = detail::less, detail::enable_if_not_policy<Keys1> = 0>
CMERGE_HOST_DEVICE thrust::pair<KeysOut, ValuesOut> merge_by_key(
    Keys1 keys_first1, Keys1 keys_last1, Keys2 keys_first2, Keys2 keys_last2, Values1 values1,
    Values2 values2, KeysOut keys_out, ValuesOut values_out, Compare comp = {}) {
  return cmerge::merge_by_key(
      detail::select_policy(keys_first1, keys_first2, values1, values2, keys_out, values_out),
      keys_first1, keys_last1, keys_first2, keys_last2, values1, values2, keys_out, values_out,
      comp);
}

}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
