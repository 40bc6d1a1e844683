// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random cases under host policies. A case chooses a call, a kind of elements, comparator and
// iterators, sizes, a shape and a policy. CMERGE_TEST_CASES sets the number of cases;
// CMERGE_TEST_CASE=<number> runs that case alone.
#include "host/fuzz_case.h"

#include <cmerge/merge.h>
#include <cmerge/merge_indices.h>
#include <cmerge/merge_n.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string>
#include <vector>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CMERGE_TEST_IS_SLOW
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define CMERGE_TEST_IS_SLOW
#endif
#endif

/// A function of the sanitizers. They end the program at once, and call the given function first.
extern "C" void __sanitizer_set_death_callback(void (*)()) __attribute__((weak));

namespace host_fuzz {
namespace {

using oracle::shape;

#if defined(CMERGE_TEST_IS_SLOW)
constexpr std::uint64_t default_cases = 5000;
#else
constexpr std::uint64_t default_cases = 12000;
#endif

// ---- calls: to add one, write a struct like these and add a line to `all_runners` -------------

struct merge_call {
  template <class Kind>
  static void run(plan& p, inputs<Kind>& in) {
    typename Kind::output_keys out(in.size);
    const auto first1 = in.keys1->begin();
    const auto first2 = in.keys2->begin();
    std::ptrdiff_t written = 0;
    in.run(p, [&](const auto& policy, auto... comp) {
      written = cmerge::merge(policy, first1, first1 + in.m, first2, first2 + in.n, out.begin(),
                              comp...) -
                out.begin();
    });
    REQUIRE(written == in.m + in.n);
    out.require(in.expected_keys(in.size));
  }
};

struct merge_by_key_call {
  template <class Kind>
  static void run(plan& p, inputs<Kind>& in) {
    typename Kind::output_keys keys(in.size);
    output<pointers, typename Kind::value> values(in.size);
    const auto first1 = in.keys1->begin();
    const auto first2 = in.keys2->begin();
    std::ptrdiff_t written = 0;
    std::ptrdiff_t values_written = 0;
    in.run(p, [&](const auto& policy, auto... comp) {
      const auto ends = cmerge::merge_by_key(policy, first1, first1 + in.m, first2, first2 + in.n,
                                             in.values1.data(), in.values2.data(), keys.begin(),
                                             values.begin(), comp...);
      written = ends.first - keys.begin();
      values_written = ends.second - values.begin();
    });
    REQUIRE(written == in.m + in.n);
    REQUIRE(values_written == in.m + in.n);
    keys.require(in.expected_keys(in.size));
    values.require(in.expected_values(in.size));
  }
};

struct merge_n_call {
  template <class Kind>
  static void run(plan& p, inputs<Kind>& in) {
    const std::size_t count = p.below(in.size + 3);  // up to 2 more than there are
    const std::size_t made = std::min(count, in.size);
    typename Kind::output_keys keys(made);
    output<pointers, typename Kind::value> values(made);
    const auto first1 = in.keys1->begin();
    const auto first2 = in.keys2->begin();
    std::ptrdiff_t written = 0;
    in.run(p, [&](const auto& policy, auto... comp) {
      written = cmerge::merge_by_key_n(policy, first1, first1 + in.m, first2, first2 + in.n,
                                       in.values1.data(), in.values2.data(),
                                       static_cast<std::int64_t>(count), keys.begin(),
                                       values.begin(), comp...)
                    .first -
                keys.begin();
    });
    REQUIRE(written == static_cast<std::ptrdiff_t>(made));
    keys.require(in.expected_keys(made));
    values.require(in.expected_values(made));
  }
};

struct merge_indices_call {
  template <class Kind>
  static void run(plan& p, inputs<Kind>& in) {
    using source = cmerge::merge_source<std::uint32_t>;
    static_assert(source::second_bit == oracle::second_input, "a tag is the word of merge_indices");
    std::vector<std::uint32_t> words(in.size, 42u);
    const auto first1 = in.keys1->begin();
    const auto first2 = in.keys2->begin();
    in.run(p, [&](const auto& policy, auto... comp) {
      cmerge::merge_indices(policy, first1, first1 + in.m, first2, first2 + in.n, words.begin(),
                            comp...);
    });
    REQUIRE((words == in.sources));
  }
};

// ---- running ----------------------------------------------------------------------------------

std::size_t policies_count() {
  std::size_t count = 0;
  oracle::for_each_host_system([&](const auto&) { ++count; });
  return count;
}

/// Runs one case of this call and kind.
template <class Call, class Kind>
void run(plan& p) {
  using key = typename Kind::key;
  const auto sizes = p.sizes();
  std::size_t m = sizes.first;
  std::size_t n = sizes.second;
  if (std::is_same_v<key, bool>) {  // one thread merges packed bits, so their sizes stay small
    m %= 1 << 14;
    n %= 1 << 14;
  }
  const shape s = oracle::all_shapes[p.below(std::size(oracle::all_shapes))];
  const std::int64_t ranges[] = {3, 100, 5000, max_key<key>};
  const std::int64_t max = std::min(max_key<key>, ranges[p.below(std::size(ranges))]);
  const int divisors[] = {1, 2, 10, 1000};
  const int divisor = divisors[p.below(std::size(divisors))];
  p.policy = p.below(policies_count());
  const std::string what = __PRETTY_FUNCTION__;
  INFO("m ", m, ", n ", n, ", shape ", oracle::name(s), ", keys up to ", max, ", divisor ", divisor,
       ", policy ", p.policy, ", ", what);

  inputs<Kind> in(oracle::make_keys(s, m, n, max, static_cast<unsigned>(p.random())), divisor);
  Call::run(p, in);
}

using runner = void (*)(plan&);

template <class... Kinds>
struct kinds {
  template <class Call>
  static void append(std::vector<runner>& all) {
    (all.push_back(&run<Call, Kinds>), ...);
  }
};

/// For calls that share most of their code with others.
using few_kinds = kinds<kind<int, by_default, pointers>,
                        kind<tagged, by_member, pointers, pointers, pointers, tagged>,
                        kind<std::string, coarse, iterators, iterators, iterators, std::string>,
                        kind<oracle::record<20>, watching, reversed, reversed, reversed>>;

/// For `merge` and `merge_by_key`.
using some_kinds =
    kinds<kind<signed char, by_default, pointers>, kind<short, descending, iterators>,
          kind<int, by_default, pointers>, kind<int, by_default, transformed, pointers>,
          kind<double, coarse, pointers, deques, pointers>,
          kind<tagged, by_member, pointers, pointers, pointers, tagged>,
          kind<tagged, watching, iterators>, kind<tagged, by_member, zipped>,
          kind<oracle::record<20>, watching, reversed, reversed, reversed, oracle::record<96>>,
          kind<std::string, coarse, iterators, iterators, iterators, std::string>,
          kind<bare, watching, deques, deques, deques, bare>, kind<bool, by_default, iterators>>;

/// For `merge` alone, since each kind takes a second to compile.
using more_kinds =
    kinds<kind<signed char, descending, reversed>, kind<short, coarse, pointers>,
          kind<int, descending, reversed>, kind<int, coarse, deques>,
          kind<double, by_default, iterators>, kind<tagged, coarse, transformed, reversed, deques>,
          kind<oracle::record<20>, by_member, pointers>,
          kind<oracle::record<96>, by_member, iterators>, kind<oracle::record<96>, coarse, deques>,
          kind<std::string, by_default, pointers>, kind<bare, watching, pointers>>;

const std::vector<runner>& all_runners() {
  static const std::vector<runner> all = [] {
    std::vector<runner> v;
    some_kinds::append<merge_call>(v);
    more_kinds::append<merge_call>(v);
    some_kinds::append<merge_by_key_call>(v);
    few_kinds::append<merge_n_call>(v);
    few_kinds::append<merge_indices_call>(v);
    return v;
  }();
  return all;
}

std::uint64_t running;  // number of the case, for `print_case`

void print_case() {
  std::fprintf(stderr, "failed in this case: CMERGE_TEST_SEED=%u CMERGE_TEST_CASE=%llu\n",
               oracle::seed(), static_cast<unsigned long long>(running));
}

void run_case(std::uint64_t number) {
  running = number;
  INFO("repeat with CMERGE_TEST_SEED=", oracle::seed(), " CMERGE_TEST_CASE=", number);
  plan p(number);
  all_runners()[p.below(all_runners().size())](p);
}

TEST_CASE("random merges") {
  if (__sanitizer_set_death_callback != nullptr) __sanitizer_set_death_callback(print_case);
  if (const char* const number = std::getenv("CMERGE_TEST_CASE")) {
    return run_case(std::strtoull(number, nullptr, 10));
  }
  const char* const text = std::getenv("CMERGE_TEST_CASES");
  const std::uint64_t cases = text != nullptr ? std::strtoull(text, nullptr, 10) : default_cases;
  for (std::uint64_t number = 0; number < cases; ++number) run_case(number);
}

}  // namespace
}  // namespace host_fuzz
