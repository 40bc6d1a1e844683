#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of hard cases in docs/cases.md: its tests exist, and its results are the record's.

usage: cases.py ROOT            checks that each test named there exists, and that none failed
       cases.py --write ROOT    also writes the results anew, from test/gpu/validated.json
       cases.py --self-test     ends with 77, for "skipped", where git is missing

A row is: kind of case | tests, each as `program: test case` with <br> between them | result. What a
program of GPU tests did is in the record; host tests run wherever ctest does.
"""
import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import sys

ROW = re.compile(r"^\| (.+?) \| (`.+`) \|(.*)\|$")
TEST = re.compile(r"`([^`:]+): ([^`]+)`")
TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")


def source_of(root, program):
    """The file of a test program, or None."""
    found = [path for path in (root / "test").rglob(f"{program}.c*")
             if path.suffix in (".cu", ".cpp")]
    return found[0] if found else None


def test_cases(path):
    """The names of the test cases in a file, strings of two lines put together."""
    text = re.sub(r'"\s*\n\s*"', "", path.read_text(encoding="utf-8"))
    return set(re.findall(r'TEST_CASE(?:_TEMPLATE)?\(\s*"((?:[^"\\]|\\.)*)"', text))


def sources(root):
    """The hash that test/gpu.sh records of what git has staged; None where there is no git."""
    try:
        done = subprocess.run(["git", "ls-files", "-s", "--", "cmerge", "test",
                               ":(exclude)test/gpu/validated.json", ":(exclude)test/bench"],
                              cwd=root, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return hashlib.sha256(done.stdout).hexdigest()


def result(record, programs, gpu_programs, is_current):
    """What is known of some programs: one line for the host, one for the GPU; and what failed."""
    places, failed = [], []
    if any(program not in gpu_programs for program in programs):
        places.append("host")
    on_gpu = [program for program in programs if program in record["tests"]]
    if on_gpu:
        runs = [record["tests"][program] for program in on_gpu]
        tools = [tool for tool in TOOLS
                 if all(program in record["sanitizer"].get(tool, {}) for program in on_gpu)]
        runs += [record["sanitizer"][tool][program] for tool in tools for program in on_gpu]
        failed = [run for run in runs if run["failed"] or not run["run"]]
        places.append(record["device"].replace("NVIDIA ", "") +
                      ("" if is_current else ", older sources") +
                      (f" ({', '.join(tools)})" if tools and len(tools) < 4 else
                       " (all four tools)" if tools else ""))
    text = ("failed: " if failed else "passes: ") + "; ".join(places) if places else ""
    missing = [p for p in programs if p in gpu_programs and p not in record["tests"]]
    if missing:
        text += ("; " if text else "") + "not in the record: " + ", ".join(dict.fromkeys(missing))
    return text, bool(failed)


def check(root, write, current):
    """Prints the faults of the table; `current` is the hash of the sources that are there."""
    path = root / "docs" / "cases.md"
    record = json.loads((root / "test" / "gpu" / "validated.json").read_text(encoding="utf-8"))
    gpu_programs = set()
    for path_of_list in (root / "test").rglob("CMakeLists.txt"):
        gpu_programs.update(re.findall(r"(?m)^ *cmerge_add_gpu_test\((\w+)\.c",
                                       path_of_list.read_text(encoding="utf-8")))
    faults, lines = [], []
    # A record of other sources says nothing of test cases that came later.
    is_current = current in (None, record["sources"])
    rows = 0
    for line in path.read_text(encoding="utf-8").splitlines():
        row = ROW.match(line)
        if row:
            rows += 1
            programs = []
            for program, name in TEST.findall(row[2]):
                programs.append(program)
                source = source_of(root, program)
                if source is None:
                    faults.append(f"{program}: there is no such test program")
                elif name not in test_cases(source):
                    faults.append(f"{program}: no test case is called {name!r}")
            text, failed = result(record, programs, gpu_programs, is_current)
            if failed:
                faults.append(f"{row[1]}: failed on the GPU")
            line = f"| {row[1]} | {row[2]} | {text} |"
        lines.append(line)
    if rows == 0:
        faults.append("docs/cases.md: no row was understood")
    for fault in faults:
        print(fault)
    if write:
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{rows} kinds of cases, {len(faults)} faults")
    return 1 if faults else 0


def self_test():
    import tempfile
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for place in ("docs", "test/gpu"):
            (root / place).mkdir(parents=True)
        (root / "test" / "test_a.cu").write_text('TEST_CASE("one") {}\nTEST_CASE_TEMPLATE(\n'
                                                 '    "two "\n    "lines", T, int) {}\n')
        (root / "test" / "CMakeLists.txt").write_text("cmerge_add_gpu_test(test_a.cu)\n")
        entry = {"run": 2, "failed": 0, "seconds": 1}

        def faults(tests, failed=0, current=None):
            record = {"device": "NVIDIA X", "sources": "recorded",
                      "tests": {"test_a": {**entry, "failed": failed}},
                      "sanitizer": {tool: {"test_a": entry} for tool in TOOLS}}
            (root / "test" / "gpu" / "validated.json").write_text(json.dumps(record))
            (root / "docs" / "cases.md").write_text(f"# Cases\n\n| a | {tests} | |\n")
            return check(root, True, current)

        assert faults("`test_a: one`<br>`test_a: two lines`") == 0
        assert "| passes: X (all four tools) |" in (root / "docs" / "cases.md").read_text()
        assert faults("`test_a: one`", current="others") == 0
        assert "| passes: X, older sources (all" in (root / "docs" / "cases.md").read_text()
        assert faults("`test_a: one`", current="recorded") == 0
        assert "| passes: X (all" in (root / "docs" / "cases.md").read_text()
        assert faults("`test_a: three`") == 1
        assert faults("`test_b: one`") == 1
        assert faults("`test_a: one`", failed=1) == 1
        assert faults("nothing") == 1

        assert sources(root) is None
        if shutil.which("git") is None:
            print("skipped: git is missing, so no hash of what it has staged was taken")
            return 77
        subprocess.run(["git", "init", "-q", str(root)], check=True)
        before = sources(root)
        subprocess.run(["git", "add", "test"], cwd=root, check=True)
        assert None not in (before, sources(root)) and before != sources(root)
    print("as it should be")
    return 0


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    write = arguments[:1] == ["--write"]
    if len(arguments) != (2 if write else 1):
        sys.exit(__doc__.strip())
    root = pathlib.Path(arguments[-1])
    return check(root, write, sources(root))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
