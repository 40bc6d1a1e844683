#!/usr/bin/env bash
# SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Times examples/merge_lines against `LC_ALL=C sort -m` on two sorted files of 500 MB each.
# usage: bash test/bench/merge_lines.sh PROGRAM [random|log|short]... [-- OPTION...]
#   PROGRAM  the built example, for example build/examples/examples/merge_lines
#   random   lines of 20 to 60 random letters and digits (what is taken if none is named)
#   log      lines of a web server's log: long common beginnings, about 80 bytes
#   short    numbers below 65536: few bytes a line, many equal lines
#   OPTION   options of the program, for example --device cpu
#
# The files are made once, in $TMPDIR or /tmp, and stay there (cmerge_merge_lines). Both programs
# read them from the page cache and write a new file; the time is the median of three runs.
# (sort -m of two files is one thread's work, whatever its option --parallel says.)
set -euo pipefail
export LC_ALL=C

[ $# -gt 0 ] || { sed -n '5,10s/^# //p' "$0"; exit 2; }
program=$(realpath "$1")
shift
kinds=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do kinds+=("$1") && shift; done
[ $# -gt 0 ] && shift
[ ${#kinds[@]} -gt 0 ] || kinds=(random)
for kind in "${kinds[@]}"; do
  [[ $kind =~ ^(random|log|short)$ ]] || { echo "merge_lines.sh: no such lines: $kind" >&2; exit 2; }
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

# median NAME COMMAND...: of three runs, each of which writes the file NAME anew.
median() {
  local name=$1
  shift
  for _ in 1 2 3; do
    rm -f "$name"
    sync "$folder"  # or the last run's writing would slow this one down
    seconds "$@"
  done | sort -n | sed -n 2p
}

for kind in "${kinds[@]}"; do
  for i in 1 2; do
    [ -s "$kind$i" ] && continue
    free=$(df --output=avail -B1 . | tail -n 1)
    [ "$free" -gt $((8 * bytes)) ] || { echo "merge_lines.sh: disk too full: $folder" >&2; exit 1; }
    echo "making $folder/$kind$i"
    # The first program ends by a closed pipe: that is no error here.
    { make_lines "$kind" $i || true; } 2> /dev/null | head -c $bytes | sort -T . -o "$kind$i.part"
    mv "$kind$i.part" "$kind$i"
  done
  cat "$kind"[12] > /dev/null
  slow=$(median expected sort -m "$kind"1 "$kind"2 -o expected)
  fast=$(median merged "$program" "$kind"1 "$kind"2 -o merged "$@")
  cmp expected merged
  rm -f expected merged
  awk -v kind="$kind" -v slow="$slow" -v fast="$fast" 'BEGIN {
    printf "%-7s sort -m %.2f s, merge_lines %.2f s: %.1f times as fast\n", kind, slow, fast,
      slow / fast
  }'
done
