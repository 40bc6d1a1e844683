// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inputs for strategy::by_value: sorted 1- and 2-byte integers of any type and order.
#pragma once

#include "oracle.cuh"

#include <limits>
#include <type_traits>

namespace gpu_test {

using oracle::shape;

/// Sorted keys of one integer type. They come from [0, 255] or [0, 65535], wrapped to the range of
/// the type.
template <class T, class Compare>
oracle::inputs<T> make_sorted(shape s, std::size_t m, std::size_t n, Compare comp) {
  const auto keys = oracle::make_keys(s, m, n, 65535);
  const auto convert = [&](const std::vector<std::int64_t>& from) {
    std::vector<T> to;
    to.reserve(from.size());
    for (const std::int64_t k : from) to.push_back(static_cast<T>(sizeof(T) == 1 ? k >> 8 : k));
    std::stable_sort(to.begin(), to.end(), comp);
    return to;
  };
  return {convert(keys.a), convert(keys.b)};
}

/// `size` keys: the smallest value, then `width` keys that rise through all values, then the
/// largest value.
template <class T>
std::vector<T> make_spike(std::size_t size, std::size_t width) {
  using limits = std::numeric_limits<T>;
  std::vector<T> keys(size, limits::min());
  const std::size_t first = (size - width) / 2;
  for (std::size_t i = 0; i < width; ++i) {
    keys[first + i] = static_cast<T>(limits::min() + static_cast<std::int64_t>(i) *
                                                         (limits::max() - limits::min()) /
                                                         static_cast<std::int64_t>(width));
  }
  std::fill(keys.begin() + static_cast<std::ptrdiff_t>(first + width), keys.end(), limits::max());
  return keys;
}

}  // namespace gpu_test
