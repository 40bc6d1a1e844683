// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The merge benchmarks of 32-bit keys with large values, of 16 to 256 bytes.

#include "merge.cuh"

namespace bench {
namespace {
template <int Bytes>
using with_large = merge_case<std::int32_t, large_value<Bytes>>;

[[maybe_unused]] const bool added =
    add_type<with_large<16>>("i32-b16") && add_type<with_large<32>>("i32-b32") &&
    add_type<with_large<64>>("i32-b64") && add_type<with_large<128>>("i32-b128") &&
    add_type<with_large<256>>("i32-b256");
}  // namespace
}  // namespace bench
