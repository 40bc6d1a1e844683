// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The output of merge_lines: a file that does not change before the merge is complete.
#pragma once

#include "merge_lines.h"
#include "merge_lines_files.h"

#include <linux/magic.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/xattr.h>

#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace merge_lines {

/// The name of an unfinished output, for the signal handler. Empty if there is none.
inline char unfinished[4096];

inline void remove_unfinished() {
  if (unfinished[0] != '\0') ::unlink(unfinished);
  unfinished[0] = '\0';
}

/// Signals that end the program and can be caught: those that sort catches, and SIGUSR1 and
/// SIGUSR2.
inline constexpr int ending_signals[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGALRM, SIGVTALRM,
                                         SIGPROF, SIGPOLL, SIGXCPU, SIGXFSZ, SIGUSR1, SIGUSR2};

/// Removes an unfinished output, then ends the program. SIGBUS means that another program made an
/// input shorter.
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
  for (const int signal : ending_signals) {
    if (::signal(signal, end_by_signal) == SIG_IGN) ::signal(signal, SIG_IGN);  // as under nohup
  }
  ::signal(SIGBUS, end_by_signal);
  ::signal(SIGPIPE, SIG_IGN);  // A write to a closed pipe fails instead, with a message.
}

/// Creates the unfinished output in a folder, under a unique name.
/// \returns its descriptor, or -1
inline int create_unfinished(const std::filesystem::path& folder) {
  const std::string name = folder / "merge_lines.XXXXXX";
  if (name.size() >= sizeof(unfinished)) {
    errno = ENAMETOOLONG;
    return -1;
  }
  // Blocks signals until `unfinished` has the name. Otherwise the handler would not remove the
  // file.
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  std::strcpy(unfinished, name.c_str());
  const int fd = ::mkstemp(unfinished);
  if (fd < 0) unfinished[0] = '\0';
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return fd;
}

/// The folder of a file.
inline std::filesystem::path folder_of(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path() : ".";
}

/// Follows a chain of symbolic links to a file, which need not exist. Returns none if the kernel
/// made one of the links, as for /dev/stdout. Such a link stands for an open file, not for a name.
inline std::optional<std::filesystem::path> follow_links(std::filesystem::path file) {
  std::error_code error;
  while (std::filesystem::is_symlink(file, error)) {
    struct statfs place;
    if (::statfs(folder_of(file).c_str(), &place) == 0 && place.f_type == PROC_SUPER_MAGIC) {
      return std::nullopt;
    }
    file = file.parent_path() / std::filesystem::read_symlink(file, error);
  }
  return file;
}

/// Whether another file can replace this one without a visible difference. The file must have one
/// name, must not be a mount point, and must have no extended attributes, such as access lists,
/// except `security.*`.
inline bool can_be_replaced(const std::filesystem::path& file) {
  struct statx status;
  if (::statx(AT_FDCWD, file.c_str(), 0, STATX_NLINK, &status) != 0 || status.stx_nlink != 1 ||
      (status.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) == 0 ||
      (status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0) {
    return false;
  }
  const ssize_t size = ::listxattr(file.c_str(), nullptr, 0);
  if (size <= 0) return size == 0 || errno == ENOTSUP;
  std::string names(static_cast<std::size_t>(size), '\0');
  if (::listxattr(file.c_str(), names.data(), names.size()) != size) return false;
  for (std::size_t i = 0; i < names.size(); i = names.find('\0', i) + 1) {
    if (names.compare(i, 9, "security.") != 0) return false;
  }
  return true;
}

/// Writes windows from many threads in order.
///
/// A regular file does not change before the merge is complete, so it can be one of the inputs. The
/// windows go to a new file, which replaces the old one at the end. If that is impossible, or would
/// change more than the content, they go to a file in $TMPDIR, which is copied at the end. The
/// choice is made before the merge, so an unwritable folder is an error at once.
class output_file {
 public:
  /// \param path  the file, or none for the standard output
  explicit output_file(const std::optional<std::string>& path)
      : name_(path ? *path : "standard output") {
    if (path) {
      open(*path);
    } else if (is_overwritten(STDOUT_FILENO)) {
      write_to_copy(STDOUT_FILENO);
    } else {
      fd_.value = STDOUT_FILENO;
    }
  }
  ~output_file() { remove_unfinished(); }

  /// Waits until all windows before `index` are written, then writes this one.
  /// \returns false if the merge was stopped
  bool write(std::size_t index, text part) {
    std::unique_lock<std::mutex> lock(mutex_);
    turn_.wait(lock, [&] { return written_ == index || stopped_; });
    if (stopped_) return false;
    write_all(fd_.value, part, copied_to_.value < 0 ? name_ : copy_name());
    ++written_;
    turn_.notify_all();
    return true;
  }

  /// Ends the wait of all threads, because one of them has failed.
  void stop() {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopped_ = true;
    turn_.notify_all();
  }

  /// Completes the output, after all windows are written.
  void finish() {
    if (copied_to_.value >= 0) {
      copy();
      close(copied_to_);
    }
    close(fd_);
    if (unfinished[0] == '\0') return;
    if (::rename(unfinished, replaced_.c_str()) != 0) throw file_failure(name_);
    unfinished[0] = '\0';
  }

 private:
  void open(const std::string& path) {
    // A file that will be replaced is opened, too, because that fails if it must not be written.
    const int fd = ::open(path.c_str(), O_WRONLY);
    if (fd < 0) {
      if (errno != ENOENT || path.empty()) throw file_failure(name_);
      create(path);
      return;
    }
    fd_.value = fd;
    struct stat status;
    if (::fstat(fd, &status) != 0) throw file_failure(name_);
    if (S_ISREG(status.st_mode) && !write_to_replace(path, status)) write_to_copy(fd);
  }

  /// For a file that does not exist yet.
  void create(const std::string& path) {
    replaced_ = follow_links(path).value_or(path);
    fd_.value = create_unfinished(folder_of(replaced_));
    if (fd_.value < 0) throw file_failure(name_);
    const mode_t mask = ::umask(0);
    ::umask(mask);
    ::fchmod(fd_.value, 0666 & ~mask);
  }

  /// For a file that can be replaced by another one with the same owner, group and mode.
  /// \returns false if it cannot
  bool write_to_replace(const std::string& path, const struct stat& status) {
    const std::optional<std::filesystem::path> file = follow_links(path);
    if (!file || !can_be_replaced(*file)) return false;
    const int fd = create_unfinished(folder_of(*file));
    if (fd < 0) return false;
    // Only root can change the owner. So if this succeeds, the user owns the file or is root, and
    // can rename it in a sticky folder.
    if (::fchown(fd, status.st_uid, status.st_gid) != 0 ||
        ::fchmod(fd, status.st_mode & 07777) != 0) {
      ::close(fd);
      remove_unfinished();
      return false;
    }
    replaced_ = *file;
    close(fd_);
    fd_.value = fd;
    return true;
  }

  /// For all other regular files. The copy has no name, so it always disappears with the program.
  void write_to_copy(int fd) {
    copied_to_.value = fd;
    fd_.value = create_unfinished(temporary_folder());
    remove_unfinished();
    if (fd_.value < 0) fd_.value = ::memfd_create("merge_lines", MFD_CLOEXEC);
    if (fd_.value < 0) throw file_failure(copy_name());
  }

  static std::string temporary_folder() {
    const char* const folder = std::getenv("TMPDIR");
    return folder != nullptr && *folder != '\0' ? folder : "/tmp";
  }
  static std::string copy_name() { return "a temporary file in " + temporary_folder(); }

  void copy() {
    const int to = copied_to_.value;
    const bool from_start = to != STDOUT_FILENO;
    const off_t size = ::lseek(fd_.value, 0, SEEK_CUR);
    struct stat before;
    if (size < 0 || ::lseek(fd_.value, 0, SEEK_SET) != 0 || ::fstat(to, &before) != 0) {
      throw file_failure(name_);
    }
    // Reserves the space first. The file may be an input, and a full disk must not destroy it. Some
    // file systems do not support this.
    if (from_start && size != 0 && ::fallocate(to, 0, 0, size) != 0 &&
        (errno == ENOSPC || errno == EDQUOT || errno == EFBIG)) {
      const failure error = file_failure(name_);
      (void)!::ftruncate(to, before.st_size);
      throw error;
    }
    std::vector<char> piece(1 << 20);
    for (off_t left = size; left != 0;) {
      const ssize_t got = ::read(fd_.value, piece.data(), piece.size());
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) throw file_failure(copy_name());
      write_all(to, {piece.data(), piece.data() + got}, name_);
      left -= got;
    }
    if (from_start && ::ftruncate(to, size) != 0) throw file_failure(name_);
  }

  /// Whether a write would change content of a file (after a shell's `1<>`). It could be an input.
  static bool is_overwritten(int fd) {
    struct stat status;
    return ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
           (::fcntl(fd, F_GETFL) & O_APPEND) == 0 && ::lseek(fd, 0, SEEK_CUR) < status.st_size;
  }

  static void write_all(int fd, text part, const std::string& name) {
    while (part.size() != 0) {
      const ssize_t done = ::write(fd, part.first, part.size());
      if (done < 0 && errno == EINTR) continue;
      if (done < 0) throw file_failure(name);
      part.first += done;
    }
  }

  void close(file_descriptor& fd) {
    if (::close(std::exchange(fd.value, -1)) != 0) throw file_failure(name_);
  }

  const std::string name_;
  file_descriptor fd_;              // where the windows go
  file_descriptor copied_to_;       // where their copy goes in the end, if anywhere
  std::filesystem::path replaced_;  // what the unfinished file replaces in the end
  std::mutex mutex_;
  std::condition_variable turn_;
  std::size_t written_ = 0;
  bool stopped_ = false;
};

}  // namespace merge_lines
