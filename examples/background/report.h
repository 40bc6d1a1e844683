// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of results: printed, and written as CSV for table.py, which puts them into a page.
#pragma once

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace background {

/// A number as text. Fractions have one digit.
inline std::string text(double number) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.1f", number);
  return digits;
}

template <class Integer>
std::string text(Integer number) {
  return std::to_string(number);
}

/// A named table, whose first row is its header.
struct table {
  std::string name;
  std::vector<std::vector<std::string>> rows;

  void print() const {
    std::vector<std::size_t> widths(rows.front().size());
    for (const auto& row : rows) {
      for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
    }
    std::printf("\n%s\n", name.c_str());
    for (const auto& row : rows) {
      std::printf("  %-*s", static_cast<int>(widths[0]), row[0].c_str());
      for (std::size_t c = 1; c < row.size(); ++c) {
        std::printf("  %*s", static_cast<int>(widths[c]), row[c].c_str());
      }
      std::printf("\n");
    }
  }
};

/// Writes tables one after the other. Each row begins with the name of its table; `title` is a
/// comment in the first line. Cells contain no commas. Returns false if the file cannot be written.
inline bool write_csv(const std::string& path, const std::string& title,
                      const std::vector<table>& tables) {
  std::ofstream file(path);
  file << "# " << title << '\n';
  for (const table& t : tables) {
    for (const auto& row : t.rows) {
      file << t.name;
      for (const std::string& cell : row) file << ',' << cell;
      file << '\n';
    }
  }
  file.close();
  if (!file) std::printf("cannot write %s\n", path.c_str());
  return static_cast<bool>(file);
}

/// The value that follows `name` on the command line, or else `fallback`.
inline std::string option(int argc, char** argv, const std::string& name,
                          const std::string& fallback) {
  for (int i = 1; i + 1 < argc; ++i) {
    if (argv[i] == name) return argv[i + 1];
  }
  return fallback;
}

}  // namespace background
