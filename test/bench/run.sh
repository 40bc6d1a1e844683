#!/usr/bin/env bash
# SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs the GPU merge benchmarks, writes Google Benchmark's JSON, and prints tables.
#
# usage: run.sh [--binary PATH] [--cccl DIR] [--set NAME | --filter REGEX] [--warm] OUT.json
#   --binary PATH   a built bench_merge; without, it is built in <repository>/build/bench
#   --cccl DIR      builds it in build/bench_cccl, with the CCCL in DIR instead of the toolkit's:
#                   the folder that holds cub/, thrust/ and cuda/
#   --set NAME      core       i32 at five sizes, every rival (the default, with types)
#                   types      every type at the sizes of targets.csv, large values, iterators
#                   sizes      four types at every second size: figures over size
#                   inputs     every distribution and split at 2^28: figures over distributions
#                   all        core, types, sizes and inputs
#                   cub        CUB alone, of everything in all: enough for another CCCL's column
#   --filter REGEX  benchmarks of your choice: merge/<type>/<log2>/<distribution>/<split>/<rival>
#   --warm          do not keep small inputs out of the cache
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
binary='' cccl='' filter='' set=default warm='' out=''
while [ $# -gt 0 ]; do
  case $1 in
    --binary) binary=$2; shift ;;
    --cccl) cccl=$2; shift ;;
    --set) set=$2; shift ;;
    --filter) filter=$2; shift ;;
    --warm) warm=--warm ;;
    -*) sed -n 's/^# \{0,1\}//; 4,18p' "$0" >&2; exit 2 ;;
    *) out=$1 ;;
  esac
  shift
done
[ -n "$out" ] || { echo "run.sh: where to? give OUT.json" >&2; exit 2; }

# Rivals: who merges all, who merges keys alone (Thrust is slow), who merges at five sizes.
rivals='(copy|cub|cmerge)' with_thrust='(copy|thrust|cub|cmerge)' every=''
[ "$set" != cub ] || rivals=cub with_thrust=cub every=cub/
keys='i8|i16|i32|u32|f32|i64|f64|i128|rec'
core="empty/|merge/i32/(16|20|22|24|28)/random/1:1/$every"
types="merge/($keys|i8-i32|i32-i32|i64-i32|i64-i64)/28/random/1:1/$rivals/"
types+="|merge/i(8|16|32|64)/24/random/1:1/$rivals/|merge/i32/(16|20|22|30)/random/1:1/$rivals/"
# Each of these is about 1 GiB, but for b16.
types+="|merge/i32-(b16/27|b32/25|b64/24|b128/23|b256/22)/random/1:1/$rivals/"
types+="|merge/(counting|transform|zip)_[^/]*/28/[^/]*/1:1/$rivals/"
sizes="merge/(i32-i32|i64-i64)/(1[02468]|2[02468])/random/1:1/$rivals/"
sizes+="|merge/(i32|i64)/(1[02468]|2[02468])/random/1:1/$with_thrust/"
sizes+="|merge/i32/30/random/1:1/$with_thrust/"
# The copy is that of random keys and equal halves.
inputs="merge/(i32|i64)/28/([^/]*/1:1|random/[^/]*)/${with_thrust/copy|/}/"
inputs+="|merge/(i32-i32|i64-i64)/28/([^/]*/1:1|random/[^/]*)/${rivals/copy|/}/"
if [ -z "$filter" ]; then
  case $set in
    default) filter="^($core|$types)" ;;
    core) filter="^($core)" ;;
    types) filter="^($types)" ;;
    sizes) filter="^($sizes)" ;;
    inputs) filter="^($inputs)" ;;
    all | cub) filter="^($core|$types|$sizes|$inputs)" ;;
    *) echo "run.sh: no set is called $set" >&2; exit 2 ;;
  esac
fi

if [ -z "$binary" ]; then
  build=$here/../../build/bench${cccl:+_cccl}
  cmake -S "$here/../.." -B "$build" -DCMAKE_BUILD_TYPE=Release -DCMERGE_BUILD_TESTS=OFF \
    -DCMERGE_BUILD_EXAMPLES=OFF -DCMERGE_BENCH_CCCL="$cccl"
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
