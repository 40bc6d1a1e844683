// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files of merge_lines: memory-mapped inputs, and an output that is complete or not there.
#pragma once

#include "merge_lines.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

namespace merge_lines {

/// An error that ends the program: its text is for the user.
struct failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The error that a line is less than the one before it.
struct disorder : failure {
  using failure::failure;
};

/// What went wrong with a file, in the words of the system.
inline failure file_failure(const std::string& name) {
  return failure(name + ": " + std::strerror(errno));
}

/// Refuses standard streams that are needed and closed.
inline void check_standard_streams(bool need_input, bool need_output) {
  if (need_input && ::fcntl(0, F_GETFD) < 0) throw file_failure("standard input");
  if (need_output && ::fcntl(1, F_GETFD) < 0) throw file_failure("standard output");
}

/// Closes a file at the end of a scope.
struct file_descriptor {
  int value = -1;

  explicit file_descriptor(int fd) : value(fd) {}
  file_descriptor(const file_descriptor&) = delete;
  file_descriptor& operator=(const file_descriptor&) = delete;
  ~file_descriptor() {
    if (value > STDERR_FILENO) ::close(value);
  }
};

/// A file's lines in memory; "-" is the standard input. A missing last '\n' is added, as sort does.
class input_file {
 public:
  explicit input_file(const std::string& path) : name_(path == "-" ? "standard input" : path) {
    const file_descriptor fd(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY));
    if (fd.value < 0) throw file_failure(name_);
    struct stat status;
    if (::fstat(fd.value, &status) != 0) throw file_failure(name_);
    // Pipes cannot be mapped, and files that the kernel makes up seem to be empty.
    if (S_ISREG(status.st_mode) && status.st_size > 0 && ::lseek(fd.value, 0, SEEK_CUR) == 0) {
      map(fd.value, static_cast<std::size_t>(status.st_size));
    } else {
      read(fd.value);
    }
  }
  input_file(const input_file&) = delete;
  input_file& operator=(const input_file&) = delete;
  ~input_file() {
    if (mapped_ != MAP_FAILED) ::munmap(mapped_, mapped_size_);
  }

  const std::string& name() const { return name_; }
  text lines() const { return lines_; }

 private:
  /// Maps the file over the beginning of empty pages, of which one at least is left as slack.
  void map(int fd, std::size_t size) {
    mapped_size_ = (size / page_size() + 2) * page_size();
    mapped_ = ::mmap(nullptr, mapped_size_, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped_ == MAP_FAILED) throw file_failure(name_);
    auto* first = static_cast<char*>(mapped_);
    if (::mmap(first, size, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0) == MAP_FAILED) {
      throw file_failure(name_);
    }
    ::madvise(first, size, MADV_SEQUENTIAL);
    // The one page that gets a '\n' becomes a copy in memory; the file is not touched.
    char* const last_page = first + size / page_size() * page_size();
    if (first[size - 1] != '\n' &&
        ::mprotect(last_page, page_size(), PROT_READ | PROT_WRITE) != 0) {
      throw file_failure(name_);
    }
    end_with_newline(first, size);
  }

  static std::size_t page_size() { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

  void read(int fd) {
    std::size_t size = 0;
    for (;;) {
      constexpr std::size_t kept_free = text::slack + 1;  // the '\n' and what text promises
      if (content_.size() < size + kept_free + 4096) content_.resize(2 * size + 65536);
      const ssize_t got = ::read(fd, &content_[size], content_.size() - size - kept_free);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw file_failure(name_);
      if (got == 0) break;
      size += static_cast<std::size_t>(got);
    }
    end_with_newline(content_.data(), size);
  }

  void end_with_newline(char* first, std::size_t size) {
    if (size != 0 && first[size - 1] != '\n') first[size++] = '\n';
    lines_ = {first, first + size};
  }

  std::string name_;
  void* mapped_ = MAP_FAILED;
  std::size_t mapped_size_ = 0;
  std::vector<char> content_;  // of a file that cannot be mapped
  text lines_{};
};

/// The name of an unfinished output, for the signal handler; empty when there is none.
inline char unfinished[4096];

inline void remove_unfinished() {
  if (unfinished[0] != '\0') ::unlink(unfinished);
  unfinished[0] = '\0';
}

/// On a signal, leaves no unfinished output behind. An input that another program made shorter
/// arrives here as SIGBUS.
inline void end_by_signal(int signal) {
  remove_unfinished();
  if (signal == SIGBUS) {
    static constexpr char message[] = "merge_lines: an input cannot be read, or became shorter\n";
    (void)!::write(STDERR_FILENO, message, sizeof(message) - 1);
    ::_exit(2);
  }
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

inline void handle_signals() {
  for (const int signal : {SIGHUP, SIGINT, SIGTERM, SIGBUS}) {
    if (::signal(signal, end_by_signal) == SIG_IGN) ::signal(signal, SIG_IGN);  // as under nohup
  }
  ::signal(SIGPIPE, SIG_IGN);  // so that a closed pipe is a failed write, with a message
}

/// Takes windows in their order from many threads. A regular file is written under another name and
/// renamed in the end, so that it can be one of the inputs, and is never seen half-written.
class output_file {
 public:
  /// \param path  where to write; empty for the standard output
  explicit output_file(const std::string& path)
      : name_(path.empty() ? "standard output" : path), fd_(path.empty() ? 1 : open(path)) {}
  ~output_file() { remove_unfinished(); }

  /// Writes window `index` when all before it are written. \returns whether to go on
  bool write(std::size_t index, text part) {
    std::unique_lock<std::mutex> lock(mutex_);
    turn_.wait(lock, [&] { return written_ == index || stopped_; });
    if (stopped_) return false;
    while (part.size() != 0) {
      const ssize_t done = ::write(fd_.value, part.first, part.size());
      if (done < 0 && errno == EINTR) continue;
      if (done < 0) throw file_failure(name_);
      part.first += done;
    }
    ++written_;
    turn_.notify_all();
    return true;
  }

  /// Lets no thread wait any longer: one of them failed.
  void stop() {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopped_ = true;
    turn_.notify_all();
  }

  /// Ends a complete output.
  void finish() {
    const int fd = std::exchange(fd_.value, -1);
    if (::close(fd) != 0) throw file_failure(name_);
    if (unfinished[0] == '\0') return;
    if (::rename(unfinished, target_.c_str()) != 0) throw file_failure(name_);
    unfinished[0] = '\0';
  }

 private:
  int open(const std::string& path) {
    struct stat status;
    const bool exists = ::stat(path.c_str(), &status) == 0;
    if (exists && !S_ISREG(status.st_mode)) return check(::open(path.c_str(), O_WRONLY));
    // The file itself, not a link to it, is what gets replaced; and only where it may be written.
    if (exists && ::access(path.c_str(), W_OK) != 0) throw file_failure(name_);
    char* real = exists ? ::realpath(path.c_str(), nullptr) : nullptr;
    target_ = real == nullptr ? path : real;
    std::free(real);
    std::string temporary = target_ + ".XXXXXX";
    if (temporary.size() >= sizeof(unfinished)) throw failure(name_ + ": File name too long");
    const int fd = check(::mkstemp(temporary.data()));
    temporary.copy(unfinished, temporary.size());
    if (exists) {
      (void)!::fchown(fd, status.st_uid, status.st_gid);  // possible for root alone
      ::fchmod(fd, status.st_mode & 07777);
    } else {
      const mode_t mask = ::umask(0);
      ::umask(mask);
      ::fchmod(fd, 0666 & ~mask);
    }
    return fd;
  }

  int check(int fd) {
    if (fd < 0) throw file_failure(name_);
    return fd;
  }

  std::string name_;
  std::string target_;
  file_descriptor fd_;
  std::mutex mutex_;
  std::condition_variable turn_;
  std::size_t written_ = 0;
  bool stopped_ = false;
};

}  // namespace merge_lines
