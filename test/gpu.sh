#!/usr/bin/env bash
# SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs everything that needs a GPU: the tests, the tests under compute-sanitizer, and the examples.
# usage: bash test/gpu.sh [--build DIR] [--examples DIR] [--record] [--sources HASH]
#
# --build DIR     the build folder of the tests; builds them if one is missing (build/tests)
# --examples DIR  the build folder of the examples, which are optional (build/examples)
# --record        write the results to test/gpu/validated.json
# --sources HASH  the hash of the sources for the record, if there is no git
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export PATH="$PATH:/usr/local/cuda/bin"

build=build/tests
examples=build/examples
record=no
sources=""
while [ $# -gt 0 ]; do
  case "$1" in
    --build) build="$2"; shift ;;
    --examples) examples="$2"; shift ;;
    --record) record=yes ;;
    --sources) sources="$2"; shift ;;
    *)
      sed -n '/^# usage/,/^set/p' "$0" | sed '$d; s/^# \{0,1\}//' >&2
      exit 2
      ;;
  esac
  shift
done

nvidia-smi --query-gpu=name --format=csv,noheader || {
  echo "gpu: there is no GPU here" >&2
  exit 1
}

# Fails now rather than after an hour of tests.
if [ "$record" = yes ] && [ -z "$sources" ]; then
  sources="$(git ls-files -s -- cmerge test ':(exclude)test/gpu/validated.json' \
    ':(exclude)test/bench' | sha256sum | cut -d' ' -f1)" || {
    echo "gpu: --record without a git checkout needs --sources" >&2
    exit 1
  }
fi

# The name of a program is that of its file, or the NAME that follows it.
mapfile -t tests < <(
  sed -nE 's/^ *cmerge_add_gpu_test\((\w+)\.c\w+( NAME (\w+))?.*/\1 \3/p' \
    test/CMakeLists.txt test/odr/CMakeLists.txt | awk '{print $NF}')
mapfile -t example_names < <(sed -nE \
  's/^cmerge_add_example\((\w+)\.cu.*/\1/p' examples/CMakeLists.txt \
  examples/background/CMakeLists.txt 2> /dev/null)
# Programs that run under compute-sanitizer, in quick runs. Huge problems need no tool.
sanitized=()
for name in "${tests[@]}"; do
  if [ "$name" != test_huge_gpu ]; then sanitized+=("$name"); fi
done
# Many at a time, since most of them wait for the host most of the time.
jobs=$(($(nproc) < 24 ? $(nproc) : 24))
# Programs that need most of the device memory, check how much is free, or break the device.
alone=" test_huge_gpu test_streams_gpu test_errors_gpu "

# find_program DIR NAME: prints the path of a program in DIR or where a build puts it.
find_program() {
  local folder
  for folder in "$1" "$1/test" "$1/test/odr" "$1/examples" "$1/examples/background"; do
    if [ -x "$folder/$2" ] && [ -f "$folder/$2" ]; then
      echo "$folder/$2"
      return
    fi
  done
  return 1
}

for name in "${tests[@]}"; do
  if ! find_program "$build" "$name" > /dev/null; then
    echo "gpu: $name is missing in $build: building"
    cmake -S . -B "$build" -DCMERGE_CUDA=ON -DCMERGE_BUILD_TESTS=ON -DCMERGE_BUILD_EXAMPLES=OFF \
      -DCMERGE_BUILD_BENCHMARKS=OFF
    cmake --build "$build" --parallel "$(nproc)" --target "${tests[@]}"
    break
  fi
done

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
results="$work/results" # lines of: kind, name, cases run, cases failed, seconds

# note KIND NAME RUN FAILED SECONDS LOG
note() {
  printf '%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$4" "$5" >> "$results"
  echo "gpu: $1 $2: $3 run, $4 failed, $5 s"
  if [ "$4" != 0 ]; then
    echo "---- $1 $2 failed; of its output:"
    grep -m 12 '^=========' "$6" || true
    tail -n 40 "$6"
  fi
}

# uninitialized_reads LOG: prints how many initcheck found outside kernels of Thrust and CUB.
uninitialized_reads() {
  awk '/^=+ Uninitialized/ { getline; if (!/ at (void )?(thrust|cub)::/) ++reads }
    END { print reads + 0 }' "$1"
}

# run_test KIND NAME LIMIT COMMAND...: runs a doctest program, alone or under a tool.
run_test() {
  local kind="$1" name="$2" limit="$3" status=0 start=$SECONDS log="$work/$1_$2" run failed
  shift 3
  timeout "$limit" "$@" --no-colors=true > "$log" 2>&1 || status=$?
  local cases='s/^\[doctest\] test cases: *([0-9]+) \| *[0-9]+ passed \| *([0-9]+) failed.*/\1 \2/p'
  read -r run failed < <(sed -nE "$cases" "$log") || { run=0 failed=1; }
  # Ignores what initcheck finds in kernels of Thrust and CUB: Thrust copies the padding of tuples,
  # and CUB's merge of 1 KiB keys reads uninitialised memory.
  if [ "$kind" = initcheck ] && [ "$status" = 86 ] && [ "$(uninitialized_reads "$log")" = 0 ]; then
    status=0
  fi
  # A bad exit status without a failed case: a crash, a time-out, or findings of the tool.
  if [ "$status" != 0 ] && [ "$failed" = 0 ]; then failed=1; fi
  if [ "$run" = 0 ]; then failed=1; fi
  note "$kind" "$name" "$run" "$failed" $((SECONDS - start)) "$log"
}

# wait_for_slot: waits until fewer than $jobs programs run.
wait_for_slot() {
  while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n || true; done
}

for name in "${tests[@]}"; do
  if [[ "$alone" == *" $name "* ]]; then continue; fi
  wait_for_slot
  run_test test "$name" 180 "$(find_program "$build" "$name")" &
done
wait
for name in $alone; do
  run_test test "$name" 180 "$(find_program "$build" "$name")"
done

if command -v compute-sanitizer > /dev/null; then
  for tool in racecheck initcheck memcheck synccheck; do
    options=(--tool "$tool" --error-exitcode 86 --print-limit 0 --show-backtrace no)
    # Some tests provoke errors of the CUDA API.
    if [ "$tool" = memcheck ]; then options+=(--report-api-errors no); fi
    # Leaves out test cases that break the context of the device, and those with a kernel that waits
    # for the host: the tools let nothing run beside it.
    sane="--test-case-exclude=*breaks the device*,*while a kernel runs*"
    # racecheck does not see that a barrier of bulk copies is initialised again at the same address. It
    # reports the copies of its first life as unordered with those of the second. These test cases
    # initialise a barrier many times in a kernel; the other tools run them.
    if [ "$tool" = racecheck ]; then sane+=",*continues after the elements*"; fi
    for name in "${sanitized[@]}"; do
      # racecheck fails on launches from many threads ("failure to track a kernel launch"). Their
      # kernels are those of test_merge_gpu.
      if [ "$tool $name" = "racecheck test_streams_gpu" ]; then continue; fi
      wait_for_slot
      CMERGE_TEST_QUICK=1 run_test "$tool" "$name" 500 \
        compute-sanitizer "${options[@]}" "$(find_program "$build" "$name")" "$sane" &
    done
  done
  wait
else
  echo "gpu: compute-sanitizer is missing" > "$work/log"
  note memcheck all 0 1 0 "$work/log"
fi

for name in "${example_names[@]}"; do
  if program="$(find_program "$examples" "$name")"; then
    status=0 start=$SECONDS
    timeout 60 "$program" > "$work/log" 2>&1 || status=$?
    note example "$name" 1 $((status != 0)) $((SECONDS - start)) "$work/log"
  else
    echo "gpu: skipped: example $name is not built"
  fi
done

echo
printf '%-10s %-28s %8s %8s %8s\n' kind name run failed seconds
while IFS=$'\t' read -r kind name run failed seconds; do
  printf '%-10s %-28s %8s %8s %8s\n' "$kind" "$name" "$run" "$failed" "$seconds"
done < "$results"
failures=$(awk -F '\t' '$4 != 0' "$results" | wc -l)
echo "in all $SECONDS seconds, $failures failures"

if [ "$record" = yes ]; then
  python3 test/gpu/record.py "$results" "$sources" test/gpu/validated.json
fi
[ "$failures" = 0 ]
