#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks what no compiler checks: folders, file comments, sizes, macros and links in the docs.

usage: check_layers.py [ROOT]      checks the source tree at ROOT
       check_layers.py --self-test checks this script on trees with known faults
"""
import pathlib
import re
import sys
import tempfile

MAX_LINES = 300
MAX_COLUMNS = 100
MAX_COMMENT = 4
MAX_FUNCTION = 60
MAX_PARAMETERS = 7
MAX_MACROS = 7
MAX_MAP = 25
FOREIGN_MACROS = {"THRUST_DEVICE_SYSTEM"}  # Thrust's choice, which config.h may make

# The folders of cmerge/, and the folders that each may include besides itself. `core` is
# detail/core and the public parts: all headers directly in cmerge/ that are no calls.
MAY_INCLUDE = {"core": set()}
MAY_INCLUDE["host"] = {"core"}
MAY_INCLUDE["block"] = {"core"}
MAY_INCLUDE["block/strategy"] = {"core", "block"}
MAY_INCLUDE["block/by_value"] = {"core", "block", "block/strategy"}
MAY_INCLUDE["device"] = {"core", "block", "block/strategy", "block/by_value"}
MAY_INCLUDE["policy"] = set(MAY_INCLUDE)
MAY_INCLUDE["calls"] = set(MAY_INCLUDE)
CALLS = {"cmerge.h", "merge.h", "merge_n.h", "merge_indices.h", "block_merge.cuh",
         "device_merge.cuh"}
UMBRELLA = "cmerge.h"

# Leaf headers must stay cheap to compile, and Thrust is expensive. All of its internals stay behind
# one folder. Nothing includes CUB: see docs/design.md.
MAY_INCLUDE_THRUST = {"policy", "calls"}
THRUST_VERSION = "detail/core/thrust_version.h"  # rejects an old Thrust before anything else

# Template parameters that stand for a range; a call has as many of them as it has ranges.
ITERATOR = re.compile(
    r"^(Iterator|Keys|Values|Key|Value|View|Reference|Input)(A|B|1|2|Out|s)?$|"
    r"^(First|Output|KeysOut|ValuesOut|OutputKey|OutputValue|(Key|Value)It[123])$")

SPDX = ("SPDX-FileCopyrightText: Copyright (c)",
        "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception")
SOURCES = {".h", ".cuh", ".cpp", ".cu", ".cmake", ".py", ".sh"}


def has_spdx(lines):
    return any(all(text in line for text, line in zip(SPDX, lines[i:])) for i in (0, 1)
               if len(lines) >= i + 2)


def folder_of(name):
    """The folder of a header, as MAY_INCLUDE names it; None if it is unknown."""
    folder, _, file = name.rpartition("/")
    if not folder:
        return "calls" if file in CALLS else "core"
    folder = folder.removeprefix("detail/")
    return folder if folder in MAY_INCLUDE else None


def long_functions(lines):
    """The functions of a header with more than MAX_FUNCTION lines, as (line number, length)."""
    code = [re.sub(r'//.*|"(\\.|[^"\\])*"|\'(\\.|[^\'\\])\'', "", line) for line in lines]
    opened = []  # for each open brace: its line, and whether it opens a function
    for number, line in enumerate(code):
        for at, character in enumerate(line):
            if character == "{":
                # The statement that the brace ends, without its own body so far.
                before = " ".join(code[max(0, number - 8):number] + [line[:at]])
                before = re.split(r"[;{}]", before)[-1]
                inside = any(is_function for _, is_function in opened)
                named = re.search(r"\b(namespace|struct|class|union|enum)\b(?![^<]*>)", before)
                opened.append((number, "(" in before and not named and not inside))
            elif character == "}" and opened:
                start, is_function = opened.pop()
                if is_function and number - start + 1 > MAX_FUNCTION:
                    yield start + 1, number - start + 1


def template_parameters(text):
    """The parameter lists of all templates in a header, as (line number, names)."""
    for match in re.finditer(r"\btemplate <", text):
        depth, start, parts = 1, match.end(), []
        for at in range(match.end(), len(text)):
            character = text[at]
            depth += {"<": 1, "(": 1, ">": -1, ")": -1}.get(character, 0)
            if depth == 0 or (depth == 1 and character == ","):
                parts.append(text[start:at])
                start = at + 1
            if depth == 0:
                break
        names = [words[-1] for words in
                 (re.findall(r"\w+", part.partition("=")[0]) for part in parts) if words]
        yield text.count("\n", 0, match.start()) + 1, names


def check_sizes(lines):
    if len(lines) > MAX_LINES:
        yield MAX_LINES + 1, f"{len(lines)} lines; at most {MAX_LINES}"
    for number, line in enumerate(lines, 1):
        if len(line) > MAX_COLUMNS:
            yield number, f"{len(line)} columns; at most {MAX_COLUMNS}"
    for number, length in long_functions(lines):
        yield number, f"a function of {length} lines; at most {MAX_FUNCTION}"
    for number, names in template_parameters("\n".join(lines)):
        others = [name for name in names if not ITERATOR.match(name)]
        if len(others) > MAX_PARAMETERS:
            yield number, (f"{len(others)} template parameters that are no iterators; "
                           f"at most {MAX_PARAMETERS}")


def check_comment(lines):
    pragma = lines.index("#pragma once") if "#pragma once" in lines else None
    if pragma is None:
        yield 1, "no #pragma once"
    comment = [line for line in lines[2:pragma] if line not in ("", "//")]
    if not all(line.startswith("//") for line in comment):
        yield 3, "something other than the file comment stands before #pragma once"
    if not 1 <= len(comment) <= MAX_COMMENT:
        yield 3, f"a file comment of {len(comment)} lines; 1 to {MAX_COMMENT}"


def check_includes(name, lines, headers):
    """Wrong includes of a header, as (line number, text)."""
    folder = folder_of(name)
    if folder is None:
        yield 1, "a folder that check_layers.py does not know"
        return
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
        if library == "thrust" and folder not in MAY_INCLUDE_THRUST and name != THRUST_VERSION:
            yield number, f"includes {path}; only {', '.join(sorted(MAY_INCLUDE_THRUST))} may"
        if library == "cub":
            yield number, f"includes {path}; nothing may"
        if library != "cmerge" or not rest:
            continue
        if rest not in headers:
            yield number, f"includes {path}, which does not exist"
        elif folder_of(rest) not in MAY_INCLUDE[folder] | {folder}:
            yield number, f"{folder} includes {path} of {folder_of(rest)}, which is not lower"
        needs_nvcc = name.endswith(".h") and rest.endswith(".cuh")
        if needs_nvcc and not any("__CUDACC__" in text for text in conditions):
            yield number, f"includes {path}, which only nvcc compiles, outside of __CUDACC__"


def cycles(headers):
    """Headers that include themselves through others."""
    includes = {name: [match.group(1) for line in lines
                       if (match := re.match(r"\s*#\s*include\s*<cmerge/([^>]+)>", line))]
                for name, lines in headers.items()}
    done = set()

    def visit(name, path):
        if name in path:
            yield path[path.index(name):] + [name]
        elif name not in done:
            for other in includes.get(name, []):
                yield from visit(other, path + [name])
            done.add(name)

    for name in headers:
        yield from visit(name, [])


def check_version(headers):
    """The name of the inline namespace carries the version."""
    text = {name: "\n".join(lines) for name, lines in headers.items()}
    version = re.search(r"^#define CMERGE_VERSION (\d+)$", text.get("version.h", ""), re.M)
    space = re.search(r"^#define CMERGE_INLINE_NAMESPACE v(\d+)\b", text.get("config.h", ""), re.M)
    if version and (not space or space.group(1) != version.group(1)):
        yield f"cmerge/config.h: CMERGE_INLINE_NAMESPACE is not v{version.group(1)}"
    for name, lines in headers.items():
        if any(re.match(r"namespace cmerge\b.*\{$", line) and
               not lines[number].startswith(("inline namespace CMERGE_INLINE_NAMESPACE {",
                                             "namespace thrust ="))
               for number, line in enumerate(lines, 1)):
            yield f"cmerge/{name}: namespace cmerge without its inline namespace"


def check_map(root, headers):
    """The map names each folder, and is short."""
    path = root / "cmerge" / "README.md"
    text = path.read_text() if path.exists() else ""
    if len(text.splitlines()) > MAX_MAP:
        yield f"cmerge/README.md: {len(text.splitlines())} lines; at most {MAX_MAP}"
    for folder in sorted({name.rpartition("/")[0] for name in headers} - {""}):
        if f"{folder}/" not in text:
            yield f"cmerge/README.md: does not name {folder}/"


def check_headers(root):
    folder = root / "cmerge"
    headers = {
        path.relative_to(folder).as_posix(): path.read_text().splitlines()
        for path in sorted(folder.rglob("*")) if path.suffix in (".h", ".cuh")
    }
    for name, lines in headers.items():
        for number, text in (*check_sizes(lines), *check_comment(lines),
                             *check_includes(name, lines, headers)):
            yield f"cmerge/{name}:{number}: {text}"
    for cycle in cycles(headers):
        yield f"cmerge/{cycle[0]}: includes itself through {' -> '.join(cycle[1:])}"
    yield from check_version(headers)
    yield from check_map(root, headers)

    defined = (re.match(r"\s*#\s*define\s+(\w+)", line)
               for lines in headers.values() for line in lines)
    macros = {match.group(1) for match in defined if match} - FOREIGN_MACROS
    for macro in sorted(macros):
        if not macro.startswith("CMERGE_"):
            yield f"cmerge: macro {macro} does not begin with CMERGE_"
    if len(macros) > MAX_MACROS:
        yield f"cmerge: {len(macros)} macros, at most {MAX_MACROS}: {', '.join(sorted(macros))}"


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
    for folder in ("cmerge", "docs", "examples", "test"):
        pages += sorted((root / folder).rglob("*.md"))
    for page in pages:
        text = page.read_text()
        # Code holds no links: `a[i](x)` is none.
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
    space = ("namespace cmerge {\ninline namespace CMERGE_INLINE_NAMESPACE {\n}\n}\n")
    long = "void f(int x) {\n" + "  x;\n" * 59 + "}\n"
    good = {
        "CMakeLists.txt": spdx.replace("//", "#"),
        "cmerge/low.h": spdx + "//\n// Low.\n#pragma once\n" + space + long.replace("  x;\n", "", 1),
        "cmerge/version.h": spdx + "//\n// V.\n#pragma once\n#define CMERGE_VERSION 100\n",
        "cmerge/config.h": spdx + "//\n// C.\n#pragma once\n"
                           "#define CMERGE_INLINE_NAMESPACE v100 CMERGE_HIDDEN\n",
        "cmerge/merge.h": spdx + "//\n// High.\n#pragma once\n#include <cmerge/low.h>\n",
        "cmerge/detail/host/loop.h": spdx + "//\n// H.\n#pragma once\n#include <cmerge/low.h>\n",
        "cmerge/README.md": "# The map\n`detail/host/`\n",
        "README.md": "# A title\n[a](docs/a.md#two-words) [b](#a-title) [c](https://example.org)\n",
        "docs/a.md": "## Two words\n```\n[not a link](x)\n```\n`a[i](x)`\n",
    }
    low, high, host = good["cmerge/low.h"], good["cmerge/merge.h"], good["cmerge/detail/host/loop.h"]
    wide = "template <class A, class B, class C, class D, class E, class F, class G, class H>\n"
    faults = [
        ("cmerge/low.h", low + "#include <cmerge/merge.h>\n", "of calls, which is not lower"),
        ("cmerge/low.h", low + "#include <cmerge/detail/host/loop.h>\n", "of host, which is not"),
        ("cmerge/detail/device/launch.cuh", host, "does not name detail/device/"),
        ("cmerge/detail/device/launch.cuh",
         host.replace("low.h", "detail/host/loop.h"), "of host, which is not lower"),
        ("cmerge/detail/attic/a.h", host, "does not know"),
        ("cmerge/high.h", high, None),
        ("cmerge/other.h", low + "#include <cmerge/other.h>\n", "includes itself"),
        ("cmerge/merge.h", high.replace("low.h", "none.h"), "does not exist"),
        ("cmerge/merge.h", high.replace("<cmerge/low.h>", '"cmerge/low.h"'), "include as <...>"),
        ("cmerge/low.h", low + "#include <thrust/pair.h>\n", "includes thrust/pair.h; only"),
        ("cmerge/low.h", low + "#include <cub/cub.cuh>\n", "includes cub/cub.cuh; nothing"),
        ("cmerge/low.h", low + "\n" * 300, "lines; at most 300"),
        ("cmerge/low.h", low + "x" * 101 + "\n", "101 columns"),
        ("cmerge/low.h", low + long, "a function of 61 lines"),
        ("cmerge/low.h", low + wide, "8 template parameters"),
        ("cmerge/low.h", low + wide.replace("class H", "class KeysA"), None),
        ("cmerge/low.h", low.replace("// Low", "// Low\n" * 4 + "// Low"), "comment of 5 lines"),
        ("cmerge/low.h", low.replace("#pragma once\n", ""), "no #pragma once"),
        ("cmerge/low.h", low.replace(spdx, "//\n//\n"), "SPDX"),
        ("cmerge/low.h", low.replace("inline ", ""), "without its inline namespace"),
        ("cmerge/version.h", good["cmerge/version.h"].replace("100", "101"), "is not v101"),
        ("cmerge/low.h", low + "#define OTHER 1\n", "macro OTHER"),
        ("cmerge/low.h", low + "".join(f"#define CMERGE_{i}\n" for i in range(8)), "10 macros"),
        ("cmerge/merge.h", high.replace("low.h", "only.cuh"), "outside of __CUDACC__"),
        ("cmerge/README.md", good["cmerge/README.md"] * 13, "26 lines; at most 25"),
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
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            problems = check(root)
        if fault is None or fault[2] is None:
            assert not problems, (fault, problems)
        else:
            assert any(fault[2] in problem for problem in problems), (fault, problems)
    print(f"{sum(1 for fault in faults if fault[2])} known faults found")


def main(arguments):
    if arguments == ["--self-test"]:
        self_test()
        return 0
    default = pathlib.Path(__file__).resolve().parent.parent
    root = pathlib.Path(arguments[0]) if arguments else default
    problems = check(root)
    print("\n".join(problems) or "folders, headers and links are in order")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
