#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the resource usage of the kernels of the library.

No kernel may spill registers or use a stack. No kernel may use generic loads and stores, which are
slower than those of shared or global memory.

usage: check_resources.py NVCC ROOT ARCH [ARCH ...] [-- NVCC-ARGUMENT ...]
       check_resources.py --self-test NVCC ROOT [-- NVCC-ARGUMENT ...]

Compiles test/resources.cu of the source tree at ROOT for each architecture, such as 90, and lists
its kernels. Exits with 77, which means "skipped" to ctest, if there is no NVCC.
"""
import concurrent.futures
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
MANY = 60  # minimum number of kernels in a complete report
STRATEGIES = ("basic", "tiled", "circular", "single", "indirect",
              "by_value")  # in the order of the enumerations
SIZES = ("moderate", "large", "huge")

FUNCTION = re.compile(r"Function properties for (\S+)\n\s*(\d+) bytes stack frame, "
                      r"(\d+) bytes spill stores, (\d+) bytes spill loads")
REGISTERS = re.compile(r"Used (\d+) registers")
# A load or store without a state space. (ld.shared.u32 has one.)
GENERIC = re.compile(r"^\s*(?:@!?%p\d+\s+)?(?:ld|st)(?:\.v[24])?\.[usbf]\d+\s", re.MULTILINE)


class Kernel:
    """One function and its resource usage."""

    def __init__(self, match, rest):
        self.name = match.group(1)
        self.stack, self.stores, self.loads = map(int, match.groups()[1:])
        registers = REGISTERS.match(rest.partition("info    : ")[2])
        self.registers = int(registers.group(1)) if registers else None
        self.generic = 0

    @property
    def is_faulty(self):
        return self.stack + self.stores + self.loads + self.generic > 0

    def __str__(self):
        text = f"{self.registers if self.registers is not None else '?':>4} registers"
        if self.is_faulty:
            text += (f", {self.stack} bytes of stack, {self.stores} stored, {self.loads} loaded, "
                     f"{self.generic} generic accesses")
        return f"{text}  {shorten(self.name)}"


def parse(report):
    """The functions in a report of ptxas -v."""
    return [Kernel(match, report[match.end():match.end() + 200])
            for match in FUNCTION.finditer(report)]


def count_generic(ptx):
    """The number of generic loads and stores in each kernel of a PTX text."""
    counts = {}
    for entry in ptx.split(".entry ")[1:]:
        name = re.match(r"\w+", entry)[0]
        counts[name] = len(GENERIC.findall(entry))
    return counts


def demangle(kernels):
    """Demangles the names of kernels if there is a tool for it."""
    tool = shutil.which("c++filt") or shutil.which("cu++filt")
    if not tool:
        return
    names = "\n".join(k.name for k in kernels)
    done = subprocess.run([tool], input=names, capture_output=True, text=True)
    for kernel, name in zip(kernels, done.stdout.splitlines()):
        kernel.name = name


def shorten(name):
    """A name such as merge_kernel<default_tuning, large, int, less> instead of four lines."""
    depth = 0
    for end, letter in enumerate(name):  # cuts the parameters off
        depth += {"<": 1, ">": -1}.get(letter, 0)
        if letter == "(" and depth == 0 and end > 0:
            name = name[:end]
            break
    name = re.sub(r"^void ", "", name)
    name = re.sub(r"\(cmerge::(?:v\d+::)?problem_size\)(\d)", lambda m: SIZES[int(m[1])], name)
    name = re.sub(r"\(cmerge::(?:v\d+::)?strategy\)(\d)", lambda m: STRATEGIES[int(m[1])], name)
    name = re.sub(r"thrust::\w+_NS::|cuda::std::(__\w+::)?|cmerge::(v\d+::)?(detail::)?|resources::"
                  r"|, (thrust::\w+::)?use_default", "", name)
    name = name.replace(", no_values, no_values, no_values", "")
    name = re.sub(r"([^,]+?) const\*, \1 const\*, \1\*", r"\1", name)
    name = re.sub(r"(\w+_iterator<.*?>), \1", r"\1", name)
    name = re.sub(r"merge_problem<(.*?)> ?>$", r"\1>", name)
    return name.replace("> >", ">>")


def compile_file(nvcc, root, arch, source, options):
    """The kernels of a file. Throws if it does not compile."""
    with tempfile.TemporaryDirectory() as folder:
        command = [nvcc, "-std=c++17", f"-arch=sm_{arch}", "-cubin", "-Xptxas", "-v", "-keep",
                   "-keep-dir", folder, "-o", "/dev/null", "-I", str(root), *options, str(source)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
        kernels = parse(done.stdout + done.stderr)
        generic = {}
        for ptx in pathlib.Path(folder).glob("*.ptx"):
            generic.update(count_generic(ptx.read_text()))
    for kernel in kernels:
        kernel.generic = generic.get(kernel.name, 0)
    demangle(kernels)
    return kernels


def check(nvcc, root, archs, source, options=(), many=MANY):
    """Prints all kernels. Returns the number of faults."""
    faults = 0
    with concurrent.futures.ThreadPoolExecutor() as pool:
        found = list(pool.map(lambda arch: compile_file(nvcc, root, arch, source, options), archs))
    for arch, kernels in zip(archs, found):
        print(f"sm_{arch}: {len(kernels)} kernels")
        for kernel in sorted(kernels, key=lambda k: (not k.is_faulty, shorten(k.name))):
            print("  FAULTY" if kernel.is_faulty else "        ", kernel)
            faults += kernel.is_faulty
        for name in ("merge_kernel", "partition_kernel"):
            if not any(name in k.name for k in kernels):
                print(f"  no {name} was found: the report was not understood")
                faults += 1
        if len(kernels) < many or any(k.registers is None for k in kernels):
            print("  kernels are missing: the report was not understood")
            faults += 1
    print(f"{faults} faults" if faults else "no kernel spills or has generic accesses")
    return faults


MERGE = """
#include <cmerge/detail/core/arguments.h>
#include <cmerge/detail/device/merge_kernel.cuh>
#include <cmerge/detail/device/partition_kernel.cuh>
using none = cmerge::detail::no_values;
template <class Compare>
void use() {
  using problem =
      cmerge::detail::merge_problem<const int*, const int*, int*, none, none, none, Compare>;
  (void)cmerge::detail::merge_kernel<cmerge::default_tuning, cmerge::problem_size::large, problem>;
  (void)cmerge::detail::partition_kernel<problem>;
}
template void use<cmerge::detail::less>();
"""
# Needs a stack in each comparison.
STACK = """
struct tabled {
  __device__ bool operator()(int x, int y) const {
    volatile int table[8] = {x, y, x, y, x, y, x, y};
    return table[y & 7] < y;
  }
};
template void use<tabled>();
"""
# Follows a pointer to any kind of memory.
INDIRECT = """
struct indirect {
  const int* const* table;
  __device__ bool operator()(int x, int y) const { return *table[x & 1] < y; }
};
template void use<indirect>();
"""
# Needs more registers than a thread of such a large block can have.
SPILL = """
__global__ void __launch_bounds__(1024) spill(int* p) {
  int kept[96];
  for (int i = 0; i < 96; ++i) kept[i] = p[i * 1024 + threadIdx.x];
  __syncthreads();
  for (int i = 0; i < 96; ++i) p[(95 - i) * 1024 + threadIdx.x] = kept[i];
}
"""


def self_test(nvcc, root, options):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "kernels.cu"

        def faults(text, many):
            path.write_text(text)
            return check(nvcc, root, ["90"], path, options, many)

        assert faults(MERGE, 2) == 0
        assert faults(MERGE, 3) == 1  # one is missing
        assert faults(MERGE + SPILL, 3) == 1
        assert faults(MERGE + STACK, 4) == 2
        assert faults(MERGE + INDIRECT, 4) == 2
        assert faults(SPILL, 1) == 3  # and both kernels of the library are missing
        try:
            faults("no program", 1)
            raise AssertionError("a file that does not compile was accepted")
        except RuntimeError:
            pass
    print("self-test passed")
    return 0


def main(arguments):
    options = []
    if "--" in arguments:
        at = arguments.index("--")
        arguments, options = arguments[:at], arguments[at + 1:]
    is_self_test = arguments[:1] == ["--self-test"]
    if is_self_test:
        arguments = arguments[1:]
    if len(arguments) < (2 if is_self_test else 3):
        sys.exit(__doc__.strip())
    nvcc, root = arguments[0], pathlib.Path(arguments[1])
    if shutil.which(nvcc) is None:
        print("skipped: there is no CUDA compiler")
        return SKIPPED
    if is_self_test:
        return self_test(nvcc, root, options)
    return 1 if check(nvcc, root, arguments[2:], root / "test" / "resources.cu", options) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
