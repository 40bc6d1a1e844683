#!/usr/bin/env bash
# SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Tests programs without code for the GPU. An example and merge_lines --device gpu fail and print the
# reason. merge_lines --device auto merges on the CPU.
# usage: bash test_no_gpu_code.sh EXAMPLE MERGE_LINES     (both built for other GPUs only)
set -uo pipefail
export LC_ALL=C

example=$1
merge_lines=$2
why='no code for the GPU, .* (sm_[0-9]*); build it with -DCMAKE_CUDA_ARCHITECTURES=[0-9]*$'
wrong=0
fail() {
  echo "WRONG: $*"
  wrong=$((wrong + 1))
}

said=$("$example" 2>&1)
status=$?
if [ $status -eq 0 ] || [ $status -eq 77 ]; then
  echo "test_no_gpu_code: skipped: this needs a GPU of another kind: ${said:-the program ran}"
  exit 77
fi
echo "$said"
[ $status -eq 1 ] || fail "the example: exit status $status"
grep -q "$why" <<< "$said" || fail "the example does not print the reason"

said=$("$merge_lines" --device gpu /dev/null /dev/null 2>&1)
status=$?
echo "$said"
[ $status -eq 2 ] || fail "merge_lines --device gpu: exit status $status"
grep -q "^merge_lines: --device gpu: .*$why" <<< "$said" || fail "merge_lines does not print the reason"

said=$("$merge_lines" --device auto <(printf 'a\nc\n') <(printf 'b\n') --stats 2>&1)
status=$?
echo "$said"
[ $status -eq 0 ] || fail "merge_lines --device auto: exit status $status"
grep -q 'backend cpu' <<< "$said" || fail 'merge_lines --device auto: did not use the CPU'
[ "$(head -n 3 <<< "$said")" = $'a\nb\nc' ] || fail 'merge_lines --device auto: wrong result'

echo "test_no_gpu_code: $wrong wrong"
[ $wrong -eq 0 ]
