// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// More outputs than 31 and 32 bits can count. Inputs are made and outputs are checked on the
// device, element by element, by formula. Needs up to 44 GiB of device memory; what does not fit
// is left out.
#include "gpu/oracle.cuh"

#include <cmerge/merge.h>
#include <cmerge/merge_indices.h>
#include <cmerge/merge_n.h>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <limits>

namespace gpu_test {

using oracle::check_cuda;

/// A power of two; a small one in its place where only a sample is run.
std::int64_t power(int exponent) { return std::int64_t{1} << (oracle::quick() ? 16 : exponent); }

// ---- memory -----------------------------------------------------------------------------------

constexpr std::int64_t pool_size = std::int64_t{44} << 30;

/// What outputs and their surroundings are filled with: no key, and no place in an input.
constexpr unsigned char unwritten = 0x7f;
constexpr std::int64_t guard_size = 4096;

/// Parts of one allocation, which is made once: allocating takes longer than merging.
class memory {
 public:
  template <class T>
  T* take(std::int64_t size, std::int64_t offset = 0) {
    const std::int64_t begin = (at_ + 255) / 256 * 256 + guard_size;
    T* const first = reinterpret_cast<T*>(pool().begin() + begin) + offset;
    at_ = begin + (size + offset) * static_cast<std::int64_t>(sizeof(T)) + guard_size;
    if (at_ > static_cast<std::int64_t>(pool().size())) FAIL("a wrong estimate of memory");
    return first;
  }

  /// Whether there is room for so many bytes in a few arrays.
  static bool has(std::int64_t bytes) {
    if (bytes + (1 << 20) <= static_cast<std::int64_t>(pool().size())) return true;
    MESSAGE("left out: needs ", bytes >> 20, " MiB of device memory");
    return false;
  }

 private:
  static const oracle::device_input<unsigned char>& pool() {
    static const oracle::device_input<unsigned char> only([] {
      std::size_t available = 0;
      std::size_t total = 0;
      check_cuda(cudaMemGetInfo(&available, &total), "cudaMemGetInfo");
      const std::size_t wanted =
          oracle::quick() ? std::size_t{64} << 20 : static_cast<std::size_t>(pool_size);
      return std::min(wanted, available / 10 * 9);
    }());
    return only;
  }
  std::int64_t at_ = 0;
};

/// An output with guard bytes at both ends; nothing of an earlier merge is in it.
template <class T>
class output {
 public:
  output(memory& from, std::int64_t size, std::int64_t offset)
      : size_(size), begin_(from.take<T>(size, offset)) {
    check_cuda(cudaMemset(bytes(), unwritten, static_cast<std::size_t>(2 * guard_size + length())),
               "cudaMemset");
  }
  T* begin() const { return begin_; }
  T* end() const { return begin_ + size_; }

  bool has_guards() const {
    return is_unwritten(bytes()) && is_unwritten(bytes() + guard_size + length());
  }

 private:
  unsigned char* bytes() const { return reinterpret_cast<unsigned char*>(begin_) - guard_size; }
  std::int64_t length() const { return size_ * static_cast<std::int64_t>(sizeof(T)); }

  static bool is_unwritten(const unsigned char* guard) {
    oracle::synchronize();
    std::vector<unsigned char> all(guard_size);
    check_cuda(cudaMemcpy(all.data(), guard, all.size(), cudaMemcpyDefault), "cudaMemcpy");
    return std::all_of(all.begin(), all.end(), [](unsigned char c) { return c == unwritten; });
  }

  std::int64_t size_;
  T* begin_;
};

// ---- inputs by formula ------------------------------------------------------------------------

/// Different keys of a type; the least of them.
template <class Key>
constexpr std::int64_t key_count = sizeof(Key) == 1 ? 251 : 1 << 30;
template <class Key>
constexpr std::int64_t least_key = -(key_count<Key> / 2);

/// Sorted numbers: `width` equal ones, then as many that are `step` higher, and so on from 0.
struct sequence {
  std::int64_t size;
  std::int64_t width;
  std::int64_t step;

  __host__ __device__ std::int64_t operator[](std::int64_t i) const { return i / width * step; }
  /// How many are less than `number`.
  __host__ __device__ std::int64_t below(std::int64_t number) const {
    const std::int64_t least = (number + step - 1) / step * width;
    return least < size ? least : size;
  }
};

/// At most `groups` different numbers, spread over [0, `end`).
sequence make_sequence(std::int64_t size, std::int64_t groups, std::int64_t end) {
  const std::int64_t width = (size + groups - 1) / groups;
  const std::int64_t used = (size + width - 1) / width;
  return {size, width, end / used};
}

/// What is merged. The second input has other keys than the first one, and longer runs.
struct sequences {
  sequence a;
  sequence b;

  __host__ __device__ std::int64_t below(std::int64_t number) const {
    return a.below(number) + b.below(number);
  }
};

template <class Key>
sequences make_sequences(std::int64_t m, std::int64_t n) {
  return {make_sequence(m, key_count<Key>, key_count<Key>),
          make_sequence(n, key_count<Key> / 3, key_count<Key>)};
}

/// What says where an element came from, as far as the type has room for it.
template <class Value>
__host__ __device__ Value make_value(bool second, std::int64_t index) {
  if constexpr (sizeof(Value) == 1) {
    const auto bits = static_cast<unsigned>(index) ^ static_cast<unsigned>(index >> 32);
    return static_cast<Value>((bits * 2654435761u >> 24) ^ (second ? 0x55u : 0u));
  } else {
    return static_cast<Value>(index & 0x7fffffff) | (second ? oracle::second_input : 0u);
  }
}

template <class Value>
struct value_of {
  bool second;
  __host__ __device__ Value operator()(std::int64_t index) const {
    return make_value<Value>(second, index);
  }
};

constexpr unsigned grid = 8192;

template <class Key>
__global__ void fill_keys_kernel(Key* keys, sequence numbers) {
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < numbers.size;
       i += stride) {
    keys[i] = static_cast<Key>(numbers[i] + least_key<Key>);
  }
}

template <class Value>
__global__ void fill_values_kernel(Value* values, std::int64_t size, bool second) {
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < size;
       i += stride) {
    values[i] = make_value<Value>(second, i);
  }
}

template <class Key>
const Key* make_keys(memory& from, const sequence& numbers, std::int64_t offset) {
  Key* const keys = from.take<Key>(numbers.size, offset);
  fill_keys_kernel<<<grid, 256>>>(keys, numbers);
  check_cuda(cudaGetLastError(), "launch");
  return keys;
}

template <class Value>
const Value* make_values(memory& from, std::int64_t size, bool second) {
  Value* const values = from.take<Value>(size);
  fill_values_kernel<<<grid, 256>>>(values, size, second);
  check_cuda(cudaGetLastError(), "launch");
  return values;
}

// ---- checks -----------------------------------------------------------------------------------

/// Raises `errors` unless output `k` is the key, and comes from the element, that the formulas say:
/// the outputs with number `x` are those from `in.below(x)` on, first the ones of input 1.
template <class Key, class Value>
__global__ void check_kernel(sequences in, const Key* keys, const Value* values,
                             std::int64_t outputs, unsigned* errors) {
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t k = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; k < outputs;
       k += stride) {
    const std::int64_t x = std::int64_t{keys[k]} - least_key<Key>;
    if (x < 0 || x >= key_count<Key> || k < in.below(x) || k >= in.below(x + 1)) {
      *errors = 1;
    } else if (values != nullptr) {
      const std::int64_t i = k - in.b.below(x);  // where it is in input 1, if it is there
      const bool second = i >= in.a.below(x + 1);
      const std::int64_t index = second ? k - in.a.below(x + 1) : i;
      if (values[k] != make_value<Value>(second, index)) *errors = 2;
    }
  }
}

template <class Key, class Value = unsigned>
bool is_merged(const sequences& in, const Key* keys, std::int64_t outputs,
               const Value* values = nullptr) {
  const oracle::device_errors errors;
  check_kernel<<<grid, 256>>>(in, keys, values, outputs, errors.get());
  check_cuda(cudaGetLastError(), "launch");
  return errors.count() == 0;
}

/// As above, of words: an element's place in the output follows from its place in the input.
__global__ void check_words_kernel(sequences in, const std::uint64_t* words, unsigned* errors) {
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t k = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
       k < in.a.size + in.b.size; k += stride) {
    const cmerge::merge_source<std::uint64_t> source{words[k]};
    const auto i = static_cast<std::int64_t>(source.position());
    const bool second = source.is_second();
    if (i >= (second ? in.b : in.a).size) {
      *errors = 1;
    } else if (k != i + (second ? in.a.below(in.b[i] + 1) : in.b.below(in.a[i]))) {
      *errors = 2;
    }
  }
}

/// The order of numbers by a name that nobody knows, so that equal keys could be told apart.
struct by_value {
  template <class Key>
  __host__ __device__ bool operator()(Key x, Key y) const {
    return x < y;
  }
};

// The strategies that the cases below are about.
template <class Compare>
constexpr bool has_runs =
    cmerge::detail::can_merge_by_value<decltype(cmerge::detail::unwrap_problem(
        std::declval<cmerge::detail::merge_problem<
            const signed char*, const signed char*, signed char*, cmerge::detail::no_values,
            cmerge::detail::no_values, cmerge::detail::no_values, Compare>>()))>;
static_assert(has_runs<cmerge::detail::less> && !has_runs<by_value>);
static_assert(cmerge::default_tuning::get({90, 1, 0, cmerge::problem_size::large, true, true})
                  .how == cmerge::strategy::by_value);
static_assert(cmerge::default_tuning::get({90, 1, 0, cmerge::problem_size::large, true, false})
                  .how == cmerge::strategy::single);

/// Makes the first `count` outputs: with merge if that is all, else with merge_n.
template <class Key, class Compare = cmerge::detail::less>
void check_keys(std::int64_t m, std::int64_t n, std::int64_t count, Compare comp = {}) {
  INFO("m ", m, ", n ", n, ", outputs ", count, ", bytes ", sizeof(Key));
  if (!memory::has((m + n + count) * static_cast<std::int64_t>(sizeof(Key)))) return;
  memory from;
  const sequences in = make_sequences<Key>(m, n);
  const Key* const a = make_keys<Key>(from, in.a, 1);
  const Key* const b = make_keys<Key>(from, in.b, 7);
  const output<Key> out(from, count, 3);
  Key* const end =
      count == m + n
          ? cmerge::merge(thrust::device, a, a + m, b, b + n, out.begin(), comp)
          : cmerge::merge_n(thrust::device, a, a + m, b, b + n, count, out.begin(), comp);
  CHECK(end == out.end());
  CHECK(is_merged(in, out.begin(), count));
  CHECK(out.has_guards());
}

/// As above, with values.
template <class Key, class Value>
void check_pairs(std::int64_t m, std::int64_t n, std::int64_t count) {
  INFO("m ", m, ", n ", n, ", outputs ", count, ", bytes ", sizeof(Key), " and ", sizeof(Value));
  if (!memory::has((m + n + count) * static_cast<std::int64_t>(sizeof(Key) + sizeof(Value)))) {
    return;
  }
  memory from;
  const sequences in = make_sequences<Key>(m, n);
  const Key* const a = make_keys<Key>(from, in.a, 1);
  const Key* const b = make_keys<Key>(from, in.b, 7);
  const Value* const u = make_values<Value>(from, m, false);
  const Value* const v = make_values<Value>(from, n, true);
  const output<Key> keys(from, count, 3);
  const output<Value> values(from, count, 1);
  const auto ends = count == m + n ? cmerge::merge_by_key(thrust::device, a, a + m, b, b + n, u, v,
                                                          keys.begin(), values.begin())
                                   : cmerge::merge_by_key_n(thrust::device, a, a + m, b, b + n, u,
                                                            v, count, keys.begin(), values.begin());
  CHECK(ends.first == keys.end());
  CHECK(ends.second == values.end());
  CHECK(is_merged(in, keys.begin(), count, values.begin()));
  CHECK(keys.has_guards());
  CHECK(values.has_guards());
}

/// Calls `test(m, n)` for totals just above 2^31 and 2^32, balanced and not.
template <class Test>
void for_each_size(Test test) {
  for (const int exponent : {31, 32}) {
    const std::int64_t total = power(exponent) + 12345;
    test(total / 2, total - total / 2);
    test(std::int64_t{3}, total - 3);
    test(total - 3, std::int64_t{3});
    if (oracle::quick()) return;  // both would be the same
  }
}

// ---- tests ------------------------------------------------------------------------------------

TEST_CASE("one-byte keys, found by their runs") {
  for_each_size([](std::int64_t m, std::int64_t n) { check_keys<signed char>(m, n, m + n); });
}

TEST_CASE("one-byte keys, merged one by one") {
  for_each_size(
      [](std::int64_t m, std::int64_t n) { check_keys<signed char>(m, n, m + n, by_value{}); });
}

TEST_CASE("sizes around the largest int") {
  const std::int64_t most = power(31) - 1;
  for (const auto& size : {std::pair<std::int64_t, std::int64_t>{most / 2, most - most / 2},
                           {most / 2 + 1, most - most / 2},
                           {most - 1, most},
                           {most + 6, most + 77}}) {
    check_keys<signed char>(size.first, size.second, size.first + size.second);
    check_keys<signed char>(size.first, size.second, size.first + size.second, by_value{});
  }
}

TEST_CASE("four-byte keys") {
  for_each_size([](std::int64_t m, std::int64_t n) { check_keys<int>(m, n, m + n); });
}

TEST_CASE("one-byte keys with values that say where they came from") {
  for_each_size([](std::int64_t m, std::int64_t n) {
    check_pairs<signed char, unsigned>(m, n, m + n);
    check_pairs<signed char, unsigned char>(m, n, m + n);
  });
}

TEST_CASE("four-byte keys with values") {
  const std::int64_t total = power(31) + 77;
  check_pairs<int, unsigned>(total / 2, total - total / 2, total);
  check_pairs<int, unsigned>(3, total - 3, total);
}

TEST_CASE("values that are in no memory") {
  for_each_size([](std::int64_t m, std::int64_t n) {
    INFO("m ", m, ", n ", n);
    if (!memory::has(3 * (m + n))) return;
    memory from;
    const sequences in = make_sequences<signed char>(m, n);
    const auto* const a = make_keys<signed char>(from, in.a, 0);
    const auto* const b = make_keys<signed char>(from, in.b, 5);
    const output<signed char> keys(from, m + n, 0);
    const output<unsigned char> values(from, m + n, 0);
    const thrust::counting_iterator<std::int64_t> first(0);
    const auto ends =
        cmerge::merge_by_key(thrust::device, a, a + m, b, b + n,
                             thrust::make_transform_iterator(first, value_of<unsigned char>{false}),
                             thrust::make_transform_iterator(first, value_of<unsigned char>{true}),
                             keys.begin(), values.begin());
    CHECK(ends.first == keys.end());
    CHECK(ends.second == values.end());
    CHECK(is_merged(in, keys.begin(), m + n, values.begin()));
    CHECK(keys.has_guards());
    CHECK(values.has_guards());
  });
}

TEST_CASE("the first outputs of a merge, more than 2^31 and 2^32") {
  for (const int exponent : {31, 32}) {
    const std::int64_t count = power(exponent) + 54321;
    for (const auto& size : {std::pair<std::int64_t, std::int64_t>{count / 2 + 1, count / 2 + 1},
                             {count / 3 * 2, count / 3 * 2},
                             {3, count + 1000}}) {
      check_keys<signed char>(size.first, size.second, count);
      check_keys<signed char>(size.first, size.second, count, by_value{});
      check_pairs<signed char, unsigned char>(size.first, size.second, count);
    }
  }
}

TEST_CASE("merge_indices") {
  for_each_size([](std::int64_t m, std::int64_t n) {
    INFO("m ", m, ", n ", n);
    if (!memory::has(9 * (m + n))) return;
    memory from;
    const sequences in = make_sequences<signed char>(m, n);
    const auto* const a = make_keys<signed char>(from, in.a, 1);
    const auto* const b = make_keys<signed char>(from, in.b, 7);
    const output<std::uint64_t> words(from, m + n, 1);
    CHECK(cmerge::merge_indices(thrust::device, a, a + m, b, b + n, words.begin()) == words.end());
    const oracle::device_errors errors;
    check_words_kernel<<<grid, 256>>>(in, words.begin(), errors.get());
    check_cuda(cudaGetLastError(), "launch");
    CHECK(errors.count() == 0);
    CHECK(words.has_guards());
  });
}

/// An output that checks what it is given: `k / 2` at place `k`.
struct checking_output {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = void;
  using difference_type = std::int64_t;
  using pointer = void;
  using reference = void;

  struct place {
    std::int64_t k;
    unsigned* errors;
    __host__ __device__ const place& operator=(std::int64_t key) const {
      if (key != k / 2) *errors = 1;
      return *this;
    }
  };
  std::int64_t k;
  unsigned* errors;

  __host__ __device__ place operator*() const { return {k, errors}; }
  __host__ __device__ checking_output operator+(std::int64_t i) const { return {k + i, errors}; }
};

TEST_CASE("counting iterators, more than 2^33 outputs, nothing in memory") {
  const std::int64_t size = power(32) + 12345;
  const oracle::device_errors errors;
  const thrust::counting_iterator<std::int64_t> first(0);
  const auto end = cmerge::merge(thrust::device, first, first + size, first, first + size,
                                 checking_output{0, errors.get()});
  CHECK(end.k == 2 * size);
  CHECK(errors.count() == 0);
}

/// 0, 1, 2, ... with distances of 32 bits.
struct narrow_iterator {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = int;
  using difference_type = int;
  using pointer = const int*;
  using reference = int;
  int at;
  __host__ __device__ int operator*() const { return at; }
  __host__ __device__ int operator[](std::ptrdiff_t i) const { return at + static_cast<int>(i); }
  __host__ __device__ narrow_iterator operator+(std::ptrdiff_t i) const {
    return {at + static_cast<int>(i)};
  }
  __host__ __device__ int operator-(narrow_iterator other) const { return at - other.at; }
};

TEST_CASE("a range whose distances have 32 bits, and more than 2^31 outputs") {
  const oracle::device_errors errors;
  const std::int64_t size = power(31) - 1;
  const narrow_iterator first{0};
  const narrow_iterator last{static_cast<int>(size)};
  const thrust::counting_iterator<std::int64_t> second(0);
  const auto end = cmerge::merge(thrust::device, first, last, second, second + size,
                                 checking_output{0, errors.get()});
  CHECK(end.k == 2 * size);
  CHECK(errors.count() == 0);
}

}  // namespace gpu_test
