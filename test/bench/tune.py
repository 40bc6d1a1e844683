#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the tiles of the default tuning to cmerge/tuning_table.h, from results of bench_sweep.

  cmake --build BUILD --target bench_sweep
  bench_sweep --benchmark_filter=^merge --benchmark_out_format=json --benchmark_out=SWEEP.json

usage: tune.py [--output FILE] SWEEP.json [MORE.json ...]
       tune.py --self-test

For each type and class of sizes, the fastest tile has the highest geometric mean of percents of a
copy. Among the tiles within 0.3 % of it, the one that is fastest at the largest size is taken.
Results of several sweeps are reduced to their median. A type that was not measured keeps its line.
Only the lines of the table, the sizes in its comment and the line "Measured on" are rewritten.
"""

import argparse
import json
import math
import pathlib
import re
import statistics
import sys
import tempfile

MARGIN = 0.997  # smaller differences to the fastest tile are noise between runs
CLASSES = ("moderate", "large")
LARGE_LOG2 = 21  # smallest size of the class `large`; see `large_problem` in tuning.h
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TABLE = ROOT / "cmerge" / "tuning_table.h"

UNMEASURED = "not measured"
ROW = re.compile(r"^ *\{(\d+), (\d+), \{(\d+), (\d+)\}, \{(\d+), (\d+)\}\}, +// (.*)$", re.M)


class Tile:
    """A candidate: threads, items, and percents of a copy at the sizes of its class."""

    def __init__(self, threads, items):
        self.threads = threads
        self.items = items
        self.percents = {}  # by log2 of the size

    @property
    def score(self):
        return math.exp(statistics.fmean(math.log(p) for p in self.percents.values()))

    @property
    def size(self):
        return self.threads * self.items

    def __str__(self):
        return f"{self.threads}x{self.items}"


def element_bytes(type_name):
    """Key and value bytes of a type of the benchmarks, such as i64-i32 or i32-b16."""
    sizes = [int(digits) // (8 if kind == "i" else 1)
             for kind, digits in re.findall(r"([ib])(\d+)", type_name)]
    return sizes[0], sizes[1] if len(sizes) > 1 else 0


def load(paths):
    """The context of the first file, the candidates by element, class and strategy, and errors."""
    contexts, percents, errors = [], {}, []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
        contexts.append(data["context"])
        for entry in data["benchmarks"]:
            match = re.match(r"merge/([^/]+)/(\d+)/[^/]+/[^/]+/(single|circular)_(\d+)x(\d+)\b",
                             entry["name"])
            if not match:
                continue
            if entry.get("error_occurred"):
                errors.append(f"{match.group()}: {entry.get('error_message')}")
                continue
            type_name, log2_size, how, threads, items = match.groups()
            key = (type_name, int(log2_size), how, int(threads), int(items))
            percents.setdefault(key, []).append(entry["percent_of_copy"])

    candidates = {}
    for (type_name, log2_size, how, threads, items), values in percents.items():
        group = candidates.setdefault(element_bytes(type_name), {}).setdefault(
            CLASSES[log2_size >= LARGE_LOG2], {}).setdefault(how, {})
        tile = group.setdefault((threads, items), Tile(threads, items))
        tile.percents[log2_size] = statistics.median(values)
    return contexts[0], candidates, errors


def pick(tiles):
    """The best candidate. Tiles that lack a size, since memory was too small, are left out."""
    sizes = max((set(t.percents) for t in tiles), key=len)
    whole = [t for t in tiles if set(t.percents) == sizes]
    best = max(t.score for t in whole)
    near = [t for t in whole if t.score >= MARGIN * best]
    return max(near, key=lambda t: (t.percents[max(sizes)], -t.size, -t.items))


def percents_of(tile):
    return ", ".join(f"{p:.1f}" for _, p in sorted(tile.percents.items()))


def print_candidates(element, group):
    """Prints all results of one type and class, the fastest first."""
    tiles = [(how, t) for how, found in group.items() for t in found.values()]
    for how, tile in sorted(tiles, key=lambda x: -x[1].score):
        print(f"  {element[0]:2} + {element[1]:2}  {how:8} {str(tile):7} {percents_of(tile)}")


def choose(candidates, rows):
    """Replaces the measured rows. A row: moderate tile, large tile, comment."""
    log2_sizes = {name: set() for name in CLASSES}
    for element, classes in sorted(candidates.items()):
        old = rows.get(element, ((128, 7), (256, 11), UNMEASURED))
        tiles, comments = list(old[:2]), []
        for index, name in enumerate(CLASSES):
            single = list(classes.get(name, {}).get("single", {}).values())
            if not single:
                comments.append("?")
                continue
            print(f"{name}, percent of a copy:")
            print_candidates(element, classes[name])
            best = pick(single)
            tiles[index] = (best.threads, best.items)
            comments.append(percents_of(best))
            log2_sizes[name].update(best.percents)
            others = list(classes[name].get("circular", {}).values())
            remark = ""
            if others and max(t.score for t in others) > best.score:
                remark = "  (circular is faster!)"
            was = f"{old[index][0]}x{old[index][1]}"
            print(f"  {element[0]:2} + {element[1]:2}  takes {best}, was {was}{remark}")
        rows[element] = (*tiles, "; ".join(comments))
    return log2_sizes


def render(template, rows, source, sizes):
    """The table with these rows. All else is the template's, but for the source and the sizes."""
    elements = sorted(rows, key=lambda e: (e[1] > 0, e[0] + e[1], e))
    cells = []
    for key_bytes, value_bytes in elements:
        (moderate, large, _) = rows[key_bytes, value_bytes]
        cells.append("    {%d, %d, {%d, %d}, {%d, %d}}," % (key_bytes, value_bytes, *moderate,
                                                            *large))
    width = max(map(len, cells))
    # A comment on each line also keeps clang-format from joining lines.
    lines = "".join(f"{cell.ljust(width)}  // {rows[element][2]}\n"
                    for element, cell in zip(elements, cells))
    text = re.sub(r"(tuning_table\[\] = \{\n).*?(?=^\};)", lambda m: m[1] + lines, template,
                  flags=re.M | re.S)
    text = re.sub(r"\((?:(?:small|moderate|large): [^)]*)?\)(?=\.$)", f"({sizes})", text, flags=re.M)
    text = re.sub(r"^// Measured on .*\n", "", text, flags=re.M)
    return text.replace("#pragma once", f"// Measured on {source}.\n#pragma once", 1)


def parse(text):
    """The rows of a table."""
    return {(int(k), int(v)): ((int(a), int(b)), (int(c), int(d)), comment)
            for k, v, a, b, c, d, comment in ROW.findall(text)}


def describe(context):
    driver = f", driver {context['driver']}" if "driver" in context else ""
    return (f"{context.get('device', 'an unknown device')}{driver}, CUDA "
            f"{context.get('cuda_runtime', '?')}, {context.get('date', '?')[:10]}")


def describe_sizes(log2_sizes):
    parts = [f"{name}: " + ", ".join(f"2^{s}" for s in sorted(log2_sizes[name]))
             for name in CLASSES if log2_sizes[name]]
    return "; ".join(parts)


def tune(paths, output):
    context, candidates, errors = load(paths)
    for error in errors:
        print("ERROR", error)
    if not candidates:
        print("tune.py: no results of bench_sweep in", *paths, file=sys.stderr)
        return 1
    template = (output if output.exists() else TABLE).read_text(encoding="utf-8")
    rows = parse(template)
    unmeasured = [e for e in rows if e not in candidates]
    log2_sizes = choose(candidates, rows)
    for element in unmeasured:
        print(f"  {element[0]:2} + {element[1]:2}  was not measured, keeps its line")
    output.write_text(render(template, rows, describe(context), describe_sizes(log2_sizes)),
                      encoding="utf-8")
    print("wrote", output)
    return 1 if errors else 0


def self_test():
    def entry(type_name, log2_size, tile, percent, how="single"):
        name = f"merge/{type_name}/{log2_size}/random/1:1/{how}_{tile}/iterations:11/manual_time"
        return {"name": name, "percent_of_copy": percent}

    context = {"device": "A GPU", "date": "2026-11-30T12:00:00+00:00", "cuda_runtime": "13.0"}
    first = [
        entry("i32", 20, "128x7", 50.0), entry("i32", 20, "64x7", 50.0),  # equal: the smaller
        entry("i32", 20, "64x5", 49.9),  # smaller, but slower
        entry("i32", 24, "256x23", 80.0), entry("i32", 28, "256x23", 95.0),
        entry("i32", 24, "256x19", 90.0), entry("i32", 28, "256x19", 94.0),  # better on average
        entry("i32", 24, "256x18", 90.1), entry("i32", 28, "256x18", 93.9),  # close: the former
        entry("i32", 28, "128x1", 99.0),  # not measured at all sizes
        entry("i32", 28, "256x17", 99.0, "circular"),
        entry("i64-i32", 28, "128x11", 70.0), entry("i64-i32", 28, "256x7", 60.0),
        entry("i32-b16", 28, "128x9", 71.0),
        {"name": "merge/i32/28/random/1:1/copy", "percent_of_copy": 100.0},
        {"name": "empty/manual_time"},
    ]
    second = [entry("i64-i32", 28, "256x7", 90.0)] * 2  # the median of 60, 90 and 90
    old = {(1, 0): ((32, 1), (64, 3), "1.0; 2.0"), (4, 0): ((32, 1), (32, 1), UNMEASURED)}
    with tempfile.TemporaryDirectory() as folder:
        paths = [pathlib.Path(folder) / name for name in ("1.json", "2.json", "table.h")]
        for path, benchmarks in zip(paths, (first, second)):
            path.write_text(json.dumps({"context": context, "benchmarks": benchmarks}))
        template = TABLE.read_text(encoding="utf-8")
        assert len(parse(template)) >= 10
        paths[2].write_text(render(template, old, "nothing", "moderate: 2^1"))
        assert parse(paths[2].read_text()) == old
        assert tune(paths[:2], paths[2]) == 0
        text = paths[2].read_text()
    rows = parse(text)
    assert rows[1, 0] == old[1, 0], rows
    assert rows[4, 0] == ((64, 7), (256, 19), "50.0; 90.0, 94.0"), rows
    assert rows[8, 4] == ((128, 7), (256, 7), "?; 90.0"), rows
    assert rows[4, 16] == ((128, 7), (128, 9), "?; 71.0"), rows
    assert list(rows) == [(1, 0), (4, 0), (8, 4), (4, 16)], rows
    assert "// Measured on A GPU, CUDA 13.0, 2026-11-30.\n#pragma once" in text, text
    assert "(moderate: 2^20; large: 2^24, 2^28).\n" in text and "2^26" not in text, text
    assert "nothing" not in text and text.count("// Measured on") == 1, text

    # Outside of the rows, the sizes and the source, the table keeps its text.
    def rest(table):
        table = re.sub(r"^(?:// Measured on .*|.*\}, +// .*)\n", "", table, flags=re.M)
        return re.sub(r"\((?:small|moderate): [^)]*\)", "", table)
    assert rest(text) == rest(template), text
    assert max(map(len, text.splitlines())) <= 100
    assert element_bytes("i128") == (16, 0) and element_bytes("i8-i32") == (1, 4)
    print("self-test passed")


def main():
    parser = argparse.ArgumentParser(usage=__doc__.replace("%", "%%"))
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("--output", type=pathlib.Path, default=TABLE)
    parser.add_argument("sweeps", nargs="*", metavar="SWEEP.json")
    arguments = parser.parse_args()
    if arguments.self_test:
        self_test()
        return 0
    if not arguments.sweeps:
        parser.print_usage()
        return 2
    return tune(arguments.sweeps, arguments.output)


if __name__ == "__main__":
    sys.exit(main())
