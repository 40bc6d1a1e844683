# SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A small SVG writer: a white sheet, and plots with axes. The same input gives the same bytes."""

import math
from xml.sax.saxutils import escape

INK, GRID = "#222222", "#dddddd"
# Colours that colour-blind readers can distinguish (Okabe and Ito), each with its own mark.
STYLES = {
    "copy": ("#777777", "plus"),
    "thrust": ("#e69f00", "square"),
    "cub": ("#0072b2", "triangle"),
    "cmerge": ("#d55e00", "circle"),
    "cmerge_basic": ("#56b4e9", "square"),
    "cmerge_tiled": ("#009e73", "triangle"),
    "cmerge_circular": ("#cc79a7", "diamond"),
    "cmerge_single": ("#8c564b", "plus"),
    # On the host: one hue per library.
    "std_merge": ("#332288", "square"),
    "std_par": ("#7f74c9", "square"),
    "thrust_seq": ("#a06a00", "triangle"),
    "thrust_omp": ("#e69f00", "triangle"),
    "thrust_tbb": ("#f4cf70", "triangle"),
    "cmerge_seq": ("#8c2d04", "circle"),
    "cmerge_omp": ("#d55e00", "circle"),
    "cmerge_tbb": ("#f59a62", "circle"),
}
# CUB of different versions ("cub 3.0.1"), in the order of the legend.
CUBS = [STYLES["cub"], ("#332288", "triangle"), ("#44aa99", "triangle")]
SPARE = [("#332288", "square"), ("#117733", "triangle"), ("#aa4499", "diamond"),
         ("#888800", "circle"), ("#44aa99", "plus"), ("#882255", "square")]


def style(name, names):
    """The colour and mark of a rival. Rivals without an entry get spare ones in order."""
    cubs = [n for n in names if n.startswith("cub ")]
    if name in cubs:
        return CUBS[cubs.index(name) % len(CUBS)]
    others = [n for n in names if n not in STYLES and n not in cubs]
    return STYLES.get(name) or SPARE[others.index(name) % len(SPARE)]


def number(value):
    return f"{value:.1f}".rstrip("0").rstrip(".")


def nice_ticks(top, max_steps=6):
    """Ticks from zero to `top` or just above it, at multiples of 1, 2 or 5 times a power of ten."""
    base = 10.0 ** math.floor(math.log10(top / max_steps))
    step = next(s * base for s in (1, 2, 5, 10) if s * base * max_steps >= top)
    return [i * step for i in range(math.ceil(top / step - 1e-9) + 1)]


class Sheet:
    def __init__(self, width, height, title, subtitle):
        self.width, self.height, self.parts = width, height, []
        self.rect(0, 0, width, height, "#ffffff")
        self.text(width / 2, 24, title, size=16, weight="bold")
        self.text(width / 2, 43, subtitle, size=11)

    def rect(self, x, y, width, height, fill):
        self.parts.append(f'<rect x="{number(x)}" y="{number(y)}" width="{number(width)}" '
                          f'height="{number(height)}" fill="{fill}"/>')

    def line(self, points, colour, width=1.0, dash=""):
        path = " ".join(f"{number(x)},{number(y)}" for x, y in points)
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" '
                          f'stroke-width="{number(width)}" stroke-linejoin="round"{dashes}/>')

    def text(self, x, y, text, size=12, anchor="middle", turn=0, weight="normal", power=""):
        turned = f' transform="rotate({turn} {number(x)} {number(y)})"' if turn else ""
        raised = f'<tspan dy="-{number(size * 0.4)}" font-size="{number(size * 0.75)}">{power}' \
                 '</tspan>' if power else ""
        self.parts.append(f'<text x="{number(x)}" y="{number(y)}" font-size="{size}" '
                          f'font-weight="{weight}" text-anchor="{anchor}" fill="{INK}"{turned}>'
                          f'{escape(text)}{raised}</text>')

    def mark(self, x, y, colour, shape, r=4.0):
        if shape == "circle":
            self.parts.append(f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(r)}" '
                              f'fill="{colour}"/>')
        elif shape == "plus":
            self.line([(x - r, y), (x + r, y)], colour, 2)
            self.line([(x, y - r), (x, y + r)], colour, 2)
        else:
            corners = {"square": [(-1, -1), (1, -1), (1, 1), (-1, 1)],
                       "triangle": [(0, -1.2), (1.1, 0.9), (-1.1, 0.9)],
                       "diamond": [(0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0)]}[shape]
            points = " ".join(f"{number(x + r * a)},{number(y + r * b)}" for a, b in corners)
            self.parts.append(f'<polygon points="{points}" fill="{colour}"/>')

    def legend(self, names, y, marks):
        """One row, centred."""
        widths = [30 + 7.2 * len(name) for name in names]
        x = (self.width - sum(widths)) / 2
        for name, width in zip(names, widths):
            colour, shape = style(name, names)
            if marks:
                self.line([(x, y - 4), (x + 18, y - 4)], colour, 2)
                self.mark(x + 9, y - 4, colour, shape)
            else:
                self.rect(x + 4, y - 10, 12, 12, colour)
            self.text(x + 23, y, name, anchor="start")
            x += width

    def save(self, path):
        with open(path, "w", encoding="utf-8") as file:
            file.write(f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" '
                       f'height="{self.height}" viewBox="0 0 {self.width} {self.height}" '
                       'font-family="Helvetica, Arial, sans-serif">\n')
            file.write("\n".join(self.parts) + "\n</svg>\n")


class Plot:
    """A rectangle on a sheet whose y axis goes from zero to `top`."""

    def __init__(self, sheet, x, y, width, height, top, label):
        self.sheet, self.x, self.y, self.width, self.height = sheet, x, y, width, height
        ticks = nice_ticks(top)
        self.top = ticks[-1]
        for tick in ticks:
            sheet.line([(x, self.at(tick)), (x + width, self.at(tick))], GRID)
            sheet.text(x - 6, self.at(tick) + 4, number(tick), anchor="end", size=11)
        sheet.line([(x, y), (x, y + height), (x + width, y + height)], INK)
        sheet.text(x - 44, y + height / 2, label, turn=-90)

    def at(self, value):
        """The y coordinate of a value."""
        return self.y + self.height * (1 - value / self.top)
