#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the record of a GPU run: device, tests run and failed, and the hash of the sources.

usage: record.py RESULTS SOURCES OUTPUT
RESULTS has a line for each program that ran: kind, name, cases run, cases failed, seconds, between
tabs. SOURCES is a hash of the sources. Called by test/gpu.sh.
"""

import datetime
import json
import re
import subprocess
import sys


def first_line(*command):
    """The first line that a command prints, or nothing where it cannot be run."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return (done.stdout.splitlines() or [""])[0]


def toolkit():
    """The release of the CUDA compiler."""
    try:
        done = subprocess.run(["nvcc", "--version"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    found = re.search(r"release [^,]*, V(\S+)", done.stdout)
    return found.group(1) if found else "unknown"


def main():
    results, sources, output = sys.argv[1:]
    query = "name,driver_version,compute_cap"
    gpu = first_line("nvidia-smi", f"--query-gpu={query}", "--format=csv,noheader").split(", ")
    device, driver, capability = (gpu + ["unknown"] * 3)[:3]
    record = {
        "device": device,
        "compute_capability": capability,
        "driver": driver,
        "toolkit": toolkit(),
        "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        "sources": sources,
        "tests": {},
        "sanitizer": {},
        "examples": {},
    }
    with open(results, encoding="utf-8") as lines:
        for line in lines:
            kind, name, run, failed, seconds = line.rstrip("\n").split("\t")
            entry = {"run": int(run), "failed": int(failed), "seconds": int(seconds)}
            if kind == "test":
                record["tests"][name] = entry
            elif kind == "example":
                record["examples"][name] = entry
            else:
                record["sanitizer"].setdefault(kind, {})[name] = entry
    for kind, entries in record["sanitizer"].items():  # which ended in any order
        record["sanitizer"][kind] = dict(sorted(entries.items()))
    with open(output, "w", encoding="utf-8") as file:
        json.dump(record, file, indent=2)
        file.write("\n")
    print(f"recorded in {output}")


if __name__ == "__main__":
    main()
