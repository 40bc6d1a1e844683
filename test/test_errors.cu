// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors reach the caller: of the CUDA runtime, of wrong lengths and of misaligned pointers. The
// last test breaks the device's context for good, so that these have a program of their own.
#include "gpu/oracle.cuh"

#include <cmerge/merge.h>
#include <cmerge/merge_indices.h>
#include <cmerge/merge_n.h>
#include <cmerge/device_merge.cuh>

#include <thrust/system_error.h>

#include <cerrno>
#include <cstring>
#include <limits>
#include <new>
#include <utility>

namespace gpu_test {

using cmerge::DeviceMerge;
using oracle::shape;
using oracle::tagged;

/// Made once, before any stream is captured and before the device is broken.
struct memory {
  static const memory& get() {
    static const memory only;
    return only;
  }
  static constexpr std::size_t most = 5000000;
  oracle::inputs<tagged> in = oracle::make_inputs(shape::random, most, 1);
  oracle::device_input<tagged> a{in.a};
  oracle::device_input<tagged> b{in.b};
  oracle::device_output<tagged> out{most + 1};
};

/// Merges and returns what the exception says; nothing if there is none.
template <class Policy, class Compare>
std::string error_of(const Policy& policy, std::size_t size, Compare comp) {
  const memory& m = memory::get();
  try {
    cmerge::merge(policy, m.a.begin(), m.a.begin() + size, m.b.begin(), m.b.end(), m.out.begin(),
                  comp);
    return "";
  } catch (const thrust::system_error& error) {
    CHECK(error.code().category() == thrust::cuda_category());
    return error.what();
  }
}

/// What a call throws; no error if nothing.
template <class Call>
thrust::error_code thrown_by(Call call) {
  try {
    call();
    return {};
  } catch (const thrust::system_error& error) {
    return error.code();
  }
}

/// The code of an error of the CUDA runtime.
thrust::error_code cuda_error(cudaError_t status) { return {status, thrust::cuda_category()}; }

/// Whether nothing was written.
template <class T>
bool is_untouched(const oracle::device_output<T>& out) {
  const std::vector<T> values = out.download();
  const auto* bytes = reinterpret_cast<const unsigned char*>(values.data());
  return oracle::is_guard(bytes, bytes + values.size() * sizeof(T));
}

/// Inputs, values, and outputs of all calls; small.
struct small_problem {
  static constexpr std::size_t m = 1000;
  static constexpr std::size_t n = 600;
  oracle::inputs<tagged> in = oracle::make_inputs(shape::random, m, n);
  oracle::device_input<tagged> a{in.a};
  oracle::device_input<tagged> b{in.b};
  oracle::device_input<int> values{std::vector<int>(m, 7)};
  oracle::device_output<tagged> out{m + n};
  oracle::device_output<int> values_out{m + n};
  oracle::device_output<std::uint32_t> words{m + n};
  oracle::by_key comp;

  bool is_untouched() const {
    return gpu_test::is_untouched(out) && gpu_test::is_untouched(values_out) &&
           gpu_test::is_untouched(words);
  }
};

/// The same pointer, not aligned as its type.
template <class T>
T* misalign(T* pointer) {
  return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(pointer) + 1);
}

TEST_CASE("no error") { CHECK(error_of(thrust::device, 1000, oracle::by_key{}) == ""); }

TEST_CASE("waiting for a stream that is being captured") {
  memory::get();
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
  for (const std::size_t size : {std::size_t{100}, std::size_t{5000000}}) {
    REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
    const std::string error = error_of(thrust::cuda::par.on(stream), size, oracle::by_key{});
    CHECK(error.find("cmerge::merge") != std::string::npos);
    cudaGraph_t graph = nullptr;
    cudaStreamEndCapture(stream, &graph);
    // It was reported; it is not there any more.
    CHECK(cudaGetLastError() != cudaErrorStreamCaptureUnsupported);
    if (graph != nullptr) cudaGraphDestroy(graph);
  }
  cudaStreamDestroy(stream);
  CHECK(error_of(thrust::device, 1000, oracle::by_key{}) == "");
}

TEST_CASE("an earlier error of someone else is not ours") {
  void* nothing = nullptr;
  CHECK(cudaMalloc(&nothing, std::size_t{1} << 50) == cudaErrorMemoryAllocation);
  CHECK(error_of(thrust::device, 1000, oracle::by_key{}) == "");
  cudaGetLastError();
}

TEST_CASE("ranges that end before they begin, and negative numbers of outputs") {
  const small_problem p;
  const auto* const a = p.a.begin();
  const auto* const b = p.b.begin();
  const auto invalid = thrust::error_code(EINVAL, thrust::system_category());
  const auto check = [&](const auto& policy) {
    for (const bool second : {false, true}) {
      CAPTURE(second);
      const auto* const a1 = second ? a : a + 9;
      const auto* const a2 = second ? a + 500 : a + 8;
      const auto* const b1 = second ? b + 600 : b;
      const auto* const b2 = second ? b : b + 500;
      CHECK(thrown_by([&] { cmerge::merge(policy, a1, a2, b1, b2, p.out.begin(), p.comp); }) ==
            invalid);
      CHECK(thrown_by([&] {
              cmerge::merge_by_key(policy, a1, a2, b1, b2, p.values.begin(), p.values.begin(),
                                   p.out.begin(), p.values_out.begin(), p.comp);
            }) == invalid);
      CHECK(thrown_by([&] {
              cmerge::merge_n(policy, a1, a2, b1, b2, 10, p.out.begin(), p.comp);
            }) == invalid);
      CHECK(thrown_by([&] {
              cmerge::merge_by_key_n(policy, a1, a2, b1, b2, p.values.begin(), p.values.begin(), 10,
                                     p.out.begin(), p.values_out.begin(), p.comp);
            }) == invalid);
      CHECK(thrown_by([&] {
              cmerge::merge_indices(policy, a1, a2, b1, b2, p.words.begin(), p.comp);
            }) == invalid);
    }
    for (const std::int64_t count :
         {std::int64_t{-1}, -(std::int64_t{1} << 32), std::numeric_limits<std::int64_t>::min()}) {
      CAPTURE(count);
      CHECK(thrown_by([&] {
              cmerge::merge_n(policy, a, a + 1000, b, b + 600, count, p.out.begin(), p.comp);
            }) == invalid);
      CHECK(thrown_by([&] {
              cmerge::merge_by_key_n(policy, a, a + 1000, b, b + 600, p.values.begin(),
                                     p.values.begin(), count, p.out.begin(), p.values_out.begin(),
                                     p.comp);
            }) == invalid);
    }
  };
  check(thrust::device);
  check(thrust::cuda::par);
  check(thrust::cuda::par_nosync);
  CHECK(p.is_untouched());
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("DeviceMerge: sizes that are none, and no pointer to a size") {
  const small_problem p;
  const auto* const a = p.a.begin();
  const auto* const b = p.b.begin();
  const int* const v = p.values.begin();
  const oracle::device_input<std::int64_t> sizes(std::vector<std::int64_t>{1000, 600});
  const std::int64_t* const size = sizes.begin();
  const std::int64_t* const none = nullptr;
  tagged* const out = p.out.begin();
  int* const w = p.values_out.begin();
  const auto keys = [&](auto m, auto n) { return DeviceMerge::MergeKeys(a, m, b, n, out, p.comp); };
  const auto pairs = [&](auto m, auto n) {
    return DeviceMerge::MergePairs(a, v, m, b, v, n, out, w, p.comp);
  };
  const auto sized_keys = [&](auto* m, std::int64_t most_m, auto* n, std::int64_t most_n) {
    return DeviceMerge::MergeKeys(a, m, most_m, b, n, most_n, out, p.comp);
  };
  const auto sized_pairs = [&](auto* m, std::int64_t most_m, auto* n, std::int64_t most_n) {
    return DeviceMerge::MergePairs(a, v, m, most_m, b, v, n, most_n, out, w, p.comp);
  };
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();  // no room for a sum
  for (const auto& wrong : {std::pair<std::int64_t, std::int64_t>{-1, 600},
                            {1000, -1},
                            {-1, -1},
                            {-600, 600},
                            {most, most},
                            {1, most}}) {
    CAPTURE(wrong.first);
    CAPTURE(wrong.second);
    CHECK(keys(wrong.first, wrong.second) == cudaErrorInvalidValue);
    CHECK(pairs(wrong.first, wrong.second) == cudaErrorInvalidValue);
    CHECK(sized_keys(size, wrong.first, size + 1, wrong.second) == cudaErrorInvalidValue);
    CHECK(sized_pairs(size, wrong.first, size + 1, wrong.second) == cudaErrorInvalidValue);
    // In two phases: the storage is nothing but a pointer that is not null.
    std::size_t bytes = 1;
    CHECK(DeviceMerge::MergeKeys(w, bytes, a, wrong.first, b, wrong.second, out, p.comp) ==
          cudaErrorInvalidValue);
    CHECK(DeviceMerge::MergePairs(w, bytes, a, v, wrong.first, b, v, wrong.second, out, w,
                                  p.comp) == cudaErrorInvalidValue);
  }
  for (const auto& wrong : {std::pair{none, size}, {size, none}, {none, none}}) {
    CHECK(sized_keys(wrong.first, 1000, wrong.second, 600) == cudaErrorInvalidValue);
    CHECK(sized_pairs(wrong.first, 1000, wrong.second, 600) == cudaErrorInvalidValue);
  }
  CHECK(p.is_untouched());
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("pointers that are not aligned as their types") {
  const small_problem p;
  const cudaError_t misaligned = cudaErrorMisalignedAddress;
  // Which pointer is wrong; of what has no values, the first three.
  for (int wrong = 0; wrong < 6; ++wrong) {
    CAPTURE(wrong);
    const auto pointer = [&](int which, auto* right) {
      return which == wrong ? misalign(right) : right;
    };
    const auto* const a = pointer(0, static_cast<const tagged*>(p.a.begin()));
    const auto* const b = pointer(1, static_cast<const tagged*>(p.b.begin()));
    tagged* const out = pointer(2, p.out.begin());
    const int* const u = pointer(3, static_cast<const int*>(p.values.begin()));
    const int* const v = pointer(4, static_cast<const int*>(p.values.begin()));
    int* const w = pointer(5, p.values_out.begin());
    const auto check = [&](const auto& policy) {
      CHECK(thrown_by([&] {
              cmerge::merge_by_key(policy, a, a + 1000, b, b + 600, u, v, out, w, p.comp);
            }) == cuda_error(misaligned));
      CHECK(thrown_by([&] {
              cmerge::merge_by_key_n(policy, a, a + 1000, b, b + 600, u, v, 10, out, w, p.comp);
            }) == cuda_error(misaligned));
      if (wrong > 2) return;
      CHECK(thrown_by([&] { cmerge::merge(policy, a, a + 1000, b, b + 600, out, p.comp); }) ==
            cuda_error(misaligned));
      CHECK(thrown_by([&] { cmerge::merge_n(policy, a, a + 1000, b, b + 600, 10, out, p.comp); }) ==
            cuda_error(misaligned));
      std::uint32_t* const words = pointer(2, p.words.begin());
      CHECK(thrown_by([&] {
              cmerge::merge_indices(policy, a, a + 1000, b, b + 600, words, p.comp);
            }) == cuda_error(misaligned));
    };
    check(thrust::device);
    check(thrust::cuda::par_nosync);
    CHECK(DeviceMerge::MergePairs(a, u, 1000, b, v, 600, out, w, p.comp) == misaligned);
    if (wrong > 2) continue;
    CHECK(DeviceMerge::MergeKeys(a, 1000, b, 600, out, p.comp) == misaligned);
  }
  CHECK(p.is_untouched());
  CHECK(cudaGetLastError() == cudaSuccess);

  // A range without elements may begin anywhere.
  const tagged* const empty = misalign(static_cast<const tagged*>(p.a.begin()));
  CHECK(!thrown_by([&] {
    cmerge::merge(thrust::device, empty, empty, p.b.begin(), p.b.end(), p.out.begin(), p.comp);
  }));
  const std::vector<tagged> out = p.out.download();
  CHECK(oracle::first_difference(out.data(), p.in.b) == p.in.b.size());

  const std::vector<int> some{1, 2, 2, 3, 5, 8, 13};
  const oracle::device_input<int> keys(some);
  const int* const nowhere = misalign(static_cast<const int*>(keys.begin()));
  for (const bool first : {true, false}) {
    CAPTURE(first);
    const oracle::device_output<int> sorted(some.size());
    const int* const a = first ? nowhere : keys.begin();
    const int* const b = first ? keys.begin() : nowhere;
    const std::size_t m = first ? 0 : some.size();
    CHECK(!thrown_by([&] {
      cmerge::merge(thrust::device, a, a + m, b, b + (some.size() - m), sorted.begin());
    }));
    CHECK(sorted.download() == some);
  }
}

/// Has no memory, and counts who asks.
struct empty_allocator {
  using value_type = char;
  int calls = 0;
  char* allocate(std::ptrdiff_t) {
    ++calls;
    throw std::bad_alloc();
  }
  void deallocate(char*, std::size_t) { ++calls; }
};

TEST_CASE("a policy's allocator is not called") {
  const memory& all = memory::get();
  const oracle::device_output<std::uint32_t> words(memory::most + 1);
  const oracle::device_input<int> values(std::vector<int>(memory::most, 7));
  const oracle::device_output<int> values_out(memory::most + 1);
  const oracle::by_key comp;
  empty_allocator allocator;
  const auto check = [&](const auto& policy, std::size_t size) {
    CAPTURE(size);
    const auto* const a = all.a.begin();
    const auto* const b = all.b.begin();
    cmerge::merge(policy, a, a + size, b, b + 1, all.out.begin(), comp);
    cmerge::merge_n(policy, a, a + size, b, b + 1, 10, all.out.begin(), comp);
    cmerge::merge_indices(policy, a, a + size, b, b + 1, words.begin(), comp);
    cmerge::merge_by_key(policy, a, a + size, b, b + 1, values.begin(), values.begin(),
                         all.out.begin(), values_out.begin(), comp);
    oracle::synchronize();
    CHECK(allocator.calls == 0);
    CHECK(oracle::is_merged(a, size, b, 1, all.out.begin()));
  };
  for (const std::size_t size : {std::size_t{0}, std::size_t{1000}, memory::most}) {
    check(thrust::device(allocator), size);
    check(thrust::cuda::par(allocator), size);
    check(thrust::cuda::par_nosync(allocator), size);
    check(thrust::cuda::par(allocator).on(nullptr), size);
  }
}

TEST_CASE("a stream of another device") {
  int devices = 0;
  oracle::check_cuda(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
  if (devices < 2) {
    MESSAGE("left out: there is one device");
    return;
  }
  const memory& all = memory::get();
  int device = 0;
  oracle::check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  const int other = device == 0 ? 1 : 0;
  oracle::check_cuda(cudaSetDevice(other), "cudaSetDevice");
  cudaStream_t stream = nullptr;
  oracle::check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
  {
    const small_problem there;
    oracle::check_cuda(cudaSetDevice(device), "cudaSetDevice");
    for (const std::size_t size : {std::size_t{1000}, memory::most}) {
      CAPTURE(size);
      CHECK(error_of(thrust::cuda::par.on(stream), size, oracle::by_key{}) != "");
      CHECK(error_of(thrust::cuda::par_nosync.on(stream), size, oracle::by_key{}) != "");
      CHECK(DeviceMerge::MergeKeys(all.a.begin(), static_cast<std::int64_t>(size), all.b.begin(), 1,
                                   all.out.begin(), oracle::by_key{}, stream) != cudaSuccess);
      cudaGetLastError();  // DeviceMerge returns it, and leaves it there
      CHECK(error_of(thrust::device, size, oracle::by_key{}) == "");
      CHECK(oracle::is_merged(all.a.begin(), size, all.b.begin(), 1, all.out.begin()));
    }
    // The stream is as good as before on its own device.
    oracle::check_cuda(cudaSetDevice(other), "cudaSetDevice");
    CHECK(!thrown_by([&] {
      cmerge::merge(thrust::cuda::par.on(stream), there.a.begin(), there.a.end(), there.b.begin(),
                    there.b.end(), there.out.begin(), there.comp);
    }));
    CHECK(oracle::is_merged(there.a.begin(), there.m, there.b.begin(), there.n, there.out.begin()));
  }
  cudaStreamDestroy(stream);
  oracle::check_cuda(cudaSetDevice(device), "cudaSetDevice");
}

struct faulting {
  __device__ bool operator()(const tagged&, const tagged&) const {
    *static_cast<volatile int*>(nullptr) = 1;
    return false;
  }
};

// Must stay the last one.
TEST_CASE("a kernel that faults and breaks the device, and all calls after it") {
  const memory& all = memory::get();
  const std::string error = error_of(thrust::device, 1000, faulting{});
  INFO(error);
  CHECK(error.find("cmerge::merge") != std::string::npos);
  const tagged* const a = all.a.begin();
  const tagged* const b = all.b.begin();
  tagged* const out = all.out.begin();
  const oracle::by_key comp;
  for (const std::int64_t size : {std::int64_t{1000}, std::int64_t{memory::most}}) {
    CAPTURE(size);
    CHECK(error_of(thrust::device, static_cast<std::size_t>(size), comp) != "");
    CHECK(error_of(thrust::cuda::par_nosync, static_cast<std::size_t>(size), comp) != "");
    CHECK(
        thrown_by([&] { cmerge::merge_n(thrust::device, a, a + size, b, b + 1, 10, out, comp); }));
    CHECK(thrown_by([&] {
      // (Nothing is read or written any more.)
      cmerge::merge_indices(thrust::device, a, a + size, b, b + 1,
                            reinterpret_cast<std::uint64_t*>(out), comp);
    }));
    CHECK(thrown_by([&] {
      cmerge::merge_by_key(thrust::device, a, a + size, b, b + 1, a, b, out, out, comp);
    }));
    CHECK(DeviceMerge::MergeKeys(a, size, b, 1, out, comp) != cudaSuccess);
    CHECK(DeviceMerge::MergePairs(a, a, size, b, b, 1, out, out, comp) != cudaSuccess);
  }
}

}  // namespace gpu_test
