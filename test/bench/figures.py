# SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the figures of docs/benchmarks.md from the JSON that run.sh writes.

usage: figures.py [--output FOLDER] [--host HOST.json] RESULTS.json [MORE.json ...]

  sizes_<type>.svg            throughput and percent of a copy over the size, random keys, 1:1
  inputs_<type>_<log2>.svg    percent of a copy for every distribution and split
  types.svg                   percent of a copy for every type, at its largest size up to 2^28
  overview.svg                throughput of a few sizes and types: copy, cmerge, newest CUB, Thrust
  elements.svg                from bench_elements: the same over the size of a key
  host_<what>_<outputs>.svg   from bench_host_merge: time per element, by type and distribution
Only figures with enough results are drawn. A second file with another CCCL adds its CUB.
"""

import argparse
import math
import os

from results import RANDOM, is_cub, load, rival_order, unique
from svg import INK, Plot, Sheet, style

TYPES = {"i8": "8-bit keys", "i16": "16-bit keys", "i32": "32-bit keys", "i64": "64-bit keys",
         "u32": "unsigned 32-bit keys", "f32": "float keys",
         "f64": "double keys", "i128": "128-bit keys", "rec": "16-byte records, own comparator",
         "i32-i32": "32-bit keys, 32-bit values", "i64-i64": "64-bit keys, 64-bit values",
         "i64-i32": "64-bit keys, 32-bit values", "i8-i32": "8-bit keys, 32-bit values",
         **{f"i32-b{n}": f"32-bit keys, {n}-byte values" for n in (16, 32, 64, 128, 256)},
         "counting_i32": "counting iterators", "transform_i32": "transform iterators",
         "zip_i32_i32": "zip iterators"}


def origin(context):
    """The second line of a figure: device, versions and date."""
    names = (("", "device"), ("driver ", "driver"), ("CUDA ", "cuda_runtime"), ("CCCL ", "cccl"),
             ("cmerge ", "cmerge"), ("cache ", "cache"))
    facts = [label + context[key] for label, key in names if key in context]
    return ", ".join(facts + [context["date"][:10]])


def draw_curves(context, rows, title, x_of, x_label, tick, path):
    """Throughput, and percent of a copy, over `x_of(row)`, a logarithm."""
    xs = sorted({x_of(r) for r in rows})
    if len(xs) < 3:
        return False
    rivals = sorted(unique(r.rival for r in rows), key=rival_order)
    sheet = Sheet(960, 425, title, origin(context))
    sheet.legend(rivals, 68, marks=True)

    panels = ((70, "GB/s, bytes read and written", lambda r: r.gb_per_s),
              (560, "percent of the throughput of a copy", lambda r: r.percent))
    for left, label, value in panels:
        top = max(value(r) for r in rows)
        plot = Plot(sheet, left, 90, 380, 280, top, label)
        scale = (plot.width - 30) / (xs[-1] - xs[0])
        position = {x: left + 15 + scale * (x - xs[0]) for x in xs}
        whole = [x for x in xs if x == int(x)]
        for x in whole if len(whole) <= 13 else whole[::2]:
            tick(sheet, position[x], int(x))
        sheet.text(left + plot.width / 2, 412, x_label)
        for rival in rivals:
            colour, shape = style(rival, rivals)
            points = sorted((x_of(r), value(r)) for r in rows if r.rival == rival)
            points = [(position[x], plot.at(v)) for x, v in points]
            sheet.line(points, colour, 2.5 if rival == "cmerge" else 1.5)
            for x, y in points:
                sheet.mark(x, y, colour, shape)
    sheet.save(path)
    return True


def draw_sizes(context, rows, key_type, path):
    rows = [r for r in rows if r.workload[1] == key_type and r.workload[3:] == RANDOM]
    return draw_curves(context, rows,
                       f"Merging {TYPES.get(key_type, key_type)}, random, equal halves",
                       lambda r: int(r.workload[2]), "elements of the output",
                       lambda sheet, x, n: sheet.text(x - 3, 388, "2", size=11, power=str(n)), path)


def element_bytes(row):
    """The size of a key of bench_elements, or nothing."""
    name = row.workload[1]
    return int(name[1:]) if name[0] == "e" and name[1:].isdigit() else None


def draw_elements(context, rows, path):
    rows = [r for r in rows if element_bytes(r)]
    return draw_curves(context, rows, "Merging keys of 1 to 4096 bytes, random, equal halves",
                       lambda r: math.log2(element_bytes(r)), "bytes of a key",
                       lambda sheet, x, n: sheet.text(x, 388, str(2**n), size=11), path)


def draw_bars(sheet, plot, groups, names, labels, turn=0):
    """One group of bars per entry of `groups`, which maps the names of rivals to values."""
    room = plot.width / len(groups)
    bar = min(26.0, room * 0.84 / len(names))
    foot = plot.y + plot.height
    for g, (values, label) in enumerate(zip(groups, labels)):
        centre = plot.x + room * (g + 0.5)
        for i, name in enumerate(names):
            if name not in values:
                continue
            x = centre + bar * (i - len(names) / 2)
            y = plot.at(values[name])
            sheet.rect(x, y, bar - 1, foot - y, style(name, names)[0])
            if bar > 14:
                value = values[name]
                digits = 0 if value >= 20 else 1 if value >= 2 else 2
                sheet.text(x + bar / 2, y - 3, f"{value:.{digits}f}", size=9)
        if turn:
            sheet.text(centre + 4, foot + 14, label, size=11, anchor="end", turn=turn)
        else:
            sheet.text(centre, foot + 16, label, size=11)


def draw_percents(context, rows, title, label, remark, axis, path):
    """Bars in percent of a copy: a group for each workload, named by `label`."""
    rows = [r for r in rows if r.rival != "copy"]
    workloads = unique(r.workload for r in rows)
    if len(workloads) < 3:
        return False
    groups = [{r.rival: r.percent for r in rows if r.workload == w} for w in workloads]
    # Rivals that were measured for at most half of the workloads are left out.
    rivals = sorted((name for name in unique(r.rival for r in rows)
                     if 2 * sum(name in g for g in groups) > len(groups)), key=rival_order)
    turned = len(workloads) > 12
    sheet = Sheet(960, 430 if turned else 400, title, f"{origin(context)}{remark}")
    sheet.legend(rivals, 68, marks=False)
    top = max([110.0] + [r.percent for r in rows if r.rival in rivals])
    plot = Plot(sheet, 70, 90, 870, 260, top, "percent of the throughput of a copy")
    draw_bars(sheet, plot, groups, rivals, [label(w) for w in workloads], -30 if turned else 0)
    sheet.line([(plot.x, plot.at(100)), (plot.x + plot.width, plot.at(100))], INK, 1, "5,4")
    sheet.text(plot.x + plot.width / 2, sheet.height - 10, axis)
    sheet.save(path)
    return True


def draw_inputs(context, rows, key_type, log2_size, path):
    rows = [r for r in rows if r.workload[1:3] == (key_type, log2_size)]

    def label(workload):
        keys, split = workload[3].replace("_", " "), workload[4]
        return keys if split == "1:1" else split if keys == "random" else f"{keys} {split}"

    return draw_percents(context, rows,
                         f"Merging {TYPES.get(key_type, key_type)}, by distribution and split",
                         label, f"; 2^{log2_size} elements",
                         "distribution of the keys (equal halves), or split (random keys)", path)


# The groups of the overview: type, log2 of the number of outputs, label.
OVERVIEW = (("i32", "20", "4-byte keys, 1 million outputs"), ("i32", "24", "16 million"),
            ("i32", "28", "268 million"), ("i64", "28", "8-byte keys, 268 million"))


def draw_overview(context, rows, path):
    """Throughput of the rivals that a newcomer knows, of CUB only the newest."""
    rows = [r for r in rows if r.workload[3:] == RANDOM]
    cubs = [name for name in unique(r.rival for r in rows) if is_cub(name)]
    newest = max(cubs, key=lambda name: [int(n) for n in name.split()[-1].split(".")
                                         if n.isdigit()], default=None)
    names = [n for n in ("copy", "cmerge", newest, "thrust") if n]
    groups = [{r.rival: r.gb_per_s for r in rows
               if r.workload[1:3] == (key_type, size) and r.rival in names}
              for key_type, size, _ in OVERVIEW]
    if not all(len(group) == len(names) for group in groups):
        return False
    sheet = Sheet(760, 340, "GB/s read and written: random keys, equal halves", origin(context))
    sheet.legend(names, 68, marks=False)
    plot = Plot(sheet, 70, 90, 670, 210, max(max(g.values()) for g in groups), "GB/s")
    draw_bars(sheet, plot, groups, names, [label for _, _, label in OVERVIEW])
    sheet.save(path)
    return True


def draw_types(context, rows, path):
    rows = [r for r in rows if r.workload[4] == "1:1" and int(r.workload[2]) <= 28
            and r.workload[3] in ("random", "counting")]
    largest = {}
    for row in rows:
        key_type, size = row.workload[1], int(row.workload[2])
        largest[key_type] = max(size, largest.get(key_type, 0))
    rows = [r for r in rows if int(r.workload[2]) == largest[r.workload[1]]]
    return draw_percents(context, rows, "Merging keys and values of different types",
                         lambda w: w[1].replace("_", " "), "",
                         "type; random keys, equal halves", path)


def draw_host(context, rows, what, outputs, path):
    """Benchmarks named <what>/<type>/<distribution>/<outputs>/<rival>."""
    rows = [r for r in rows if (r.workload[0], r.workload[3]) == (what, outputs)]
    workloads = unique(r.workload for r in rows)
    rivals = unique(r.rival for r in rows)
    groups = [{r.rival: 1e9 / r.items_per_second for r in rows if r.workload == w}
              for w in workloads]
    sheet = Sheet(960, 430, f"Merging {what} on the host, {int(outputs):,} elements",
                  f"{context['num_cpus']} CPUs, {context['date'][:10]}")
    sheet.legend(rivals, 68, marks=False)
    plot = Plot(sheet, 70, 90, 870, 260, 1.05 * max(max(g.values()) for g in groups),
                "ns per element, less is better")
    draw_bars(sheet, plot, groups, rivals, [f"{w[1]}, {w[2]}" for w in workloads], turn=-30)
    sheet.save(path)
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="*", help="JSON of bench_merge")
    parser.add_argument("--host", help="JSON of bench_host_merge")
    parser.add_argument("--output", default=".", help="folder for the figures")
    args = parser.parse_args()
    os.makedirs(args.output, exist_ok=True)

    def draw(function, *arguments):
        path = os.path.join(args.output, arguments[-1])
        if function(*arguments[:-1], path):
            print(path)

    if args.results:
        context, rows = load(*args.results)
        rows = [r for r in rows if r.error is None and r.is_gpu_merge]
        draw(draw_elements, context, rows, "elements.svg")
        rows = [r for r in rows if not element_bytes(r)]
        draw(draw_types, context, rows, "types.svg")
        draw(draw_overview, context, rows, "overview.svg")
        for key_type in unique(r.workload[1] for r in rows):
            draw(draw_sizes, context, rows, key_type, f"sizes_{key_type}.svg")
        for key_type, log2_size in unique(r.workload[1:3] for r in rows):
            draw(draw_inputs, context, rows, key_type, log2_size,
                 f"inputs_{key_type}_{log2_size}.svg")
    if args.host:
        context, rows = load(args.host)
        rows = [r for r in rows if r.error is None and len(r.workload) == 4]
        for what, outputs in unique((r.workload[0], r.workload[3]) for r in rows):
            draw(draw_host, context, rows, what, outputs, f"host_{what}_{outputs}.svg")


if __name__ == "__main__":
    main()
