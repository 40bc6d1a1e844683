# SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Figures of where outputs come from: the merge path, division by output, windows."""

from merge_model import co_rank, merge, merge_window
from shapes import COLOURS, INK, LIGHT, MUTED, PALE, RULE, Figure


def output_keys(a, b):
    return [(name, (a if name == "a" else b)[index]) for name, index in merge(a, b)]


def draw_path(path):
    """The grid of a and b, the merge path, and the diagonal of one k."""
    a, b, k, size = [1, 7, 8, 9, 10], [7, 10, 10, 12], 4, 64
    i, _, probes = co_rank(k, a, b)
    sheet = Figure(760, 490, "A merge is a path through a grid",
                   "right for an output from a, down for one from b")
    x0, y0 = 76, 106
    at = lambda column, row: (x0 + column * size, y0 + row * size)
    for probe in probes:
        x, y = at(probe, k - 1 - probe)
        taken = probe < i
        sheet.rect(x, y, size, size, "#eeeeee")
        sheet.words(x + 10, y + 22, "in" if taken else "out", size=13, anchor="start")
    for column in range(len(a) + 1):
        sheet.line([at(column, 0), at(column, len(b))], "#cccccc")
    for row in range(len(b) + 1):
        sheet.line([at(0, row), at(len(a), row)], "#cccccc")
    sheet.words(x0 - 52, y0 - 16, "b", size=15, weight="bold", colour=COLOURS["b"], anchor="start")
    sheet.words(x0 - 16, y0 - 36, "a", size=15, weight="bold", colour=COLOURS["a"])
    for column, key in enumerate(a):
        sheet.cell(at(column, 0)[0] + 17, y0 - 48, 30, key, LIGHT["a"])
    for row, key in enumerate(b):
        sheet.cell(x0 - 58, at(0, row)[1] + 17, 30, key, LIGHT["b"])
    (x1, y1), (x2, y2) = at(0, k), at(k, 0)
    sheet.line([(x1 - 12, y1 + 12), (x2 + 12, y2 - 12)], MUTED, 1.5, "6 4")
    sheet.words(x1 - 16, y1 + 26, f"k = {k}", colour=MUTED)
    column = row = 0
    for name, _ in merge(a, b):
        step = (column + 1, row) if name == "a" else (column, row + 1)
        sheet.line([at(column, row), at(*step)], COLOURS[name], 4)
        column, row = step
    x, y = at(i, k - i)
    sheet.mark(x, y, INK, "circle", 6)
    sheet.words(x + 12, y + 24, f"({i}, {k - i})", size=13, anchor="start", weight="bold")
    describe_path(sheet, a, b, k, i, probes)
    draw_path_outputs(sheet, a, b, k, i)
    sheet.save(path)


def describe_path(sheet, a, b, k, i, probes):
    """The legend and the search, on the right."""
    x = 448
    sheet.line([(x, 116), (x + 30, 116)], COLOURS["a"], 4)
    sheet.text(x + 42, 120, "output from a", anchor="start")
    sheet.line([(x + 15, 134), (x + 15, 158)], COLOURS["b"], 4)
    sheet.text(x + 42, 150, "output from b", anchor="start")
    sheet.line([(x, 180), (x + 30, 180)], MUTED, 1.5, "6 4")
    sheet.text(x + 42, 184, f"diagonal: i + j = {k}", anchor="start")
    sheet.mark(x + 15, 212, INK, "circle", 6)
    sheet.text(x + 42, 216, f"co-rank of {k}: path meets diagonal", anchor="start")
    sheet.box(x + 3, 234, 24, 24, "#eeeeee")
    sheet.text(x + 42, 250, "elements that the search compares", anchor="start")
    low, high = max(0, k - len(b)), min(k, len(a))
    sheet.text(x, 300, f"Search for the co-rank of {k}: {low} ≤ i ≤ {high}", anchor="start",
               weight="bold")
    for line, probe in enumerate(probes):
        j = k - 1 - probe
        sign, word = ("≤", "in") if probe < i else (">", "out")
        sheet.text(x, 324 + 22 * line, f"a[{probe}] = {a[probe]} {sign} b[{j}] = {b[j]}: "
                   f"a[{probe}] is {word}", anchor="start")
    sheet.text(x, 324 + 22 * len(probes), f"result: i = {i}, j = {k} - {i} = {k - i}",
               anchor="start")


def draw_path_outputs(sheet, a, b, k, i):
    x, y, size = 76, 410, 34
    sheet.words(x - 8, y + 22, "output", size=13, weight="bold", anchor="end")
    for index, (name, key) in enumerate(output_keys(a, b)):
        sheet.cell(x + index * size, y, size, key, LIGHT[name])
    sheet.brace(x, x + k * size, y + size + 4, f"first {k}: {i} from a, {k - i} from b")


def draw_division(path):
    """Equal tiles of the output, and what each consumes."""
    a = [1, 2, 2, 4, 5, 15, 15, 16, 21, 24]
    b = [5, 6, 8, 9, 9, 11, 12, 13, 15, 17, 18, 20, 22, 25]
    tile, size, width = 6, 30, 860
    outputs = output_keys(a, b)
    sheet = Figure(width, 352, "Equal shares of the output, unequal shares of the inputs",
                   f"tiles of {tile} outputs; lines join the co-ranks of each tile's ends")
    row = {"a": 72, "out": 184, "b": 296}
    left = {name: (width - size * count) / 2 + 14
            for name, count in (("a", len(a)), ("out", len(outputs)), ("b", len(b)))}
    ends = [(k, *co_rank(k, a, b)[:1]) for k in range(0, len(outputs) + 1, tile)]
    for t, ((k0, i0), (k1, i1)) in enumerate(zip(ends, ends[1:])):
        shares = {"a": (i0, i1), "b": (k0 - i0, k1 - i1)}
        out_x = [left["out"] + size * k for k in (k0, k1)]
        for name, share in shares.items():
            x = [left[name] + size * e for e in share]
            edge, out_edge = (row["a"] + size, row["out"]) if name == "a" else \
                (row["b"], row["out"] + size)
            sheet.shape([(x[0], edge), (x[1], edge), (out_x[1], out_edge), (out_x[0], out_edge)],
                        "#f0f0f0" if t % 2 == 0 else "#e0e0e0")
            # Nearer to the output, where all bands are wide.
            middle = 0.3 * sum(x) / 2 + 0.7 * sum(out_x) / 2
            y = 0.3 * edge + 0.7 * out_edge
            below = 14 if name == "a" else -4
            sheet.words(middle, y + below, f"{share[1] - share[0]} from {name}",
                        colour=COLOURS[name], weight="bold")
            if name == "a":
                sheet.words(middle, y - 4, f"tile {t}", colour=MUTED)
    for k, i in ends:
        points = [(left["a"] + size * i, row["a"]), (left["a"] + size * i, row["a"] + size),
                  (left["out"] + size * k, row["out"]), (left["out"] + size * k, row["out"] + size),
                  (left["b"] + size * (k - i), row["b"]),
                  (left["b"] + size * (k - i), row["b"] + size)]
        sheet.line(points, MUTED, 1.5)
    sheet.key_row(left["a"], row["a"], size, "a", a)
    sheet.key_row(left["b"], row["b"], size, "b", b)
    sheet.words(left["out"] - 8, row["out"] + 20, "output", size=13, weight="bold", anchor="end")
    for index, (name, key) in enumerate(outputs):
        sheet.cell(left["out"] + index * size, row["out"], size, key, LIGHT[name])
    for k, i in ends:
        for name, e in (("a", i), ("out", k), ("b", k - i)):
            x = left[name] + size * e
            sheet.line([(x, row[name] - 3), (x, row[name] + size + 3)], INK, 2.5)
    sheet.save(path)


def window_row(sheet, x, y, size, name, keys, own, window):
    sheet.words(x - 14, y + size / 2 + 5, name, size=15, weight="bold", colour=COLOURS[name])
    for e, key in enumerate(keys):
        is_own, is_in = own[0] <= e < own[1], window[0] <= e < window[1]
        sheet.cell(x + e * size, y, size, key,
                   LIGHT[name] if is_own else PALE[name] if is_in else "#ffffff",
                   INK if is_in else RULE)
    for e in own:
        sheet.line([(x + e * size, y - 4), (x + e * size, y + size + 4)], INK, 2.5)
    sheet.line([(x + e * size, y) for e in window], COLOURS[name], 2)
    sheet.line([(x + e * size, y + size) for e in window], COLOURS[name], 2)


def draw_window(path):
    """A tile whose ends are known between bounds only."""
    a = [4, 5, 10, 12, 17, 19, 20, 20, 23, 24, 25, 27, 29, 34, 34, 38]
    b = [2, 4, 8, 9, 13, 23, 24, 24, 25, 30, 31, 33, 34, 36, 38, 38]
    k0, k1, width, size = 13, 21, 3, 34
    window = merge_window(k0, co_rank(k0, a, b, width)[:2], k1, co_rank(k1, a, b, width)[:2])
    i0, i1 = (co_rank(k, a, b)[0] for k in (k0, k1))
    own = {"a": (i0, i1), "b": (k0 - i0, k1 - i1)}
    sheet = Figure(660, 408, "A tile whose co-ranks are known between bounds only",
                   f"outputs {k0} to {k1 - 1}; the window is outlined, bars mark the true co-ranks")
    x, y = 72, {"a": 108, "b": 208, "merged": 312}
    window_row(sheet, x, y["a"], size, "a", a, own["a"], window["a"])
    window_row(sheet, x, y["b"], size, "b", b, own["b"], window["b"])
    for k, end, name in ((k0, window["begin"], "i0"), (k1, window["end"], "i1")):
        sheet.brace(x + size * end[0], x + size * end[1], y["a"] - 6,
                    f"{end[0]} ≤ {name} ≤ {end[1]}", up=True)
        sheet.brace(x + size * (k - end[1]), x + size * (k - end[0]), y["b"] - 6,
                    f"{k - end[1]} ≤ {name.replace('i', 'j')} ≤ {k - end[0]}", up=True)
    parts = [a[slice(*window["a"])], b[slice(*window["b"])]]
    merged = output_keys(*parts)
    skipped, count = window["skipped"], k1 - k0
    assert len(merged) == skipped + count + window["after"]
    assert merged[skipped:skipped + count] == output_keys(a, b)[k0:k1]
    start = x + size  # room for the name of the row
    sheet.words(start - 8, y["merged"] + 22, "window", size=13, weight="bold", anchor="end")
    for index, (name, key) in enumerate(merged):
        is_own = skipped <= index < skipped + count
        sheet.cell(start + index * size, y["merged"], size, key, (LIGHT if is_own else PALE)[name])
    for e in (skipped, skipped + count):
        bar = start + e * size
        sheet.line([(bar, y["merged"] - 4), (bar, y["merged"] + size + 4)], INK, 2.5)
    below = y["merged"] + size + 8
    low, high = window["begin"]
    sheet.brace(start, start + size * skipped, below, f"{high} - {low} = {skipped} skipped")
    sheet.brace(start + size * skipped, start + size * (skipped + count), below,
                f"the tile's {count} outputs")
    sheet.brace(start + size * (skipped + count), start + size * len(merged), below,
                f"{window['after']} unused")
    sheet.save(path)
