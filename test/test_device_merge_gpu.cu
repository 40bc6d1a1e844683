// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DeviceMerge: the calls of cub::DeviceMerge without temporary storage, and calls with sizes in
// device memory.
#include "gpu/device_merge_forms.cuh"
#include "gpu/oracle.cuh"

#include <cmerge/device_merge.cuh>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_merge.cuh>

namespace gpu_test {

using oracle::shape;
using oracle::tagged;

/// A call as users of CUB write it; only the class differs.
template <class Merge, class Key, class Compare>
cudaError_t merge_keys_as_cub(const Key* a, std::int64_t m, const Key* b, std::int64_t n, Key* out,
                              Compare comp, std::size_t& bytes) {
  void* storage = nullptr;
  if (cudaError_t e = Merge::MergeKeys(storage, bytes, a, m, b, n, out, comp); e != cudaSuccess) {
    return e;
  }
  if (cudaError_t e = cudaMalloc(&storage, bytes); e != cudaSuccess) return e;
  const cudaError_t e = Merge::MergeKeys(storage, bytes, a, m, b, n, out, comp, 0);
  cudaFree(storage);
  return e;
}

TEST_CASE("merges in two phases, as cub::DeviceMerge does") {
  for (const shape s : oracle::all_shapes) {
    for (const auto& size :
         {std::pair<std::size_t, std::size_t>{0, 0}, {0, 7}, {1, 1}, {5000, 70}}) {
      CAPTURE(oracle::name(s));
      const auto in = oracle::make_inputs(s, size.first, size.second);
      const auto expected = oracle::merged(in.a, in.b, oracle::by_key{});
      const oracle::device_input<tagged> a(in.a);
      const oracle::device_input<tagged> b(in.b);
      const oracle::device_output<tagged> ours(expected.size());
      const oracle::device_output<tagged> theirs(expected.size());
      const auto m = static_cast<std::int64_t>(size.first);
      const auto n = static_cast<std::int64_t>(size.second);
      std::size_t bytes = 0;
      CHECK(merge_keys_as_cub<DeviceMerge>(a.begin(), m, b.begin(), n, ours.begin(),
                                           oracle::by_key{}, bytes) == cudaSuccess);
      CHECK(bytes == 1);
      CHECK(merge_keys_as_cub<cub::DeviceMerge>(a.begin(), m, b.begin(), n, theirs.begin(),
                                                oracle::by_key{}, bytes) == cudaSuccess);
      const auto result = ours.download();
      CHECK(oracle::first_difference(result.data(), expected) == expected.size());
      CHECK(oracle::first_difference(result.data(), theirs.download()) == expected.size());
    }
  }
}

TEST_CASE("answers a query for temporary storage and does nothing else") {
  const oracle::device_input<int> a(std::vector<int>{1, 3});
  const oracle::device_output<int> out(4);
  std::size_t bytes = 0;
  CHECK(DeviceMerge::MergeKeys(nullptr, bytes, a.begin(), 2, a.begin(), 2, out.begin()) ==
        cudaSuccess);
  CHECK(bytes == 1);
  bytes = 0;
  CHECK(DeviceMerge::MergePairs(nullptr, bytes, a.begin(), a.begin(), 2, a.begin(), a.begin(), 2,
                                out.begin(), out.begin()) == cudaSuccess);
  CHECK(bytes == 1);
  CHECK(out.download() == std::vector<int>(4, static_cast<int>(0xa5a5a5a5)));
}

TEST_CASE("merges in one phase on a stream") {
  cudaStream_t stream = nullptr;
  oracle::check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
  const auto in = oracle::make_inputs(shape::few, 40000, 30000);
  const oracle::device_input<tagged> a(in.a);
  const oracle::device_input<tagged> b(in.b);
  const oracle::device_output<tagged> out(70000);
  CHECK(DeviceMerge::MergeKeys(a.begin(), 40000, b.begin(), 30000, out.begin(), oracle::by_key{},
                               stream) == cudaSuccess);
  CHECK(oracle::is_merged(a.begin(), 40000, b.begin(), 30000, out.begin()));

  // {} is the default order: a stream can be passed without a comparator.
  const oracle::device_input<int> odd(std::vector<int>{1, 3, 5});
  const oracle::device_input<int> even(std::vector<int>{2, 4});
  const oracle::device_output<int> numbers(5);
  CHECK(DeviceMerge::MergeKeys(odd.begin(), 3, even.begin(), 2, numbers.begin(), {}, stream) ==
        cudaSuccess);
  oracle::check_cuda(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  CHECK(numbers.download() == std::vector<int>{1, 2, 3, 4, 5});
  cudaStreamDestroy(stream);
}

TEST_CASE("merges pairs in one and in two phases") {
  const thrust::counting_iterator<int> keys1(0);
  const auto keys2 =
      thrust::make_transform_iterator(keys1, [] __host__ __device__(int i) { return 3 * i; });
  const oracle::device_output<int> keys(1500);
  const oracle::device_output<int> values(1500);
  std::vector<int> expected;
  for (int i = 0; i < 1000; ++i) expected.push_back(i);
  for (int j = 0; j < 500; ++j) expected.push_back(3 * j);
  std::stable_sort(expected.begin(), expected.end());
  for (const bool two_phases : {false, true}) {
    keys.download();
    if (two_phases) {
      char storage = 0;
      std::size_t bytes = 1;
      CHECK(DeviceMerge::MergePairs(&storage, bytes, keys1, keys1 + 7, 1000, keys2, keys2, 500,
                                    keys.begin(), values.begin()) == cudaSuccess);
    } else {
      CHECK(DeviceMerge::MergePairs(keys1, keys1 + 7, 1000, keys2, keys2, 500, keys.begin(),
                                    values.begin()) == cudaSuccess);
    }
    const auto keys_out = keys.download();
    const auto values_out = values.download();
    CHECK(keys_out == expected);
    for (std::size_t k = 0; k < 1500; ++k) {
      // The first of two equal keys comes from the first range.
      const bool second = k > 0 && keys_out[k - 1] == keys_out[k];
      const bool only_second = keys_out[k] >= 1000;
      if (values_out[k] != keys_out[k] + (second || only_second ? 0 : 7)) {
        FAIL("value ", k, " is wrong");
      }
    }
  }
}

/// Sizes in device memory.
struct device_sizes {
  device_sizes(std::int64_t m, std::int64_t n) : sizes(std::vector<std::int64_t>{m, n}) {}
  const std::int64_t* m() const { return sizes.begin(); }
  const std::int64_t* n() const { return sizes.begin() + 1; }
  oracle::device_input<std::int64_t> sizes;
};

/// Merges prefixes of the inputs. The host knows only upper bounds of their sizes.
template <class Key, class Compare>
void check_device_sizes(const oracle::inputs<Key>& in, Compare comp,
                        const std::vector<std::pair<std::int64_t, std::int64_t>>& all_sizes) {
  const oracle::device_input<Key> a(in.a);
  const oracle::device_input<Key> b(in.b);
  const auto max_m = static_cast<std::int64_t>(in.a.size());
  const auto max_n = static_cast<std::int64_t>(in.b.size());
  for (const auto& given : all_sizes) {
    CAPTURE(given.first);
    CAPTURE(given.second);
    const std::int64_t m = std::clamp<std::int64_t>(given.first, 0, max_m);
    const std::int64_t n = std::clamp<std::int64_t>(given.second, 0, max_n);
    const auto expected = oracle::merged(std::vector<Key>(in.a.begin(), in.a.begin() + m),
                                         std::vector<Key>(in.b.begin(), in.b.begin() + n), comp);
    // Guard bytes follow the last output.
    const oracle::device_output<Key> out(expected.size(), 1);
    const device_sizes sizes(given.first, given.second);
    CHECK(DeviceMerge::MergeKeys(a.begin(), sizes.m(), max_m, b.begin(), sizes.n(), max_n,
                                 out.begin(), comp) == cudaSuccess);
    CHECK(oracle::first_difference(out.download().data(), expected) == expected.size());

    const oracle::device_output<Key> keys(expected.size());
    const oracle::device_output<Key> values(expected.size(), 2);
    CHECK(DeviceMerge::MergePairs(a.begin(), a.begin(), sizes.m(), max_m, b.begin(), b.begin(),
                                  sizes.n(), max_n, keys.begin(), values.begin(),
                                  comp) == cudaSuccess);
    CHECK(oracle::first_difference(keys.download().data(), expected) == expected.size());
    CHECK(oracle::first_difference(values.download().data(), expected) == expected.size());
  }
}

struct less {
  template <class T>
  __host__ __device__ bool operator()(const T& x, const T& y) const {
    return x < y;
  }
};

TEST_CASE("accepts sizes of every integer type in every form") { all_forms{}.check_all(); }

TEST_CASE("merges with sizes in device memory") {
  const std::vector<std::pair<std::int64_t, std::int64_t>> sizes{{0, 0},
                                                                 {0, 1},
                                                                 {1, 0},
                                                                 {4000, 5000},
                                                                 {3999, 1},
                                                                 {17, 4999},
                                                                 {2000, 2500},
                                                                 // Below 0 and above the bounds.
                                                                 {-5, 100},
                                                                 {100, -1},
                                                                 {4001, 5001},
                                                                 {1ll << 40, 1ll << 62}};
  for (const shape s : oracle::all_shapes) {
    CAPTURE(oracle::name(s));
    check_device_sizes(oracle::make_inputs(s, 4000, 5000), oracle::by_key{}, sizes);
    check_device_sizes(oracle::make_inputs<96>(s, 4000, 5000), oracle::by_key{}, sizes);
  }
}

TEST_CASE("merges large problems with sizes in device memory") {
  if (oracle::quick()) return;
  const std::int64_t size = 3000000;
  const std::vector<std::pair<std::int64_t, std::int64_t>> sizes{
      {size, size}, {size - 1, size / 2}, {1000, 1000}, {0, 5}, {0, 0}, {size, 3}};
  const auto keys = oracle::make_keys(shape::random, size, size, 1 << 30);
  oracle::inputs<int> ints{{keys.a.begin(), keys.a.end()}, {keys.b.begin(), keys.b.end()}};
  check_device_sizes(ints, less{}, sizes);
  // By value, and by tiles with a partition launch.
  oracle::inputs<signed char> chars;
  for (const std::int64_t k : keys.a) chars.a.push_back(static_cast<signed char>((k >> 22) - 128));
  for (const std::int64_t k : keys.b) chars.b.push_back(static_cast<signed char>((k >> 22) - 128));
  check_device_sizes(chars, less{}, sizes);
  check_device_sizes(chars, std::less<>{}, sizes);
}

TEST_CASE("merges after a partition launch when most tiles are empty") {
  if (oracle::quick()) return;
  // 2^26 outputs at most: 11,000 tiles of 4-byte keys.
  const std::size_t most = std::size_t{1} << 25;
  const oracle::device_input<tagged> a(most);
  const oracle::device_input<tagged> b(most);
  oracle::fill_sorted(a, false, 2);
  oracle::fill_sorted(b, true, 2);
  for (const auto& size : {std::pair<std::size_t, std::size_t>{most, most},
                           {most / 2, most / 3},
                           {100000, 200000},
                           {3, most},
                           {1, 0}}) {
    CAPTURE(size.first);
    CAPTURE(size.second);
    const device_sizes sizes(static_cast<std::int64_t>(size.first),
                             static_cast<std::int64_t>(size.second));
    const oracle::device_output<tagged> out(size.first + size.second);
    CHECK(DeviceMerge::MergeKeys(a.begin(), sizes.m(), static_cast<std::int64_t>(most), b.begin(),
                                 sizes.n(), static_cast<std::int64_t>(most), out.begin(),
                                 oracle::by_key{}) == cudaSuccess);
    CHECK(oracle::is_merged(a.begin(), size.first, b.begin(), size.second, out.begin()));
  }
}

TEST_CASE("merges counting iterators in long sections with sizes in device memory") {
  const thrust::counting_iterator<std::int64_t> first(0);
  const std::int64_t most = oracle::quick() ? 5000 : 2000000;
  for (const std::int64_t m : {most, most / 2, std::int64_t{10}, std::int64_t{0}}) {
    const std::int64_t n = m / 2;
    const device_sizes sizes(m, n);
    const oracle::device_output<std::int64_t> out(static_cast<std::size_t>(m + n));
    CHECK(DeviceMerge::MergeKeys(first, sizes.m(), most, first, sizes.n(), most, out.begin()) ==
          cudaSuccess);
    const auto result = out.download();
    for (std::int64_t k = 0; k < m + n; ++k) {
      const std::int64_t expected = k < 2 * n ? k / 2 : k - n;
      if (result[static_cast<std::size_t>(k)] != expected) FAIL("output ", k, " is wrong");
    }
  }
}

/// Writes the sizes, as an earlier stage of a pipeline does.
__global__ void write_sizes_kernel(std::int64_t* sizes, std::int64_t m, std::int64_t n) {
  sizes[0] = m;
  sizes[1] = n;
}

TEST_CASE("merges in a pipeline without a round trip to the host") {
  const auto in = oracle::make_inputs(shape::random, 50000, 60000);
  const oracle::device_input<tagged> a(in.a);
  const oracle::device_input<tagged> b(in.b);
  const oracle::device_input<std::int64_t> sizes(std::vector<std::int64_t>{0, 0});
  for (const std::size_t m : {50000, 1, 40001}) {
    const std::size_t n = 60000 - m;
    const oracle::device_output<tagged> out(m + n);
    write_sizes_kernel<<<1, 1>>>(sizes.data(), static_cast<std::int64_t>(m),
                                 static_cast<std::int64_t>(n));
    CHECK(DeviceMerge::MergeKeys(a.begin(), sizes.begin(), 50000, b.begin(), sizes.begin() + 1,
                                 60000, out.begin(), oracle::by_key{}) == cudaSuccess);
    CHECK(oracle::is_merged(a.begin(), m, b.begin(), n, out.begin()));
  }
}

}  // namespace gpu_test
