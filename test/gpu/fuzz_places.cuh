// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ranges of random merges: iterators to inputs and outputs.
#pragma once

#include "fuzz_case.h"
#include "fuzz_elements.h"
#include "fuzz_memory.cuh"

#include <thrust/device_ptr.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

#include <array>
#include <numeric>

namespace fuzz {

// Each kind of range has `element`, `output` (the kind of its output) and
//   store(memory, keys, second, offset, random)  writes the elements of an input
//   host(memory, place)                          an iterator to them on the host
//   device<Second>(memory, place)                the iterator that is merged
// Output ranges also have
//   reserve(memory, size, offset)                room for elements
//   device_out(memory, place)                    the iterator that is written to
//   is_guarded(memory, place, written)           whether only the first `written` elements changed

struct place {
  std::array<region, 2> regions{};
  std::array<int, 3> parameters{};  // of ranges without memory
};

inline unsigned tag_of(std::size_t i, bool second) {
  return static_cast<unsigned>(i) | (second ? oracle::second_input : 0u);
}

template <class T>
void put(unsigned char* memory, const region& r, std::size_t i, const T& x) {
  std::memcpy(memory + r.begin + i * sizeof(T), &x, sizeof(T));
}

template <class T>
struct pointers {
  using element = T;
  using output = pointers;
  static constexpr std::size_t bytes = sizeof(T);

  static place store(memory& mem, const std::vector<std::int64_t>& keys, bool second,
                     std::size_t offset, draw&) {
    const region r = mem.place_input(keys.size() * sizeof(T), offset * sizeof(T));
    for (std::size_t i = 0; i < keys.size(); ++i) {
      put(mem.in(), r, i, make<T>(keys[i], tag_of(i, second)));
    }
    return {{r, {}}, {}};
  }
  static const T* host(const unsigned char* memory, const place& p) {
    return reinterpret_cast<const T*>(memory + p.regions[0].begin);
  }
  template <bool Second>
  static const T* device(const unsigned char* memory, const place& p) {
    return host(memory, p);
  }

  static place reserve(memory& mem, std::size_t size, std::size_t offset) {
    return {{mem.place_output(size * sizeof(T), offset * sizeof(T)), {}}, {}};
  }
  static T* device_out(unsigned char* memory, const place& p) {
    return reinterpret_cast<T*>(memory + p.regions[0].begin);
  }
  static bool is_guarded(const unsigned char* memory, const place& p, std::size_t written) {
    return p.regions[0].is_guarded(memory, written * sizeof(T));
  }
};

/// Fancy pointers. They share kernels with plain ones.
template <class T>
struct device_pointers : pointers<T> {
  using output = device_pointers;

  template <bool Second>
  static thrust::device_ptr<const T> device(const unsigned char* memory, const place& p) {
    return thrust::device_pointer_cast(pointers<T>::host(memory, p));
  }
  static thrust::device_ptr<T> device_out(unsigned char* memory, const place& p) {
    return thrust::device_pointer_cast(pointers<T>::device_out(memory, p));
  }
};

/// Stored back to front, behind a reverse iterator.
template <class T>
struct reversed : pointers<T> {
  static place store(memory& mem, const std::vector<std::int64_t>& keys, bool second,
                     std::size_t offset, draw&) {
    const region r = mem.place_input(keys.size() * sizeof(T), offset * sizeof(T));
    for (std::size_t i = 0; i < keys.size(); ++i) {
      put(mem.in(), r, keys.size() - 1 - i, make<T>(keys[i], tag_of(i, second)));
    }
    return {{r, {}}, {}};
  }
  static auto host(const unsigned char* memory, const place& p) {
    return thrust::make_reverse_iterator(reinterpret_cast<const T*>(memory + p.regions[0].end));
  }
  template <bool Second>
  static auto device(const unsigned char* memory, const place& p) {
    return host(memory, p);
  }
};

/// Scattered, with a list of their indices.
template <class T>
struct permuted : pointers<T> {
  static place store(memory& mem, const std::vector<std::int64_t>& keys, bool second,
                     std::size_t offset, draw& random) {
    const std::size_t size = keys.size();
    const region elements = mem.place_input(size * sizeof(T), offset * sizeof(T));
    const region places = mem.place_input(size * sizeof(int), random.below(16) * sizeof(int));
    std::size_t step = 1 + random.below(size + 1);
    while (std::gcd(step, size) > 1) ++step;
    for (std::size_t i = 0, at = 0; i < size; ++i, at = (at + step) % size) {
      put(mem.in(), elements, at, make<T>(keys[i], tag_of(i, second)));
      put(mem.in(), places, i, static_cast<int>(at));
    }
    return {{elements, places}, {}};
  }
  static auto host(const unsigned char* memory, const place& p) {
    return thrust::make_permutation_iterator(
        pointers<T>::host(memory, p), reinterpret_cast<const int*>(memory + p.regions[1].begin));
  }
  template <bool Second>
  static auto device(const unsigned char* memory, const place& p) {
    return host(memory, p);
  }
};

/// Keys and tags in separate arrays, zipped. As values, they are pairs of words.
struct zipped {
  using element = thrust::tuple<int, unsigned>;
  using output = zipped;
  static constexpr std::size_t bytes = sizeof(int) + sizeof(unsigned);

  static place store(memory& mem, const std::vector<std::int64_t>& keys, bool second,
                     std::size_t offset, draw& random) {
    return {{pointers<int>::store(mem, keys, second, offset, random).regions[0],
             pointers<unsigned>::store(mem, keys, second, random.below(16), random).regions[0]},
            {}};
  }
  static auto host(const unsigned char* memory, const place& p) {
    return thrust::make_zip_iterator(
        thrust::make_tuple(reinterpret_cast<const int*>(memory + p.regions[0].begin),
                           reinterpret_cast<const unsigned*>(memory + p.regions[1].begin)));
  }
  template <bool Second>
  static auto device(const unsigned char* memory, const place& p) {
    return host(memory, p);
  }

  static place reserve(memory& mem, std::size_t size, std::size_t offset) {
    return {{mem.place_output(size * sizeof(int), offset * sizeof(int)),
             mem.place_output(size * sizeof(unsigned), (15 - offset) * sizeof(unsigned))},
            {}};
  }
  static auto device_out(unsigned char* memory, const place& p) {
    return thrust::make_zip_iterator(
        thrust::make_tuple(reinterpret_cast<int*>(memory + p.regions[0].begin),
                           reinterpret_cast<unsigned*>(memory + p.regions[1].begin)));
  }
  static bool is_guarded(const unsigned char* memory, const place& p, std::size_t written) {
    return p.regions[0].is_guarded(memory, written * sizeof(int)) &&
           p.regions[1].is_guarded(memory, written * sizeof(unsigned));
  }
};

/// `from + i * times / over`.
struct slope {
  int from;
  int times;
  int over;
  __host__ __device__ int operator()(int i) const { return from + i * times / over; }
};

/// Not in memory: input 1 is a counting iterator, input 2 transforms one. The keys do not have the
/// shape of the case, but overlap, ties and distances are random.
struct computed {
  using element = int;
  using output = pointers<int>;
  static constexpr std::size_t bytes = sizeof(int);

  static place store(memory&, const std::vector<std::int64_t>& keys, bool second, std::size_t,
                     draw& random) {
    const int reach = static_cast<int>(keys.size()) + 10;
    const int from = static_cast<int>(random.below(static_cast<std::size_t>(2 * reach))) - reach;
    return {{},
            {from, second ? 1 + static_cast<int>(random.below(5)) : 1,
             second ? 1 + static_cast<int>(random.below(9)) : 1}};
  }
  static auto host(const unsigned char*, const place& p) {
    return thrust::make_transform_iterator(
        thrust::counting_iterator<int>(0),
        slope{p.parameters[0], p.parameters[1], p.parameters[2]});
  }
  template <bool Second>
  static auto device(const unsigned char* memory, const place& p) {
    if constexpr (Second) {
      return host(memory, p);
    } else {
      return thrust::counting_iterator<int>(p.parameters[0]);
    }
  }
};

/// Values that are tags, from a counting iterator.
struct counted {
  using element = unsigned;
  using output = pointers<unsigned>;
  static constexpr std::size_t bytes = sizeof(unsigned);

  static place store(memory&, const std::vector<std::int64_t>&, bool second, std::size_t, draw&) {
    return {{}, {second ? 1 : 0}};
  }
  static thrust::counting_iterator<unsigned> host(const unsigned char*, const place& p) {
    return thrust::counting_iterator<unsigned>(tag_of(0, p.parameters[0] != 0));
  }
  template <bool Second>
  static thrust::counting_iterator<unsigned> device(const unsigned char* memory, const place& p) {
    return host(memory, p);
  }
};

/// No values.
struct none {};

}  // namespace fuzz
