// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tiles of the default tuning, as measured on an H200. tuning.h selects from them.
#pragma once

#include <cmerge/config.h>

namespace cmerge {
inline namespace CMERGE_INLINE_NAMESPACE {
namespace detail {

/// The shape of a tile: threads per block, and outputs per thread.
struct tile_shape {
  int threads;
  int items;
};

/// The tiles of `strategy::single` for elements of at most these sizes.
struct tuned_tiles {
  int key_bytes;
  int value_bytes;  ///< 0 without values
  tile_shape moderate;
  tile_shape large;

  /// Size of an element, key and value.
  constexpr int bytes() const { return key_bytes + value_bytes; }
};

/// From small to large elements. The comments give throughput in percent of a copy, for the number
/// of outputs in parentheses (moderate: 2^20; large: 2^24, 2^26, 2^28).
inline constexpr tuned_tiles tuning_table[] = {
    {1, 0, {128, 11}, {256, 31}},  // 63.9; 38.4, 38.3, 40.4
    {2, 0, {128, 11}, {256, 31}},  // 67.8; 60.9, 65.4, 68.5
    {4, 0, {128, 9}, {256, 23}},   // 76.4; 86.1, 92.3, 95.1
    {8, 0, {128, 11}, {256, 15}},  // 79.2; 84.7, 94.5, 96.5
    {16, 0, {128, 7}, {256, 11}},  // 81.5; 89.9, 95.4, 97.3
    {1, 4, {128, 7}, {256, 19}},   // 70.2; 64.6, 79.6, 84.8
    {4, 4, {128, 7}, {256, 15}},   // 78.1; 85.8, 94.2, 95.3
    {4, 8, {128, 11}, {256, 13}},  // 82.5; 90.8, 95.7, 96.7
    {8, 4, {128, 7}, {256, 13}},   // 78.4; 84.8, 93.1, 95.2
    {8, 8, {128, 11}, {256, 10}},  // 79.6; 86.1, 94.5, 96.1
    {4, 16, {128, 11}, {256, 9}},  // 81.1; 91.9, 97.0, 97.0
};

}  // namespace detail
}  // namespace CMERGE_INLINE_NAMESPACE
}  // namespace cmerge
