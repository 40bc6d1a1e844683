# SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The colours and shapes that the figures of draw.py share."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "test",
                                "bench"))

from svg import INK, STYLES, Sheet, number


def tint(colour, share):
    """A colour mixed with white."""
    parts = [int(colour[i:i + 2], 16) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(255 - (255 - p) * share):02x}" for p in parts)


COLOURS = {"a": STYLES["cub"][0], "b": STYLES["cmerge"][0]}
LIGHT = {name: tint(colour, 0.28) for name, colour in COLOURS.items()}
PALE = {name: tint(colour, 0.10) for name, colour in COLOURS.items()}
RULE, MUTED = "#999999", "#666666"


class Figure(Sheet):
    """A sheet with the shapes that these figures share."""

    def box(self, x, y, width, height, fill, edge=RULE, dash=""):
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(f'<rect x="{number(x)}" y="{number(y)}" width="{number(width)}" '
                          f'height="{number(height)}" fill="{fill}" stroke="{edge}"{dashes}/>')

    def shape(self, points, fill):
        path = " ".join(f"{number(x)},{number(y)}" for x, y in points)
        self.parts.append(f'<polygon points="{path}" fill="{fill}"/>')

    def words(self, x, y, text, size=12, anchor="middle", colour=INK, weight="normal"):
        """Text in a colour."""
        self.text(x, y, text, size=size, anchor=anchor, weight=weight)
        self.parts[-1] = self.parts[-1].replace(f'fill="{INK}"', f'fill="{colour}"')

    def cell(self, x, y, size, key, fill, colour=INK, dash=""):
        self.box(x, y, size, size, fill, dash=dash)
        if key is not None:
            self.words(x + size / 2, y + size / 2 + 5, str(key), size=14, colour=colour)

    def brace(self, x1, x2, y, text, up=False, colour=INK):
        """A bracket from x1 to x2, whose tips are at y, below a row or `up` above it."""
        tip = -6 if up else 6
        self.line([(x1 + 2, y), (x1 + 2, y + tip), (x2 - 2, y + tip), (x2 - 2, y)], colour)
        self.words((x1 + x2) / 2, y + (-12 if up else 20), text, colour=colour)

    def arrow(self, points, colour, width=1.5):
        """A line that ends in an arrowhead; its last part is horizontal or vertical."""
        (x0, y0), (x, y) = points[-2:]
        dx, dy = (x > x0) - (x < x0), (y > y0) - (y < y0)
        self.line(points[:-1] + [(x - 5 * dx, y - 5 * dy)], colour, width)
        self.shape([(x, y), (x - 8 * dx - 4 * dy, y - 8 * dy - 4 * dx),
                    (x - 8 * dx + 4 * dy, y - 8 * dy + 4 * dx)], colour)

    def key_row(self, x, y, size, name, keys):
        """One input, in its colour, with its name on the left."""
        self.words(x - 14, y + size / 2 + 5, name, size=15, weight="bold", colour=COLOURS[name])
        for index, key in enumerate(keys):
            self.cell(x + index * size, y, size, key, LIGHT[name])
