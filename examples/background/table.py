#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Puts the tables of CSV files that the background programs wrote into docs/background.md.

usage: table.py [--check] CSV...

A table replaces the text between `<!-- table: NAME -->` and `<!-- end -->`. With --check nothing is
written, and the exit status is 1 if the page holds anything else.
"""
import csv
import pathlib
import re
import sys

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "background.md"


def read_tables(path):
    """The title of a CSV file, and its tables by name: lists of rows, the header first."""
    lines = pathlib.Path(path).read_text().splitlines()
    tables = {}
    for name, *cells in csv.reader(lines[1:]):
        rows = tables.setdefault(name, [cells])
        if len(cells) != len(rows[0]):
            sys.exit(f"table.py: {path}: rows of {name} differ in length")
        if cells is not rows[0]:
            rows.append(cells)
    return lines[0].removeprefix("# "), tables


def to_markdown(title, rows):
    header = rows[0]
    if "result" in header:  # needed where there are errors only, and such a table is refused
        result = header.index("result")
        if any(row[result] != "right" for row in rows[1:]):
            sys.exit(f"table.py: wrong results in the table of {title}")
        rows = [row[:result] + row[result + 1:] for row in rows]
    group = re.compile(r"(?<=\d)(?=(\d{3})+$)")  # 1048576 -> 1,048,576
    body = [[group.sub(",", c) if re.fullmatch(r"\d{5,}", c) else c for c in row] for row in rows]
    lines = [body[0], ["---"] + ["---:"] * (len(body[0]) - 1), *body[1:]]
    return "\n".join([f"{title}:", "", *("| " + " | ".join(line) + " |" for line in lines)])


def fill(page, title, tables):
    for name, rows in tables.items():
        place = re.compile(rf"(<!-- table: {name} -->\n).*?(<!-- end -->)", re.DOTALL)
        if not place.search(page):
            sys.exit(f"table.py: {PAGE.name} has no table {name}")
        text = to_markdown(title, rows)
        page = place.sub(lambda match: f"{match[1]}{text}\n\n{match[2]}", page)
    return page


def main(arguments):
    is_check = arguments[:1] == ["--check"]
    files = arguments[1:] if is_check else arguments
    if not files:
        sys.exit(__doc__)
    page = filled = PAGE.read_text()
    for path in files:
        filled = fill(filled, *read_tables(path))
    if not is_check:
        PAGE.write_text(filled)
    elif filled != page:
        sys.exit(f"table.py: the tables of {PAGE.name} are not those of {', '.join(files)}")


if __name__ == "__main__":
    main(sys.argv[1:])
