#!/usr/bin/env bash
# SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Sets up the machine, builds the tests in build/tests and runs them.
# usage: bash test/run.sh [ctest arguments...]        e.g. bash test/run.sh -R co_rank
#
# Tests that need a GPU are compiled wherever there is nvcc, and skipped where there is no GPU.
# Environment: CMERGE_CMAKE_ARGS goes to CMake, for example -DCMAKE_CUDA_ARCHITECTURES=80;
# CMERGE_SETUP=0 leaves out the set-up, for a machine without a network.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export PATH="$PATH:/usr/local/cuda/bin"

step="the set-up"
trap '[ $? -eq 0 ] || echo "test/run.sh: $step failed" >&2' EXIT

if [ "${CMERGE_SETUP:-1}" != 0 ]; then
  bash .ci/setup.sh tests
fi

step="configuring"
build=build/tests
generator=()
if [ ! -f "$build/CMakeCache.txt" ] && command -v ninja > /dev/null; then
  generator=(-G Ninja)
fi
# Several arguments, so without quotes.
# shellcheck disable=SC2086
cmake -S . -B "$build" "${generator[@]}" -DCMERGE_BUILD_TESTS=ON -DCMERGE_BUILD_EXAMPLES=OFF \
  -DCMERGE_BUILD_BENCHMARKS=OFF ${CMERGE_CMAKE_ARGS:-}

step="the build"
cmake --build "$build" --parallel "$(nproc)"

step="a test"
ctest --test-dir "$build" --output-on-failure --parallel "$(nproc)" "$@"
