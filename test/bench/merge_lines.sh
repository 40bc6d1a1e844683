#!/usr/bin/env bash
# SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Times examples/merge_lines against `LC_ALL=C sort -m` on two sorted files of 500 MB each, or the
# CPU against the GPU.
# usage: bash test/bench/merge_lines.sh PROGRAM [random|log|short]... [-- OPTION...]
#        bash test/bench/merge_lines.sh PROGRAM --table
#   PROGRAM  the built example, for example build/examples/examples/merge_lines
#   random   lines of 20 to 60 random letters and digits (what is taken if none is named)
#   log      lines of a web server's log: long common beginnings, about 80 bytes
#   short    numbers below 65536: few bytes a line, many equal lines
#   OPTION   options of the program, for example --device cpu
#   --table  random lines, 20, 200 and 735 MB of them in all, with 1, 2, 4 and 16 threads on the CPU
#            and with the GPU, its start included: what gpu_is_faster in
#            examples/merge_lines_gpu.h goes by. Medians of five runs
#
# The files are made once, in $TMPDIR or /tmp, and stay there (cmerge_merge_lines). Both programs
# read them from the page cache and write a new file; the time is the median of three runs. A folder
# in memory, such as TMPDIR=/dev/shm, keeps the disk out of it.
# (sort -m of two files is one thread's work, whatever its option --parallel says.)
set -euo pipefail
export LC_ALL=C

[ $# -gt 0 ] || { sed -n '/^# usage/,/^#$/s/^# \{0,1\}//p' "$0"; exit 2; }
program=$(realpath "$1")
shift
table=no
if [ $# -gt 0 ] && [ "$1" = --table ]; then table=yes && shift; fi
kinds=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do kinds+=("$1") && shift; done
[ $# -gt 0 ] && shift
[ ${#kinds[@]} -gt 0 ] || kinds=(random)
for kind in "${kinds[@]}"; do
  [[ $kind =~ ^(random|log|short)$ ]] || { echo "merge_lines.sh: unknown kind: $kind" >&2; exit 2; }
done
bytes=500000000
folder=${TMPDIR:-/tmp}/cmerge_merge_lines
mkdir -p "$folder"
cd "$folder"

# make_lines KIND SEED: endless unsorted lines.
make_lines() {
  case $1 in
    random)
      base64 -w 60 /dev/urandom | awk '{ print substr($0, 1, 20 + NR * 7919 % 41) }'
      ;;
    log)
      od -An -v -tu4 -w4 /dev/urandom | awk -v host="$2" '{
        t = NR * (host + 2)  # milliseconds
        printf "2026-03-14T%02d:%02d:%02d.%03d host-%02d nginx[%d]: GET /api/v1/items/%d 200\n",
          t / 3600000, t / 60000 % 60, t / 1000 % 60, t % 1000, host, $1 % 32768, $1 % 100000
      }'
      ;;
    short)
      od -An -v -tu2 -w2 /dev/urandom | awk '{ print $1 }'
      ;;
  esac
}

# seconds COMMAND...: how long it takes.
seconds() {
  local start=$EPOCHREALTIME
  "$@"
  awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.3f\n", b - a }'
}

# median RUNS NAME COMMAND...: of RUNS runs. Each run writes the file NAME again.
median() {
  local runs=$1 name=$2
  shift 2
  for _ in $(seq "$runs"); do
    rm -f "$name"
    sync "$folder"  # or the last run's writing would slow this one down
    seconds "$@"
  done | sort -n | sed -n $((runs / 2 + 1))p
}

# make_files KIND: two sorted files, unless they are there.
make_files() {
  local kind=$1 i free
  for i in 1 2; do
    [ -s "$kind$i" ] && continue
    free=$(df --output=avail -B1 . | tail -n 1)
    [ "$free" -gt $((8 * bytes)) ] || { echo "merge_lines.sh: disk too full: $folder" >&2; exit 1; }
    echo "making $folder/$kind$i"
    # The first program ends by a closed pipe: that is no error here.
    { make_lines "$kind" $i || true; } 2> /dev/null | head -c $bytes | sort -T . -o "$kind$i.part"
    mv "$kind$i.part" "$kind$i"
  done
}

if [ "$table" = yes ]; then
  "$program" --device gpu /dev/null /dev/null
  make_files random
  printf '%5s  %9s' MB 'sort -m'
  for threads in 1 2 4 16; do printf '  %9s %9s' "cpu, $threads" "gpu, $threads"; done
  echo '  (seconds; threads)'
  for megabytes in 20 200 735; do
    for i in 1 2; do
      # Lines from all over the file: both parts have the same range then.
      awk -v part=$((megabytes * 500000)) -v all=$bytes \
        '{ due += part / all } due >= 1 { due -= 1; print }' random$i > part$i
    done
    cmp <(sort -m part1 part2) <("$program" --device gpu part1 part2)
    printf '%5d  %9s' "$megabytes" "$(median 5 merged sort -m part1 part2 -o merged)"
    for threads in 1 2 4 16; do
      for device in cpu gpu; do
        printf '  %9s' "$(median 5 merged "$program" part1 part2 -o merged --threads $threads \
          --device $device)"
      done
    done
    echo
  done
  rm -f merged part1 part2
  exit
fi

for kind in "${kinds[@]}"; do
  make_files "$kind"
  cat "$kind"[12] > /dev/null
  slow=$(median 3 expected sort -m "$kind"1 "$kind"2 -o expected)
  fast=$(median 3 merged "$program" "$kind"1 "$kind"2 -o merged "$@")
  cmp expected merged
  rm -f expected merged
  awk -v kind="$kind" -v slow="$slow" -v fast="$fast" 'BEGIN {
    printf "%-7s sort -m %.2f s, merge_lines %.2f s: %.1f times as fast\n", kind, slow, fast,
      slow / fast
  }'
done
