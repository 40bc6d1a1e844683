// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The merge benchmarks of iterators other than pointers. All rivals get the same iterators.

#include "merge.cuh"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

namespace bench {

/// A function that never decreases as the element grows.
struct halved {
  __host__ __device__ std::int32_t operator()(std::int32_t x) const { return x / 2; }
};

/// The order of zipped keys and payloads: by the keys only.
struct first_less {
  template <class X, class Y>
  __host__ __device__ bool operator()(const X& x, const Y& y) const {
    return thrust::get<0>(x) < thrust::get<0>(y);
  }
};

namespace {

using keys_case = merge_case<std::int32_t, void>;
using pairs_case = merge_case<std::int32_t, std::int32_t>;

/// Both inputs are 0, 1, 2, ...: nothing is read from memory.
struct counting_case : keys_case {
  template <class Callee>
  void pass(const Callee& to) const {
    const thrust::counting_iterator<std::int32_t> counting(0);
    to.keys(counting, m, counting, n, keys_out);
  }
  counting_case moved(std::size_t offset) const { return {keys_case::moved(offset)}; }
};

/// The results of a function of the keys in memory.
struct transform_case : keys_case {
  template <class Callee>
  void pass(const Callee& to) const {
    const std::int32_t* const k1 = keys1;
    const std::int32_t* const k2 = keys2;
    to.keys(thrust::make_transform_iterator(k1, halved{}), m,
            thrust::make_transform_iterator(k2, halved{}), n, keys_out);
  }
  transform_case moved(std::size_t offset) const { return {keys_case::moved(offset)}; }
};

/// Keys and payloads as one sequence of pairs.
struct zip_case : pairs_case {
  template <class Callee>
  void pass(const Callee& to) const {
    const std::int32_t* const k1 = keys1;
    const std::int32_t* const k2 = keys2;
    const std::int32_t* const v1 = values1;
    const std::int32_t* const v2 = values2;
    to.keys(thrust::make_zip_iterator(k1, v1), m, thrust::make_zip_iterator(k2, v2), n,
            thrust::make_zip_iterator(keys_out, values_out), first_less{});
  }
  zip_case moved(std::size_t offset) const { return {pairs_case::moved(offset)}; }
};

template <class Case>
bool add_iterators(const char* type, distribution_name keys) {
  for (int log2_size = 20; log2_size <= 29; ++log2_size) {
    add_workload<Case, forced::none>({type, log2_size, keys, splits[0]});
  }
  return true;
}

[[maybe_unused]] const bool added =
    add_iterators<counting_case>("counting_i32", {distribution::random, "counting"}) &&
    add_iterators<transform_case>("transform_i32", distributions[0]) &&
    add_iterators<zip_case>("zip_i32_i32", distributions[0]);

}  // namespace
}  // namespace bench
