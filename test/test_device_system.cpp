// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every call with thrust::device, and with device vectors and no policy. Compiled once for each
// host system that THRUST_DEVICE_SYSTEM can name, so it instantiates little.
#include "oracle.h"

#include <cmerge/merge.h>
#include <cmerge/merge_indices.h>
#include <cmerge/merge_n.h>

#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace {

using oracle::tagged;

/// Keys as device vectors of ints, values as device vectors of tagged elements.
struct device_pairs {
  explicit device_pairs(const oracle::inputs<tagged>& in)
      : values1(in.a.begin(), in.a.end()), values2(in.b.begin(), in.b.end()) {
    std::vector<int> keys;
    for (const tagged& x : in.a) keys.push_back(x.key);
    keys1.assign(keys.begin(), keys.end());
    keys.clear();
    for (const tagged& x : in.b) keys.push_back(x.key);
    keys2.assign(keys.begin(), keys.end());
  }

  thrust::device_vector<int> keys1;
  thrust::device_vector<int> keys2;
  thrust::device_vector<tagged> values1;
  thrust::device_vector<tagged> values2;
};

/// Whether `result` holds the first `result.size()` elements of `expected`.
bool is_front(const thrust::device_vector<tagged>& result, const std::vector<tagged>& expected) {
  const std::vector<tagged> front(expected.begin(),
                                  expected.begin() + static_cast<std::ptrdiff_t>(result.size()));
  const std::vector<tagged> copy(result.begin(), result.end());
  return oracle::first_difference(copy.data(), front) == front.size();
}

/// Makes every call. `policy` is thrust::device or absent.
template <class... Policy>
void check_calls(const oracle::inputs<tagged>& in, const Policy&... policy) {
  const auto expected = oracle::merged(in.a, in.b, oracle::by_key{});
  const device_pairs d(in);

  thrust::device_vector<tagged> out(expected.size());
  CHECK(cmerge::merge(policy..., d.values1.begin(), d.values1.end(), d.values2.begin(),
                      d.values2.end(), out.begin(), oracle::by_key{}) == out.end());
  CHECK(is_front(out, expected));

  thrust::device_vector<int> keys(expected.size());
  thrust::device_vector<tagged> values(expected.size());
  const auto ends = cmerge::merge_by_key(policy..., d.keys1.begin(), d.keys1.end(), d.keys2.begin(),
                                         d.keys2.end(), d.values1.begin(), d.values2.begin(),
                                         keys.begin(), values.begin());
  CHECK(ends.first == keys.end());
  CHECK(ends.second == values.end());
  CHECK(is_front(values, expected));
  CHECK(std::is_sorted(keys.begin(), keys.end()));

  const std::size_t half = expected.size() / 2;
  thrust::device_vector<tagged> front(half);
  CHECK(cmerge::merge_n(policy..., d.values1.begin(), d.values1.end(), d.values2.begin(),
                        d.values2.end(), static_cast<std::int64_t>(half), front.begin(),
                        oracle::by_key{}) == front.end());
  CHECK(is_front(front, expected));

  thrust::device_vector<std::uint32_t> words(expected.size());
  CHECK(cmerge::merge_indices(policy..., d.keys1.begin(), d.keys1.end(), d.keys2.begin(),
                              d.keys2.end(), words.begin()) == words.end());
  for (std::size_t k = 0; k < expected.size(); ++k) REQUIRE(words[k] == expected[k].tag);
}

TEST_CASE("thrust::device runs every call") {
  for (const oracle::shape s : oracle::all_shapes) {
    for (const auto& size : {std::pair<std::size_t, std::size_t>{0, 9},
                             {255, 513},
                             {16384, 16383},
                             {16384, 16384},
                             {70000, 3},
                             {99999, 150001}}) {
      INFO("shape ", oracle::name(s), ", m ", size.first, ", n ", size.second, ", seed ",
           oracle::seed());
      check_calls(oracle::make_inputs(s, size.first, size.second), thrust::device);
    }
  }
}

TEST_CASE("no policy: device vectors select the system") {
  check_calls(oracle::make_inputs(oracle::shape::random, 30000, 40000));
}

}  // namespace
