// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by the inputs and the output of merge_lines: errors, file descriptors, standard streams.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

namespace merge_lines {

/// An error that ends the program. Its text is shown to the user.
struct failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The error for an unsorted input: a line is less than the line before it.
struct disorder : failure {
  using failure::failure;
};

/// The error for a file, with the system's text for `errno`.
inline failure file_failure(const std::string& name) {
  return failure((name.empty() ? "''" : name) + ": " + std::strerror(errno));
}

/// Throws if a standard stream that is needed is closed. Opens other closed standard streams as
/// /dev/null. Otherwise the output file could become stream 2, and messages would go into it.
inline void check_standard_streams(bool need_input, bool need_output) {
  if (need_input && ::fcntl(0, F_GETFD) < 0) throw file_failure("standard input");
  if (need_output && ::fcntl(1, F_GETFD) < 0) throw file_failure("standard output");
  for (const int stream : {0, 1, 2}) {
    if (::fcntl(stream, F_GETFD) < 0) (void)!::open("/dev/null", O_RDWR);
  }
}

/// Closes a file at the end of a scope.
struct file_descriptor {
  int value = -1;

  file_descriptor() = default;
  explicit file_descriptor(int fd) : value(fd) {}
  file_descriptor(const file_descriptor&) = delete;
  file_descriptor& operator=(const file_descriptor&) = delete;
  ~file_descriptor() {
    if (value > STDERR_FILENO) ::close(value);
  }
};

}  // namespace merge_lines
