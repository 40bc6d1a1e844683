// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a user can get wrong: unsorted inputs and comparators that contradict themselves. The order
// is unspecified then, but it ends, stays in bounds and compares nothing but input elements.
#include "gpu/oracle.cuh"

#include <cmerge/merge.h>
#include <cmerge/merge_indices.h>
#include <cmerge/merge_n.h>

#include <thrust/iterator/counting_iterator.h>

#include <limits>
#include <map>
#include <utility>

namespace gpu_test {

using cmerge::strategy;
using oracle::fixed;
using oracle::record;
using oracle::second_input;
using oracle::shape;
using oracle::tagged;

// ---- elements ---------------------------------------------------------------------------------

/// A key of one byte: the input in the top bit, one of 32 keys below it. No guard byte is one.
struct byte_key {
  unsigned char bits;
};
static_assert((oracle::guard_byte & 0x7f) >= 32);

/// Whether `x` can be an element of an input, which has `size` of them.
__host__ __device__ bool is_of(const byte_key& x, bool second, unsigned) {
  return (x.bits & 0x7f) < 32 && (x.bits >= 0x80) == second;
}
template <int Bytes>
__host__ __device__ bool is_of(const record<Bytes>& x, bool second, unsigned size) {
  return (x.tag ^ (second ? second_input : 0u)) < size;
}

__host__ __device__ int key_of(const byte_key& x) { return x.bits & 0x7f; }
template <int Bytes>
__host__ __device__ int key_of(const record<Bytes>& x) {
  return x.key;
}

__host__ __device__ unsigned hash_of(const byte_key& x) { return x.bits; }
template <int Bytes>
__host__ __device__ unsigned hash_of(const record<Bytes>& x) {
  return x.tag;
}

template <class Key>
struct make {
  static Key element(std::int64_t key, unsigned tag) {
    return oracle::make_record<static_cast<int>(sizeof(Key))>(static_cast<int>(key), tag);
  }
};
template <>
struct make<byte_key> {
  static byte_key element(std::int64_t key, unsigned tag) {
    return {static_cast<unsigned char>(static_cast<unsigned>(key) | tag >> 31 << 7)};
  }
};

/// Few distinct keys, in order or not. Made once for each size.
template <class Key>
const oracle::inputs<Key>& inputs_of(std::size_t m, std::size_t n, bool is_sorted) {
  static std::map<std::pair<std::pair<std::size_t, std::size_t>, bool>, oracle::inputs<Key>> all;
  const auto [at, is_new] = all.try_emplace({{m, n}, is_sorted});
  oracle::inputs<Key>& in = at->second;
  if (!is_new) return in;
  auto keys = oracle::make_keys(shape::few, m, n, 31);
  if (!is_sorted) {
    std::mt19937 random(oracle::seed());
    std::shuffle(keys.a.begin(), keys.a.end(), random);
    std::shuffle(keys.b.begin(), keys.b.end(), random);
  }
  for (std::size_t i = 0; i < m; ++i) {
    in.a.push_back(make<Key>::element(keys.a[i], static_cast<unsigned>(i)));
  }
  for (std::size_t j = 0; j < n; ++j) {
    in.b.push_back(make<Key>::element(keys.b[j], static_cast<unsigned>(j) | second_input));
  }
  return in;
}

// ---- wrong comparators ------------------------------------------------------------------------

/// What the wrong comparators answer.
enum class answer { hash, less_equal, yes, no, less };

/// Answers as told, and raises `errors` if anything but elements of the inputs is compared.
struct faulty {
  answer how;
  unsigned m;
  unsigned n;
  unsigned* errors;

  template <class Key>
  __device__ bool operator()(const Key& b, const Key& a) const {
    if (!is_of(a, false, m) || !is_of(b, true, n)) *errors = 1;
    switch (how) {
      case answer::hash:
        return ((hash_of(a) * 2654435761u ^ hash_of(b) * 40503u) >> 7 & 1) != 0;
      case answer::less_equal:
        return key_of(b) <= key_of(a);
      case answer::yes:
        return true;
      case answer::no:
        return false;
      default:
        return key_of(b) < key_of(a);
    }
  }
};

// ---- checks on the host, with ifs: a check of doctest's for each element takes too long ---------

/// Fails unless all of `out` are elements of the inputs, bit by bit; none of them twice, if that
/// is promised.
template <int Bytes>
void check_elements(const oracle::inputs<record<Bytes>>& in, const std::vector<record<Bytes>>& out,
                    bool is_unique) {
  std::vector<char> seen(in.a.size() + in.b.size());
  for (std::size_t k = 0; k < out.size(); ++k) {
    const bool second = (out[k].tag & second_input) != 0;
    const std::size_t i = out[k].tag & ~second_input;
    const auto& input = second ? in.b : in.a;
    if (i >= input.size() || !oracle::is_same(out[k], input[i])) {
      FAIL("output ", k, " is no element of the inputs");
    }
    char& is_seen = seen[second ? in.a.size() + i : i];
    if (is_unique && is_seen != 0) FAIL("output ", k, " is there twice");
    is_seen = 1;
  }
}

void check_elements(const oracle::inputs<byte_key>& in, const std::vector<byte_key>& out,
                    bool is_unique) {
  std::vector<std::size_t> available(256);
  for (const byte_key& x : in.a) ++available[x.bits];
  for (const byte_key& x : in.b) ++available[x.bits];
  std::vector<std::size_t> used(256);
  for (const byte_key& x : out) ++used[x.bits];
  for (std::size_t x = 0; x < 256; ++x) {
    if (used[x] > 0 && available[x] == 0) FAIL("some outputs are no elements of the inputs: ", x);
    if (is_unique && used[x] > available[x]) FAIL("too many outputs are ", x);
  }
}

/// As above, of words.
void check_words(std::size_t m, std::size_t n, const std::vector<std::uint32_t>& words,
                 bool is_unique) {
  std::vector<char> seen(m + n);
  for (std::size_t k = 0; k < words.size(); ++k) {
    const cmerge::merge_source<std::uint32_t> source{words[k]};
    const std::size_t i = source.position();
    if (i >= (source.is_second() ? n : m)) FAIL("word ", k, " names no element: ", words[k]);
    char& is_seen = seen[source.is_second() ? m + i : i];
    if (is_unique && is_seen != 0) FAIL("word ", k, " is there twice");
    is_seen = 1;
  }
}

constexpr unsigned value_of(unsigned tag) { return tag * 2654435761u + 1; }

// ---- all calls --------------------------------------------------------------------------------

/// The inputs on the device.
template <class Key>
struct device_inputs {
  explicit device_inputs(const oracle::inputs<Key>& inputs)
      : in(inputs), a(in.a, 1), b(in.b), m(in.a.size()), n(in.b.size()) {}

  faulty comp(answer how) const {
    return {how, static_cast<unsigned>(m), static_cast<unsigned>(n), errors.get()};
  }
  void check_compared() const {
    CHECK_MESSAGE(errors.count() == 0, "something that is no element of the inputs was compared");
  }

  const oracle::inputs<Key>& in;
  oracle::device_input<Key> a;
  oracle::device_input<Key> b;
  std::size_t m;
  std::size_t n;
  oracle::device_errors errors;
};

template <class Tuning, class Key>
void check_merge(const device_inputs<Key>& d, answer how, bool is_permutation) {
  const oracle::device_output<Key> out(d.m + d.n, 1);
  CHECK(cmerge::merge(cmerge::tuned<Tuning>(thrust::device), d.a.begin(), d.a.end(), d.b.begin(),
                      d.b.end(), out.begin(), d.comp(how)) == out.end());
  d.check_compared();
  check_elements(d.in, out.download(), is_permutation);
}

/// merge_by_key, merge_n and merge_indices. A value belongs to its key, whatever was compared.
template <class Tuning, class Key>
void check_other_calls(const device_inputs<Key>& d, answer how, bool is_permutation) {
  const auto policy = cmerge::tuned<Tuning>(thrust::device);
  {
    std::vector<unsigned> values1(d.m);
    std::vector<unsigned> values2(d.n);
    for (std::size_t i = 0; i < d.m; ++i) values1[i] = value_of(d.in.a[i].tag);
    for (std::size_t j = 0; j < d.n; ++j) values2[j] = value_of(d.in.b[j].tag);
    const oracle::device_input<unsigned> u(values1);
    const oracle::device_input<unsigned> v(values2, 1);
    const oracle::device_output<Key> keys_out(d.m + d.n);
    const oracle::device_output<unsigned> values_out(d.m + d.n, 1);
    const auto ends =
        cmerge::merge_by_key(policy, d.a.begin(), d.a.end(), d.b.begin(), d.b.end(), u.begin(),
                             v.begin(), keys_out.begin(), values_out.begin(), d.comp(how));
    CHECK(ends.first == keys_out.end());
    CHECK(ends.second == values_out.end());
    d.check_compared();
    const auto keys = keys_out.download();
    const auto values = values_out.download();
    check_elements(d.in, keys, is_permutation);
    for (std::size_t k = 0; k < keys.size(); ++k) {
      if (values[k] != value_of(keys[k].tag)) FAIL("value ", k, " is not that of its key");
    }
  }
  {
    // The output's guards begin behind the last one.
    const std::size_t count = (d.m + d.n) / 2 + 1;
    const oracle::device_output<Key> out(count, 1);
    CHECK(cmerge::merge_n(policy, d.a.begin(), d.a.end(), d.b.begin(), d.b.end(),
                          static_cast<std::int64_t>(count), out.begin(), d.comp(how)) == out.end());
    d.check_compared();
    check_elements(d.in, out.download(), is_permutation);
  }
  const oracle::device_output<std::uint32_t> words(d.m + d.n, 1);
  CHECK(cmerge::merge_indices(policy, d.a.begin(), d.a.end(), d.b.begin(), d.b.end(), words.begin(),
                              d.comp(how)) == words.end());
  d.check_compared();
  check_words(d.m, d.n, words.download(), is_permutation);
}

using sizes = std::vector<std::pair<std::size_t, std::size_t>>;

/// Calls `test(inputs, answer, is_permutation)` for all answers. No element is lost where these
/// are an order of some kind.
template <class Key, class Test>
void for_each_fault(const sizes& all, Test test) {
  INFO("seed ", oracle::seed(), ", bytes ", sizeof(Key));
  for (const auto& size : all) {
    const std::size_t m = size.first;
    const std::size_t n = size.second;
    INFO("m ", m, ", n ", n);
    const auto run = [&](const device_inputs<Key>& d, answer how, bool is_permutation) {
      INFO("answer ", static_cast<int>(how));
      test(d, how, is_permutation);
    };
    const device_inputs<Key> sorted(inputs_of<Key>(m, n, true));
    run(sorted, answer::less_equal, true);
    run(sorted, answer::yes, true);
    run(sorted, answer::no, true);
    run(sorted, answer::hash, false);
    const device_inputs<Key> unsorted(inputs_of<Key>(m, n, false));
    run(unsorted, answer::less, false);
  }
}

/// Some tiles; and, unless only a sample is run, so many that a launch of its own searches for
/// their inputs, or that sections have several.
template <class Tuning>
sizes sizes_of() {
  sizes all{{1, 1}, {31, 33}, {500, 20}, {3000, 5000}};
  if (oracle::quick()) return all;
  constexpr bool is_default = std::is_same_v<Tuning, cmerge::default_tuning>;
  const std::size_t large = is_default ? cmerge::large_problem + 100000 : 600000;
  all.push_back({large / 2 + 50000, large / 2 - 50000});
  return all;
}

// ---- tests ------------------------------------------------------------------------------------

TEST_CASE_TEMPLATE("contradictory comparators and unsorted inputs", T, cmerge::default_tuning,
                   fixed<strategy::basic, 32, 3>, fixed<strategy::tiled, 32, 3>,
                   fixed<strategy::circular, 32, 3, 1>, fixed<strategy::circular, 32, 3, 2>,
                   fixed<strategy::circular, 128, 11, 2>, fixed<strategy::single, 32, 1>,
                   fixed<strategy::single, 32, 3>, fixed<strategy::indirect, 32, 3>) {
  for_each_fault<tagged>(sizes_of<T>(), [](const auto&... all) { check_merge<T>(all...); });
}

TEST_CASE_TEMPLATE("values, first outputs and indices", T, cmerge::default_tuning,
                   fixed<strategy::circular, 32, 3, 2>, fixed<strategy::single, 32, 1>,
                   fixed<strategy::indirect, 32, 3>) {
  for_each_fault<tagged>(sizes_of<T>(), [](const auto&... all) { check_other_calls<T>(all...); });
}

/// Small and large elements; the largest have tiles of few.
template <class Key>
void check_element(sizes some) {
  using single = fixed<strategy::single, 32, 1>;
  using indirect = fixed<strategy::indirect, 32, 3>;
  for_each_fault<Key>(some, [](const auto&... all) {
    check_merge<cmerge::default_tuning>(all...);
    check_merge<single>(all...);
    check_merge<indirect>(all...);
  });
}

TEST_CASE("elements of 1, 16, 96 and 1024 bytes") {
  sizes some{{1, 1}, {31, 33}, {500, 20}, {1300, 2100}};
  check_element<record<1024>>(some);
  check_element<record<96>>(some);
  if (!oracle::quick()) some.push_back({310000, 290000});
  check_element<record<16>>(some);
  check_element<byte_key>(some);
}

TEST_CASE("values, first outputs and indices of large elements") {
  const sizes some{{31, 33}, {1300, 2100}};
  const auto test = [](const auto&... all) { check_other_calls<cmerge::default_tuning>(all...); };
  for_each_fault<record<16>>(some, test);
  for_each_fault<record<96>>(some, test);
  for_each_fault<record<1024>>(some, test);
}

/// Unsorted keys that are counted, not compared. Values are unspecified, so that only a warning
/// says which are of no input; where there is one value, there is no other.
template <class Tuning>
void check_runs(std::size_t m, std::size_t n) {
  INFO("seed ", oracle::seed(), ", m ", m, ", n ", n);
  std::mt19937 random(oracle::seed());
  for (const int values : {1, 3, 100}) {
    CAPTURE(values);
    std::vector<signed char> keys1(m);
    std::vector<signed char> keys2(n);
    const auto key = [&] {
      return static_cast<signed char>(2 * static_cast<int>(random() % 128) % (2 * values) - 100);
    };
    for (signed char& x : keys1) x = key();
    for (signed char& x : keys2) x = key();
    const oracle::device_input<signed char> a(keys1, 1);
    const oracle::device_input<signed char> b(keys2);
    const oracle::device_output<signed char> out(m + n, 3);
    CHECK(cmerge::merge(cmerge::tuned<Tuning>(thrust::device), a.begin(), a.end(), b.begin(),
                        b.end(), out.begin()) == out.end());
    const auto result = out.download();
    const auto foreign = std::count_if(result.begin(), result.end(), [&](signed char x) {
      return x % 2 != 0 || x < -100 || x >= 2 * values - 100;
    });
    WARN(foreign == 0);
    if (values == 1) CHECK(foreign == 0);
  }
}

TEST_CASE_TEMPLATE("unsorted keys whose runs are counted", T, cmerge::default_tuning,
                   fixed<strategy::by_value, 32, 32>, fixed<strategy::by_value, 256, 16>,
                   fixed<strategy::by_value, 256, 1024>) {
  for (const auto& size : sizes_of<T>()) check_runs<T>(size.first, size.second);
}

TEST_CASE("not-a-numbers: it ends, and writes nothing but inputs") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const std::size_t size : {std::size_t{100}, std::size_t{10000}, std::size_t{800000}}) {
    if (oracle::quick() && size > 10000) continue;
    std::vector<float> keys(size);
    for (std::size_t i = 0; i < size; ++i) keys[i] = i % 17 == 3 ? nan : static_cast<float>(i);
    const oracle::device_input<float> a(keys);
    const oracle::device_input<float> b(keys, 1);
    const oracle::device_output<float> out(2 * size);
    CHECK(cmerge::merge(thrust::device, a.begin(), a.end(), b.begin(), b.end(), out.begin()) ==
          out.end());
    for (const float x : out.download()) {
      const bool is_number =
          x >= 0 && x < static_cast<float>(size) && x == static_cast<float>(static_cast<int>(x));
      if (x == x && !is_number) FAIL("no input is ", x);
    }
  }
}

/// Compares places in a table, and checks that they are in it.
struct by_table {
  const int* table;
  std::int64_t size;
  unsigned* errors;
  __device__ bool operator()(std::int64_t i, std::int64_t j) const {
    if (i < 0 || i >= size || j < 0 || j >= size) {
      *errors = 1;
      return false;
    }
    return table[i] < table[j];
  }
};

TEST_CASE_TEMPLATE("a comparator that follows indices, sorted and not", T, cmerge::default_tuning,
                   fixed<strategy::single, 32, 1>) {
  constexpr bool is_default = std::is_same_v<T, cmerge::default_tuning>;
  const std::size_t half = oracle::quick() ? 10000 : is_default ? 800000 : 300000;
  const auto size = static_cast<std::int64_t>(half);
  const auto policy = cmerge::tuned<T>(thrust::device);
  std::vector<int> table(2 * half);
  std::vector<std::int64_t> indices(2 * half);
  for (std::size_t i = 0; i < 2 * half; ++i) indices[i] = static_cast<std::int64_t>(i);
  std::mt19937 random(oracle::seed());
  for (const bool is_sorted : {true, false}) {
    CAPTURE(is_sorted);
    for (std::size_t i = 0; i < 2 * half; ++i) {
      table[i] = is_sorted ? static_cast<int>(i % half / 3) : static_cast<int>(random() % 1000);
    }
    const oracle::device_input<int> device_table(table);
    const oracle::device_input<std::int64_t> in(indices);
    const oracle::device_output<std::int64_t> out(2 * half);
    const oracle::device_errors errors;
    const by_table comp{device_table.begin(), 2 * size, errors.get()};
    const auto check = [&](const std::vector<std::int64_t>& result) {
      CHECK(errors.count() == 0);
      for (std::size_t k = 0; k < 2 * half; ++k) {
        if (result[k] < 0 || result[k] >= 2 * size) FAIL("output ", k, " is no index");
        if (is_sorted && k > 0 &&
            table[static_cast<std::size_t>(result[k])] <
                table[static_cast<std::size_t>(result[k - 1])]) {
          FAIL("output ", k, " is out of order");
        }
      }
    };
    const std::int64_t* const first = in.begin();
    cmerge::merge(policy, first, first + half, first + half, first + 2 * half, out.begin(), comp);
    check(out.download());
    // The same range without memory.
    const thrust::counting_iterator<std::int64_t> counting(0);
    cmerge::merge(policy, counting, counting + size, counting + size, counting + 2 * size,
                  out.begin(), comp);
    check(out.download());
  }
}

}  // namespace gpu_test
