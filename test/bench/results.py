# SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads Google Benchmark's JSON of a merge benchmark, and prints it as a compact table.

usage: results.py RESULTS.json [MORE.json ...]
"""

import json
import sys

# What Google Benchmark appends to a name.
SUFFIXES = ("iterations:", "repeats:", "min_time:", "threads:", "manual_time", "real_time",
            "process_time")
MICROSECONDS = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6}


class Row:
    """One benchmark: the workload (all parts of the name but the last), the rival, the numbers."""

    def __init__(self, entry):
        parts = entry.get("run_name", entry["name"]).split("/")
        while len(parts) > 1 and parts[-1].startswith(SUFFIXES):
            parts.pop()
        self.workload = tuple(parts[:-1])
        self.rival = parts[-1]
        self.error = entry.get("error_message")
        if self.error is None:
            mean = entry["real_time"] * MICROSECONDS[entry["time_unit"]]
            self.median_us = entry.get("median_us", mean)
            self.percent = entry.get("percent_of_copy")
            self.gb_per_s = entry.get("gb_per_s")
            self.items_per_second = entry.get("items_per_second")

    @property
    def is_gpu_merge(self):
        """Named merge/<type>/<log2 size>/<distribution>/<split>/<rival>."""
        return len(self.workload) == 5 and self.percent is not None


def load(*paths):
    """The context of the first file and the rows of all.

    Of repetitions the median is taken, and of what was measured twice the last.
    """
    context, rows = {}, {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
        context = context or data["context"]
        for entry in data["benchmarks"]:
            if entry.get("aggregate_name", "median") == "median":
                row = Row(entry)
                rows[row.workload, row.rival] = row
    return context, list(rows.values())


def unique(values):
    return list(dict.fromkeys(values))


def cell(row, width):
    if row is None:
        text = ""
    elif row.error is not None:
        text = "error"
    elif row.percent is None or row.rival == "copy":
        text = f"{row.median_us:.1f}"
    else:
        text = f"{row.median_us:.1f} {row.percent:4.1f}%"
    return text.rjust(width)


def print_table(context, rows):
    """Returns 1 if a benchmark failed."""
    facts = ("device", "driver", "cuda_driver", "cuda_runtime", "cccl", "cmerge", "cache", "date")
    print(", ".join(f"{key} {context[key]}" for key in facts if key in context))
    print("median microseconds and percent of the throughput of a copy; last: speedup over cub")
    for row in rows:
        if not row.workload and row.error is None:
            print(f"{row.rival} kernel: {row.median_us:.1f}")
    errors = [r for r in rows if r.error is not None]
    rows = [r for r in rows if r.workload]
    rivals = unique(r.rival for r in rows)
    table = {(r.workload, r.rival): r for r in rows}
    workloads = unique(r.workload for r in rows)
    first = max((len("/".join(w)) for w in workloads), default=0)
    widths = [max(13, len(rival) + 1) for rival in rivals]
    print(" " * first + "".join(r.rjust(w) for r, w in zip(rivals, widths)) + "   vs cub")
    for workload in workloads:
        line = "/".join(workload).ljust(first)
        line += "".join(cell(table.get((workload, r)), w) for r, w in zip(rivals, widths))
        cub, ours = (table.get((workload, rival)) for rival in ("cub", "cmerge"))
        if cub and ours and cub.error is None and ours.error is None:
            line += f"{cub.median_us / ours.median_us:9.2f}"
        print(line.rstrip())
    for row in errors:
        print("ERROR", "/".join(row.workload + (row.rival,)) + ":", row.error)
    return 1 if errors else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip())
    sys.exit(print_table(*load(*sys.argv[1:])))
