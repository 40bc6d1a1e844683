// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels for check_resources.py, which compiles this file and reads the resource usage that the
// compiler reports.
#include <cmerge/detail/core/arguments.h>
#include <cmerge/merge_source.h>
#include <cmerge/detail/policy/cuda_merge.cuh>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

#include <cstdint>

namespace resources {

struct halved {
  __host__ __device__ std::int32_t operator()(std::int32_t x) const { return x / 2; }
};

using cmerge::problem_size;
using cmerge::strategy;
using cmerge::detail::merge_problem;
using cmerge::detail::no_values;

struct record {
  std::int64_t key;
  std::int64_t tag;
};
struct record_less {
  __host__ __device__ bool operator()(const record& x, const record& y) const {
    return x.key < y.key;
  }
};
struct greater {
  template <class T>
  __host__ __device__ bool operator()(const T& x, const T& y) const {
    return y < x;
  }
};
/// The order of zipped keys and payloads: by the keys alone.
struct first_less {
  template <class X, class Y>
  __host__ __device__ bool operator()(const X& x, const Y& y) const {
    return thrust::get<0>(x) < thrust::get<0>(y);
  }
};

template <int Bytes>
struct bytes {
  std::int64_t words[Bytes / 8];
};

/// Keys with an array, which compilers tend to keep in local memory.
template <int Count>
struct words {
  int word[Count];
};
struct first_word_less {
  template <class T>
  __host__ __device__ bool operator()(const T& x, const T& y) const {
    return x.word[0] < y.word[0];
  }
};

/// The default tuning with another strategy.
template <strategy How>
struct forced {
  static constexpr cmerge::tuning get(cmerge::tuning_query query) {
    if (How != strategy::basic) query.contiguous = false;
    cmerge::tuning tuning = cmerge::default_tuning::get(query);
    tuning.how = How;
    return tuning;
  }
};

template <class Problem, class Tuning = cmerge::default_tuning>
void use_kernels() {
  (void)cmerge::detail::merge_kernel<Tuning, problem_size::moderate, Problem>;
  (void)cmerge::detail::merge_kernel<Tuning, problem_size::large, Problem>;
  if constexpr (cmerge::detail::has_huge_problems<Problem>) {
    (void)cmerge::detail::merge_kernel<Tuning, problem_size::huge, Problem>;
  }
  (void)cmerge::detail::partition_kernel<Problem>;
}

template <class Key, class Compare = cmerge::detail::less>
using keys = merge_problem<const Key*, const Key*, Key*, no_values, no_values, no_values, Compare>;
template <class Key, class Value>
using pairs = merge_problem<const Key*, const Key*, Key*, const Value*, const Value*, Value*,
                            cmerge::detail::less>;
template <class Input, class Output, class Compare = cmerge::detail::less>
using iterators = merge_problem<Input, Input, Output, no_values, no_values, no_values, Compare>;

template <class Key>
void use_strategies() {
  use_kernels<keys<Key>, forced<strategy::basic>>();
  use_kernels<keys<Key>, forced<strategy::tiled>>();
  use_kernels<keys<Key>, forced<strategy::circular>>();
}

void use_all() {
  use_kernels<keys<std::int8_t>>();
  use_kernels<keys<std::int16_t>>();
  use_kernels<keys<std::int32_t>>();
  use_kernels<keys<std::uint32_t>>();
  use_kernels<keys<float>>();
  use_kernels<keys<std::int64_t>>();
  use_kernels<keys<double>>();
  use_kernels<keys<__int128>>();
  use_kernels<keys<record, record_less>>();
  use_kernels<keys<std::int32_t, greater>>();
  use_kernels<keys<words<2>, first_word_less>>();
  use_kernels<keys<words<4>, first_word_less>>();
  use_kernels<keys<words<5>, first_word_less>>();
  use_kernels<keys<words<64>, first_word_less>>();
  use_kernels<keys<words<1024>, first_word_less>>();
  use_kernels<pairs<std::int32_t, std::int32_t>>();
  use_kernels<pairs<std::int64_t, std::int64_t>>();
  use_kernels<pairs<std::int64_t, std::int32_t>>();
  use_kernels<pairs<std::int32_t, bytes<16>>>();
  use_kernels<pairs<std::int8_t, std::int32_t>>();
  use_kernels<pairs<std::int8_t, std::int8_t>>();
  use_kernels<pairs<std::int8_t, bytes<16>>>();
  use_kernels<cmerge::detail::device_sized<pairs<std::int8_t, std::int32_t>>>();
  use_kernels<pairs<std::int32_t, bytes<64>>>();
  using source = cmerge::detail::source_iterator<std::uint32_t>;
  use_kernels<merge_problem<const std::int32_t*, const std::int32_t*, cmerge::detail::no_output,
                            source, source, std::uint32_t*, cmerge::detail::less>>();
  use_kernels<cmerge::detail::device_sized<keys<std::int8_t>>>();
  use_kernels<cmerge::detail::device_sized<keys<std::int32_t>>>();
  use_kernels<iterators<thrust::counting_iterator<std::int32_t>, std::int32_t*>>();
  using transformed = thrust::transform_iterator<halved, const std::int32_t*>;
  use_kernels<iterators<transformed, std::int32_t*>>();
  using zipped = thrust::zip_iterator<thrust::tuple<const std::int32_t*, const float*>>;
  use_kernels<
      iterators<zipped, thrust::zip_iterator<thrust::tuple<std::int32_t*, float*>>, first_less>>();
  use_strategies<std::int32_t>();
  use_strategies<std::int64_t>();
}

}  // namespace resources
