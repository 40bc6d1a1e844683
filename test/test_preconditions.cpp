// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CMERGE_CHECK_PRECONDITIONS under host policies: an error names the violated precondition, and
// nothing is written.
#define CMERGE_CHECK_PRECONDITIONS
#include "host_policies.h"
#include "oracle.h"
#include "precondition_errors.h"

#include <cmerge/merge.h>
#include <cmerge/merge_indices.h>
#include <cmerge/merge_n.h>

namespace {

using oracle::contains;
using oracle::error_of;
using oracle::for_each_host_system;

TEST_CASE("valid arguments pass") {
  const auto in = oracle::make_inputs(oracle::shape::few, 40000, 30000);
  const auto expected = oracle::merged(in.a, in.b, oracle::by_key{});
  for_each_host_system([&](const auto& policy) {
    std::vector<oracle::tagged> out(expected.size());
    cmerge::merge(policy, in.a.begin(), in.a.end(), in.b.begin(), in.b.end(), out.begin(),
                  oracle::by_key{});
    CHECK(oracle::first_difference(out.data(), expected) == expected.size());
  });
  const std::vector<int> none;
  std::vector<int> out;
  CHECK(cmerge::merge(thrust::seq, none.begin(), none.end(), none.begin(), none.end(),
                      out.begin()) == out.end());
}

TEST_CASE("the error names the unsorted range and the first bad position") {
  std::vector<int> sorted(1000);
  for (std::size_t i = 0; i < sorted.size(); ++i) sorted[i] = static_cast<int>(i);
  std::vector<int> bad = sorted;
  bad[617] = 3;
  bad[900] = 3;
  for_each_host_system([&](const auto& policy) {
    std::vector<int> out(2000, -1);
    const std::string first = error_of([&] {
      cmerge::merge(policy, bad.begin(), bad.end(), sorted.begin(), sorted.end(), out.begin());
    });
    CHECK(contains(first, "cmerge::merge: the first range is not sorted: element 617"));
    const std::string second = error_of([&] {
      cmerge::merge_by_key(policy, sorted.begin(), sorted.end(), bad.begin(), bad.end(),
                           sorted.begin(), sorted.begin(), out.begin(), out.begin() + 1);
    });
    CHECK(contains(second, "cmerge::merge_by_key: the second range is not sorted: element 617"));
    const std::string third = error_of([&] {
      cmerge::merge_n(policy, sorted.begin(), sorted.end(), bad.begin(), bad.end(), 10,
                      out.begin());
    });
    CHECK(contains(third, "cmerge::merge_n: the second range is not sorted"));
    std::vector<std::uint32_t> words(2000, 7);
    const std::string fourth = error_of([&] {
      cmerge::merge_indices(policy, bad.begin(), bad.end(), sorted.begin(), sorted.end(),
                            words.begin());
    });
    CHECK(contains(fourth, "cmerge::merge_indices: the first range is not sorted"));
    CHECK(out == std::vector<int>(2000, -1));
    CHECK(words == std::vector<std::uint32_t>(2000, 7));
  });
}

TEST_CASE("order is judged by the comparator") {
  const std::vector<int> falling{5, 3, 3, 1};
  const std::vector<int> rising{1, 2};
  std::vector<int> out(6);
  CHECK(error_of([&] {
          cmerge::merge(thrust::seq, falling.begin(), falling.end(), falling.begin(),
                        falling.begin(), out.begin(), std::greater<>{});
        }) == "");
  CHECK(contains(error_of([&] {
                   cmerge::merge(thrust::seq, falling.begin(), falling.end(), rising.begin(),
                                 rising.end(), out.begin(), std::greater<>{});
                 }),
                 "the second range is not sorted: element 1 goes before element 0"));
}

TEST_CASE("ranges of two types are each checked") {
  const std::vector<int> a{1, 2};
  const std::vector<double> b{0.5, 0.25};
  std::vector<double> out(4);
  CHECK(contains(error_of([&] {
                   cmerge::merge(thrust::seq, a.begin(), a.end(), b.begin(), b.end(), out.begin());
                 }),
                 "the second range is not sorted: element 1"));
}

TEST_CASE("an output that overlaps an input is refused") {
  std::vector<int> memory(100);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<int>(i);
  const int* const in = memory.data();
  const std::vector<int> other{1, 2, 3};
  const auto overlap = [&](std::ptrdiff_t out) {
    return error_of([&] {
      cmerge::merge(thrust::seq, in + 40, in + 50, other.begin(), other.end(),
                    memory.begin() + out);
    });
  };
  CHECK(contains(overlap(49), "the first range overlaps an output"));
  CHECK(contains(overlap(28), "the first range overlaps an output"));
  CHECK(contains(overlap(40), "the first range overlaps an output"));
  CHECK(overlap(50) == "");
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<int>(i);
  CHECK(overlap(27) == "");
  std::vector<int> keys(6);
  const std::string values = error_of([&] {
    cmerge::merge_by_key(thrust::seq, other.begin(), other.end(), other.begin(), other.end(), in,
                         in + 10, keys.begin(), memory.begin() + 12);
  });
  CHECK(contains(values, "the second range of values overlaps an output"));
}

}  // namespace
