#!/usr/bin/env bash
# SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What each strategy asks of the GPU: hardware counters of one launch of each of its kernels, read
# by Nsight Compute. Writes them as CSV and prints tables for the docs. Needs a GPU and ncu.
#
# usage: counters.sh [--binary PATH] [--type TYPE] [--log2 N] [--rows ROWS] OUT.csv
#   --binary PATH   a built bench_merge; without, it is built in <repository>/build/bench
#   --type TYPE     i32 (the default), i64 or i32-i32: types with each strategy forced
#   --log2 N        2^N outputs (26)
#   --rows ROWS     not strategies, but the default tuning, for these benchmarks:
#                   <type>/<log2>/<distribution>, between spaces
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
binary='' type=i32 log2=26 rows='' out=''
while [ $# -gt 0 ]; do
  case $1 in
    --binary) binary=$2; shift ;;
    --type) type=$2; shift ;;
    --log2) log2=$2; shift ;;
    --rows) rows=$2; shift ;;
    -*) sed -n 's/^# \{0,1\}//; 5,13p' "$0" >&2; exit 2 ;;
    *) out=$1 ;;
  esac
  shift
done
[ -n "$out" ] || { echo "counters.sh: where to? give OUT.csv" >&2; exit 2; }
command -v ncu > /dev/null || { echo "counters.sh: there is no ncu here" >&2; exit 1; }

metrics=(
  gpu__time_duration.sum
  dram__bytes_read.sum
  dram__bytes_write.sum
  dram__throughput.avg.pct_of_peak_sustained_elapsed
  l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum
  l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
  lts__t_sectors_op_read.sum
  lts__t_sectors_srcunit_tex_op_read.sum # of these, what goes to SMs, bulk copies included
  l1tex__data_pipe_lsu_wavefronts_mem_shared.sum
  smsp__inst_executed.sum
  smsp__issue_active.avg.pct_of_peak_sustained_active
  sm__warps_active.avg.pct_of_peak_sustained_active
  launch__registers_per_thread
)
for reason in barrier long_scoreboard short_scoreboard mio_throttle lg_throttle wait not_selected; do
  metrics+=("smsp__average_warps_issue_stalled_${reason}_per_issue_active.ratio")
done

if [ -z "$binary" ]; then
  build=$here/../../build/bench
  cmake -S "$here/../.." -B "$build" -DCMAKE_BUILD_TYPE=Release -DCMERGE_BUILD_TESTS=OFF \
    -DCMERGE_BUILD_EXAMPLES=OFF
  cmake --build "$build" --target bench_merge
  binary=$build/test/bench/bench_merge
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# profile NAME BENCHMARK KERNELS COUNT: the log of ncu, in $work/NAME. The names of kernels are
# anchored, since Thrust's device_merge_kernel makes the result that others are compared with.
profile() {
  local log=$work/$1 known=() metric
  : > "$log"
  if ncu --clock-control none --csv --page raw --print-units base --log-file "$log" \
    --kernel-name "regex:^($3)\$" --launch-count "$4" --metrics "$(IFS=,; echo "${metrics[*]}")" \
    "$binary" --benchmark_filter="^merge/$2/" > "$work/output" 2>&1 &&
    grep -q '^"ID"' "$log"
  then
    return
  fi
  cat "$log" "$work/output" >&2
  # A counter that this GPU or this ncu does not know is left out.
  for metric in "${metrics[@]}"; do
    if ! cat "$log" "$work/output" | grep -E '==(ERROR|WARNING)==' | grep -qF "${metric%%.*}"; then
      known+=("$metric")
    fi
  done
  if [ ${#known[@]} -eq 0 ] || [ ${#known[@]} -eq ${#metrics[@]} ]; then
    echo "counters.sh: ncu failed with the strategy $1" >&2
    exit 1
  fi
  metrics=("${known[@]}")
  profile "$@"
}
logs=()
if [ -n "$rows" ]; then
  for row in $rows; do
    IFS=/ read -r type log2 distribution <<< "$row"
    # Of a row with one launch, these are two calls.
    name=${row//\//_}
    profile "$name" "$type/$log2/$distribution/1:1/cmerge" 'partition_kernel|merge_kernel' 2
    logs+=("$row@$((1 << log2))=$work/$name")
  done
else
  benchmark="$type/$log2/random/1:1"
  for strategy in basic tiled circular; do
    profile $strategy "$benchmark/cmerge_$strategy" merge_kernel 1
  done
  # It has two launches, in this order.
  profile single "$benchmark/cmerge_single" 'partition_kernel|merge_kernel' 2
  for strategy in basic tiled circular single; do
    logs+=("$strategy@$((1 << log2))=$work/$strategy")
  done
fi
python3 "$here/counters.py" "$out" "${logs[@]}"
