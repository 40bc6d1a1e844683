// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inputs of merge_lines: files in memory, mapped if possible.
#pragma once

#include "merge_lines.h"
#include "merge_lines_files.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <string>
#include <vector>

namespace merge_lines {

/// The lines of a file in memory. The path "-" is the standard input. A missing last '\n' is added,
/// as sort does.
class input_file {
 public:
  explicit input_file(const std::string& path) : name_(path == "-" ? "standard input" : path) {
    const file_descriptor fd(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY));
    if (fd.value < 0) throw file_failure(name_);
    if (!map(fd.value)) read(fd.value);
  }
  input_file(const input_file&) = delete;
  input_file& operator=(const input_file&) = delete;
  ~input_file() {
    if (mapped_ != MAP_FAILED) ::munmap(mapped_, mapped_size_);
  }

  const std::string& name() const { return name_; }
  text lines() const { return lines_; }

 private:
  /// Reserves empty pages and maps the file over the first of them. At least one page is left as
  /// slack.
  /// \returns false if the file has to be read. Pipes cannot be mapped, and neither can many files
  ///          that the kernel generates, such as those in /proc. The size of these can be wrong
  bool map(int fd) {
    struct stat status;
    if (::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) return false;
    const auto size = static_cast<std::size_t>(status.st_size);
    // Another program may have read a part of the standard input. The rest begins at its offset.
    const off_t offset = ::lseek(fd, 0, SEEK_CUR);
    if (offset < 0 || offset >= status.st_size) return false;

    mapped_size_ = (size / page_size() + 2) * page_size();
    mapped_ = ::mmap(nullptr, mapped_size_, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped_ == MAP_FAILED) return false;
    auto* first = static_cast<char*>(mapped_);
    if (::mmap(first, size, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0) == MAP_FAILED) return false;
    ::madvise(first, size, MADV_SEQUENTIAL);
    // The page that gets a '\n' becomes a private copy in memory. The file does not change.
    char* const last_page = first + size / page_size() * page_size();
    if (first[size - 1] != '\n' &&
        ::mprotect(last_page, page_size(), PROT_READ | PROT_WRITE) != 0) {
      return false;
    }
    set_lines(first + offset, size - static_cast<std::size_t>(offset));
    // Moves the offset to the end, as reading would, for the next reader. That is another program,
    // or this one if both inputs are the standard input.
    ::lseek(fd, status.st_size, SEEK_SET);
    return true;
  }

  static std::size_t page_size() { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

  void read(int fd) {
    std::size_t size = 0;
    for (;;) {
      constexpr std::size_t kept_free = text::slack + 1;  // for the slack and a last '\n'
      if (content_.size() < size + kept_free + 4096) content_.resize(2 * size + 65536);
      const ssize_t got = ::read(fd, &content_[size], content_.size() - size - kept_free);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw file_failure(name_);
      if (got == 0) break;
      size += static_cast<std::size_t>(got);
    }
    set_lines(content_.data(), size);
  }

  /// Sets the lines. Adds a '\n' to the last line if it has none.
  void set_lines(char* first, std::size_t size) {
    if (size != 0 && first[size - 1] != '\n') first[size++] = '\n';
    lines_ = {first, first + size};
  }

  std::string name_;
  void* mapped_ = MAP_FAILED;
  std::size_t mapped_size_ = 0;
  std::vector<char> content_;  // if the file cannot be mapped
  text lines_{};
};

}  // namespace merge_lines
