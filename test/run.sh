#!/usr/bin/env bash
# SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs missing packages, builds the tests in build/tests and runs them.
# usage: bash test/run.sh [--all] [ctest options...]
#   bash test/run.sh              with a GPU all tests; without one, those that can run, and one GPU
#                                 test is compiled
#   bash test/run.sh --all        builds all tests, also those that cannot run without a GPU
#   bash test/run.sh -R co_rank   builds and runs the tests with matching names
#
# Without a GPU the build optimises less: -O1 for host code, and CMERGE_CHECK_ONLY for GPU code.
#
# Environment:
#   CMERGE_CMAKE_ARGS   options for CMake, for example -DCMAKE_CUDA_ARCHITECTURES=80
#   CMERGE_BUILD_DIR    another build folder
#   CMERGE_SETUP=0      installs nothing, for a machine without a network
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export PATH="$PATH:/usr/local/cuda/bin"

all=no
options=() # for ctest
for argument in "$@"; do
  if [ "$argument" = --all ]; then all=yes; else options+=("$argument"); fi
done
mode=(-DCMERGE_CHECK_ONLY=ON -DCMAKE_CXX_FLAGS_RELEASE=-O1)
if nvidia-smi -L > /dev/null 2>&1; then
  all=yes
  mode=(-DCMERGE_CHECK_ONLY=OFF "-DCMAKE_CXX_FLAGS_RELEASE=-O3 -DNDEBUG")
fi
build="${CMERGE_BUILD_DIR:-build/tests}"
jobs="$(nproc)"

step="setup"
trap '[ $? -eq 0 ] || echo "test/run.sh: $step failed" >&2' EXIT
if [ "${CMERGE_SETUP:-1}" != 0 ]; then
  bash .ci/setup.sh tests
fi

step="configuration"
configure=(-S . -B "$build" -DCMERGE_BUILD_TESTS=ON -DCMERGE_BUILD_EXAMPLES=OFF
  -DCMERGE_BUILD_BENCHMARKS=OFF)
if [ ! -f "$build/CMakeCache.txt" ] && command -v ninja > /dev/null; then
  configure+=(-G Ninja)
fi
read -r -a arguments <<< "${CMERGE_CMAKE_ARGS:-}"
cmake "${configure[@]}" "${mode[@]}" "${arguments[@]}"

# selected [ctest options...]: the names of these tests, one a line.
selected() {
  ctest --test-dir "$build" -N "$@" | sed -nE 's/^ *Test +#[0-9]+: ([^ ]+).*/\1/p'
}

# Labels are explained in test/CMakeLists.txt.
filter=()
if [ "$all" = no ]; then filter=(-L '^(host|script|smoke)$'); fi
mapfile -t tests < <(selected "${filter[@]}" "${options[@]}")

step="selecting tests"
if [ ${#tests[@]} -eq 0 ]; then
  echo "test/run.sh: no test matches: ${options[*]@Q}" >&2
  if [ "$all" = no ]; then echo "GPU tests need --all here, since there is no GPU." >&2; fi
  exit 1
fi

step="build"
targets=(all)
if [ "$all" = no ] || [ ${#options[@]} -gt 0 ]; then
  # A test that needs something built has the name of its target.
  mapfile -t targets < <(comm -12 <(printf '%s\n' "${tests[@]}" | sort) \
    <(cmake --build "$build" --target help | grep -oE '\w+' | sort -u))
fi
if [ ${#targets[@]} -gt 0 ]; then
  cmake --build "$build" --parallel "$jobs" --target "${targets[@]}"
fi

step="a test"
if [ "$all" = no ]; then
  gpu=$(($(selected -L '^gpu$' "${options[@]}" | wc -l) -
    $(selected -L '^smoke$' "${options[@]}" | wc -l)))
  nvcc=$(selected -L '^nvcc$' "${options[@]}" | wc -l)
  if [ $((gpu + nvcc)) -gt 0 ]; then
    echo
    echo "No GPU here. Left out: $gpu GPU tests, which can only be compiled, and $nvcc tests that" \
      "check nvcc's output."
    echo "To compile the former and run the latter: bash test/run.sh --all ${options[*]@Q}"
    echo
  fi
fi
ctest --test-dir "$build" --output-on-failure --parallel "$jobs" --no-tests=error \
  "${filter[@]}" "${options[@]}"
