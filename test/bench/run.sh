#!/usr/bin/env bash
# SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs the GPU merge benchmarks, writes Google Benchmark's JSON, and prints a table.
#
# usage: run.sh [--binary PATH] [--set core|sizes|inputs|all | --filter REGEX] [--warm] OUT.json
#   --binary PATH   a built bench_merge; without, it is built in <repository>/build/bench
#   --set NAME      core    i32 at five sizes, every rival; the other types at 2^28 (default)
#                   sizes   four types at every second size: figures over size
#                   inputs  every distribution and split at 2^28: figures over distributions
#                   all     these three
#   --filter REGEX  benchmarks of your choice: merge/<type>/<log2>/<distribution>/<split>/<rival>
#   --warm          do not keep small inputs out of the cache
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
binary='' filter='' set=core warm='' out=''
while [ $# -gt 0 ]; do
  case $1 in
    --binary) binary=$2; shift ;;
    --set) set=$2; shift ;;
    --filter) filter=$2; shift ;;
    --warm) warm=--warm ;;
    -*) sed -n 's/^# \{0,1\}//; 4,14p' "$0" >&2; exit 2 ;;
    *) out=$1 ;;
  esac
  shift
done
[ -n "$out" ] || { echo "run.sh: where to? give OUT.json" >&2; exit 2; }

rivals='(copy|thrust|cub|cmerge)'
core='empty/|merge/i32/(16|20|22|24|28)/random/1:1/'
core+='|merge/[^/]*/28/random/1:1/(copy|cub|cmerge)/'
sizes="merge/(i32|i64|i32-i32|i64-i64)/[123][02468]/random/1:1/$rivals/"
inputs="merge/(i32|i64|i32-i32)/28/[^/]*/[^/]*/$rivals/"
if [ -z "$filter" ]; then
  case $set in
    core) filter="^($core)" ;;
    sizes) filter="^($sizes)" ;;
    inputs) filter="^($inputs)" ;;
    all) filter="^($core|$sizes|$inputs)" ;;
    *) echo "run.sh: no set is called $set" >&2; exit 2 ;;
  esac
fi

if [ -z "$binary" ]; then
  build=$here/../../build/bench
  cmake -S "$here/../.." -B "$build" -DCMAKE_BUILD_TYPE=Release -DCMERGE_BUILD_TESTS=OFF \
    -DCMERGE_BUILD_EXAMPLES=OFF
  cmake --build "$build" --target bench_merge
  binary=$build/test/bench/bench_merge
fi

# What the CUDA runtime cannot tell, as key=value pairs without commas.
context=''
if command -v nvidia-smi > /dev/null; then
  IFS=, read -r driver sm memory power < <(nvidia-smi --format=csv,noheader --id=0 \
    --query-gpu=driver_version,clocks.max.sm,clocks.max.memory,power.limit | tr -d ' ') || true
  context="driver=${driver:-?},max_sm_clock=${sm:-?},max_memory_clock=${memory:-?}"
  context+=",power_limit=${power:-?}"
fi

mkdir -p "$(dirname "$out")"
out=$(cd "$(dirname "$out")" && pwd)/$(basename "$out")
cd "$(dirname "$binary")"
"./$(basename "$binary")" $warm --benchmark_filter="$filter" --benchmark_out="$out" \
  --benchmark_out_format=json ${context:+--benchmark_context="$context"} > /dev/null
python3 "$here/results.py" "$out"
