#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes hardware counters of the kernels as CSV, and prints them as Markdown tables.

usage: counters.py COUNTERS.csv                               prints the tables
       counters.py COUNTERS.csv NAME@N=LOG ...                writes the CSV, then prints them
       counters.py --self-test

counters.sh calls this. NAME is a strategy or a benchmark, N the number of outputs of the merge, and
LOG the output of ncu --csv --page raw --print-units base. The CSV has a line for each kernel and a
column for each counter.
"""

import csv
import io
import sys

SECTOR_BYTES = 32
WARP = 32
STALLED = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"
REASONS = ("barrier", "long_scoreboard", "short_scoreboard", "mio_throttle", "lg_throttle", "wait",
           "not_selected")


# Prefixes of columns about the machine, which some versions of ncu print.
MACHINE_PREFIXES = ("c2clink__", "device__", "numa__", "nvlink__", "profiler__")


def per_output(metric, factor):
    return lambda row: factor * number(row[metric]) / number(row["outputs"])


def plain(metric, factor=1.0):
    return lambda row: factor * number(row[metric])


# Title, digits, value of a row. Counts of warp operations are given for 32 outputs.
COLUMNS = (
    ("us", 1, plain("gpu__time_duration.sum", 1e-3)),
    ("load requests", 2, per_output("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", WARP)),
    ("bytes of these", 2,
     per_output("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", SECTOR_BYTES)),
    ("bytes from L2", 2, per_output("lts__t_sectors_srcunit_tex_op_read.sum", SECTOR_BYTES)),
    ("bytes from DRAM", 2, per_output("dram__bytes_read.sum", 1)),
    ("bytes to DRAM", 2, per_output("dram__bytes_write.sum", 1)),
    ("shared wavefronts", 2, per_output("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", WARP)),
    ("instructions", 1, per_output("smsp__inst_executed.sum", WARP)),
    ("issue slots, %", 0, plain("smsp__issue_active.avg.pct_of_peak_sustained_active")),
    ("warps, %", 0, plain("sm__warps_active.avg.pct_of_peak_sustained_active")),
    ("DRAM, %", 0, plain("dram__throughput.avg.pct_of_peak_sustained_elapsed")),
    ("registers", 0, plain("launch__registers_per_thread")),
)
STALLS = tuple((reason.replace("_", " "), 2, plain(STALLED.format(reason))) for reason in REASONS)


def number(text):
    return float(text.replace(",", ""))


def read_log(text):
    """The kernels in a log of ncu: a dictionary of columns for each."""
    lines = text.splitlines()
    begin = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if begin is None:
        return []
    table = csv.DictReader(io.StringIO("\n".join(x for x in lines[begin:] if x.startswith('"'))))
    return [row for row in table if row["ID"]]  # the first line holds units and no ID


def kernel_name(row):
    """merge_kernel of `void cmerge::detail::merge_kernel<...>(...)`."""
    return row["Kernel Name"].partition("(")[0].partition("<")[0].split("::")[-1].split()[-1]


def collect(logs):
    """The rows of the CSV: strategy, kernel, outputs, then counters."""
    rows = []
    for strategy, outputs, text in logs:
        kernels = read_log(text)
        if not kernels:
            raise ValueError(f"{strategy}: ncu found no kernel:\n{text}")
        for kernel in kernels:
            counters = {name: value for name, value in kernel.items()
                        if "__" in name and not name.startswith(MACHINE_PREFIXES)}
            rows.append({"strategy": strategy, "kernel": kernel_name(kernel),
                         "outputs": str(outputs), **counters})
    return rows


def write(rows, file):
    names = list(dict.fromkeys(name for row in rows for name in row))
    writer = csv.DictWriter(file, names, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)


def print_table(rows, columns):
    print("| strategy | kernel |" + "".join(f" {title} |" for title, _, _ in columns))
    print("|---|---|" + "---:|" * len(columns))
    for row in rows:
        line = f"| {row['strategy']} | {row['kernel'].replace('_kernel', '')} |"
        for _, digits, value in columns:
            try:
                line += f" {value(row):.{digits}f} |"
            except (KeyError, ValueError):  # a missing counter
                line += " |"
        print(line)


def print_tables(rows):
    print("Bytes per output; requests, wavefronts and warp instructions per 32 outputs:\n")
    print_table(rows, COLUMNS)
    print("\nStalled warps per issued instruction, by reason:\n")
    print_table(rows, STALLS)


def self_test():
    log = ('==PROF== Connected to process 1\n==PROF== Profiling "merge_kernel"\n'
           '"ID","Kernel Name","Block Size","gpu__time_duration.sum","smsp__inst_executed.sum"\n'
           '"","","","ns","inst"\n'
           '"0","void cmerge::detail::partition_kernel<int (*)(int)>(int)","(256, 1, 1)","10","n/a"\n'
           '"1","merge_kernel","(256, 1, 1)","1,500.5","2,048"\n'
           '==PROF== Disconnected\n')
    rows = collect([("single", 1024, log)])
    assert [r["kernel"] for r in rows] == ["partition_kernel", "merge_kernel"], rows
    file = io.StringIO()
    write(rows, file)
    file.seek(0)
    again = list(csv.DictReader(file))
    assert again == rows, again
    values = {title: value for title, _, value in COLUMNS}
    assert values["us"](again[1]) == 1.5005
    assert values["instructions"](again[1]) == 64.0
    print_tables(again)
    try:
        collect([("basic", 1, "==WARNING== No kernels were profiled.\n")])
        raise AssertionError("no kernel was accepted")
    except ValueError:
        pass


def main(arguments):
    if arguments == ["--self-test"]:
        self_test()
        return 0
    if len(arguments) > 1:
        logs = []
        for argument in arguments[1:]:
            label, _, path = argument.partition("=")
            name, _, outputs = label.partition("@")
            with open(path, encoding="utf-8") as file:
                logs.append((name, int(outputs), file.read()))
        rows = collect(logs)
        with open(arguments[0], "w", encoding="utf-8", newline="") as file:
            write(rows, file)
    elif len(arguments) == 1:
        with open(arguments[0], encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
    else:
        sys.exit(__doc__.strip())
    print_tables(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
