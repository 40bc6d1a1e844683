// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// merge_lines FILE1 FILE2: merges two sorted text files into one, as `LC_ALL=C sort -m` does, on
// all processors or on the GPU. merge_lines.h has the steps of the merge. This file has the threads
// and the options.
#include "merge_lines.h"

#include "merge_lines_gpu.h"
#include "merge_lines_input.h"
#include "merge_lines_output.h"

#include <cmerge/merge.h>
#include <cmerge/version.h>

#include <thrust/execution_policy.h>
#include <thrust/iterator/discard_iterator.h>

#include <CLI/CLI.hpp>

#include <omp.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <exception>
#include <functional>
#include <optional>
#include <tuple>

namespace merge_lines {
namespace {

/// Merges in the calling thread. Meanwhile, other threads merge or write other windows. That uses
/// the processors better than a parallel merge of each window.
class cpu_merger final : public merger {
 public:
  std::pair<const char*, const char*> open(text a, text b) override { return {a.first, b.first}; }

  void merge(const lines& a, const lines& b, std::vector<std::uint64_t>& order) override {
    // Only the values are needed, so the keys are discarded.
    cmerge::merge_by_key(thrust::seq, a.keys.begin(), a.keys.end(), b.keys.begin(), b.keys.end(),
                         a.sizes.begin(), b.sizes.begin(), thrust::make_discard_iterator(),
                         order.begin(), key_less{});
  }
};

using merger_factory = std::function<std::unique_ptr<merger>()>;

/// Gives the windows of two texts, in order, to many threads.
class window_queue {
 public:
  window_queue(text a, text b, std::size_t bytes) : a_(a), b_(b), rest_{a, b}, bytes_(bytes) {}

  struct window {
    std::size_t index;
    text a;
    text b;
    bool follows;  // no line is less than the last line of the window before
  };

  /// Gets the next window.
  /// \returns false if there is none
  bool next(window& out) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (rest_.first.size() + rest_.second.size() == 0) return false;
      std::tie(out.a, out.b) = cut_window(rest_.first, rest_.second, bytes_);
      rest_.first.first = out.a.last;
      rest_.second.first = out.b.last;
      out.index = count_++;
    }
    out.follows = follows_last(a_, out.a) && follows_last(b_, out.b);
    return true;
  }

 private:
  static bool follows_last(text all, text part) {
    if (part.first == all.first || part.size() == 0) return true;
    return !line_less(part.first, line_begin(all.first, part.first - 1));
  }

  const text a_;
  const text b_;
  std::pair<text, text> rest_;
  const std::size_t bytes_;
  std::size_t count_ = 0;
  std::mutex mutex_;
};

/// Merges all windows. \returns the number of lines, or -1 if an input is not sorted
std::int64_t merge_windows(window_queue& queue, int threads, const merger_factory& make_merger,
                           output_file& output) {
  std::atomic<std::int64_t> lines{0};
  std::atomic<bool> sorted{true};
  std::exception_ptr error;
#pragma omp parallel num_threads(threads)
  try {
    window_merge work(make_merger());
    window_queue::window next;
    while (queue.next(next)) {
      if (!next.follows || !work.run(next.a, next.b)) {
        sorted = false;
        output.stop();
        break;
      }
      if (!output.write(next.index, work.result())) break;
      lines += work.line_count();
    }
  } catch (...) {
    output.stop();
#pragma omp critical
    error = std::current_exception();
  }
  if (error) std::rethrow_exception(error);
  return sorted ? lines.load() : -1;
}

/// Throws if the file is not sorted. The error names the line, as that of `sort -c` does.
void check_sorted(const input_file& file) {
  const text all = file.lines();
  const char* last = all.first;
  std::size_t number = 1;
  for (const char* p = all.first; p != all.last; ++number) {
    const auto* end = static_cast<const char*>(std::memchr(p, '\n', std::size_t(all.last - p)));
    if (line_less(p, last)) {
      throw disorder(file.name() + ":" + std::to_string(number) +
                     ": disorder: " + std::string(p, std::min(end, p + 200)));
    }
    last = p;
    p = end + 1;
  }
}

struct options {
  std::string inputs[2];
  std::optional<std::string> output;
  std::string device = "auto";
  int threads = omp_get_max_threads();
  std::size_t window = 0;
  bool stats = false;
};

/// The reason why the GPU is not used. Empty if it is used.
std::string why_not_on_gpu(const std::string& device) {
  if (device == "cpu") return "requested";
  if (device == "auto" && !gpu_is_faster) return "faster than a GPU";
  return why_no_gpu();  // last, because it starts CUDA
}

void run(const options& chosen) {
  const auto start = std::chrono::steady_clock::now();
  check_standard_streams(chosen.inputs[0] == "-" || chosen.inputs[1] == "-", !chosen.output);
  const std::string no_gpu = why_not_on_gpu(chosen.device);
  const bool on_gpu = no_gpu.empty();
  if (chosen.device == "gpu" && !on_gpu) throw failure("--device gpu: " + no_gpu);
  const input_file first(chosen.inputs[0]);
  const input_file second(chosen.inputs[1]);
  const merger_factory make_merger = [on_gpu]() -> std::unique_ptr<merger> {
    if (on_gpu) return make_gpu_merger();
    return std::make_unique<cpu_merger>();
  };
  // On a CPU, a window and its keys fit in the cache. A GPU needs more lines than it has threads.
  const std::size_t automatic = on_gpu ? 4 << 20 : 512 << 10;

  output_file output(chosen.output);
  window_queue queue(first.lines(), second.lines(), chosen.window ? chosen.window : automatic);
  const std::int64_t lines = merge_windows(queue, chosen.threads, make_merger, output);
  if (lines < 0) {
    check_sorted(first);
    check_sorted(second);
    throw failure("an input changed while it was read");
  }
  output.finish();

  if (!chosen.stats) return;
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  std::fprintf(stderr, "merge_lines: backend %s, %d threads, %lld lines, %zu bytes, %.3f seconds\n",
               on_gpu ? "gpu" : ("cpu (" + no_gpu + ")").c_str(), chosen.threads,
               static_cast<long long>(lines), first.lines().size() + second.lines().size(),
               seconds.count());
}

std::string version() {
  return "merge_lines (cmerge) " + std::to_string(CMERGE_VERSION / 10000) + "." +
         std::to_string(CMERGE_VERSION / 100 % 100) + "." + std::to_string(CMERGE_VERSION % 100);
}

}  // namespace
}  // namespace merge_lines

int main(int argc, char** argv) {
  CLI::App app(
      "Merges two sorted text files into one, as `LC_ALL=C sort -m FILE1 FILE2` does: ordered by\n"
      "bytes, equal lines of FILE1 first. The exit status is 0 on success, 1 if an input is not\n"
      "sorted, and 2 on other errors. Files are mapped into memory, not copied. Other memory: up\n"
      "to 40 MB per thread (GPU: 300 MB) and 4 times the longest line. Input from a pipe is kept\n"
      "in memory completely.");
  merge_lines::options chosen;
  const auto option = [&app](const char* name, auto& value, const char* type, const char* help) {
    return app.add_option(name, value, help)->type_name(type);
  };
  option("FILE1", chosen.inputs[0], "", "A sorted file; - is the standard input")->required();
  option("FILE2", chosen.inputs[1], "", "Another one")->required();
  option("-o,--output", chosen.output, "FILE",
         "Write to FILE, not to the standard output. FILE changes only\n"
         "when the merge is complete, and can be one of the inputs. If\n"
         "FILE cannot be replaced, $TMPDIR needs room for a copy");
  option("--device", chosen.device, "", "Where to merge; auto: where it is faster")
      ->check(CLI::IsMember({"auto", "gpu", "cpu"}));
  option("--threads", chosen.threads, "N", "Host threads; default: all processors")
      ->check(CLI::Range(1, 1024));
  option("--window", chosen.window, "N", "Bytes to merge at a time; default: by device")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 40));
  app.add_flag("--stats", chosen.stats, "Print statistics to the standard error");
  app.set_version_flag("--version", merge_lines::version(), "Print the version and exit");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }

  merge_lines::handle_signals();
  try {
    merge_lines::run(chosen);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "merge_lines: %s\n", error.what());
    return dynamic_cast<const merge_lines::disorder*>(&error) != nullptr ? 1 : 2;
  }
}
