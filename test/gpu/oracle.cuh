// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The oracle on the GPU: device memory with guard bytes, many merges checked at once, and a check
// of large outputs that runs on the device. Includes oracle.h and the CUDA runtime.
#pragma once

#include "../oracle.h"

#include <cmerge/tuned.h>

#include <cuda_runtime.h>

#include <cstdio>

namespace oracle {

inline void check_cuda(cudaError_t status, const char* what) {
  if (status != cudaSuccess) FAIL(std::string(what), ": ", std::string(cudaGetErrorString(status)));
}

inline void synchronize() { check_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize"); }

/// Tuning that is the same whatever is merged.
template <cmerge::strategy How, int Threads, int Items, int Stages = 2>
struct fixed {
  static constexpr cmerge::tuning get(cmerge::tuning_query) {
    return {How, Threads, Items, Stages};
  }
  static constexpr int tile = Threads * Items;
};

// What fills memory is waited for: a stream that does not wait for the default one could be
// earlier.

/// Device memory without a byte to spare: reading beyond the end is reading beyond an allocation.
template <class T>
class device_input {
 public:
  device_input() = default;
  /// \param offset  how many elements behind the allocation's begin the data begin
  explicit device_input(const std::vector<T>& values, std::size_t offset = 0)
      : device_input(values.size(), offset) {
    upload(values);
  }
  explicit device_input(std::size_t size, std::size_t offset = 0) : size_(size), offset_(offset) {
    check_cuda(cudaMalloc(&data_, std::max<std::size_t>(1, (size + offset) * sizeof(T))),
               "cudaMalloc");
  }
  device_input(const device_input&) = delete;
  device_input& operator=(const device_input&) = delete;
  ~device_input() { cudaFree(data_); }

  void upload(const std::vector<T>& values) {
    check_cuda(cudaMemcpy(begin(), values.data(), values.size() * sizeof(T), cudaMemcpyDefault),
               "cudaMemcpy");
    synchronize();
  }
  T* begin() const { return data_ + offset_; }
  T* end() const { return data_ + offset_ + size_; }
  std::size_t size() const { return size_; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t offset_ = 0;
};

/// Device memory for outputs, filled with guard bytes and guarded at both ends.
template <class T>
class device_output {
 public:
  explicit device_output(std::size_t size, std::size_t offset = 0)
      : size_(size), before_(guard_size + offset * sizeof(T)) {
    // Aligned as an allocation is, apart from the offset.
    before_ += 256 - guard_size;
    check_cuda(cudaMalloc(&data_, bytes()), "cudaMalloc");
    clear();
  }
  device_output(const device_output&) = delete;
  device_output& operator=(const device_output&) = delete;
  ~device_output() { cudaFree(data_); }

  void clear() {
    check_cuda(cudaMemset(data_, guard_byte, bytes()), "cudaMemset");
    synchronize();
  }
  T* begin() const { return reinterpret_cast<T*>(data_ + before_); }
  T* end() const { return begin() + size_; }

  /// All bytes, on the host; the guards are checked on the way.
  std::vector<T> download() const {
    synchronize();
    std::vector<unsigned char> all(bytes());
    check_cuda(cudaMemcpy(all.data(), data_, bytes(), cudaMemcpyDefault), "cudaMemcpy");
    CHECK(is_guard(all.data(), all.data() + before_));
    CHECK(is_guard(all.data() + before_ + size_ * sizeof(T), all.data() + all.size()));
    std::vector<T> values(size_);
    if (size_ > 0) {
      std::memcpy(static_cast<void*>(values.data()), all.data() + before_, size_ * sizeof(T));
    }
    return values;
  }

 private:
  std::size_t bytes() const { return before_ + size_ * sizeof(T) + guard_size; }

  std::size_t size_;
  std::size_t before_;
  unsigned char* data_ = nullptr;
};

/// A number on the device that a test's kernels and comparators raise where something is wrong.
class device_errors {
 public:
  device_errors() {
    check_cuda(cudaMalloc(&data_, sizeof(unsigned)), "cudaMalloc");
    check_cuda(cudaMemset(data_, 0, sizeof(unsigned)), "cudaMemset");
    synchronize();
  }
  device_errors(const device_errors&) = delete;
  device_errors& operator=(const device_errors&) = delete;
  ~device_errors() { cudaFree(data_); }

  unsigned* get() const { return data_; }
  unsigned count() const {
    synchronize();
    unsigned value = 0;
    check_cuda(cudaMemcpy(&value, data_, sizeof(value), cudaMemcpyDefault), "cudaMemcpy");
    return value;
  }

 private:
  unsigned* data_ = nullptr;
};

// ---- many small merges ------------------------------------------------------------------------

/// One merge of parts of two pools: a part of a sorted sequence is sorted.
struct merge_case {
  std::size_t a_begin;
  std::size_t m;
  std::size_t b_begin;
  std::size_t n;
};

/// All of these shapes, or the first two where a tool slows each launch.
template <std::size_t N>
std::vector<shape> some_of(const shape (&shapes)[N]) {
  return {std::begin(shapes), quick() && N > 2 ? std::begin(shapes) + 2 : std::end(shapes)};
}

/// All sizes from 0 to `most` on both sides, at pool offsets of all phases.
inline std::vector<merge_case> all_sizes(std::size_t most, std::size_t pool) {
  std::vector<merge_case> cases;
  const std::size_t stride = quick() ? 61 : 1;
  std::size_t count = 0;
  for (std::size_t m = 0; m <= most; ++m) {
    for (std::size_t n = 0; n <= most; ++n, ++count) {
      if (count % stride != 0) continue;
      cases.push_back({count * 7 % (pool - most), m, count * 13 % (pool - most), n});
    }
  }
  return cases;
}

/// Sizes around one and two tiles, and some tiles more, balanced and not.
inline std::vector<merge_case> tile_sizes(std::size_t tile, std::size_t pool) {
  std::vector<merge_case> cases;
  std::size_t count = 0;
  for (const std::size_t total :
       {tile - 1, tile, tile + 1, 2 * tile - 1, 2 * tile, 2 * tile + 1, 5 * tile + 3, 9 * tile}) {
    for (const std::size_t m :
         {std::size_t{0}, std::size_t{1}, total / 10, total / 2, total - 1, total}) {
      if (m > pool || total - m > pool || (quick() && count++ % 5 != 0)) continue;
      ++count;
      cases.push_back(
          {count * 7 % (pool - m + 1), m, count * 13 % (pool - (total - m) + 1), total - m});
    }
  }
  return cases;
}

/// Runs all cases and compares each output with std::merge's.
///
/// `call(a, a_end, b, b_end, out, c)` starts one merge on the device and returns the output's end.
template <class Key, class Compare, class Call>
void check_cases(const inputs<Key>& pool, const std::vector<merge_case>& cases, Compare comp,
                 Call call) {
  constexpr std::size_t gap = 3;  // elements: an odd number, so that outputs have all phases
  std::size_t total = gap;
  for (const merge_case& c : cases) total += c.m + c.n + gap;
  const device_input<Key> a(pool.a);
  const device_input<Key> b(pool.b);
  const device_output<Key> out(total);
  Key* next = out.begin() + gap;
  for (const merge_case& c : cases) {
    const Key* const first1 = a.begin() + c.a_begin;
    const Key* const first2 = b.begin() + c.b_begin;
    Key* const end = call(first1, first1 + c.m, first2, first2 + c.n, next, c);
    if (end != next + c.m + c.n) FAIL("wrong return value for m ", c.m, ", n ", c.n);
    next = end + gap;
  }
  const std::vector<Key> result = out.download();
  const auto* bytes = reinterpret_cast<const unsigned char*>(result.data());
  std::size_t at = 0;
  for (const merge_case& c : cases) {
    REQUIRE(is_guard(bytes + at * sizeof(Key), bytes + (at + gap) * sizeof(Key)));
    at += gap;
    const auto first1 = pool.a.begin() + static_cast<std::ptrdiff_t>(c.a_begin);
    const auto first2 = pool.b.begin() + static_cast<std::ptrdiff_t>(c.b_begin);
    std::vector<Key> expected;
    expected.reserve(c.m + c.n);
    std::merge(first1, first1 + static_cast<std::ptrdiff_t>(c.m), first2,
               first2 + static_cast<std::ptrdiff_t>(c.n), std::back_inserter(expected), comp);
    const std::size_t difference = first_difference(result.data() + at, expected);
    if (difference != c.m + c.n) {
      FAIL("seed ", seed(), ": m ", c.m, ", n ", c.n, ", input 1 from ", c.a_begin,
           ", input 2 from ", c.b_begin, ": output ", difference, " is wrong");
    }
    at += c.m + c.n;
  }
  REQUIRE(is_guard(bytes + at * sizeof(Key), bytes + result.size() * sizeof(Key)));
}

/// The comparator that checks that nothing outside a case is compared.
inline checked_by_key checked(const merge_case& c, const device_errors& errors) {
  const auto u = [](std::size_t v) { return static_cast<unsigned>(v); };
  return {u(c.a_begin), u(c.a_begin + c.m), u(c.b_begin), u(c.b_begin + c.n), errors.get()};
}

// ---- large outputs ----------------------------------------------------------------------------

/// Raises `errors` unless `out` is the stable merge of tagged keys. Since all elements differ in
/// key, input or index, an output that rises strictly in these three and consists of input
/// elements is a permutation.
template <class Key>
__global__ void check_merged_kernel(const Key* a, std::size_t m, const Key* b, std::size_t n,
                                    const Key* out, unsigned* errors) {
  const std::size_t k = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k >= m + n) return;
  const Key x = out[k];
  const unsigned index = x.tag & ~second_input;
  const bool second = (x.tag & second_input) != 0;
  if (index >= (second ? n : m) || (second ? b : a)[index].key != x.key) {
    *errors = 1;
    return;
  }
  if (k + 1 == m + n) return;
  const Key y = out[k + 1];
  if (!(x.key < y.key || (x.key == y.key && x.tag < y.tag))) *errors = 2;
}

/// Whether `out` on the device is the stable merge of tagged keys `a` and `b` on the device.
template <class Key>
bool is_merged(const Key* a, std::size_t m, const Key* b, std::size_t n, const Key* out) {
  const device_errors errors;
  if (m + n > 0) {
    check_merged_kernel<<<static_cast<unsigned>((m + n + 255) / 256), 256>>>(a, m, b, n, out,
                                                                             errors.get());
  }
  check_cuda(cudaGetLastError(), "launch");
  return errors.count() == 0;
}

/// Fills `out` with sorted tagged keys without the host's help: `spread` apart, with some jitter.
inline __global__ void fill_sorted_kernel(tagged* out, std::size_t size, bool second,
                                          unsigned spread) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= size) return;
  const auto index = static_cast<unsigned>(i);
  const unsigned noise = (index ^ (second ? 0x5bd1e995u : 0u)) * 2654435761u >> 16;
  out[i] =
      make_record<8>(static_cast<int>(spread == 2 ? index + noise % 2 : index / spread * spread),
                     second ? index | second_input : index);
}

/// Device memory for sorted tagged keys, either mixed well (`spread` 2) or in blocks of ties.
inline void fill_sorted(const device_input<tagged>& out, bool second, unsigned spread) {
  fill_sorted_kernel<<<static_cast<unsigned>((out.size() + 255) / 256), 256>>>(
      out.begin(), out.size(), second, spread);
  check_cuda(cudaGetLastError(), "launch");
}

}  // namespace oracle
