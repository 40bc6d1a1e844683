#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the table of hard cases in test/README.md against the tests and the record of GPU runs.

usage: cases.py ROOT              checks that each test in the table exists and that none failed
       cases.py --results ROOT    also prints the result of each row from test/gpu/validated.json
       cases.py --self-test       exits with 77 ("skipped") if git is missing

The table lies between the lines <!-- cases --> and <!-- end of cases -->; nothing else is read. A
row is `kind | tests`. The tests are `program: test case` with <br> between them. Both names may be
patterns with `*`, and each must match something. The results of GPU programs come from the record.
Host tests have none there, since every run of ctest includes them.
"""
import contextlib
import hashlib
import io
import json
import pathlib
import re
import shutil
import subprocess
import sys

BEGIN, END = "<!-- cases -->", "<!-- end of cases -->"
ROW = re.compile(r"^\| (.+?) \| (`.+`) \|$")
TEST = re.compile(r"`([^`:]+): ([^`]+)`")
TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")


def matches(names, pattern):
    """The names that a pattern matches, sorted. Only `*` is special."""
    expression = re.compile(".*".join(re.escape(part) for part in pattern.split("*")))
    return sorted(name for name in names if expression.fullmatch(name))


def test_cases(path):
    """The names of the test cases in a file. Strings over several lines are joined."""
    text = re.sub(r'"\s*\n\s*"', "", path.read_text(encoding="utf-8"))
    return set(re.findall(r'TEST_CASE(?:_TEMPLATE)?\(\s*"((?:[^"\\]|\\.)*)"', text))


def programs_of(root):
    """The test cases of each test program, and the set of programs that need a GPU."""
    cases = {path.stem: test_cases(path) for path in (root / "test").rglob("test_*.c*")
             if path.suffix in (".cu", ".cpp")}
    gpu = set()
    for path in (root / "test").rglob("CMakeLists.txt"):
        gpu.update(re.findall(r"(?m)^ *cmerge_add_gpu_test\((\w+)\.c",
                              path.read_text(encoding="utf-8")))
    return cases, gpu


def sources(root):
    """The hash of the staged sources, as test/gpu.sh records it; None without git."""
    try:
        done = subprocess.run(["git", "ls-files", "-s", "--", "cmerge", "test",
                               ":(exclude)test/gpu/validated.json", ":(exclude)test/bench"],
                              cwd=root, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return hashlib.sha256(done.stdout).hexdigest()


def result(record, programs, gpu_programs, is_current):
    """The results of these programs as a text, and whether one of them failed."""
    where, failed = [], []
    if any(program not in gpu_programs for program in programs):
        where.append("host")
    on_gpu = [program for program in programs if program in record["tests"]]
    if on_gpu:
        runs = [record["tests"][program] for program in on_gpu]
        tools = [tool for tool in TOOLS
                 if all(program in record["sanitizer"].get(tool, {}) for program in on_gpu)]
        runs += [record["sanitizer"][tool][program] for tool in tools for program in on_gpu]
        failed = [run for run in runs if run["failed"] or not run["run"]]
        where.append(record["device"].replace("NVIDIA ", "") +
                     ("" if is_current else ", older sources") +
                     (f" ({', '.join(tools)})" if tools and len(tools) < 4 else
                      " (all four tools)" if tools else ""))
    text = ("failed: " if failed else "passes: ") + "; ".join(where) if where else ""
    missing = [p for p in programs if p in gpu_programs and p not in record["tests"]]
    if missing:
        text += ("; " if text else "") + "not in the record: " + ", ".join(dict.fromkeys(missing))
    return text, bool(failed)


def find_tests(tests, cases, faults):
    """The programs that the tests of a row name. Adds a fault for each name without a match."""
    found = []
    for program, name in tests:
        programs = matches(cases, program)
        if not programs:
            faults.append(f"{program}: no test program has this name")
        elif not any(matches(cases[p], name) for p in programs):
            faults.append(f"{program}: no test case has the name {name!r}")
        found += [p for p in programs if matches(cases[p], name)]
    return found


def check(root, prints_results, current):
    """Prints the faults of the table. `current` is the hash of the present sources."""
    path = root / "test" / "README.md"
    record = json.loads((root / "test" / "gpu" / "validated.json").read_text(encoding="utf-8"))
    cases, gpu_programs = programs_of(root)
    # The record of other sources tells nothing about test cases added since.
    is_current = current in (None, record["sources"])
    faults, rows, is_inside = [], 0, False
    for line in path.read_text(encoding="utf-8").splitlines():
        is_inside = line == BEGIN or (is_inside and line != END)
        row = ROW.match(line) if is_inside else None
        if row:
            rows += 1
            programs = find_tests(TEST.findall(row[2]), cases, faults)
            text, failed = result(record, programs, gpu_programs, is_current)
            if failed:
                faults.append(f"{row[1]}: failed on the GPU")
            if prints_results:
                print(f"{row[1]}\n    {text}")
    if rows == 0:
        faults.append(f"{path}: no row between {BEGIN} and {END}")
    for fault in faults:
        print(fault)
    print(f"{rows} kinds of cases, {len(faults)} faults")
    return 1 if faults else 0


def self_test():
    import tempfile
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "test" / "gpu").mkdir(parents=True)
        page = root / "test" / "README.md"
        (root / "test" / "test_a_gpu.cu").write_text(
            'TEST_CASE("one") {}\nTEST_CASE_TEMPLATE(\n    "two "\n    "lines", T, int) {}\n')
        (root / "test" / "test_b.cpp").write_text('TEST_CASE("three (3)") {}\n')
        (root / "test" / "CMakeLists.txt").write_text("cmerge_add_gpu_test(test_a_gpu.cu)\n")
        entry = {"run": 2, "failed": 0, "seconds": 1}

        def faults(tests, failed=0, current=None):
            record = {"device": "NVIDIA X", "sources": "recorded",
                      "tests": {"test_a_gpu": {**entry, "failed": failed}},
                      "sanitizer": {tool: {"test_a_gpu": entry} for tool in TOOLS}}
            (root / "test" / "gpu" / "validated.json").write_text(json.dumps(record))
            page.write_text(f"| outside | `test_x: y` |\n{BEGIN}\n| a | {tests} |\n{END}\n"
                            "| outside | `test_x: y` |\n")
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                found = check(root, True, current)
            return found, printed.getvalue()

        def number_of_faults(tests, **others):
            return faults(tests, **others)[0]

        assert number_of_faults("`test_a_gpu: one`<br>`test_a_gpu: two lines`") == 0
        assert "    passes: X (all four tools)\n" in faults("`test_a_gpu: one`")[1]
        found, printed = faults("`test_a_gpu: one`", current="others")
        assert found == 0 and "    passes: X, older sources (all" in printed
        found, printed = faults("`test_a_gpu: one`", current="recorded")
        assert found == 0 and "    passes: X (all" in printed
        # Patterns.
        found, printed = faults("`test_a*: two *`<br>`test_b: three (*`")
        assert found == 0 and "    passes: host; X (all" in printed
        assert number_of_faults("`test_a*: three*`") == 1
        assert number_of_faults("`test_c*: *`") == 1
        assert number_of_faults("`test_a_gpu: three`") == 1
        assert number_of_faults("`test_c: one`") == 1
        assert number_of_faults("`test_a_gpu: one`", failed=1) == 1
        assert number_of_faults("nothing") == 1

        assert sources(root) is None
        if shutil.which("git") is None:
            print("skipped: without git there is no hash of the staged sources")
            return 77
        subprocess.run(["git", "init", "-q", str(root)], check=True)
        before = sources(root)
        subprocess.run(["git", "add", "test/test_a_gpu.cu"], cwd=root, check=True)
        staged = sources(root)
        assert None not in (before, staged) and before != staged
        subprocess.run(["git", "add", "test/gpu/validated.json"], cwd=root, check=True)
        assert sources(root) == staged
    print("self-test passed")
    return 0


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    prints_results = arguments[:1] == ["--results"]
    if len(arguments) != (2 if prints_results else 1):
        sys.exit(__doc__.strip())
    root = pathlib.Path(arguments[-1])
    return check(root, prints_results, sources(root))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
