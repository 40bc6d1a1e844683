// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element types of many kinds on a GPU, at every alignment.
#include "gpu/oracle.cuh"

#include <cmerge/merge.h>

#include <cuda_fp16.h>

#include <functional>

namespace gpu_test {

using oracle::moderate_default;
using oracle::shape;

/// Merges keys alone at any offset from the start of an allocation. Compares with std::merge.
template <class Tuning = cmerge::default_tuning, class T, class Compare>
void check_merge(const std::vector<T>& keys1, const std::vector<T>& keys2, std::size_t offset,
                 Compare comp) {
  const oracle::device_input<T> a(keys1, offset % 16);
  const oracle::device_input<T> b(keys2, (offset * 7 + 3) % 16);
  const oracle::device_output<T> out(keys1.size() + keys2.size(), (offset * 5 + 1) % 16);
  REQUIRE(cmerge::merge(cmerge::tuned<Tuning>(thrust::device), a.begin(), a.end(), b.begin(),
                        b.end(), out.begin(), comp) == out.end());
  const auto expected = oracle::merged(keys1, keys2, comp);
  const std::size_t difference = oracle::first_difference(out.download().data(), expected);
  if (difference != expected.size()) FAIL("offset ", offset, ": output ", difference, " is wrong");
}

/// Keys of a large problem, made once for all types.
const oracle::key_pair& large_keys() {
  static const oracle::key_pair keys = oracle::make_keys(
      shape::random, cmerge::large_problem / 2 + 31, cmerge::large_problem / 2 + 1, 30000);
  return keys;
}

struct less {
  template <class T>
  __host__ __device__ bool operator()(const T& left, const T& right) const {
    return left < right;
  }
};

template <class T>
std::vector<T> convert(const std::vector<std::int64_t>& keys) {
  std::vector<T> converted;
  converted.reserve(keys.size());
  for (const std::int64_t k : keys) {
    if constexpr (sizeof(T) == 1) {
      converted.push_back(static_cast<T>(k >> 8));
    } else {
      converted.push_back(static_cast<T>(static_cast<float>(k) - 1000.0f));
    }
  }
  // Sorts again, since keys were rounded or wrapped.
  std::stable_sort(converted.begin(), converted.end(), less{});
  return converted;
}

TEST_CASE_TEMPLATE("merges arithmetic types", T, signed char, unsigned char, short, int, unsigned,
                   long long, float, double, __half, __int128) {
  for (const shape s : {shape::random, shape::few, shape::blocks}) {
    INFO("shape ", oracle::name(s), ", seed ", oracle::seed());
    const auto keys = oracle::make_keys(s, 3333, 4321, 30000);
    for (std::size_t offset = 0; offset < 16; ++offset) {
      if (oracle::quick() && offset % 5 != 0) continue;
      check_merge(convert<T>(keys.a), convert<T>(keys.b), offset, less{});
    }
  }
  if (oracle::quick()) return;
  const auto a = convert<T>(large_keys().a);
  const auto b = convert<T>(large_keys().b);
  for (const std::size_t offset : {0, 1, 6}) check_merge(a, b, offset, less{});
}

TEST_CASE_TEMPLATE("merges structs of whole words", T, oracle::record<12>, oracle::record<16>,
                   oracle::record<20>, oracle::record<24>, oracle::record<96>, oracle::record<384>,
                   oracle::record<1024>, oracle::record<4096>) {
  constexpr int bytes = sizeof(T);
  constexpr std::size_t size = bytes > 100 ? 500 : 3000;
  // Only small structs have large problems.
  using tuning = std::conditional_t<(bytes > 24), moderate_default, cmerge::default_tuning>;
  for (const shape s : oracle::all_shapes) {
    INFO("shape ", oracle::name(s), ", seed ", oracle::seed());
    const auto in = oracle::make_inputs<bytes>(s, size, size / 3);
    for (const std::size_t offset : {0, 1, 2, 3})
      check_merge<tuning>(in.a, in.b, offset, oracle::by_key{});
  }
  if (oracle::quick() || bytes > 24) return;
  const auto in = oracle::make_inputs<bytes>(large_keys());
  check_merge<tuning>(in.a, in.b, 1, oracle::by_key{});
}

/// Bytes without alignment: the key, bytes that identify the element, and filling.
template <int Bytes>
struct unaligned {
  unsigned char content[Bytes];
};

template <int Bytes>
std::vector<unaligned<Bytes>> make_unaligned(const std::vector<std::int64_t>& keys, int input) {
  std::vector<unaligned<Bytes>> made(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    for (int c = 0; c < Bytes; ++c) {
      made[i].content[c] = static_cast<unsigned char>(i * 31 + static_cast<std::size_t>(c + input));
    }
    made[i].content[0] = static_cast<unsigned char>(keys[i] >> 8);
    made[i].content[1] = static_cast<unsigned char>(i);
    made[i].content[2] = static_cast<unsigned char>((i >> 8) * 2 + static_cast<std::size_t>(input));
  }
  return made;
}

struct by_first_byte {
  template <class T>
  __host__ __device__ bool operator()(const T& left, const T& right) const {
    return left.content[0] < right.content[0];
  }
};

TEST_CASE_TEMPLATE("merges structs of bytes", T, unaligned<3>, unaligned<95>, unaligned<757>) {
  constexpr int bytes = sizeof(T);
  for (const shape s : oracle::all_shapes) {
    INFO("shape ", oracle::name(s), ", seed ", oracle::seed());
    const auto keys = oracle::make_keys(s, 700, 900, 30000);
    const auto a = make_unaligned<bytes>(keys.a, 0);
    const auto b = make_unaligned<bytes>(keys.b, 1);
    for (std::size_t offset = 0; offset < 16; offset += 3) {
      check_merge<moderate_default>(a, b, offset, by_first_byte{});
    }
  }
}

/// The size is twice the alignment.
struct alignas(16) aligned {
  int key;
  unsigned tag;
  unsigned filling[6];
};

TEST_CASE("merges structs of two granules") {
  static_assert(sizeof(aligned) == 32 && alignof(aligned) == 16);
  const auto in = oracle::make_inputs(shape::few, 3000, 4000);
  std::vector<aligned> a;
  std::vector<aligned> b;
  for (const auto& x : in.a) a.push_back({x.key, x.tag, {1, 2, 3, 4, 5, x.tag}});
  for (const auto& x : in.b) b.push_back({x.key, x.tag, {1, 2, 3, 4, 5, x.tag}});
  for (const std::size_t offset : {0, 1, 2})
    check_merge<moderate_default>(a, b, offset, oracle::by_key{});
}

/// No default constructor, and a user-provided copy constructor.
struct bare {
  __host__ __device__ explicit bare(int k, unsigned t) : key(k), tag(t) {}
  __host__ __device__ bare(const bare& other) : key(other.key), tag(other.tag) {}
  __host__ __device__ bare& operator=(const bare& other) {
    key = other.key;
    tag = other.tag;
    return *this;
  }
  int key;
  unsigned tag;
};
static_assert(!std::is_trivially_copyable_v<bare>);
static_assert(!std::is_default_constructible_v<bare>);

/// The same with a destructor, so it must not be in shared memory.
struct destructible : bare {
  using bare::bare;
  __host__ __device__ ~destructible() { key = -1; }
  __host__ __device__ destructible(const destructible& other) : bare(other) {}
  __host__ __device__ destructible& operator=(const destructible& other) {
    bare::operator=(other);
    return *this;
  }
};

TEST_CASE_TEMPLATE("merges types that are not trivial", T, bare, destructible) {
  // The device memory holds these.
  using oracle::tagged;
  static_assert(sizeof(T) == sizeof(tagged));
  const auto in = oracle::make_inputs(shape::few, 3000, 4000);
  const oracle::device_input<tagged> a(in.a);
  const oracle::device_input<tagged> b(in.b);
  const oracle::device_output<tagged> out(7000);
  const auto* first1 = reinterpret_cast<const T*>(a.begin());
  const auto* first2 = reinterpret_cast<const T*>(b.begin());
  cmerge::merge(cmerge::tuned<moderate_default>(thrust::device), first1, first1 + 3000, first2,
                first2 + 4000, reinterpret_cast<T*>(out.begin()), oracle::by_key{});
  const auto expected = oracle::merged(in.a, in.b, oracle::by_key{});
  CHECK(oracle::first_difference(out.download().data(), expected) == expected.size());
}

/// Counts the uses of invalid handles.
__device__ unsigned handle_faults;

/// A key with user-provided copies, assignments and comparisons. Memory that holds no handle has no
/// valid `mark`.
struct handle {
  static constexpr unsigned alive = 0x51a7e0fe;

  __host__ __device__ handle(int k, unsigned t) : key(k), tag(t) {}
  __host__ __device__ handle(const handle& other)
      : key(other.value()), tag(other.tag), mark(alive) {}
  __host__ __device__ handle& operator=(const handle& other) {
    value();
    key = other.value();
    tag = other.tag;
    return *this;
  }
  __host__ __device__ int value() const {
#if defined(__CUDA_ARCH__)
    if (mark != alive) atomicAdd(&handle_faults, 1u);
#endif
    return key;
  }

  int key;
  unsigned tag;
  unsigned mark = alive;
  unsigned filling = 0;
};

struct by_value {
  __host__ __device__ bool operator()(const handle& x, const handle& y) const {
    return x.value() < y.value();
  }
};

/// Fills the shared memory of every multiprocessor with invalid handles.
__global__ void fill_shared_memory() {
  extern __shared__ unsigned words[];
  for (unsigned w = threadIdx.x; w < 10000; w += blockDim.x) words[w] = ~0u - w;
  __syncthreads();
  if (words[(threadIdx.x * 7) % 10000] == 0)
    handle_faults = 1;  // so that the stores are not optimised away
}

TEST_CASE_TEMPLATE("copies and compares only elements, by their own operations", Tuning,
                   cmerge::default_tuning, oracle::fixed<cmerge::strategy::basic, 64, 3>,
                   oracle::fixed<cmerge::strategy::tiled, 64, 3>,
                   oracle::fixed<cmerge::strategy::circular, 64, 3, 1>,
                   oracle::fixed<cmerge::strategy::circular, 64, 3, 2>,
                   oracle::fixed<cmerge::strategy::single, 64, 3>,
                   oracle::fixed<cmerge::strategy::indirect, 64, 3>) {
  const unsigned none = 0;
  oracle::check_cuda(cudaMemcpyToSymbol(handle_faults, &none, sizeof(none)), "cudaMemcpyToSymbol");
  for (const int size : {3001, 1500000}) {
    if (oracle::quick() && size > 10000) continue;
    CAPTURE(size);
    std::vector<handle> keys1;
    std::vector<handle> keys2;
    for (int i = 0; i < size; ++i) {
      keys1.emplace_back(2 * i, 0u);
      keys2.emplace_back(i / 3 * 3, 1u);
    }
    const oracle::device_input<handle> a(keys1);
    const oracle::device_input<handle> b(keys2);
    const auto outputs = static_cast<std::size_t>(2 * size);
    const oracle::device_input<handle> out(std::vector<handle>(outputs, handle(-1, 9u)));
    const oracle::device_input<handle> values(std::vector<handle>(outputs, handle(-1, 9u)));
    fill_shared_memory<<<1000, 256, 40000>>>();
    oracle::check_cuda(cudaGetLastError(), "launch");
    const auto policy = cmerge::tuned<Tuning>(thrust::device);
    const auto is_right = [&](const oracle::device_input<handle>& result) {
      std::vector<handle> got(outputs, handle(0, 0));
      oracle::check_cuda(cudaMemcpy(static_cast<void*>(got.data()), result.begin(),
                                    outputs * sizeof(handle), cudaMemcpyDefault),
                         "cudaMemcpy");
      return oracle::first_difference(got.data(), oracle::merged(keys1, keys2, by_value{})) ==
             outputs;
    };
    cmerge::merge(policy, a.begin(), a.end(), b.begin(), b.end(), out.data(), by_value{});
    CHECK(is_right(out));
    cmerge::merge_by_key(policy, a.begin(), a.end(), b.begin(), b.end(), a.begin(), b.begin(),
                         out.data(), values.data(), by_value{});
    CHECK(is_right(out));
    CHECK(is_right(values));
  }
  unsigned faults = 1;
  oracle::check_cuda(cudaMemcpyFromSymbol(&faults, handle_faults, sizeof(faults)),
                     "cudaMemcpyFromSymbol");
  CHECK(faults == 0);
}

}  // namespace gpu_test
