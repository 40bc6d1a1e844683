// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// merge_indices on a GPU: each word identifies the element that std::merge outputs.
#include "gpu/oracle.cuh"

#include <cmerge/merge_indices.h>

#include <thrust/device_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/system_error.h>
#include <thrust/transform.h>

#include <numeric>

namespace gpu_test {

using cmerge::strategy;
using oracle::fixed_moderate;
using oracle::moderate_default;
using oracle::shape;
using oracle::tagged;

template <class Word, class Tuning, class Key = tagged>
void check_words(shape s, std::size_t m, std::size_t n) {
  INFO("shape ", oracle::name(s), ", seed ", oracle::seed(), ", m ", m, ", n ", n);
  const auto in = oracle::make_inputs<sizeof(Key)>(s, m, n);
  const auto all = oracle::merged(in.a, in.b, oracle::by_key{});
  const oracle::device_input<Key> a(in.a);
  const oracle::device_input<Key> b(in.b, 1);
  const oracle::device_output<Word> out(m + n, n % 4);
  const oracle::device_errors errors;
  CHECK(cmerge::merge_indices(cmerge::tuned<Tuning>(thrust::device), a.begin(), a.end(), b.begin(),
                              b.end(), out.begin(),
                              oracle::checked({0, m, 0, n}, errors)) == out.end());
  CHECK(errors.count() == 0);
  const auto words = out.download();
  for (std::size_t k = 0; k < m + n; ++k) {
    const cmerge::merge_source<Word> source{words[k]};
    const auto tag =
        static_cast<unsigned>(source.position()) | (source.is_second() ? oracle::second_input : 0u);
    if (tag != all[k].tag) FAIL("output ", k, " is wrong");
  }
}

TEST_CASE_TEMPLATE("writes a word for each output by every strategy", T, cmerge::default_tuning,
                   fixed_moderate<strategy::basic, 32, 3>, fixed_moderate<strategy::tiled, 32, 3>,
                   fixed_moderate<strategy::circular, 32, 3, 1>,
                   fixed_moderate<strategy::circular, 64, 5, 2>,
                   fixed_moderate<strategy::single, 32, 1>, fixed_moderate<strategy::single, 64, 3>,
                   fixed_moderate<strategy::indirect, 64, 3>) {
  for (const shape s : oracle::all_shapes) {
    check_words<std::uint32_t, T>(s, 5000, 3333);
    check_words<std::uint64_t, T>(s, 3, 8000);
    check_words<std::uint32_t, T>(s, 96, 0);
  }
}

TEST_CASE("writes words for keys of many sizes") {
  for (const shape s : {shape::random, shape::few}) {
    check_words<std::uint32_t, moderate_default, oracle::record<16>>(s, 5000, 3333);
    check_words<std::uint64_t, moderate_default, oracle::record<20>>(s, 5000, 3333);
    check_words<std::uint32_t, moderate_default, oracle::record<96>>(s, 500, 333);
    check_words<std::uint32_t, moderate_default, oracle::record<4096>>(s, 50, 33);
  }
}

TEST_CASE("writes words for large problems, and with a partition launch") {
  if (oracle::quick()) return;
  for (const shape s : {shape::random, shape::disjoint2, shape::equal}) {
    check_words<std::uint32_t, cmerge::default_tuning>(s, 2000000, 1000001);
    check_words<std::uint64_t, fixed_moderate<strategy::single, 32, 1>>(s, 500000, 600001);
    check_words<std::uint32_t, fixed_moderate<strategy::single, 32, 1>>(s, 500000, 600001);
  }
}

struct first_less {
  template <class X, class Y>
  __host__ __device__ bool operator()(const X& x, const Y& y) const {
    return thrust::get<0>(x) < thrust::get<0>(y);
  }
};

TEST_CASE("writes words for zipped keys, and gathers columns by them") {
  const auto in = oracle::make_keys(shape::few, 3000, 2000, 1 << 20);
  const thrust::device_vector<int> key1(std::vector<int>(in.a.begin(), in.a.end()));
  const thrust::device_vector<int> key2(std::vector<int>(in.b.begin(), in.b.end()));
  std::vector<float> floats(3000);
  std::iota(floats.begin(), floats.end(), 0.0f);
  thrust::device_vector<float> column1(floats);
  std::iota(floats.begin(), floats.begin() + 2000, 100000.0f);
  thrust::device_vector<float> column2(floats.begin(), floats.begin() + 2000);
  const auto first1 = thrust::make_zip_iterator(thrust::make_tuple(key1.begin(), column1.begin()));
  const auto first2 = thrust::make_zip_iterator(thrust::make_tuple(key2.begin(), column2.begin()));
  thrust::device_vector<std::uint32_t> words(5000);
  CHECK(cmerge::merge_indices(first1, first1 + 3000, first2, first2 + 2000, words.begin(),
                              first_less{}) == words.end());
  thrust::device_vector<float> gathered(5000);
  thrust::transform(words.begin(), words.end(), gathered.begin(),
                    cmerge::source_element{column1.data().get(), column2.data().get()});
  std::vector<std::pair<std::int64_t, float>> a;
  std::vector<std::pair<std::int64_t, float>> b;
  for (std::size_t i = 0; i < in.a.size(); ++i) a.push_back({in.a[i], static_cast<float>(i)});
  for (std::size_t j = 0; j < in.b.size(); ++j) {
    b.push_back({in.b[j], 100000.0f + static_cast<float>(j)});
  }
  const auto all = oracle::merged(a, b, [](auto& x, auto& y) { return x.first < y.first; });
  std::vector<float> result(5000);
  thrust::copy(gathered.begin(), gathered.end(), result.begin());
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (result[k] != all[k].second) FAIL("output ", k, " is wrong");
  }
}

TEST_CASE("reports ranges that are too long for 32-bit words") {
  const thrust::counting_iterator<std::int64_t> first(0);
  const std::int64_t too_long = (std::int64_t{1} << 31) + 1;
  const oracle::device_output<std::uint32_t> out(1);
  CHECK_THROWS_AS(
      cmerge::merge_indices(thrust::device, first, first + too_long, first, first, out.begin()),
      thrust::system_error);
  CHECK(out.download() == std::vector<std::uint32_t>{0xa5a5a5a5u});
}

}  // namespace gpu_test
