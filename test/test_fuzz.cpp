// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random cases under host policies: a kind of elements, order and iterators, sizes, a shape, a call
// and a policy. CMERGE_TEST_CASES sets how many, CMERGE_TEST_CASE=<number> runs that one alone.
#include "host_policies.h"
#include "oracle.h"

#include <cmerge/merge.h>
#include <cmerge/merge_indices.h>
#include <cmerge/merge_n.h>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

#include <atomic>
#include <cstdio>
#include <deque>
#include <functional>
#include <iterator>
#include <numeric>
#include <optional>
#include <string>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CMERGE_TEST_IS_SLOW
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define CMERGE_TEST_IS_SLOW
#endif
#endif

/// Of the sanitizers, which end the program at once: what to call before that.
extern "C" void __sanitizer_set_death_callback(void (*)()) __attribute__((weak));

namespace {

using oracle::shape;
using oracle::tagged;

#if defined(CMERGE_TEST_IS_SLOW)
constexpr std::uint64_t default_cases = 5000;
#else
constexpr std::uint64_t default_cases = 12000;
#endif

// ---- elements ---------------------------------------------------------------------------------

/// No default constructor, no `operator<`.
struct bare {
  bare(int k, unsigned t) : key(k), tag(t) {}
  int key;
  unsigned tag;
};

/// The largest key that elements of type `T` have room for; `make` takes keys from 0 on.
template <class T>
constexpr std::int64_t most_key = 1 << 20;
template <>
constexpr std::int64_t most_key<bool> = 1;
template <>
constexpr std::int64_t most_key<signed char> = 255;
template <>
constexpr std::int64_t most_key<short> = 32767;

/// The element with this key, and with the place that it came from if it has room for that.
template <class T>
T make(std::int64_t key, unsigned tag) {
  if constexpr (std::is_same_v<T, std::string>) {
    char text[32];
    std::snprintf(text, sizeof(text), "%07d%08x", static_cast<int>(key), tag);
    return key % 2 == 0 ? text : std::string(text) + " with a tail that needs the heap";
  } else if constexpr (std::is_same_v<T, bare>) {
    return bare(static_cast<int>(key), tag);
  } else if constexpr (std::is_same_v<T, signed char>) {
    return static_cast<T>(key - 128);
  } else if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<T>(key);
  } else {
    return oracle::make_record<sizeof(T)>(static_cast<int>(key), tag);
  }
}

/// The value that belongs to the key from this place.
template <class T>
T make_value(unsigned tag) {
  return make<T>(tag, tag);
}

template <class T>
bool is_alike(const T& left, const T& right) {
  if constexpr (std::is_trivially_copyable_v<T>) {
    return oracle::is_same(left, right);
  } else {
    return left == right;
  }
}

// ---- orders -----------------------------------------------------------------------------------

/// What a call's comparators see; its threads share it.
struct observer {
  std::size_t m = 0;
  std::size_t n = 0;
  int divisor = 1;  // which `coarse` takes
  std::atomic<std::int64_t> comparisons{0};
  std::atomic<bool> has_error{false};
};

/// Passed to no call: `<`, by the calls' default.
struct by_default {
  static constexpr bool is_descending = false;
  explicit by_default(observer&) {}
  template <class Left, class Right>
  bool operator()(const Left& left, const Right& right) const {
    return left < right;
  }
};

struct descending {
  static constexpr bool is_descending = true;
  explicit descending(observer&) {}
  template <class Left, class Right>
  bool operator()(const Left& left, const Right& right) const {
    return left > right;
  }
};

template <class T, class = void>
constexpr bool has_key = false;
template <class T>
constexpr bool has_key<T, std::void_t<decltype(std::declval<const T&>().key)>> = true;

template <class T>
int key_of(const T& element) {
  if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<int>(element);
  } else if constexpr (std::is_same_v<T, std::string>) {
    return std::atoi(element.substr(0, 7).c_str());
  } else if constexpr (has_key<T>) {
    return element.key;
  } else {
    return thrust::get<0>(element);  // of a zip iterator
  }
}

struct by_member {
  static constexpr bool is_descending = false;
  explicit by_member(observer&) {}
  template <class Left, class Right>
  bool operator()(const Left& left, const Right& right) const {
    return key_of(left) < key_of(right);
  }
};

/// Has state, and changes it; equal keys are more than they seem.
struct coarse {
  static constexpr bool is_descending = false;
  explicit coarse(observer& o) : divisor(o.divisor) {}
  template <class Left, class Right>
  bool operator()(const Left& left, const Right& right) {
    ++calls;
    return key_of(left) / divisor < key_of(right) / divisor;
  }
  int divisor;
  int calls = 0;
};

/// Counts, and refuses what is no element of the inputs, or not in the order `comp(element2,
/// element1)`.
struct watching {
  static constexpr bool is_descending = false;
  explicit watching(observer& o) : seen(&o) {}
  template <class T>
  bool operator()(const T& b, const T& a) const {
    seen->comparisons.fetch_add(1, std::memory_order_relaxed);
    if (a.tag >= seen->m || (b.tag ^ oracle::second_input) >= seen->n) seen->has_error = true;
    return b.key < a.key;
  }
  observer* seen;
};

// ---- ranges: elements, behind iterators of a kind ---------------------------------------------

template <class T>
struct pointers {
  explicit pointers(std::vector<T> v) : held(std::move(v)) {}
  const T* begin() const { return held.data(); }
  T* begin() { return held.data(); }
  const std::vector<T>& elements() const { return held; }
  std::vector<T> held;
};

template <class T>
struct iterators {
  explicit iterators(std::vector<T> v) : held(std::move(v)) {}
  auto begin() const { return held.begin(); }
  auto begin() { return held.begin(); }
  const std::vector<T>& elements() const { return held; }
  std::vector<T> held;
};

template <class T>
struct deques {
  explicit deques(const std::vector<T>& v) : held(v.begin(), v.end()) {}
  auto begin() const { return held.begin(); }
  auto begin() { return held.begin(); }
  std::vector<T> elements() const { return {held.begin(), held.end()}; }
  std::deque<T> held;
};

template <class T>
struct reversed {
  explicit reversed(const std::vector<T>& v) : held(v.rbegin(), v.rend()) {}
  auto begin() const { return thrust::make_reverse_iterator(held.end()); }
  auto begin() { return thrust::make_reverse_iterator(held.end()); }
  std::vector<T> elements() const { return {held.rbegin(), held.rend()}; }
  std::vector<T> held;
};

/// Elements that are made when they are read, from places that are counted.
template <class T>
struct transformed {
  struct load {
    const T* held;
    T operator()(std::ptrdiff_t i) const { return held[i]; }
  };
  explicit transformed(std::vector<T> v) : held(std::move(v)) {}
  auto begin() const {
    return thrust::make_transform_iterator(thrust::counting_iterator<std::ptrdiff_t>(0),
                                           load{held.data()});
  }
  std::vector<T> held;
};

/// Tagged keys as pairs of key and tag.
template <class T>
struct zipped {
  static_assert(std::is_same_v<T, tagged>);
  explicit zipped(const std::vector<T>& v) {
    for (const T& x : v) keys.push_back(x.key), tags.push_back(x.tag);
  }
  auto begin() const {
    return thrust::make_zip_iterator(thrust::make_tuple(keys.begin(), tags.begin()));
  }
  auto begin() { return thrust::make_zip_iterator(thrust::make_tuple(keys.begin(), tags.begin())); }
  std::vector<T> elements() const {
    std::vector<T> v;
    for (std::size_t k = 0; k < keys.size(); ++k) v.push_back({keys[k], tags[k]});
    return v;
  }
  std::vector<int> keys;
  std::vector<unsigned> tags;
};

/// Room for `size` elements, with elements around it that must stay as they are.
template <template <class> class Range, class T>
class output {
 public:
  explicit output(std::size_t size) : range_(std::vector<T>(size + 2 * guards, guard())) {}

  auto begin() { return range_.begin() + guards; }

  /// Fails where it is not `expected`, or something around it was written.
  void require(const std::vector<T>& expected) const {
    const auto& all = range_.elements();
    std::size_t k = 0;
    while (k < expected.size() && is_alike<T>(all[guards + k], expected[k])) ++k;
    REQUIRE(k == expected.size());
    for (k = 0; k < guards; ++k) {
      REQUIRE(is_alike<T>(all[k], guard()));
      REQUIRE(is_alike<T>(all[all.size() - 1 - k], guard()));
    }
  }

 private:
  static constexpr std::ptrdiff_t guards = 3;
  static T guard() { return make<T>(1, ~0u); }
  Range<T> range_;
};

// ---- cases ------------------------------------------------------------------------------------

/// What is random in a case, apart from which kind it is of.
struct plan {
  explicit plan(std::uint64_t number) : random((std::uint64_t{oracle::seed()} << 32) + number) {}

  std::size_t below(std::size_t end) { return random() % end; }

  /// Sizes of both inputs: mostly small, now and then enough for several sections or blocks.
  std::pair<std::size_t, std::size_t> sizes() {
    const std::size_t choice = below(1000);
    const std::size_t size = choice < 800   ? below(201)
                             : choice < 989 ? below(4001)
                             : choice < 999 ? (1 << 15) + below(1 << 15)
                                            : below(300000);
    const std::size_t parts[] = {size / 2, below(size + 1), std::min(size, below(4)),
                                 size / (100 + below(200)), 0};
    const std::size_t part = parts[below(std::size(parts))];
    return below(2) == 0 ? std::pair(part, size - part) : std::pair(size - part, part);
  }

  std::size_t policy = 0;  // of for_each_host_policy
  std::mt19937_64 random;
};

/// A kind of cases: elements, their order, how both inputs and the output are reached, values.
template <class Key, class Compare, template <class> class Range1,
          template <class> class Range2 = Range1, template <class> class RangeOut = Range2,
          class Val = unsigned>
struct kind {
  using key = Key;
  using order = Compare;
  using value = Val;
  using input1 = Range1<Key>;
  using input2 = Range2<Key>;
  using output_keys = output<RangeOut, Key>;
};

/// The inputs of one case, and which of their elements each output is.
template <class Kind>
class inputs {
  using key = typename Kind::key;
  using order = typename Kind::order;
  using value = typename Kind::value;

 public:
  inputs(const oracle::key_pair& keys, int divisor)
      : m(static_cast<std::ptrdiff_t>(keys.a.size())),
        n(static_cast<std::ptrdiff_t>(keys.b.size())),
        size(keys.a.size() + keys.b.size()) {
    seen_.m = keys.a.size();
    seen_.n = keys.b.size();
    seen_.divisor = divisor;
    fill(keys.a, 0, plain1_, values1);
    fill(keys.b, oracle::second_input, plain2_, values2);
    keys1.emplace(plain1_);
    keys2.emplace(plain2_);

    std::vector<unsigned> tags1(keys.a.size());
    std::vector<unsigned> tags2(keys.b.size());
    std::iota(tags1.begin(), tags1.end(), 0u);
    std::iota(tags2.begin(), tags2.end(), oracle::second_input);
    sources =
        oracle::merged(tags1, tags2, [this, comp = order(seen_)](unsigned y, unsigned x) mutable {
          return comp(plain2_[y ^ oracle::second_input], plain1_[x]);
        });
    seen_.comparisons = 0;
  }

  /// Calls `call(policy, comp)` with one of the policies, or `call(policy)` where the comparator is
  /// the default. Then asks the comparator what it saw.
  template <class Call>
  void run(plan& p, Call call) {
    std::size_t left = p.policy;
    oracle::for_each_host_policy([&](const auto& policy) {
      if (left-- != 0) return;
      if constexpr (std::is_same_v<order, by_default>) {
        call(policy);
      } else {
        call(policy, order(seen_));
      }
    });
    REQUIRE_FALSE(seen_.has_error);
    // Searches and probes are few beside the merge.
    REQUIRE(seen_.comparisons <= static_cast<std::int64_t>(2 * size + 64));
  }

  /// The first `count` outputs.
  std::vector<key> expected_keys(std::size_t count) const {
    std::vector<key> keys;
    keys.reserve(count);
    for (std::size_t k = 0; k < count; ++k) {
      const unsigned tag = sources[k];
      const bool second = tag >= oracle::second_input;
      keys.push_back(second ? plain2_[tag ^ oracle::second_input] : plain1_[tag]);
    }
    return keys;
  }
  std::vector<value> expected_values(std::size_t count) const {
    std::vector<value> values;
    values.reserve(count);
    for (std::size_t k = 0; k < count; ++k) values.push_back(make_value<value>(sources[k]));
    return values;
  }

  std::ptrdiff_t m;
  std::ptrdiff_t n;
  std::size_t size;  // of the output
  std::optional<const typename Kind::input1> keys1;
  std::optional<const typename Kind::input2> keys2;
  std::vector<value> values1;
  std::vector<value> values2;
  std::vector<unsigned> sources;  // the tag of each output

 private:
  static void fill(const std::vector<std::int64_t>& from, unsigned input, std::vector<key>& keys,
                   std::vector<value>& values) {
    const std::size_t count = from.size();
    keys.reserve(count);
    values.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      const unsigned tag = static_cast<unsigned>(i) | input;
      keys.push_back(make<key>(from[order::is_descending ? count - 1 - i : i], tag));
      values.push_back(make_value<value>(tag));
    }
  }

  observer seen_;
  std::vector<key> plain1_;
  std::vector<key> plain2_;
};

// ---- calls: another one is a struct like these, and a line in `all_runners` -------------------

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
    const std::size_t count = p.below(in.size + 3);  // also more than there are
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
    static_assert(source::second_bit == oracle::second_input, "tags are sources");
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
  oracle::for_each_host_policy([&](const auto&) { ++count; });
  return count;
}

/// Runs a case as this call and kind.
template <class Call, class Kind>
void run(plan& p) {
  using key = typename Kind::key;
  const auto sizes = p.sizes();
  std::size_t m = sizes.first;
  std::size_t n = sizes.second;
  if (std::is_same_v<key, bool>) {  // threads must not write to the same word
    m %= 1 << 14;
    n %= 1 << 14;
  }
  const shape s = oracle::all_shapes[p.below(std::size(oracle::all_shapes))];
  const std::int64_t ranges[] = {3, 100, 5000, most_key<key>};
  const std::int64_t most = std::min(most_key<key>, ranges[p.below(std::size(ranges))]);
  const int divisors[] = {1, 2, 10, 1000};
  const int divisor = divisors[p.below(std::size(divisors))];
  p.policy = p.below(policies_count());
  const std::string what = __PRETTY_FUNCTION__;
  INFO("m ", m, ", n ", n, ", shape ", oracle::name(s), ", keys up to ", most, ", divisor ",
       divisor, ", policy ", p.policy, ", ", what);

  inputs<Kind> in(oracle::make_keys(s, m, n, most, static_cast<unsigned>(p.random())), divisor);
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

/// For calls that are the same code as others but for a few lines.
using few_kinds = kinds<kind<int, by_default, pointers>,
                        kind<tagged, by_member, pointers, pointers, pointers, tagged>,
                        kind<std::string, coarse, iterators, iterators, iterators, std::string>,
                        kind<oracle::record<20>, watching, reversed, reversed, reversed>>;

/// For all others.
using some_kinds =
    kinds<kind<signed char, by_default, pointers>, kind<short, descending, iterators>,
          kind<int, by_default, pointers>, kind<int, by_default, transformed, pointers>,
          kind<double, coarse, pointers, deques, pointers>,
          kind<tagged, by_member, pointers, pointers, pointers, tagged>,
          kind<tagged, watching, iterators>, kind<tagged, by_member, zipped>,
          kind<oracle::record<20>, watching, reversed, reversed, reversed, oracle::record<96>>,
          kind<std::string, coarse, iterators, iterators, iterators, std::string>,
          kind<bare, watching, deques, deques, deques, bare>, kind<bool, by_default, iterators>>;

/// For `merge` alone, as each kind takes a second to compile.
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

std::uint64_t running;  // for `say_case`

void say_case() {
  std::fprintf(stderr, "in case %llu, with CMERGE_TEST_SEED=%u\n",
               static_cast<unsigned long long>(running), oracle::seed());
}

void run_case(std::uint64_t number) {
  running = number;
  INFO("again: CMERGE_TEST_SEED=", oracle::seed(), " CMERGE_TEST_CASE=", number);
  plan p(number);
  all_runners()[p.below(all_runners().size())](p);
}

TEST_CASE("random cases") {
  if (__sanitizer_set_death_callback != nullptr) __sanitizer_set_death_callback(say_case);
  if (const char* const number = std::getenv("CMERGE_TEST_CASE")) {
    return run_case(std::strtoull(number, nullptr, 10));
  }
  const char* const text = std::getenv("CMERGE_TEST_CASES");
  const std::uint64_t cases = text != nullptr ? std::strtoull(text, nullptr, 10) : default_cases;
  for (std::uint64_t number = 0; number < cases; ++number) run_case(number);
}

}  // namespace
