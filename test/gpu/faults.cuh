// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Invalid inputs for merges: elements that identify themselves, comparators that are not orders,
// and checks that outputs consist of input elements.
#pragma once

#include "oracle.cuh"

#include <cmerge/merge_source.h>

#include <map>
#include <utility>

namespace gpu_test {

using oracle::record;
using oracle::second_input;
using oracle::shape;
using oracle::tagged;

// ---- elements ---------------------------------------------------------------------------------

/// A 1-byte key: the top bit is the input, the other bits are one of 32 keys. The guard byte is
/// not a valid key.
struct byte_key {
  unsigned char bits;
};
static_assert((oracle::guard_byte & 0x7f) >= 32);

/// Whether `x` can be an element of an input with `size` elements.
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

/// Keys with few distinct values, sorted or not. Made once for each size.
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

// ---- invalid comparators ----------------------------------------------------------------------

/// The answers of the invalid comparators.
enum class answer { hash, less_equal, yes, no, less };

/// Gives the chosen answer. Sets `errors` unless it compares an element of input 2 with one of
/// input 1.
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

// ---- checks on the host -----------------------------------------------------------------------
//
// They use `if`: a doctest check for each element takes too long.

/// Fails unless each output equals an input element bit by bit. With `is_unique` no element may
/// occur twice.
template <int Bytes>
void check_elements(const oracle::inputs<record<Bytes>>& in, const std::vector<record<Bytes>>& out,
                    bool is_unique) {
  std::vector<char> seen(in.a.size() + in.b.size());
  for (std::size_t k = 0; k < out.size(); ++k) {
    const bool second = (out[k].tag & second_input) != 0;
    const std::size_t i = out[k].tag & ~second_input;
    const auto& input = second ? in.b : in.a;
    if (i >= input.size() || !oracle::is_same(out[k], input[i])) {
      FAIL("output ", k, " is not an element of the inputs");
    }
    char& is_seen = seen[second ? in.a.size() + i : i];
    if (is_unique && is_seen != 0) FAIL("output ", k, " occurs twice");
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
    if (used[x] > 0 && available[x] == 0) FAIL("some outputs are not elements of the inputs: ", x);
    if (is_unique && used[x] > available[x]) FAIL("too many outputs are ", x);
  }
}

/// The same check for the words of merge_indices.
void check_words(std::size_t m, std::size_t n, const std::vector<std::uint32_t>& words,
                 bool is_unique) {
  std::vector<char> seen(m + n);
  for (std::size_t k = 0; k < words.size(); ++k) {
    const cmerge::merge_source<std::uint32_t> source{words[k]};
    const std::size_t i = source.position();
    if (i >= (source.is_second() ? n : m)) FAIL("word ", k, " names no element: ", words[k]);
    char& is_seen = seen[source.is_second() ? m + i : i];
    if (is_unique && is_seen != 0) FAIL("word ", k, " occurs twice");
    is_seen = 1;
  }
}

constexpr unsigned value_of(unsigned tag) { return tag * 2654435761u + 1; }

/// The inputs on the device.
template <class Key>
struct device_inputs {
  explicit device_inputs(const oracle::inputs<Key>& inputs)
      : in(inputs), a(in.a, 1), b(in.b), m(in.a.size()), n(in.b.size()) {}

  faulty comp(answer how) const {
    return {how, static_cast<unsigned>(m), static_cast<unsigned>(n), errors.get()};
  }
  void check_compared() const {
    CHECK_MESSAGE(errors.count() == 0, "something other than an input element was compared");
  }

  const oracle::inputs<Key>& in;
  oracle::device_input<Key> a;
  oracle::device_input<Key> b;
  std::size_t m;
  std::size_t n;
  oracle::device_errors errors;
};

using sizes = std::vector<std::pair<std::size_t, std::size_t>>;

/// Calls `test(inputs, answer, is_permutation)` for all answers. The output is a permutation of the
/// inputs if the answers do not contradict each other.
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

}  // namespace gpu_test
