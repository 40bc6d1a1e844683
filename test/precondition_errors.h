// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the errors that CMERGE_CHECK_PRECONDITIONS reports for a call.
#pragma once

#include <doctest/doctest.h>

#include <thrust/system_error.h>

#include <cerrno>
#include <string>

namespace oracle {

/// The text of the exception that a call throws, or an empty string.
template <class Call>
std::string error_of(Call call) {
  try {
    call();
    return "";
  } catch (const thrust::system_error& error) {
    CHECK(error.code() == thrust::error_code(EINVAL, thrust::system_category()));
    return error.what();
  }
}

inline bool contains(const std::string& text, const std::string& part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

}  // namespace oracle
