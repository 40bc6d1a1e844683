# SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the figures of docs/benchmarks.md from the JSON that run.sh writes.

usage: figures.py [--output FOLDER] [--host HOST.json] RESULTS.json [MORE.json ...]

  sizes_<type>.svg            throughput and percent of a copy over the size, random keys, 1:1
  inputs_<type>_<log2>.svg    percent of a copy for every distribution and split
  host_<what>_<outputs>.svg   from bench_host_merge: time per element, by type and distribution
Which are drawn depends on what was measured.
"""

import argparse
import os

from results import load, unique
from svg import INK, Plot, Sheet, style

TYPES = {"i8": "8-bit keys", "i16": "16-bit keys", "i32": "32-bit keys", "i64": "64-bit keys",
         "f64": "double keys", "i128": "128-bit keys", "rec": "16-byte records, own comparator",
         "i32-i32": "32-bit keys, 32-bit values", "i64-i64": "64-bit keys, 64-bit values",
         "i64-i32": "64-bit keys, 32-bit values"}


def origin(context):
    """Where and when: the second line of a figure."""
    names = (("", "device"), ("driver ", "driver"), ("CUDA ", "cuda_runtime"), ("CCCL ", "cccl"),
             ("cmerge ", "cmerge"), ("cache ", "cache"))
    facts = [label + context[key] for label, key in names if key in context]
    return ", ".join(facts + [context["date"][:10]])


def draw_sizes(context, rows, key_type, path):
    rows = [r for r in rows if r.workload[1] == key_type and r.workload[3:] == ("random", "1:1")]
    sizes = sorted({int(r.workload[2]) for r in rows})
    if len(sizes) < 3:
        return False
    rivals = unique(r.rival for r in rows)
    sheet = Sheet(960, 425, f"Merging {TYPES.get(key_type, key_type)}, random, equal halves",
                  origin(context))
    sheet.legend(rivals, 68, marks=True)

    panels = ((70, "GB/s, bytes read and written", lambda r: r.gb_per_s),
              (560, "percent of the throughput of a copy", lambda r: r.percent))
    for left, label, value in panels:
        top = max(value(r) for r in rows)
        plot = Plot(sheet, left, 90, 380, 280, top, label)
        scale = (plot.width - 30) / (sizes[-1] - sizes[0])
        place = {n: left + 15 + scale * (n - sizes[0]) for n in sizes}
        labelled = sizes if len(sizes) <= 11 else sizes[::2]
        for n in labelled:
            sheet.text(place[n] - 3, 388, "2", size=11, power=str(n))
        sheet.text(left + plot.width / 2, 412, "elements of the output")
        for rival in rivals:
            colour, shape = style(rival, rivals)
            points = sorted((int(r.workload[2]), value(r)) for r in rows if r.rival == rival)
            points = [(place[n], plot.at(v)) for n, v in points]
            sheet.line(points, colour, 2.5 if rival == "cmerge" else 1.5)
            for x, y in points:
                sheet.mark(x, y, colour, shape)
    sheet.save(path)
    return True


def draw_bars(sheet, plot, groups, names, labels, turn=0):
    """One group of bars per entry of `groups`, a dictionary from a rival's name to its value."""
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


def draw_inputs(context, rows, key_type, log2_size, path):
    rows = [r for r in rows if r.workload[1:3] == (key_type, log2_size) and r.rival != "copy"]
    workloads = unique(r.workload for r in rows)
    if len(workloads) < 3:
        return False
    groups = [{r.rival: r.percent for r in rows if r.workload == w} for w in workloads]
    rivals = [name for name in unique(r.rival for r in rows)
              if 2 * sum(name in g for g in groups) > len(groups)]
    labels = [w[3].replace("_", " ") if w[4] == "1:1" else f"{w[3]} {w[4]}" for w in workloads]
    title = f"Merging {TYPES.get(key_type, key_type)}, by distribution and split"
    sheet = Sheet(960, 400, title, f"{origin(context)}; 2^{log2_size} elements")
    sheet.legend(rivals, 68, marks=False)
    top = max([110.0] + [r.percent for r in rows if r.rival in rivals])
    plot = Plot(sheet, 70, 90, 870, 260, top, "percent of the throughput of a copy")
    draw_bars(sheet, plot, groups, rivals, labels)
    sheet.line([(plot.x, plot.at(100)), (plot.x + plot.width, plot.at(100))], INK, 1, "5,4")
    sheet.text(plot.x + plot.width / 2, 390, "distribution of the keys (equal halves), or split")
    sheet.save(path)
    return True


def draw_host(context, rows, what, outputs, path):
    """Benchmarks called <what>/<type>/<distribution>/<outputs>/<rival>."""
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
