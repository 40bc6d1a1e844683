# SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Figures of a circular buffer, and of the keys of each value."""

from merge_model import Ring, step_rings, value_begins
from shapes import COLOURS, INK, LIGHT, MUTED, PALE, RULE, Figure, tint


def ring_row(sheet, x, y, size, slots, ring):
    """The slots of a buffer and, after a gap, the repeated ones."""
    for s, (key, state) in enumerate(slots):
        left = x + s * size + (18 if s >= ring.capacity else 0)
        if state == "in flight":
            sheet.box(left, y, size, size, PALE["a"], COLOURS["a"], "3 3")
        else:
            sheet.box(left, y, size, size, LIGHT["a"] if state == "live" else "#ffffff")
        if key is not None:
            sheet.words(left + size / 2, y + size / 2 + 5, str(key), size=14,
                        colour="#aaaaaa" if state == "free" else INK)
        sheet.words(left + size / 2, y + size + 15, str(s), size=10, colour=MUTED)
        if s % ring.granule == 0:
            sheet.line([(left, y - 5), (left, y + size + 5)], INK, 2)
        if s in (ring.capacity - 1, len(slots) - 1):
            sheet.line([(left + size, y - 5), (left + size, y + size + 5)], INK, 2)


def draw_ring(path):
    """One circular buffer before and after a refill."""
    a = [12, 12, 13, 15, 17, 22, 24, 26, 31, 33, 37, 38, 38, 41, 43, 45, 48, 49, 51, 55, 56, 58,
         59, 61, 63, 64, 69, 70, 74, 75, 75, 77, 80, 80, 84, 89, 89, 90, 94, 94, 95, 97, 98, 98]
    b = [15, 16, 24, 24, 27, 28, 29, 33, 37, 37, 38, 41, 51, 51, 53, 53, 54, 54, 55, 56, 57, 60,
         62, 65, 67, 72, 72, 73, 74, 74, 76, 77, 83, 84, 88, 90, 90, 90, 91, 91, 92, 93, 95, 95]
    tile, size = 8, 34
    ring_of = lambda keys: Ring(keys, capacity=16, granule=4, repeated=4, phase=2)
    ring = ring_of(a)
    # A refill that wraps around, with some elements live and a slot that it cannot use.
    step = next(s for s in step_rings(a, b, tile, ring_of)
                if s["start"] + s["live"] < ring.capacity < s["start"] + s["live"] + s["loaded"]
                and s["start"] % ring.granule > 0)
    sheet = Figure(758, 412, "A circular buffer before and after a refill",
                   f"input a; tiles of {tile} outputs, granules of {ring.granule} slots")
    x = 30
    first, end = step["start"], step["start"] + step["live"]
    rows = ((120, "before", f"Before: the tile has consumed {step['taken']} elements, and "
             f"{step['live']} are live."),
            (260, "after", f"After: {step['loaded']} elements are in flight to the free slots."))
    for y, name, caption in rows:
        sheet.words(x, y - 42, caption, size=13, weight="bold", anchor="start")
        ring_row(sheet, x, y, size, step[name], ring)
        for slot, label in ((first, "first live"), (end, "next load")):
            if name == "after" and slot == end:
                continue
            left = x + slot * size + (size / 2)
            sheet.words(left, y - 22, label, size=11)
            sheet.arrow([(left, y - 18), (left, y - 6)], INK)
    y = rows[1][0] + size + 22
    last = x + ring.capacity * size
    sheet.arrow([(last - size / 2, y), (last - size / 2, y + 14), (x + size / 2, y + 14),
                 (x + size / 2, y)], MUTED)
    sheet.words(x + ring.capacity * size / 2, y + 30, "wraps around", colour=MUTED, size=11)
    right = last + 18
    for y, _, _ in rows:
        sheet.words(right + 2 * size, y - 12, "slots 0 to 3, repeated", size=11)
    ring_legend(sheet, x + 40, 388)
    sheet.save(path)


def ring_legend(sheet, x, y):
    for label, fill, edge, dash in (("live", LIGHT["a"], RULE, ""),
                                    ("in flight", PALE["a"], COLOURS["a"], "3 3"),
                                    ("free: already consumed", "#ffffff", RULE, "")):
        sheet.box(x, y - 12, 16, 16, fill, edge, dash)
        sheet.text(x + 24, y, label, anchor="start")
        x += 70 + 6.4 * len(label)
    sheet.line([(x, y - 14), (x, y + 6)], INK, 2)
    sheet.text(x + 10, y, "granule border", anchor="start")


def draw_values(path):
    """Where the keys of each value begin, in both inputs and in the output."""
    a = [2, 2, 3, 3, 3, 3, 5, 5, 6]
    b = [2, 3, 3, 4, 4, 5, 6, 6, 6, 6, 6]
    values = list(range(min(a + b), max(a + b) + 1))
    hues = ["#e69f00", "#009e73", "#cc79a7", "#8c564b", "#56b4e9"]
    fill = {v: tint(hues[r % len(hues)], 0.4) for r, v in enumerate(values)}
    begins = {name: value_begins(values, keys) for name, keys in (("a", a), ("b", b))}
    begins["output"] = [sum(pair) for pair in zip(begins["a"], begins["b"])]
    size, x = 32, 92
    sheet = Figure(780, 444, "By value: positions are searched, no keys are merged",
                   "under each row, where the keys of a value begin")
    rows = (("a", a, 74), ("b", b, 148), ("output", sorted(a + b), 370))
    assert begins["output"] == value_begins(values, rows[2][1])
    for name, keys, y in rows:
        sheet.words(x - 14, y + 21, name, size=13 if name == "output" else 15, weight="bold",
                    colour=COLOURS.get(name, INK), anchor="end")
        for e, key in enumerate(keys):
            sheet.cell(x + e * size, y, size, key, fill[key])
        for v, e in zip(values, begins[name]):
            if v in keys:
                left = x + e * size
                sheet.line([(left, y - 3), (left, y + size + 5)], INK, 2)
                sheet.words(left, y + size + 19, str(e), size=11)
    value_table(sheet, x, 226, values, begins, fill)
    sheet.save(path)


def value_table(sheet, x, y, values, begins, fill):
    width, height = 64, 26
    for column, value in enumerate(values):
        left = x + 84 + column * width
        sheet.box(left, y, width, height, fill[value])
        sheet.words(left + width / 2, y + 18, f"value {value}", weight="bold")
        for row, name in enumerate(("a", "b", "output")):
            sheet.box(left, y + (row + 1) * height, width, height,
                      "#eeeeee" if name == "output" else "#ffffff")
            sheet.words(left + width / 2, y + (row + 1) * height + 18,
                        str(begins[name][column]), size=13,
                        weight="bold" if name == "output" else "normal")
    for row, label in enumerate(("begins in a", "+ begins in b", "= in the output")):
        sheet.words(x + 76, y + (row + 1) * height + 18, label, anchor="end")
