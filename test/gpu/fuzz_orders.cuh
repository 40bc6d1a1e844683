// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Orders of random merges. Each has `get(case, alarm)`, the comparator on the device, and
// `host(case)`, the comparator of the oracle. A comparator sets `alarm` if its arguments are wrong.
#pragma once

#include "fuzz_case.h"

#include <cmerge/detail/core/arguments.h>

#include <thrust/functional.h>
#include <thrust/tuple.h>

namespace fuzz {

/// No comparator.
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

/// Ascending or descending, depending on the state of the comparator. It counts its calls, so it is
/// not const. It sets the alarm unless it compares an element of input 2 with one of input 1.
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
