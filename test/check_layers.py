#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks what no compiler checks: layers, file comments, sizes, macros and links in the docs.

usage: check_layers.py [ROOT]      checks the source tree at ROOT
       check_layers.py --self-test checks this script on trees with known faults
"""
import pathlib
import re
import sys
import tempfile

MAX_LINES = 300
MAX_COLUMNS = 100
MAX_COMMENT = 6
MAX_MACROS = 7
FOREIGN_MACROS = {"THRUST_DEVICE_SYSTEM"}  # a choice of Thrust's that config.h makes

# Leaf headers must stay cheap to compile, and Thrust is what costs: only the drop-in calls and what
# binds them to a kind of policy may include it. Nothing includes CUB: see docs/design.md.
MAY_INCLUDE = {
    "thrust": {
        "cmerge.h", "merge.h", "merge_n.h", "merge_indices.h", "detail/dispatch.h",
        "detail/host_merge.h", "detail/cuda_merge.cuh", "detail/preconditions.h",
        "detail/thrust_version.h", "detail/thrust_namespace.h",
        "device_merge.cuh"
    },
    "cub": set(),
}
UMBRELLA = "cmerge.h"

SPDX = ("SPDX-FileCopyrightText: Copyright (c)",
        "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception")
SOURCES = {".h", ".cuh", ".cpp", ".cu", ".cmake", ".py", ".sh"}


def has_spdx(lines):
    return any(all(text in line for text, line in zip(SPDX, lines[i:])) for i in (0, 1)
               if len(lines) >= i + 2)


def check_header(name, lines, layers):
    """The problems of one header of cmerge/, as (line number, text)."""
    if len(lines) > MAX_LINES:
        yield MAX_LINES + 1, f"{len(lines)} lines; at most {MAX_LINES}"
    for number, line in enumerate(lines, 1):
        if len(line) > MAX_COLUMNS:
            yield number, f"{len(line)} columns; at most {MAX_COLUMNS}"

    pragma = lines.index("#pragma once") if "#pragma once" in lines else None
    if pragma is None:
        yield 1, "no #pragma once"
    comment = [line for line in lines[2:pragma] if line not in ("", "//")]
    if not all(line.startswith("//") for line in comment):
        yield 3, "something other than the file comment stands before #pragma once"
    if not 1 <= len(comment) <= MAX_COMMENT:
        yield 3, f"a file comment of {len(comment)} lines; 1 to {MAX_COMMENT}"
    if layers[name] is None:
        yield 3, "the file comment names no layer ('Layer N')"

    conditions = []  # the text of each #if that encloses the line
    for number, line in enumerate(lines, 1):
        if re.match(r"\s*#\s*if", line):
            conditions.append(line)
        elif re.match(r"\s*#\s*el(se|if)", line):
            conditions[-1] = line
        elif re.match(r"\s*#\s*endif", line):
            conditions.pop()
        match = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if not match:
            continue
        delimiter, path = match.groups()
        if delimiter == '"':
            yield number, f'"{path}": include as <...>'
        library, _, rest = path.partition("/")
        if library in MAY_INCLUDE and name not in MAY_INCLUDE[library]:
            yield number, f"includes {path}; only {', '.join(sorted(MAY_INCLUDE[library]))} may"
        if library != "cmerge" or not rest:
            continue
        if rest not in layers:
            yield number, f"includes {path}, which is not there"
        elif None not in (layers[name], layers[rest]) and layers[rest] >= layers[name]:
            yield number, (f"layer {layers[name]} includes {path} of layer {layers[rest]}; "
                           "only lower layers may be included")
        needs_nvcc = name.endswith(".h") and rest.endswith(".cuh")
        if needs_nvcc and not any("__CUDACC__" in text for text in conditions):
            yield number, f"includes {path}, which only nvcc compiles, outside of __CUDACC__"


def check_headers(root):
    folder = root / "cmerge"
    headers = {
        path.relative_to(folder).as_posix(): path.read_text().splitlines()
        for path in sorted(folder.rglob("*")) if path.suffix in (".h", ".cuh")
    }
    layers = {}
    for name, lines in headers.items():
        comment = " ".join(lines[2:lines.index("#pragma once")]) if "#pragma once" in lines else ""
        match = re.search(r"\bLayer (\d+)\b", comment)
        layers[name] = int(match.group(1)) if match else None

    for name, lines in headers.items():
        for number, text in check_header(name, lines, layers):
            yield f"cmerge/{name}:{number}: {text}"
    known = [layer for name, layer in layers.items() if layer is not None and name != UMBRELLA]
    if layers.get(UMBRELLA) is not None and known and layers[UMBRELLA] <= max(known):
        yield f"cmerge/{UMBRELLA}:3: the umbrella is not the highest layer"

    defined = (re.match(r"\s*#\s*define\s+(\w+)", line)
               for lines in headers.values() for line in lines)
    macros = {match.group(1) for match in defined if match}
    for macro in sorted(macros):
        if not macro.startswith("CMERGE_") and macro not in FOREIGN_MACROS:
            yield f"cmerge: macro {macro} does not begin with CMERGE_"
    if len(macros - FOREIGN_MACROS) > MAX_MACROS:
        yield f"cmerge: {len(macros - FOREIGN_MACROS)} macros, at most {MAX_MACROS}: {', '.join(sorted(macros))}"


def check_spdx(root):
    files = [root / "CMakeLists.txt"]
    for folder in ("cmerge", "test", "examples", ".ci"):
        files += sorted((root / folder).rglob("*"))
    for path in files:
        if path.is_file() and (path.suffix in SOURCES or path.name == "CMakeLists.txt"):
            if not has_spdx(path.read_text().splitlines()[:4]):
                yield f"{path.relative_to(root)}:1: the two SPDX lines are missing"


def anchors(text):
    """The anchors of a Markdown file's headings, as repository viewers make them."""
    seen = {}
    for heading in re.findall(r"^#+ +(.+?)\s*$", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S),
                              flags=re.M):
        slug = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        count = seen[slug] = seen.get(slug, -1) + 1
        yield f"{slug}-{count}" if count else slug


def check_links(root):
    pages = sorted(root.glob("*.md"))
    for folder in ("docs", "examples", "test"):
        pages += sorted((root / folder).rglob("*.md"))
    for page in pages:
        text = page.read_text()
        # Code is no place for links: `a[i](x)` is none.
        prose = re.sub(r"^```.*?^```|`[^`\n]*`", lambda match: re.sub(r"[^\n]", " ", match.group()),
                       text, flags=re.M | re.S)
        # An image may stand in a link: [![text](image)](target).
        for match in re.finditer(r"\]\(\s*<?([^)\s>]+)>?[^)]*\)|^\[[^\]]+\]:\s*(\S+)", prose,
                                 flags=re.M):
            target = match.group(1) or match.group(2)
            if re.match(r"[a-z][a-z0-9+.-]*:", target):
                continue
            path, _, anchor = target.partition("#")
            number = prose.count("\n", 0, match.start()) + 1
            where = f"{page.relative_to(root)}:{number}"
            file = (page.parent / path) if path else page
            if not file.exists():
                yield f"{where}: the link {target} leads nowhere"
            elif anchor and file.suffix == ".md" and anchor not in anchors(file.read_text()):
                yield f"{where}: the link {target} names no heading of {file.name}"


def check(root):
    return [*check_headers(root), *check_spdx(root), *check_links(root)]


def self_test():
    spdx = f"// {SPDX[0]} 2026 the cmerge authors\n// {SPDX[1]}\n"
    good = {
        "CMakeLists.txt": spdx.replace("//", "#"),
        "cmerge/low.h": spdx + "//\n// Low. Layer 0.\n#pragma once\n",
        "cmerge/high.h": spdx + "//\n// High. Layer 1.\n#pragma once\n#include <cmerge/low.h>\n",
        "README.md": "# A title\n[a](docs/a.md#two-words) [b](#a-title) [c](https://example.org)\n",
        "docs/a.md": "## Two words\n```\n[not a link](x)\n```\n`a[i](x)`\n",
    }
    low, high = good["cmerge/low.h"], good["cmerge/high.h"]
    faults = [
        ("cmerge/low.h", low + "#include <cmerge/high.h>\n", "only lower layers"),
        ("cmerge/high.h", high.replace("Layer 1", "Layer 0"), "only lower layers"),
        ("cmerge/high.h", high.replace("Layer 1", "Level 1"), "names no layer"),
        ("cmerge/high.h", high.replace("low.h", "none.h"), "not there"),
        ("cmerge/high.h", high.replace("<cmerge/low.h>", '"cmerge/low.h"'), "include as <...>"),
        ("cmerge/low.h", low + "#include <thrust/pair.h>\n", "includes thrust/pair.h; only"),
        ("cmerge/low.h", low + "#include <cub/cub.cuh>\n", "includes cub/cub.cuh; only"),
        ("cmerge/low.h", low + "\n" * 300, "lines; at most 300"),
        ("cmerge/low.h", low + "x" * 101 + "\n", "101 columns"),
        ("cmerge/low.h", low.replace("// Low", "// Low\n" * 6 + "// Low"), "comment of 7 lines"),
        ("cmerge/low.h", low.replace("#pragma once\n", ""), "no #pragma once"),
        ("cmerge/low.h", low.replace(spdx, "//\n//\n"), "SPDX"),
        ("cmerge/low.h", low + "#define OTHER 1\n", "macro OTHER"),
        ("cmerge/low.h", low + "".join(f"#define CMERGE_{i}\n" for i in range(8)), "8 macros"),
        ("cmerge/cmerge.h", low.replace("Layer 0", "Layer 1"), "not the highest layer"),
        ("cmerge/high.h", high.replace("low.h", "only.cuh"), "outside of __CUDACC__"),
        ("test/a.cpp", "int main() {}\n", "test/a.cpp:1: the two SPDX"),
        ("README.md", "text\n[a](docs/b.md)\n", "README.md:2: the link docs/b.md leads nowhere"),
        ("README.md", "[a](docs/a.md#three)\n", "names no heading"),
        ("docs/b.md", "[![x](x.png)](a.md)\n", "the link x.png leads nowhere"),
    ]
    good["cmerge/only.cuh"] = low
    for fault in (None, *faults):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in {**good, **({fault[0]: fault[1]} if fault else {})}.items():
                (root / name).parent.mkdir(exist_ok=True)
                (root / name).write_text(text)
            problems = check(root)
        if fault is None:
            assert not problems, problems
        else:
            assert any(fault[2] in problem for problem in problems), (fault, problems)
    print(f"{len(faults)} known faults found")


def main(arguments):
    if arguments == ["--self-test"]:
        self_test()
        return 0
    default = pathlib.Path(__file__).resolve().parent.parent
    root = pathlib.Path(arguments[0]) if arguments else default
    problems = check(root)
    print("\n".join(problems) or "layers, headers and links are as they should be")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
