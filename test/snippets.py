#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that the code in pages and doc blocks is cut from compiled files.

usage: snippets.py ROOT            checks
       snippets.py --write ROOT    also rewrites the quoted code in the pages
       snippets.py --self-test     checks this script on trees with known faults

In a source file, two lines `//! [name]` enclose a snippet. A page quotes it by a line directly
before a fence of C++ code; its text is the snippet without common indentation:

    <!-- snippet: examples/file.cu name -->

Code that is no snippet has `<!-- snippet: none, REASON -->` there instead. A doc block quotes with
Doxygen's command `\\snippet file.cu name`, which looks for the file in examples/. Each public doc
block with \\param, \\tparam or \\returns needs one, except members of a class whose doc block has one.
"""
import pathlib
import re
import sys
import tempfile
import textwrap

MARKER = re.compile(r"^\s*//! \[(\w+)\]$")
QUOTE = re.compile(r"^<!-- snippet: (?!none,)(\S+) (\w+) -->$")
NO_QUOTE = re.compile(r"^<!-- snippet: none, \S.* -->$")
COMMAND = re.compile(r"\\snippet (\S+) (\w+)\s*$")
DOCUMENTED = re.compile(r"\\(param|tparam|returns)\b")


def snippets_of(text):
    """The snippets of a source file by name, and its faults as (line number, text)."""
    found, faults, opened = {}, [], None
    for number, line in enumerate(text.splitlines(), 1):
        match = MARKER.match(line)
        if match is None:
            if "//! [" in line:
                faults.append((number, "a marker is `//! [name]`, alone in its line"))
            if opened:
                lines.append(line)
        elif opened is None:
            opened, lines, start = match[1], [], number
            if opened in found:
                faults.append((number, f"a second snippet with the name {opened}"))
        elif opened == match[1]:
            found[opened] = textwrap.dedent("\n".join(lines)).splitlines()
            opened = None
            if not found[match[1]]:
                faults.append((number, f"the snippet {match[1]} is empty"))
        else:
            faults.append((number, f"the snippet {match[1]} begins inside of {opened}"))
    if opened:
        faults.append((start, f"the snippet {opened} has no end"))
    return found, faults


class Sources:
    """Reads each source file once."""

    def __init__(self, root):
        self.root = root
        self.files = {}

    def read(self, name):
        if name not in self.files:
            path = self.root / name
            self.files[name] = snippets_of(path.read_text(encoding="utf-8")) \
                if path.is_file() else (None, [])
        return self.files[name]

    def find(self, name, snippet):
        """The lines of a snippet, and why there are none."""
        snippets = self.read(name)[0]
        if snippets is None:
            return None, f"there is no file {name}"
        if snippet not in snippets:
            return None, f"{name} has no snippet {snippet}"
        return snippets[snippet], None


def check_page(lines, sources):
    """The lines of a page with the code that its quotes name, and the faults."""
    result, faults, at = [], [], 0
    while at < len(lines):
        line = lines[at]
        result.append(line)
        at += 1
        fence = re.match(r"\s*(```+)(.*)$", line)
        if fence is None:
            if line.startswith("<!-- snippet:") and not (
                    at < len(lines) and re.match(r"```cpp\s*$", lines[at])):
                faults.append((at, "no fence ```cpp follows"))
            continue
        number = at
        end = next((i for i in range(at, len(lines)) if lines[i].strip() == fence[1]), None)
        if end is None:
            faults.append((number, "the fence has no end"))
            end = len(lines)
        code = lines[at:end]
        at = end
        if fence[2].strip() in ("cpp", "c++", "cuda", "cu"):
            above = result[-2] if len(result) > 1 else ""
            quote = QUOTE.match(above)
            if quote:
                wanted, why = sources.find(*quote.groups())
                if why:
                    faults.append((number, why))
                elif wanted != code:
                    faults.append((number, f"differs from {quote[1]} {quote[2]}: "
                                   "run test/snippets.py --write"))
                    code = wanted
            elif not NO_QUOTE.match(above):
                faults.append((number, "code without a line <!-- snippet: FILE NAME --> above it"))
        result += code
        if at < len(lines):
            result.append(lines[at])  # the end of the fence
            at += 1
    return result, faults


def doc_blocks(lines):
    """The doc blocks of public names in a header, as (line number, text, whether the block
    of its class has a snippet)."""
    block, start = [], 0
    is_quoted = False   # whether the doc block of the current class has a snippet
    is_private = False  # inside of private: or of namespace detail
    for number, line in enumerate(lines, 1):
        if line == "namespace detail {" or line == " private:":
            is_private = True
        elif line in ("}  // namespace detail", "};", " public:"):
            is_private = False
        comment = re.match(r"( *)/// ?(.*)$", line)
        if comment:
            start = start or number
            block.append(comment[2])
            continue
        if block:
            text = "\n".join(block)
            is_member = lines[start - 1].startswith(" ")
            if not is_member:
                is_quoted = "\\snippet" in text
            if not is_private:
                yield start, text, is_member and is_quoted
            block, start = [], 0


def check_header(lines, sources):
    for number, text, is_quoted in doc_blocks(lines):
        if DOCUMENTED.search(text) and "\\snippet" not in text and not is_quoted:
            yield number, "a doc block without \\snippet"
    for number, line in enumerate(lines, 1):
        if "\\snippet" not in line:
            continue
        command = COMMAND.search(line)
        if command is None:
            yield number, "the command is `\\snippet FILE NAME`, alone in its line"
            continue
        _, why = sources.find(f"examples/{command[1]}", command[2])
        if why:
            yield number, why


def check(root, write=False):
    sources = Sources(root)
    problems = []

    def add(name, faults):
        problems.extend(f"{name}:{number}: {text}" for number, text in faults)

    for path in sorted((root / "examples").rglob("*")):
        if path.suffix in (".cpp", ".cu", ".h", ".cuh"):
            name = path.relative_to(root).as_posix()
            add(name, sources.read(name)[1])
    for path in [root / "README.md", *sorted((root / "docs").glob("*.md")),
                 root / "cmerge" / "README.md"]:
        if not path.is_file():
            continue
        text = path.read_text(encoding="utf-8")
        lines, faults = check_page(text.splitlines(), sources)
        if write and lines != text.splitlines():
            path.write_text("\n".join(lines) + "\n", encoding="utf-8")
            _, faults = check_page(lines, sources)
        add(path.relative_to(root).as_posix(), faults)
    for path in sorted((root / "cmerge").glob("*")):
        if path.suffix in (".h", ".cuh"):
            lines = path.read_text(encoding="utf-8").splitlines()
            add(path.relative_to(root).as_posix(), check_header(lines, sources))
    return problems


def self_test():
    page = "# A\n<!-- snippet: examples/a.cu one -->\n```cpp\nf();\n  g();\n```\ntext\n"
    source = "x\n  //! [one]\n  f();\n    g();\n  //! [one]\n//! [two]\nh();\n//! [two]\n"
    header = ("/// F.\n///\n/// \\param x  x\n/// \\returns x\n///\n/// \\snippet a.cu one\n"
              "int f(int x);\n\nnamespace detail {\n\n/// \\param x  x\nint g(int x);\n\n"
              "}  // namespace detail\n\n/// C.\n///\n/// \\snippet a.cu two\nstruct c {\n"
              "  /// \\returns 1\n  int m();\n\n private:\n  /// \\returns 1\n  int p();\n};\n")
    good = {"examples/a.cu": source, "README.md": page, "cmerge/README.md": "# Map\n",
            "docs/b.md": "<!-- snippet: none, grammar -->\n```cpp\nx\n```\n```sh\nls\n```\n",
            "cmerge/f.h": header}
    faults = [
        ("README.md", page.replace("g();", "G();"), "README.md:3: differs from examples/a.cu one"),
        ("README.md", page.replace(" one", " none"), "has no snippet none"),
        ("README.md", page.replace("a.cu", "b.cu"), "there is no file examples/b.cu"),
        ("README.md", page.replace("-->\n", "-->\n\n"), "without a line"),
        ("README.md", page.replace("-->\n", "-->\n\n"), "no fence"),
        ("README.md", page.replace("```\n", "\n"), "has no end"),
        ("docs/b.md", good["docs/b.md"].replace(", grammar", ""), "docs/b.md:2: code without"),
        ("cmerge/README.md", "```cpp\nf();\n```\n", "cmerge/README.md:1: code without"),
        ("examples/a.cu", source + "//! [two]\nh();\n//! [two]\n", "a second snippet"),
        ("examples/a.cu", source + "//! [three]\nh();\n", "a.cu:9: the snippet three has no end"),
        ("examples/a.cu", source + "//! [three]\n//! [three]\n", "is empty"),
        ("examples/a.cu", source.replace("//! [one]\n//", "//! [one] x\n//", 1), "alone in its"),
        ("examples/a.cu", source.replace("f();", "//! [in]"), "begins inside of one"),
        ("cmerge/f.h", header.replace("a.cu one", "a.cu none"), "f.h:6: examples/a.cu has no"),
        ("cmerge/f.h", header.replace("a.cu one", "a.cu"), "f.h:6: the command is"),
        ("cmerge/f.h", header.replace("/// \\snippet a.cu one\n", ""), "f.h:1: a doc block"),
        ("cmerge/f.h", header.replace("/// \\snippet a.cu two\n", ""), "f.h:19: a doc block"),
    ]
    for fault in (None, *faults):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in {**good, **({fault[0]: fault[1]} if fault else {})}.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            problems = check(root)
            if fault is None:
                assert not problems, problems
            else:
                assert any(fault[2] in problem for problem in problems), (fault, problems)
            if fault == faults[0]:
                assert not check(root, write=True) and (root / "README.md").read_text() == page
    print(f"{len(faults)} known faults found")


def main(arguments):
    if arguments == ["--self-test"]:
        self_test()
        return 0
    write = arguments[:1] == ["--write"]
    if len(arguments) != (2 if write else 1):
        sys.exit(__doc__.strip())
    problems = check(pathlib.Path(arguments[-1]), write)
    print("\n".join(problems) or "the code in pages and doc blocks is that of the examples")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
