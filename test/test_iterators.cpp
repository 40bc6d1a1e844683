// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Iterators, element types and comparators of all kinds, under host policies.
#include "host_policies.h"
#include "oracle.h"

#include <cmerge/merge.h>
#include <cmerge/merge_n.h>

#include <thrust/host_vector.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

#include <atomic>
#include <deque>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace {

using oracle::for_each_host_policy;
using oracle::shape;
using oracle::tagged;

// Enough for several sections and blocks.
constexpr int size = 50000;

std::vector<int> multiples(int factor) {
  std::vector<int> v(size);
  for (int i = 0; i < size; ++i) v[static_cast<std::size_t>(i)] = i * factor;
  return v;
}

struct doubled {
  int operator()(int x) const { return 2 * x; }
};
struct identity {
  bool operator()(bool x) const { return x; }
};
struct negated {
  int operator()(int x) const { return -x; }
};

TEST_CASE("counting, transform, reverse, permutation iterators, one kind for each range") {
  const auto twos = multiples(2);
  const auto expected = oracle::merged(twos, multiples(1), std::less<int>{});
  std::vector<int> backward(twos.rbegin(), twos.rend());
  std::vector<int> places(size);
  std::iota(places.rbegin(), places.rend(), 0);
  const thrust::counting_iterator<int> counting(0);
  for_each_host_policy([&](const auto& policy) {
    std::vector<int> out(2 * size);
    const auto check = [&](auto first1) {
      std::fill(out.begin(), out.end(), -1);
      REQUIRE(cmerge::merge(policy, first1, first1 + size, counting, counting + size,
                            out.begin()) == out.end());
      REQUIRE(out == expected);
    };
    check(thrust::make_transform_iterator(counting, doubled{}));
    check(thrust::make_reverse_iterator(backward.cend()));
    check(thrust::make_permutation_iterator(backward.cbegin(), places.cbegin()));
    check(twos.cbegin());
    check(twos.data());
  });
}

TEST_CASE("a deque, a constant iterator, an output that is thrown away") {
  const auto ones = multiples(1);
  const std::deque<int> deque(ones.begin(), ones.end());
  for_each_host_policy([&](const auto& policy) {
    std::deque<int> out(size + 10);
    const thrust::constant_iterator<int> seven(7);
    cmerge::merge(policy, deque.begin(), deque.end(), seven, seven + 10, out.begin());
    REQUIRE(std::is_sorted(out.begin(), out.end()));
    REQUIRE(std::count(out.begin(), out.end(), 7) == 11);
    const auto nowhere = thrust::make_discard_iterator();
    REQUIRE(cmerge::merge(policy, deque.begin(), deque.end(), seven, seven + 10, nowhere) ==
            nowhere + (size + 10));
  });
}

TEST_CASE("a transforming output is written, not read") {
  const auto ones = multiples(1);
  for_each_host_policy([&](const auto& policy) {
    std::vector<int> out(2 * size);
    const auto first = thrust::make_transform_output_iterator(out.begin(), negated{});
    cmerge::merge(policy, ones.begin(), ones.end(), ones.begin(), ones.end(), first);
    for (int k = 0; k < 2 * size; ++k) REQUIRE(out[static_cast<std::size_t>(k)] == -(k / 2));
  });
}

TEST_CASE("zipped keys") {
  const auto in = oracle::make_inputs(shape::few, size, size / 2);
  std::vector<int> keys1;
  std::vector<int> keys2;
  std::vector<unsigned> tags1;
  std::vector<unsigned> tags2;
  for (const tagged& x : in.a) keys1.push_back(x.key), tags1.push_back(x.tag);
  for (const tagged& x : in.b) keys2.push_back(x.key), tags2.push_back(x.tag);
  const auto expected = oracle::merged(in.a, in.b, oracle::by_key{});
  const auto first1 = thrust::make_zip_iterator(thrust::make_tuple(keys1.begin(), tags1.begin()));
  const auto first2 = thrust::make_zip_iterator(thrust::make_tuple(keys2.begin(), tags2.begin()));
  for_each_host_policy([&](const auto& policy) {
    std::vector<int> keys(expected.size());
    std::vector<unsigned> tags(expected.size());
    cmerge::merge(
        policy, first1, first1 + size, first2, first2 + size / 2,
        thrust::make_zip_iterator(thrust::make_tuple(keys.begin(), tags.begin())),
        [](const auto& x, const auto& y) { return thrust::get<0>(x) < thrust::get<0>(y); });
    for (std::size_t k = 0; k < expected.size(); ++k) {
      REQUIRE(keys[k] == expected[k].key);
      REQUIRE(tags[k] == expected[k].tag);
    }
  });
}

/// Bits of which the first `zeros` are false.
std::vector<bool> sorted_bits(std::size_t count, std::size_t zeros) {
  std::vector<bool> bits(count, true);
  std::fill_n(bits.begin(), zeros, false);
  return bits;
}

TEST_CASE("std::vector<bool>") {
  const std::vector<bool> a = sorted_bits(1000, 300);
  const std::vector<bool> b = sorted_bits(500, 400);
  for_each_host_policy([&](const auto& policy) {
    std::vector<bool> out(1500);
    CHECK(cmerge::merge(policy, a.begin(), a.end(), b.begin(), b.end(), out.begin()) == out.end());
    CHECK(out == sorted_bits(1500, 700));
  });
}

TEST_CASE("packed bits come out right under parallel policies") {
  // Odd sizes, so that sections begin inside words. Ones overwrite zeros, so that a lost write
  // shows.
  const std::size_t m = 30011;
  const std::size_t n = 10007;
  const std::vector<bool> a(m, true);
  const std::vector<bool> b(n, true);
  const std::vector<bool> expected(m + n, true);
  const int rounds = 10;
  for_each_host_policy([&](const auto& policy) {
    for (int round = 0; round < rounds; ++round) {
      std::vector<bool> out(m + n);
      const auto merge_to = [&](auto first) {
        std::fill(out.begin(), out.end(), false);
        cmerge::merge(policy, a.begin(), a.end(), b.begin(), b.end(), first);
        REQUIRE(out == expected);
      };
      merge_to(out.begin());
      merge_to(std::make_reverse_iterator(out.end()));
      merge_to(thrust::make_transform_output_iterator(out.begin(), identity{}));
      // Values, and zipped with something else.
      std::vector<bool> keys(m + n);
      cmerge::merge_by_key(policy, a.begin(), a.end(), b.begin(), b.end(), a.begin(), b.begin(),
                           thrust::make_discard_iterator(), keys.begin());
      REQUIRE(keys == expected);
      std::vector<char> other(m + n);
      std::fill(keys.begin(), keys.end(), false);
      const auto first1 = thrust::make_zip_iterator(thrust::make_tuple(a.begin(), a.begin()));
      const auto first2 = thrust::make_zip_iterator(thrust::make_tuple(b.begin(), b.begin()));
      cmerge::merge(
          policy, first1, first1 + std::ptrdiff_t(m), first2, first2 + std::ptrdiff_t(n),
          thrust::make_zip_iterator(thrust::make_tuple(other.begin(), keys.begin())),
          [](const auto& x, const auto& y) { return thrust::get<0>(x) < thrust::get<0>(y); });
      REQUIRE(keys == expected);
    }
  });
}

/// An output of bits, as a user may have one: it counts the threads that write to it.
struct counted_bits {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = bool;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  struct reference {
    std::mutex* mutex;
    std::set<std::thread::id>* writers;
    const reference& operator=(bool) const {
      const std::lock_guard<std::mutex> lock(*mutex);
      writers->insert(std::this_thread::get_id());
      return *this;
    }
  };
  std::mutex* mutex;
  std::set<std::thread::id>* writers;
  reference operator*() const { return {mutex, writers}; }
  counted_bits operator+(std::ptrdiff_t) const { return *this; }
};

TEST_CASE("an output of bits has one writer") {
  const std::vector<bool> a(40000, true);
  for_each_host_policy([&](const auto& policy) {
    std::mutex mutex;
    std::set<std::thread::id> writers;
    const counted_bits out{&mutex, &writers};
    cmerge::merge(policy, a.begin(), a.end(), a.begin(), a.end(), out);
    CHECK(writers.size() == 1);
    writers.clear();
    cmerge::merge_by_key(policy, a.begin(), a.end(), a.begin(), a.end(), a.begin(), a.begin(),
                         thrust::make_discard_iterator(), out);
    CHECK(writers.size() == 1);
  });
}

using cmerge::detail::writes_bits;
using bits = std::vector<bool>::iterator;
static_assert(writes_bits<bits>() && writes_bits<std::reverse_iterator<bits>>());
static_assert(writes_bits<thrust::zip_iterator<thrust::tuple<int*, bits>>>());
static_assert(!writes_bits<bool*>() && !writes_bits<thrust::discard_iterator<>>());
static_assert(!writes_bits<thrust::zip_iterator<thrust::tuple<int*, bool*>>>());

/// Strings that need the heap, so that one that was moved from is empty.
std::vector<std::string> heap_strings(int factor) {
  std::vector<std::string> strings(40000);
  for (std::size_t i = 0; i < strings.size(); ++i) {
    const std::string number = std::to_string(static_cast<std::int64_t>(i) * factor % 1000003);
    strings[i] = std::string(40 - number.size(), '0') + number;
  }
  std::sort(strings.begin(), strings.end());
  return strings;
}

TEST_CASE("move iterators: each element is compared before it is moved, and moved once") {
  const std::vector<std::string> a = heap_strings(7919);
  const std::vector<std::string> b = heap_strings(104729);
  const auto expected = oracle::merged(a, b, std::less<std::string>{});
  const auto check = [&](const auto& policy, auto comp) {
    std::vector<std::string> from1 = a;
    std::vector<std::string> from2 = b;
    std::vector<std::string> out(expected.size());
    const auto first1 = std::make_move_iterator(from1.begin());
    const auto first2 = std::make_move_iterator(from2.begin());
    cmerge::merge(policy, first1, first1 + 40000, first2, first2 + 40000, out.begin(), comp);
    REQUIRE(out == expected);
    REQUIRE(std::all_of(from1.begin(), from1.end(), [](const auto& s) { return s.empty(); }));
  };
  for_each_host_policy([&](const auto& policy) {
    check(policy, std::less<std::string>{});
    // A comparator that takes its arguments by value must not be given what it could move from.
    check(policy, [](std::string x, std::string y) { return x < y; });
  });
}

TEST_CASE("move iterators: types that can only be moved, as keys and as values") {
  using owner = std::unique_ptr<int>;
  const auto by_target = [](const owner& x, const owner& y) { return *x < *y; };
  const auto owners = [](const std::vector<int>& from) {
    std::vector<owner> made;
    for (const int x : from) made.push_back(std::make_unique<int>(x));
    return made;
  };
  const std::vector<int> a = multiples(2);
  const std::vector<int> b = multiples(3);
  const auto expected = oracle::merged(a, b, std::less<int>{});
  for_each_host_policy([&](const auto& policy) {
    std::vector<owner> from1 = owners(a);
    std::vector<owner> from2 = owners(b);
    std::vector<owner> out(expected.size());
    const auto first1 = std::make_move_iterator(from1.begin());
    const auto first2 = std::make_move_iterator(from2.begin());
    cmerge::merge(policy, first1, first1 + size, first2, first2 + size, out.begin(), by_target);
    for (std::size_t k = 0; k < out.size(); ++k) REQUIRE(*out[k] == expected[k]);

    from1 = owners(a);
    from2 = owners(b);
    std::vector<int> keys(expected.size());
    cmerge::merge_by_key(policy, a.begin(), a.end(), b.begin(), b.end(),
                         std::make_move_iterator(from1.begin()),
                         std::make_move_iterator(from2.begin()), keys.begin(), out.begin());
    for (std::size_t k = 0; k < out.size(); ++k) REQUIRE(*out[k] == expected[k]);

    from1 = owners(a);
    from2 = owners(b);
    const std::int64_t some = size + 1;
    std::vector<owner> first_outputs(static_cast<std::size_t>(some));
    cmerge::merge_n(policy, std::make_move_iterator(from1.begin()),
                    std::make_move_iterator(from1.end()), std::make_move_iterator(from2.begin()),
                    std::make_move_iterator(from2.end()), some, first_outputs.begin(), by_target);
    for (std::size_t k = 0; k < first_outputs.size(); ++k) {
      REQUIRE(*first_outputs[k] == expected[k]);
    }
    // What is not among these outputs is still there.
    const auto left = [](const auto& from) {
      return std::count_if(from.begin(), from.end(), [](const owner& o) { return o != nullptr; });
    };
    REQUIRE(left(from1) + left(from2) == 2 * size - some);
  });
}

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
  for_each_host_policy([&](const auto& policy) {
    std::vector<std::string> out(40000);
    cmerge::merge(policy, a.begin(), a.end(), b.begin(), b.end(), out.begin());
    REQUIRE(out == expected);
  });
}

/// No default constructor, no `operator<`, assignable only.
struct bare {
  explicit bare(int k) : key(k) {}
  bare(const bare&) = default;
  bare& operator=(const bare&) = default;
  bool operator<(const bare&) const = delete;
  int key;
};

TEST_CASE("a type without default constructor and without order") {
  std::vector<bare> a;
  std::vector<bare> b;
  for (int i = 0; i < size; ++i) a.emplace_back(i), b.emplace_back(i * 2);
  for_each_host_policy([&](const auto& policy) {
    std::vector<bare> out(2 * size, bare(-1));
    cmerge::merge(policy, a.begin(), a.end(), b.begin(), b.end(), out.begin(), oracle::by_key{});
    REQUIRE(std::is_sorted(out.begin(), out.end(), oracle::by_key{}));
    REQUIRE(out.back().key == 2 * size - 2);
  });
}

/// A handle whose copies, assignments and comparisons are its own. What is no handle, or no longer
/// one, has no `mark`; each use of such a thing is counted.
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

TEST_CASE("keys and values with copies of their own: only elements are copied and compared") {
  std::vector<handle> a;
  std::vector<handle> b;
  for (int i = 0; i < size; ++i) a.emplace_back(2 * i), b.emplace_back(3 * i);
  for_each_host_policy([&](const auto& policy) {
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

/// Trivially copyable, but what is assigned is not all that it holds.
struct partly_set {
  int key = 0;
  int payload = 0;
  partly_set& operator=(int k) {
    key = k;
    return *this;
  }
  // Closer than the copy assignment for what is not const.
  partly_set& operator=(partly_set& other) {
    key = other.key;
    return *this;
  }
  partly_set() = default;
  partly_set(const partly_set&) = default;
  partly_set& operator=(const partly_set&) = default;
};

TEST_CASE("outputs that an assignment sets in part keep the rest") {
  const auto twos = multiples(2);
  std::vector<partly_set> in(size);
  for (int i = 0; i < size; ++i) in[static_cast<std::size_t>(i)].key = i;
  for_each_host_policy([&](const auto& policy) {
    std::vector<partly_set> out(2 * size);
    const auto prepare = [&] {
      for (partly_set& x : out) x = partly_set(), x.payload = 7;
    };
    const auto check = [&] {
      for (std::size_t k = 0; k < out.size(); ++k) {
        REQUIRE(out[k].payload == 7);
        if (k > 0) REQUIRE(out[k - 1].key <= out[k].key);
      }
    };
    prepare();
    cmerge::merge(policy, twos.begin(), twos.end(), twos.begin(), twos.end(), out.begin());
    check();
    prepare();
    cmerge::merge(policy, in.begin(), in.end(), in.begin(), in.end(), out.begin(),
                  oracle::by_key{});
    check();
    prepare();
    std::vector<int> keys(out.size());
    cmerge::merge_by_key(policy, twos.begin(), twos.end(), twos.begin(), twos.end(), in.begin(),
                         in.begin(), keys.begin(), out.begin());
    check();
  });
}

TEST_CASE("comparators: state, no const, function pointers, std::function") {
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
  for_each_host_policy([&](const auto& policy) {
    const auto check = [&](auto comp) {
      std::vector<tagged> out(2 * size);
      cmerge::merge(policy, in.a.begin(), in.a.end(), in.b.begin(), in.b.end(), out.begin(), comp);
      REQUIRE(oracle::first_difference(out.data(), expected) == expected.size());
    };
    check(stateful{0, &sign});
    check(+[](const tagged& y, const tagged& x) { return y.key < x.key; });
    check(std::function<bool(const tagged&, const tagged&)>(oracle::by_key{}));
    check([](tagged y, tagged x) { return y.key < x.key; });
    check([](const auto& y, const auto& x) { return y.key < x.key; });
  });
}

TEST_CASE("int and double: compared as they are, converted once") {
  // As int, 2.5 would be 2; as float, 16777217 would be 16777216.
  const std::vector<int> a{1, 2, 3, 16777217};
  const std::vector<double> b{1.5, 2.5, 16777216.5};
  const std::vector<double> expected{1, 1.5, 2, 2.5, 3, 16777216.5, 16777217};
  for_each_host_policy([&](const auto& policy) {
    std::vector<double> out(7);
    cmerge::merge(policy, a.begin(), a.end(), b.begin(), b.end(), out.begin());
    CHECK(out == expected);
    cmerge::merge(policy, b.begin(), b.end(), a.begin(), a.end(), out.begin());
    CHECK(out == expected);
  });
}

/// An iterator over `0, 1, 2, ...` whose distances have 32 bits.
struct narrow_iterator {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = int;
  using difference_type = int;
  using pointer = const int*;
  using reference = int;
  int at;
  int operator*() const { return at; }
  int operator[](std::ptrdiff_t i) const { return at + static_cast<int>(i); }
  narrow_iterator operator+(std::ptrdiff_t i) const { return {at + static_cast<int>(i)}; }
  int operator-(narrow_iterator other) const { return at - other.at; }
};

TEST_CASE("more than 2^31 outputs, from iterators whose distances have 32 bits") {
  // Nothing is stored: the output checks what it is given.
  struct checking_output {
    std::int64_t at;
    std::int64_t* wrong;
    struct place {
      std::int64_t k;
      std::int64_t* wrong;
      const place& operator=(int key) const {
        if (key != static_cast<int>(k / 2)) ++*wrong;
        return *this;
      }
    };
    place operator*() const { return {at, wrong}; }
    checking_output operator+(std::int64_t i) const { return {at + i, wrong}; }
  };
  const int half = std::numeric_limits<int>::max();
  std::int64_t wrong = 0;
#if defined(__SANITIZE_ADDRESS__)
  const int begin = half - 100000;  // the whole range takes too long under a sanitizer
#else
  const int begin = 0;
#endif
  const narrow_iterator first{begin};
  const narrow_iterator last{half};
  const auto end = cmerge::merge(thrust::seq, first, last, first, last,
                                 checking_output{2 * std::int64_t{begin}, &wrong});
  CHECK(end.at == 2 * std::int64_t{half});
  CHECK(wrong == 0);
}

}  // namespace
