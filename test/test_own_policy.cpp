// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// User-defined policies and system tags. Compiled a second time with Thrust in another namespace.
#include <cmerge/merge.h>

#include <thrust/execution_policy.h>
#include <thrust/iterator/retag.h>

#include <doctest/doctest.h>

#include <vector>

namespace {

namespace thrust = THRUST_NS_QUALIFIER;

struct own_policy : thrust::host_execution_policy<own_policy> {};
struct own_device_policy : thrust::device_execution_policy<own_device_policy> {};
struct own_tag : thrust::host_system_tag {};

const std::vector<int> first{1, 3, 5};
const std::vector<int> second{2, 3, 4};
const std::vector<int> merged{1, 2, 3, 3, 4, 5};

template <class Policy>
void check_policy(const Policy& policy) {
  std::vector<int> out(6);
  std::vector<int> values(6);
  CHECK(cmerge::merge(policy, first.begin(), first.end(), second.begin(), second.end(),
                      out.begin()) == out.end());
  CHECK(out == merged);
  cmerge::merge_by_key(policy, first.begin(), first.end(), second.begin(), second.end(),
                       first.begin(), second.begin(), out.begin(), values.begin());
  CHECK(values == merged);
}

template <class Tag>
void check_tag() {
  std::vector<int> out(6);
  const auto a = thrust::retag<Tag>(first.data());
  const auto to = thrust::retag<Tag>(out.data());
  cmerge::merge(a, a + 3, second.data(), second.data() + 3, to);
  CHECK(out == merged);
}

}  // namespace

TEST_CASE("user-defined policies that derive from those of Thrust") {
  check_policy(own_policy{});
  check_policy(own_device_policy{});
  check_policy(thrust::seq);
  check_policy(thrust::host);
}

TEST_CASE("iterators with user-defined system tags and no policy") {
  check_tag<own_policy>();
  check_tag<own_tag>();
}
