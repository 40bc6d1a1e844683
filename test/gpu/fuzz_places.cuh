// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What random merges merge: types of elements, iterators to them and outputs, and orders.
#pragma once

#include "fuzz_case.h"
#include "fuzz_memory.cuh"

#include <cmerge/detail/core/arguments.h>

#include <thrust/device_ptr.h>
#include <thrust/functional.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

#include <array>
#include <numeric>

namespace fuzz {

// ---- elements ---------------------------------------------------------------------------------

struct alignas(16) wide {
  long long key;
  unsigned tag;
  unsigned zero;

  __host__ __device__ friend bool operator<(const wide& left, const wide& right) {
    return left.key < right.key;
  }
};

/// Nine bytes, and no member but the first is aligned.
#pragma pack(push, 1)
struct packed {
  signed char zero;
  int key;
  unsigned tag;
};
#pragma pack(pop)
static_assert(sizeof(packed) == 9 && alignof(packed) == 1);

/// The greatest key that fits in a type.
template <class T>
inline constexpr std::int64_t greatest_key = sizeof(T) == 1   ? 0xff
                                             : sizeof(T) == 2 ? 0xffff
                                                              : 1 << 24;

/// An element that stands for a key, and shows its tag if it can.
template <class T>
T make(std::int64_t key, unsigned tag) {
  constexpr std::int64_t zero = (greatest_key<T> + 1) / 2;  // so that there are negative keys
  if constexpr (std::is_same_v<T, unsigned>) {
    return tag;  // used for values alone
  } else if constexpr (std::is_floating_point_v<T>) {
    const T x = static_cast<T>(key - zero) / 2;
    return x == 0 && tag % 2 != 0 ? -x : x;  // zeros are equal, but not the same
  } else if constexpr (std::is_integral_v<T>) {
    constexpr std::int64_t factor = sizeof(T) == 8 ? 0x100000001 : 1;
    return static_cast<T>((std::is_signed_v<T> ? key - zero : key) * factor);
  } else if constexpr (std::is_same_v<T, wide>) {
    return {(key - zero) * 0x100000001, tag, 0};
  } else if constexpr (std::is_same_v<T, packed>) {
    return {0, static_cast<int>(key - zero), tag};
  } else {
    return oracle::make_record<int{sizeof(T)}>(static_cast<int>(key - zero), tag);
  }
}

template <class T>
bool are_alike(const T& left, const T& right) {
  return oracle::is_same(left, right);
}
/// Tuples may have bytes that belong to no component.
template <class... T>
bool are_alike(const thrust::tuple<T...>& left, const thrust::tuple<T...>& right) {
  return left == right;
}

// ---- where elements are -----------------------------------------------------------------------
//
// Each of these has `element`, `output` (where elements of this type are written to) and
//   store(memory, keys, second, offset, random)  writes the elements of an input
//   host(memory, place)                          an iterator to them, on the host
//   device<Second>(memory, place)                the iterator that is merged
// and those that are outputs
//   reserve(memory, size, offset)                room for elements
//   device_out(memory, place)                    the iterator that is written to
//   is_guarded(memory, place, written)           whether nothing but so many elements was written

struct place {
  std::array<region, 2> regions{};
  std::array<int, 3> parameters{};  // of what needs no memory
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

/// Fancy pointers, which share kernels with plain ones.
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

/// From back to front.
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

/// Scattered, with a list of the places.
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

/// Keys and tags apart, zipped. As values, they are pairs of words.
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

/// `i * times / over`, from some number on.
struct slope {
  int from;
  int times;
  int over;
  __host__ __device__ int operator()(int i) const { return from + i * times / over; }
};

/// Nowhere: input 1 counts, input 2 is a function of a number. The shape is not that of the case,
/// but overlaps, ties and distances are random.
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

/// Tags that need no memory, as values.
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

// ---- orders -----------------------------------------------------------------------------------
//
// Each has `get(case, alarm)`, the comparator of the device, and `host(case)`, that of the oracle;
// `alarm` is a word that nobody is to write to.

/// No comparator at all.
struct by_default {
  static constexpr bool is_default = true;
  static bool descends(draw&) { return false; }
  static cmerge::detail::less host(const fuzz_case&) { return {}; }
};

struct by_greater {
  static constexpr bool is_default = false;
  static bool descends(draw&) { return true; }
  static thrust::greater<> host(const fuzz_case&) { return {}; }
  static thrust::greater<> get(const fuzz_case&, unsigned*) { return {}; }
};

struct by_member {
  static constexpr bool is_default = false;
  static bool descends(draw&) { return false; }
  static oracle::by_key host(const fuzz_case&) { return {}; }
  static oracle::by_key get(const fuzz_case&, unsigned*) { return {}; }
};

struct by_first {
  struct compare {
    template <class Left, class Right>
    __host__ __device__ bool operator()(const Left& left, const Right& right) const {
      return thrust::get<0>(left) < thrust::get<0>(right);
    }
  };
  static constexpr bool is_default = false;
  static bool descends(draw&) { return false; }
  static compare host(const fuzz_case&) { return {}; }
  static compare get(const fuzz_case&, unsigned*) { return {}; }
};

/// Up or down, as the comparator's state says. It counts, so it is not const, and it raises an
/// alarm where anything but elements of the inputs, input 2 first, is compared.
struct by_state {
  struct compare {
    int sign;
    unsigned m;
    unsigned n;
    unsigned* alarm;
    int calls = 0;
    template <class Left, class Right>
    __host__ __device__ bool operator()(const Left& b, const Right& a) {
      ++calls;
      if (a.tag >= m || (b.tag ^ oracle::second_input) >= n) *alarm = 1;
      return sign * b.key < sign * a.key;
    }
  };
  struct host_compare {
    int sign;
    template <class T>
    bool operator()(const T& left, const T& right) const {
      return sign * left.key < sign * right.key;
    }
  };
  static constexpr bool is_default = false;
  static bool descends(draw& random) { return random.one_in(2); }
  static int sign(const fuzz_case& c) { return c.descends ? -1 : 1; }
  static host_compare host(const fuzz_case& c) { return {sign(c)}; }
  static compare get(const fuzz_case& c, unsigned* alarm) {
    return {sign(c), static_cast<unsigned>(c.m), static_cast<unsigned>(c.n), alarm};
  }
};

}  // namespace fuzz
