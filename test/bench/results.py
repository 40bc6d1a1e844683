# SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the JSON of a merge benchmark as compact tables.

usage: results.py RESULTS.json [MORE.json ...]

A file with another CCCL than the first adds one column: its CUB. Percents always refer to the copy
in the same file.

The first table gives times. The second compares cmerge with targets.csv and with the fastest CUB.
The third gives the speed for other distributions and splits, in percent of that for random keys.
"""

import csv
import json
import os
import sys

# Suffixes that Google Benchmark appends to a name.
SUFFIXES = ("iterations:", "repeats:", "min_time:", "threads:", "manual_time", "real_time",
            "process_time")
MICROSECONDS = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6}
RIVALS = ("copy", "thrust", "cub", "cmerge")  # the first columns, in this order
RANDOM = ("random", "1:1")
OF_RANDOM = 90.0  # target for other distributions and splits, in percent of the speed for random keys


class Row:
    """One benchmark: the workload (the name without its last part), the rival and the numbers."""

    def __init__(self, entry):
        parts = entry.get("run_name", entry["name"]).split("/")
        while len(parts) > 1 and parts[-1].startswith(SUFFIXES):
            parts.pop()
        self.workload = tuple(parts[:-1])
        self.rival = parts[-1]
        self.error = entry.get("error_message")
        self.percent = None
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


def unique(values):
    return list(dict.fromkeys(values))


def is_cub(rival):
    return rival.split()[0] == "cub"


def rival_order(rival):
    name = rival.split()[0]
    return RIVALS.index(name) if name in RIVALS else len(RIVALS)


def load(*paths):
    """The context of the first file, and the rows of all by type, size and rival.

    Repetitions are reduced to their median. The last of several measurements replaces the others.
    If the files have different CCCLs, the context names all of them, CUB is named by its version,
    and the other rivals are those of the first CCCL.
    """
    files = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            files.append(json.load(file))
    versions = unique(data["context"].get("cccl") for data in files)
    found = {}
    for data in files:
        version = data["context"].get("cccl")
        for entry in data["benchmarks"]:
            if entry.get("aggregate_name", "median") != "median":
                continue
            row = Row(entry)
            if len(versions) > 1 and row.rival == "cub":
                row.rival = f"cub {version}"
            elif version != versions[0]:
                continue
            found[row.workload, row.rival] = row
    context = dict(files[0]["context"])
    if len(versions) > 1:
        context["cccl"] = " and ".join(str(v) for v in versions)

    rows = list(found.values())
    if all(len(r.workload) in (0, 5) for r in rows):  # GPU benchmarks
        types = unique(r.workload[1] for r in rows if r.workload)
        workloads = {w: i for i, w in enumerate(unique(r.workload for r in rows))}
        rows.sort(key=lambda r: (types.index(r.workload[1]), int(r.workload[2]),
                                 workloads[r.workload], rival_order(r.rival))
                  if r.workload else (-1,))
    return context, rows


def targets():
    """By type and size: the minimum percent of a copy and the maximum microseconds, or None."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "targets.csv")
    with open(path, encoding="utf-8", newline="") as file:
        return {(line["type"], line["log2"]): [float(line[column]) if line[column] else None
                                               for column in ("percent", "microseconds")]
                for line in csv.DictReader(file)}


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


def fastest_cub(rows):
    """The fastest CUB among the rows of one workload, or None."""
    return max((r for r in rows if is_cub(r.rival) and r.percent), default=None,
               key=lambda r: r.percent)


def print_times(groups):
    """`groups` maps each workload to its rows."""
    rivals = sorted(unique(r.rival for rows in groups.values() for r in rows), key=rival_order)
    first = max((len("/".join(w)) for w in groups), default=0)
    widths = [max(14, len(rival) + 1) for rival in rivals]
    print(" " * first + "".join(r.rjust(w) for r, w in zip(rivals, widths)) + "   vs cub")
    for workload, rows in groups.items():
        by_rival = {r.rival: r for r in rows}
        line = "/".join(workload).ljust(first)
        line += "".join(cell(by_rival.get(r), w) for r, w in zip(rivals, widths))
        ours, cub = by_rival.get("cmerge"), fastest_cub(rows)
        if cub and ours and ours.percent:
            line += f"{ours.percent / cub.percent:9.2f}"
        print(line.rstrip())


def target_line(row, cub, target):
    """The line of print_targets for one row of cmerge, and whether it meets its target, if any."""
    percent, microseconds = target
    met = None
    line = f"{row.percent:9.1f}"
    if percent is not None:
        met = row.percent >= percent
        line += f"{percent:9.1f}{row.percent - percent:+9.1f}"
    elif microseconds is not None:
        met = row.median_us <= microseconds
        line += f"{microseconds:6.1f} us{row.median_us - microseconds:+6.1f} us"
    else:
        line += " " * 18
    if cub:
        line += f"{cub.percent:9.1f}"
        if row.percent < cub.percent:
            line += f"   slower than {cub.rival}, by {100 * (1 - row.percent / cub.percent):.1f} %"
    return line, met


def print_targets(groups):
    goal = targets()
    ours = {w: r for w, rows in groups.items() for r in rows
            if r.rival == "cmerge" and r.is_gpu_merge}
    if not ours:
        return
    first = max(len("/".join(w)) for w in ours)
    print("\ncmerge, percent of a copy")
    print(" " * first + "".join(c.rjust(9) for c in ("percent", "target", "differs", "cub")))
    results = []
    for workload, row in ours.items():
        target = goal.get(workload[1:3]) if workload[3:] == RANDOM else None
        line, met = target_line(row, fastest_cub(groups[workload]), target or (None, None))
        results.append((met, "slower" in line))
        print(("/".join(workload).ljust(first) + line).rstrip())
    met = [m for m, _ in results if m is not None]
    print(f"{sum(met)} of {len(met)} targets met; slower than cub in "
          f"{sum(slower for _, slower in results)} of {len(results)}")

    others = {w: r for w, r in ours.items()
              if w[3:] != RANDOM and w[:3] + RANDOM in ours}
    if others:
        print(f"\ncmerge, percent of its speed with random keys and equal halves; at least "
              f"{OF_RANDOM:.0f} is the target")
    for workload, row in others.items():
        kept = 100 * row.percent / ours[workload[:3] + RANDOM].percent
        remark = "" if kept >= OF_RANDOM else "   below"
        print(f"{'/'.join(workload).ljust(first)}{kept:9.1f}{remark}")


def print_tables(context, rows):
    """Returns 1 if a benchmark failed."""
    facts = ("device", "driver", "cuda_driver", "cuda_runtime", "cccl", "cmerge", "cache", "date")
    print(", ".join(f"{key} {context[key]}" for key in facts if key in context))
    print("median microseconds, percent of a copy's throughput; last: speed over the fastest cub")
    for row in rows:
        if not row.workload and row.error is None:
            print(f"{row.rival} kernel: {row.median_us:.1f}")
    groups = {}
    for row in rows:
        if row.workload:
            groups.setdefault(row.workload, []).append(row)
    print_times(groups)
    print_targets(groups)
    errors = [r for r in rows if r.error is not None]
    for row in errors:
        print("ERROR", "/".join(row.workload + (row.rival,)) + ":", row.error)
    return 1 if errors else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip())
    sys.exit(print_tables(*load(*sys.argv[1:])))
