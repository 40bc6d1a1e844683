// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problems of more outputs than 31 or 32 bits can count. Inputs are made and outputs are checked on
// the device, element by element, by formula. Needs up to 44 GiB of device memory; test cases that
// do not fit are skipped.
#pragma once

#include "oracle.cuh"

#include <cmerge/merge_source.h>

#include <limits>

namespace gpu_test {

using oracle::check_cuda;

/// 2 to the power of `exponent`, or 2^16 in a quick run.
inline std::int64_t power(int exponent) {
  return std::int64_t{1} << (oracle::quick() ? 16 : exponent);
}

// ---- memory -----------------------------------------------------------------------------------

constexpr std::int64_t pool_size = std::int64_t{44} << 30;

/// Fills outputs and their surroundings. It is neither a key nor an index into an input.
constexpr unsigned char unwritten = 0x7f;
constexpr std::int64_t guard_size = 4096;

/// Parts of one allocation. It is made once, since allocating takes longer than merging.
class memory {
 public:
  template <class T>
  T* take(std::int64_t size, std::int64_t offset = 0) {
    const std::int64_t begin = (at_ + 255) / 256 * 256 + guard_size;
    T* const first = reinterpret_cast<T*>(pool().data() + begin) + offset;
    at_ = begin + (size + offset) * static_cast<std::int64_t>(sizeof(T)) + guard_size;
    if (at_ > static_cast<std::int64_t>(pool().size())) FAIL("the estimate of memory is too low");
    return first;
  }

  /// Whether a few arrays of `bytes` bytes in all fit.
  static bool has(std::int64_t bytes) {
    if (bytes + (1 << 20) <= static_cast<std::int64_t>(pool().size())) return true;
    MESSAGE("skipped: needs ", bytes >> 20, " MiB of device memory");
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

/// An output with guard bytes at both ends. Results of an earlier merge are overwritten.
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

/// The number of different keys of a type, and the smallest key.
template <class Key>
constexpr std::int64_t key_count = sizeof(Key) == 1 ? 251 : 1 << 30;
template <class Key>
constexpr std::int64_t least_key = -(key_count<Key> / 2);

/// Sorted numbers: `width` times 0, then `width` times `step`, `2 * step`, and so on.
struct sequence {
  std::int64_t size;
  std::int64_t width;
  std::int64_t step;

  __host__ __device__ std::int64_t operator[](std::int64_t i) const { return i / width * step; }
  /// The number of elements less than `number`.
  __host__ __device__ std::int64_t below(std::int64_t number) const {
    const std::int64_t least = (number + step - 1) / step * width;
    return least < size ? least : size;
  }
};

/// At most `groups` different numbers, spread over [0, `end`).
inline sequence make_sequence(std::int64_t size, std::int64_t groups, std::int64_t end) {
  const std::int64_t width = (size + groups - 1) / groups;
  const std::int64_t used = (size + width - 1) / width;
  return {size, width, end / used};
}

/// Both inputs. The second one has fewer distinct keys, and so longer runs.
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

/// A value that identifies an element, as far as its type has room.
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

/// Sets `errors` unless each output has the key and the value that the formulas give. The outputs
/// with number `x` start at `in.below(x)`; those of input 1 come first.
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
      const std::int64_t i = k - in.b.below(x);  // its index, if it is from input 1
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

/// The same check for words of merge_indices. The index of an element determines its output
/// position.
template <class Word>
__global__ void check_words_kernel(sequences in, const Word* words, unsigned* errors) {
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t k = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
       k < in.a.size + in.b.size; k += stride) {
    const cmerge::merge_source<Word> source{words[k]};
    const auto i = static_cast<std::int64_t>(source.position());
    const bool second = source.is_second();
    if (i >= (second ? in.b : in.a).size) {
      *errors = 1;
    } else if (k != i + (second ? in.a.below(in.b[i] + 1) : in.b.below(in.a[i]))) {
      *errors = 2;
    }
  }
}

}  // namespace gpu_test
