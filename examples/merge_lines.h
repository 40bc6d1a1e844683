// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The core of merge_lines: merges two sorted texts, window by window. A window is a pair of pieces,
// one of each text, that can be merged independently. It is small enough for a processor's cache.
#pragma once

#include <cmerge/co_rank.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace merge_lines {

/// Whole lines of text, each ended by '\n'. At least `slack` bytes after them are readable, so
/// loops can load 8 bytes or copy 32 without a test for the end of the text.
struct text {
  static constexpr std::size_t slack = 64;

  const char* first;
  const char* last;

  std::size_t size() const { return static_cast<std::size_t>(last - first); }
};

/// Loads eight bytes as a big-endian number. Such numbers order as the bytes do.
inline std::uint64_t load_big_endian(const char* p) {
  std::uint64_t word;
  std::memcpy(&word, p, sizeof(word));
  return __builtin_bswap64(word);
}

/// Whether the line at `x` goes before the line at `y` in the order of `LC_ALL=C sort`: by unsigned
/// bytes, and a line goes before every longer line that begins with it, even if a '\0' follows.
CMERGE_HOST_DEVICE inline bool line_less(const char* x, const char* y) {
#if !defined(__CUDA_ARCH__)
  // Skips eight bytes at a time while they are equal and no line ends in them.
  for (;; x += 8, y += 8) {
    constexpr std::uint64_t ones = 0x0101010101010101;
    std::uint64_t word;
    std::uint64_t other;
    std::memcpy(&word, x, sizeof(word));
    std::memcpy(&other, y, sizeof(other));
    const std::uint64_t ends = word ^ (ones * '\n');  // has a zero byte where x has a '\n'
    if (word != other || ((ends - ones) & ~ends & (ones << 7)) != 0) break;
  }
#endif
  while (*x == *y && *x != '\n') ++x, ++y;
  if (*y == '\n') return false;
  return *x == '\n' || static_cast<unsigned char>(*x) < static_cast<unsigned char>(*y);
}

/// The key of a line: its beginning as a number, and a pointer to the rest.
///
/// `head` holds the first seven bytes, and in its last byte the size of the line, or 8 if the line
/// has more than seven bytes. So heads order as lines do. If two heads are equal and their last
/// byte is below 8, the lines are equal. Only longer lines with equal heads are compared in the
/// text.
struct line_key {
  std::uint64_t head;
  const char* tail;
};

inline std::uint64_t make_head(const char* line, std::size_t size) {
  const std::size_t kept = size < 7 ? size : 7;
  const std::uint64_t dropped = ~std::uint64_t{0} >> (8 * kept);
  return (load_big_endian(line) & ~dropped) | (size < 8 ? size : 8);
}

/// Whether the line continues after its head.
CMERGE_HOST_DEVICE inline bool has_tail(std::uint64_t head) { return (head & 0xff) == 8; }

/// The order of the merge, on the CPU and on the GPU.
struct key_less {
  CMERGE_HOST_DEVICE bool operator()(const line_key& x, const line_key& y) const {
    if (x.head != y.head) return x.head < y.head;
    return has_tail(x.head) && line_less(x.tail, y.tail);
  }
};

/// The lines of one text in a window. Each has a key, and its size and origin as a value.
struct lines {
  std::vector<line_key> keys;
  std::vector<std::uint64_t> sizes;  // twice the bytes with '\n', plus 1 in the second text
};

/// Merges windows, on the CPU or on the GPU. Each thread has its own.
class merger {
 public:
  virtual ~merger() = default;

  /// Prepares a window's texts before its keys are made.
  /// \returns the addresses of the two texts for the merge: `tail` points into these
  virtual std::pair<const char*, const char*> open(text a, text b) = 0;

  /// Merges the lines by key, and writes their values in that order to `order`, which has room for
  /// all lines.
  virtual void merge(const lines& a, const lines& b, std::vector<std::uint64_t>& order) = 0;
};

/// The beginning of the line that contains `*p`. It is at `first` or after it.
inline const char* line_begin(const char* first, const char* p) {
  const void* before = p == first ? nullptr : ::memrchr(first, '\n', std::size_t(p - first));
  return before == nullptr ? first : static_cast<const char*>(before) + 1;
}

/// A text as a sequence with one element per byte: the line that contains the byte. If the text is
/// sorted, this sequence is sorted, too, and a co-rank in it is an offset in the file.
struct lines_by_byte {
  const char* first;

  const char* operator[](std::int64_t byte) const { return line_begin(first, first + byte); }
};

/// Whether a line ends in the first `bytes` of a text.
inline bool has_line_end(text part, std::size_t bytes) {
  const std::size_t size = std::min(part.size(), bytes);
  return size != 0 && std::memchr(part.first, '\n', size) != nullptr;
}

/// Cuts the next window of about `bytes` bytes: pieces from the beginnings of `a` and `b`. In the
/// merge, no line of the window goes after a line outside of it. The window is longer if a line
/// does not fit.
inline std::pair<text, text> cut_window(text a, text b, std::size_t bytes) {
  for (;; bytes *= 2) {
    if (a.size() + b.size() <= bytes) return {a, b};
    if (!has_line_end(a, bytes) && !has_line_end(b, bytes)) continue;
    const auto m = static_cast<std::int64_t>(std::min(a.size(), bytes));
    const auto n = static_cast<std::int64_t>(std::min(b.size(), bytes));
    const auto k = static_cast<std::int64_t>(bytes);
    const auto i =
        cmerge::co_rank(k, lines_by_byte{a.first}, m, lines_by_byte{b.first}, n, line_less);
    // At most one of the two cuts is inside a line, because the merge does not interleave lines.
    const char* a_cut = line_begin(a.first, a.first + i);
    const char* b_cut = line_begin(b.first, b.first + (k - i));
    if (a_cut != a.first || b_cut != b.first) return {{a.first, a_cut}, {b.first, b_cut}};
  }
}

/// The size of the longest common prefix of all lines from `x` to `y` of a sorted text.
inline std::size_t common_prefix(const char* x, const char* y) {
  std::size_t size = 0;
  while (x[size] == y[size] && x[size] != '\n') ++size;
  return size;
}

/// The same for the lines of both texts of a window.
inline std::size_t common_prefix(text a, text b) {
  const char* line = a.size() != 0 ? a.first : b.first;
  std::size_t size = ~std::size_t{0};
  for (const text& part : {a, b}) {
    if (part.size() == 0) continue;
    const char* last = line_begin(part.first, part.last - 1);
    size = std::min({size, common_prefix(line, part.first), common_prefix(line, last)});
  }
  return size;
}

/// Whether two lines have the same first `size` bytes.
inline bool begin_equal(const char* x, const char* y, std::size_t size) {
  if (size == 0) return true;
  if (size > 8) return std::memcmp(x, y, size) == 0;
  return (load_big_endian(x) ^ load_big_endian(y)) >> (64 - 8 * size) == 0;
}

/// Splits one text into lines and makes their keys, without the first `common` bytes of each line.
///
/// \param part    the text
/// \param seen    the address of the text's first byte for the merge
/// \param common  size of a prefix that all lines have if they are sorted
/// \param origin  0 for the first text, 1 for the second
/// \param out     gets the lines
/// \returns whether the lines are sorted
inline bool split(text part, const char* seen, std::size_t common, unsigned origin, lines& out) {
  out.keys.clear();
  out.sizes.clear();
  std::uint64_t last_head = 0;
  const char* last_rest = nullptr;
  for (const char *p = part.first, *next; p != part.last; p = next) {
    const auto* end = static_cast<const char*>(std::memchr(p, '\n', std::size_t(part.last - p)));
    next = end + 1;
    const char* rest = p + common;
    if (end < rest || !begin_equal(p, part.first, common)) return false;
    const std::uint64_t head = make_head(rest, std::size_t(end - rest));
    if (head <= last_head && last_rest != nullptr) {
      if (head < last_head || (has_tail(head) && line_less(rest + 7, last_rest + 7))) return false;
    }
    last_head = head;
    last_rest = rest;
    line_key& key = out.keys.emplace_back();  // filled in place: copying it would stall a load
    key.head = head;
    key.tail = seen + (rest + 7 - part.first);
    out.sizes.push_back(2 * std::uint64_t(next - p) + origin);
  }
  return true;
}

/// Writes the lines in the order of the merge. `out` has room for them and 32 bytes more.
inline void gather(text a, text b, const std::vector<std::uint64_t>& order, char* out) {
  const char* next[2] = {a.first, b.first};
  for (const std::uint64_t entry : order) {
    const char*& line = next[entry & 1];
    const std::size_t size = entry >> 1;
    // Most lines are short. A copy of constant size takes two instructions, a call many more.
    std::memcpy(out, line, 32);
    if (size > 32) std::memcpy(out + 32, line + 32, size - 32);
    line += size;
    out += size;
  }
}

/// One thread's work on its windows. It keeps its memory from one window to the next.
class window_merge {
 public:
  explicit window_merge(std::unique_ptr<merger> where) : merger_(std::move(where)) {}

  /// Merges a window.
  /// \returns whether both texts are sorted; if they are, `result()` is their merge
  bool run(text a, text b) {
    const auto [a_seen, b_seen] = merger_->open(a, b);
    const std::size_t common = common_prefix(a, b);
    if (!split(a, a_seen, common, 0, a_) || !split(b, b_seen, common, 1, b_)) return false;
    order_.resize(a_.keys.size() + b_.keys.size());
    merger_->merge(a_, b_, order_);
    size_ = a.size() + b.size();
    if (size_ + text::slack > room_) {
      room_ = size_ + text::slack;
      out_.reset(new char[room_]);
    }
    gather(a, b, order_, out_.get());
    return true;
  }

  std::size_t line_count() const { return order_.size(); }
  text result() const { return {out_.get(), out_.get() + size_}; }

 private:
  std::unique_ptr<merger> merger_;
  lines a_;
  lines b_;
  std::vector<std::uint64_t> order_;
  std::unique_ptr<char[]> out_;  // not a vector, which would first fill it with zeros
  std::size_t room_ = 0;
  std::size_t size_ = 0;
};

}  // namespace merge_lines
