# SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the figures of docs/algorithm.md, from real merges.

usage: draw.py           writes algorithm_*.svg beside this file
       draw.py --check   fails if one of them differs from what it would write
"""

import os
import sys
import tempfile

from draw_buffers import draw_ring, draw_values
from draw_inputs import draw_division, draw_path, draw_window

HERE = os.path.dirname(os.path.abspath(__file__))
FIGURES = {"path": draw_path, "division": draw_division, "window": draw_window, "ring": draw_ring,
           "values": draw_values}


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    stale = []
    with tempfile.TemporaryDirectory() as folder:
        for name, draw in FIGURES.items():
            file = f"algorithm_{name}.svg"
            kept = os.path.join(HERE, file)
            if not sys.argv[1:]:
                draw(kept)
                continue
            draw(os.path.join(folder, file))
            with open(os.path.join(folder, file), "rb") as new:
                if not os.path.exists(kept) or open(kept, "rb").read() != new.read():
                    stale.append(file)
    if stale:
        sys.exit(f"differ from what docs/figures/draw.py draws: {', '.join(stale)}")


if __name__ == "__main__":
    main()
