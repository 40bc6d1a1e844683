// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions that the shared libraries export.
#pragma once

#include <vector>

using numbers = std::vector<int>;

numbers merge_on_gpu_oldest(const numbers& a, const numbers& b);
numbers merge_on_gpu_native(const numbers& a, const numbers& b);
numbers second_on_gpu(const numbers& a, const numbers& b);

numbers merge_on_gpu_static1(const numbers& a, const numbers& b);
numbers merge_on_gpu_static2(const numbers& a, const numbers& b);
numbers merge_on_gpu_shared(const numbers& a, const numbers& b);
