#!/usr/bin/env bash
# SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds the examples, and runs the main one on real data: it merges the American and the British
# word list of the distribution.
# usage: bash examples/run.sh
#
# Never prompts, and can be run again. On Debian or Ubuntu it installs missing packages, which needs
# root or sudo. Uses a CUDA toolkit and a GPU if there are any.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export LC_ALL=C
build=build/examples
words=/usr/share/dict

trap 'echo "run.sh: failed at line $LINENO: $BASH_COMMAND" >&2' ERR
step() { printf '\n== %s\n' "$*"; }

step 'Packages'
bash .ci/setup.sh examples
for list in american british; do
  [ -r "$words/$list-english" ] || { echo "run.sh: $words/$list-english is missing" >&2; exit 1; }
done

step "Build in $build"
# Prints the output of a command only if it fails.
quietly() {
  "$@" > "$build/build.log" 2>&1 || {
    tail -n 40 "$build/build.log" >&2
    echo "run.sh: failed: $* (complete output: $build/build.log)" >&2
    exit 1
  }
}
mkdir -p "$build"
generator=(-G Ninja)
[ -f "$build/CMakeCache.txt" ] && generator=()
quietly cmake -S . -B "$build" "${generator[@]}" -DCMAKE_BUILD_TYPE=Release \
  -DCMERGE_BUILD_EXAMPLES=ON -DCMERGE_BUILD_TESTS=OFF -DCMERGE_BUILD_BENCHMARKS=OFF
grep -o 'cmerge [0-9.]*: .*' "$build/build.log" || true
quietly cmake --build "$build" --parallel
echo "done: $build/examples/merge_lines"

step 'Two sorted word lists'
data=$build/data
mkdir -p "$data"
for list in american british; do
  # The lists are in dictionary order. merge_lines needs the order of bytes.
  sort "$words/$list-english" > "$data/$list.txt"
  printf '%8d lines, %8d bytes: %s\n' "$(wc -l < "$data/$list.txt")" \
    "$(wc -c < "$data/$list.txt")" "$words/$list-english"
done

step 'merge_lines american.txt british.txt -o merged.txt --stats'
"$build/examples/merge_lines" "$data/american.txt" "$data/british.txt" -o "$data/merged.txt" \
  --stats

step 'Some lines of the result'
grep -n -E '^(cent(er|re)|colou?r|gr[ae]y)$' "$data/merged.txt"
printf '%8d lines, %8d bytes: %s\n' "$(wc -l < "$data/merged.txt")" \
  "$(wc -c < "$data/merged.txt")" "$data/merged.txt"

step 'Compared with LC_ALL=C sort -m american.txt british.txt'
sort -m "$data/american.txt" "$data/british.txt" > "$data/expected.txt"
if cmp "$data/expected.txt" "$data/merged.txt"; then
  echo 'identical'
else
  echo 'run.sh: the results differ' >&2
  exit 1
fi

step 'The other examples, which check their own results'
ctest --test-dir "$build" -L example -E merge_lines --verbose |
  grep -E '^[0-9]+: [^ ]+: |Skipped  |Failed|% tests passed'
