// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element types and comparators under host policies.
#include "host_policies.h"
#include "oracle.h"

#include <cmerge/merge.h>

#include <atomic>
#include <functional>
#include <string>
#include <vector>

namespace {

using oracle::for_each_host_system;
using oracle::shape;
using oracle::tagged;

// Large enough for several sections and blocks of the host merge.
constexpr int size = 50000;

TEST_CASE("strings") {
  std::vector<std::string> a;
  std::vector<std::string> b;
  for (int i = 0; i < 20000; ++i) {
    a.push_back(std::to_string(i * 7919 % 100003));
    b.push_back(std::to_string(i * 104729 % 100003) + " with a tail that needs the heap");
  }
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  const auto expected = oracle::merged(a, b, std::less<std::string>{});
  for_each_host_system([&](const auto& policy) {
    std::vector<std::string> out(40000);
    cmerge::merge(policy, a.begin(), a.end(), b.begin(), b.end(), out.begin());
    REQUIRE(out == expected);
  });
}

/// No default constructor and no `operator<`. Copyable.
struct bare {
  explicit bare(int k) : key(k) {}
  bare(const bare&) = default;
  bare& operator=(const bare&) = default;
  bool operator<(const bare&) const = delete;
  int key;
};

TEST_CASE("a type without a default constructor and without operator<") {
  std::vector<bare> a;
  std::vector<bare> b;
  for (int i = 0; i < size; ++i) a.emplace_back(i), b.emplace_back(i * 2);
  for_each_host_system([&](const auto& policy) {
    std::vector<bare> out(2 * size, bare(-1));
    cmerge::merge(policy, a.begin(), a.end(), b.begin(), b.end(), out.begin(), oracle::by_key{});
    REQUIRE(std::is_sorted(out.begin(), out.end(), oracle::by_key{}));
    REQUIRE(out.back().key == 2 * size - 2);
  });
}

/// A handle with user-defined copies, assignments and comparisons. A live handle carries `mark`.
/// Raw memory and destroyed handles do not, and each use of them is counted as a fault.
struct handle {
  static constexpr unsigned alive = 0x51a7e0fe;
  static std::atomic<int> faults;

  explicit handle(int k) : key(k) {}
  handle(const handle& other) : key(other.value()) {}
  handle& operator=(const handle& other) {
    value();
    key = other.value();
    return *this;
  }
  ~handle() { mark = 0; }
  int value() const {
    if (mark != alive) ++faults;
    return key;
  }
  bool operator<(const handle& other) const { return value() < other.value(); }

  int key;
  unsigned mark = alive;
};
std::atomic<int> handle::faults{0};

// The host merge needs no buffer and creates no elements. This case keeps it so: a future host path
// that assigns to raw memory, moves bytes, or compares elements read ahead fails here.
TEST_CASE("user-defined copies: only live elements are copied, assigned and compared") {
  std::vector<handle> a;
  std::vector<handle> b;
  for (int i = 0; i < size; ++i) a.emplace_back(2 * i), b.emplace_back(3 * i);
  for_each_host_system([&](const auto& policy) {
    std::vector<handle> out(2 * size, handle(-1));
    std::vector<handle> values(2 * size, handle(-1));
    cmerge::merge(policy, a.begin(), a.end(), b.begin(), b.end(), out.begin());
    REQUIRE(std::is_sorted(out.begin(), out.end()));
    cmerge::merge_by_key(policy, a.begin(), a.end(), b.begin(), b.end(), a.begin(), b.begin(),
                         out.begin(), values.begin());
    for (std::size_t k = 0; k < out.size(); ++k) REQUIRE(out[k].key == values[k].key);
    REQUIRE(handle::faults == 0);
  });
}

TEST_CASE("comparators: stateful, non-const, function pointer, std::function, generic") {
  const auto in = oracle::make_inputs(shape::few, size, size);
  const auto expected = oracle::merged(in.a, in.b, oracle::by_key{});
  struct stateful {
    int calls = 0;
    const int* sign;
    bool operator()(const tagged& y, const tagged& x) {
      ++calls;
      return *sign * y.key < *sign * x.key;
    }
  };
  const int sign = 1;
  const auto by_copies = [](tagged y, tagged x) { return y.key < x.key; };
  const auto generic = [](const auto& y, const auto& x) { return y.key < x.key; };
  for_each_host_system([&](const auto& policy) {
    const auto check = [&](auto comp) {
      std::vector<tagged> out(2 * size);
      cmerge::merge(policy, in.a.begin(), in.a.end(), in.b.begin(), in.b.end(), out.begin(), comp);
      REQUIRE(oracle::first_difference(out.data(), expected) == expected.size());
    };
    check(stateful{0, &sign});
    check(+[](const tagged& y, const tagged& x) { return y.key < x.key; });
    check(std::function<bool(const tagged&, const tagged&)>(oracle::by_key{}));
    check(by_copies);
    check(generic);
  });
}

TEST_CASE("int and double are compared without conversion, and converted once") {
  // As int, 2.5 would be 2; as float, 16777217 would be 16777216.
  const std::vector<int> a{1, 2, 3, 16777217};
  const std::vector<double> b{1.5, 2.5, 16777216.5};
  const std::vector<double> expected{1, 1.5, 2, 2.5, 3, 16777216.5, 16777217};
  for_each_host_system([&](const auto& policy) {
    std::vector<double> out(7);
    cmerge::merge(policy, a.begin(), a.end(), b.begin(), b.end(), out.begin());
    CHECK(out == expected);
    cmerge::merge(policy, b.begin(), b.end(), a.begin(), a.end(), out.begin());
    CHECK(out == expected);
  });
}

}  // namespace
