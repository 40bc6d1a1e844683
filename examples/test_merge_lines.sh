#!/usr/bin/env bash
# SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compares merge_lines with `LC_ALL=C sort -m`, byte by byte, and tests its failures.
# usage: bash test_merge_lines.sh PROGRAM [cpu|gpu]
set -uo pipefail
export LC_ALL=C

program=$(realpath "$1")
device=${2:-cpu}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
mkdir tmp
export TMPDIR=$work/tmp

if [ "$device" = gpu ] && ! "$program" --device gpu /dev/null /dev/null; then
  echo "test_merge_lines: skipped"
  exit 77
fi

windows=(1 9 4096 '')
# With a GPU, the start takes half a second, so there are fewer runs.
[ "$device" = gpu ] && windows=(64 '')

checks=0
wrong=0
fail() {
  echo "WRONG: $*"
  wrong=$((wrong + 1))
}
merge() { "$program" --device "$device" "$@"; }

# same NAME FILE1 FILE2: the output equals that of sort, for windows of every size.
same() {
  sort -m "$2" "$3" > expected
  local window
  for window in "${windows[@]}"; do
    checks=$((checks + 1))
    merge "$2" "$3" ${window:+--window $window} -o result || fail "$1: exit status $?"
    cmp -s expected result || fail "$1: differs from sort -m with window '$window'"
    rm -f result
  done
}

# fails STATUS PATTERN ARGUMENTS...: the exit status is STATUS, and the message matches PATTERN.
fails() {
  checks=$((checks + 1))
  local status=$1 pattern=$2 got
  shift 2
  merge "$@" > /dev/null 2> message
  got=$?
  [ $got -eq "$status" ] || fail "$*: exit status $got, not $status"
  grep -q -- "$pattern" message || fail "$*: prints '$(cat message)', not '$pattern'"
}

# ---- contents ----------------------------------------------------------------------------------
printf '' > empty
printf '\n' > newline
printf '\n\n\n' > blank
printf 'a\nb\nc\n' > abc
printf 'a\nb\nc' > abc_open
printf 'x' > x_open
printf 'a\na\na\na\n' > equal
printf 'a\nab\nabc\nabcd\nabcdefg\nabcdefgh\nabcdefghi\nabcdefghij\n' > prefixes
printf 'abcdef\nabcdefg\nabcdefg\nabcdefgh\nabcdefgi\nabcdefgia\n' > prefixes2
printf '\na\r\nab\r\nb\r\n' > carriage
printf '\n\0\n\0\0\na\na\0\na\0\0\na\0b\nab\n' > nul
printf 'a\0\0\0\0\0\0\na\0\0\0\0\0\0\0\na\0\0\0\0\0\0\0\0\na\0\0\0\0\0\0\0\1\n' > nul2
printf 'a\na\0\0\0\0\0\na\0\0\0\0\0\0\0\na\1\n' > nul3
printf 'a\n\177\n\200\n\300\201\n\377\n\377\377\n' > high
printf '\t\n \n!\nz\n\303\244\n' > mixed
files=(empty newline blank abc abc_open x_open equal prefixes prefixes2 carriage nul nul2 nul3
       high mixed)
for f in "${files[@]}"; do sort -c "$f" || fail "the test's own file $f is not sorted"; done
sort "${files[@]}" > all
partners=("${files[@]}")
[ "$device" = gpu ] && partners=(all)
for f in "${files[@]}"; do
  for g in "${partners[@]}"; do same "$f + $g" "$f" "$g"; done
done
same 'all of these lines' all all

# ---- sizes -------------------------------------------------------------------------------------
# Random bytes, few different lines, equal lines, long lines, and files that end with a page.
head -c 300000 /dev/urandom | sort > random1
head -c 200000 /dev/urandom | sort > random2
same 'random bytes' random1 random2
head -c 100000 /dev/urandom | tr '\0-\377' 'a\n[b*]' | sort > few1
head -c 200000 /dev/urandom | tr '\0-\377' 'a\n[b*]' | sort > few2
same 'few different lines' few1 few2
seq 100000 | sort > numbers1
seq 50000 3 200000 | sed 's/^/2026-01-01T00:00:00 host /' | sort > log1
seq 50000 5 200000 | sed 's/^/2026-01-01T00:00:00 host /' | sort > log2
same 'numbers' numbers1 log1
same 'common prefixes' log1 log2
same 'the same file twice' log1 log1
yes same | head -n 20000 > equal1
same 'one line many times' equal1 equal1
head -c 1000000 /dev/zero | tr '\0' 'q' > long1
(cat long1; echo; cat long1; echo r) > long2
same 'lines longer than a window' long1 long2
same 'a long line between short ones' long2 log1
for size in 4095 4096 4097 8192; do
  head -c $size /dev/zero | tr '\0' 'p' > "page_$size"  # ends at the end of a page, with no '\n'
  same "a file of $size bytes" "page_$size" abc_open
done
for threads in 1 2 3 8; do
  checks=$((checks + 1))
  merge numbers1 log1 --threads $threads --window 1000 | cmp -s - <(sort -m numbers1 log1) ||
    fail "$threads threads"
done

# ---- files -------------------------------------------------------------------------------------
checks=$((checks + 10))
sort -m log1 log2 > expected
merge <(cat log1) <(cat log2) | cmp -s - expected || fail 'pipes as inputs'
merge - log2 < log1 | cmp -s - expected || fail 'the standard input'
merge log2 - < <(cat log1) | cmp -s - <(sort -m log2 log1) || fail 'a pipe as the standard input'
cp log1 both && chmod 640 both
merge both log2 -o both && cmp -s both expected || fail 'the output is the first input'
[ "$(stat -c %a both)" = 640 ] || fail 'the mode of the output changed'
cp log2 both && ln -s both link
merge log1 both -o link && cmp -s both expected || fail 'the output is a link to an input'
[ -L link ] || fail 'the link was replaced'
merge log1 log2 -o new && [ "$(stat -c %a new)" = "$(printf %o $((0666 & ~$(umask))))" ] ||
  fail 'the mode of a new file'
merge log1 log2 >> new && cmp -s new <(cat expected expected) || fail 'appending'
merge --stats empty abc 2>&1 > /dev/null | grep -q "backend $device.* 3 lines, 6 bytes" ||
  fail 'the statistics'
"$program" --stats abc abc 2>&1 > /dev/null | grep -q 'backend cpu (faster than' ||
  fail '--device auto does not take the CPU'

# ---- files, as sort treats them ----------------------------------------------------------------
# Another user can run the program here. The shell commands below call it `merge`.
chmod 711 . && chmod 1777 tmp
mkdir bin bin/program bin/sort
cp "$program" bin/merge_lines
printf '#!/bin/sh\nexec "%s" --device %s "$@"\n' "$work/bin/merge_lines" "$device" \
  > bin/program/merge
printf '#!/bin/sh\nexec sort -m "$@"\n' > bin/sort/merge
chmod 755 bin/*/merge

# run_commands TOOL COMMANDS: runs them in a new folder TOOL with the files abc and log. Prints the
# exit status, the output, and each file's kind, target, mode, owner, links and checksum.
run_commands() {
  rm -rf "$1" && mkdir "$1" && cp abc "$1/abc" && cp log1 "$1/log"
  (
    cd "$1" || exit
    PATH=$work/bin/$1:$PATH bash -c "$2" > ../printed 2> ../message
    echo "exit status $?"
    cat ../printed
    find . -printf '%P %y %l %m %u %g %n\n' | sort
    find . -type f -exec cksum {} + | sort
  )
}

# as_sort NAME COMMANDS: the commands have the same result as with `sort -m` instead of `merge`.
as_sort() {
  checks=$((checks + 1))
  run_commands sort "$2" > expected
  run_commands program "$2" > result
  diff expected result || fail "$1: not as with sort -m (above: < sort -m). $(cat message)"
}

as_sort 'both inputs are the standard input, a file' 'merge - - < abc'
as_sort 'both inputs are the standard input, a pipe' 'cat abc | merge - -'
as_sort 'the standard input from its second line on' '{ read -r; merge - log; cat; } < abc'
as_sort 'the standard input is read to its end' '{ merge log - > out; cat; } < abc'
as_sort 'the standard input is at its end' '{ cat; merge - log; } < abc'
as_sort 'an output with no name' "merge abc log -o ''"
as_sort 'an input with no name' "merge '' log"
as_sort 'a link to a missing file' 'ln -s new link; merge abc log -o link'
as_sort 'links to another folder' \
  'mkdir a b; ln -s ../b/two a/one; ln -s "$TMPDIR/three" b/two; merge abc log -o a/one
   mv "$TMPDIR/three" b'
as_sort 'a link to a missing folder' 'ln -s no/new link; merge abc log -o link'
as_sort 'a link to itself' 'ln -s link link; merge abc log -o link'
as_sort 'a file with two names' 'ln log other; merge abc log -o log'
as_sort 'a long name' 'name=$(printf %0255d 0); merge abc log -o $name && merge abc $name -o $name'
as_sort 'a shorter output than before' 'cp log out; merge abc abc -o out; merge abc abc -o log'
as_sort 'an input is overwritten through the standard output' \
  'printf "1\n" | merge - log 1<> log'
if [ -e /dev/stdout ] && [ -e /dev/fd ]; then
  as_sort '/dev/stdout' 'merge abc log -o /dev/stdout'
  as_sort '/dev/stdout, to a file' '{ merge abc log -o /dev/stdout; echo more; } > out'
  as_sort '/dev/stdout, to the end of a file' \
    'cp log out; { merge abc log -o /dev/stdout; echo more; } >> out'
  as_sort '/dev/stdout, to an input' 'merge abc log -o /dev/stdout >> log'
  as_sort '/dev/stdout, to a file that has no name' \
    'exec 7<> out; rm out; merge abc log -o /dev/fd/7; cat <&7'
  as_sort '/dev/fd/7' '{ merge abc log -o /dev/fd/7; echo more >&7; } 7> out'
else
  echo 'left out: /dev/stdout, which is missing'
fi

generated=/sys/devices/system/cpu/online  # has a size and cannot be mapped
if [ -s "$generated" ]; then
  as_sort 'a file that cannot be mapped' "merge $generated abc; merge - abc < $generated"
else
  echo "left out: a file that cannot be mapped, because $generated is missing"
fi

if command -v setfattr > /dev/null && setfattr -n user.a -v b tmp; then
  as_sort 'attributes' 'setfattr -n user.a -v b log; merge abc log -o log; getfattr -d log'
else
  echo 'left out: attributes, because setfattr or the support of the file system is missing'
fi

# A private mount needs root, or user namespaces.
alone=()
for option in -m -rm; do
  [ ${#alone[@]} -eq 0 ] && unshare $option mount --bind abc tmp/../empty 2> message &&
    alone=(unshare "$option")
done
if [ ${#alone[@]} -gt 0 ]; then
  as_sort 'a mounted file' "touch place; ${alone[*]} sh -c '
    mount --bind log place && merge abc place -o place && merge place log -o log'"
else
  echo "left out: a mounted file: $(cat message)"
fi

nobody='setpriv --reuid=65534 --regid=65534 --clear-groups'
if [ "$(id -u)" -ne 0 ]; then
  as_sort 'a folder that cannot be written' \
    'mkdir f; cp log f/log; chmod 555 f; merge abc f/log -o f/log; merge abc f/log -o f/new
     chmod 755 f'
fi
if [ "$(id -u)" -eq 0 ] && $nobody bin/program/merge empty empty 2> message; then
  as_sort 'a folder of another user' "chmod 666 log; $nobody sh -c '
    merge abc log -o log; merge abc log -o new'"
  as_sort 'a file of another user in a folder that all can write' \
    "chmod 777 .; chmod 666 log; $nobody merge abc log -o log"
  as_sort 'a sticky folder' "chmod 1777 .; chmod 666 log; $nobody merge abc log -o log"
  as_sort 'a group that the user is not in' \
    "chmod 777 .; chown 65534:0 log; $nobody merge abc log -o log"
  as_sort 'a file that cannot be written' "chmod 777 .; $nobody merge abc log -o log"
  as_sort 'root and a file of another user' 'chown 65534:65534 log; merge abc log -o log'
else
  echo "left out: files of two users, which need root and setpriv"
fi

# ---- failures ----------------------------------------------------------------------------------
printf 'a\nc\nb\nd\n' > unsorted
fails 1 '^merge_lines: unsorted:3: disorder: b$' unsorted abc
fails 1 '^merge_lines: unsorted:3: disorder: b$' abc unsorted
fails 1 '^merge_lines: unsorted:3: disorder: b$' empty unsorted --window 1
(cat log1; echo '2026'; seq 1000) > unsorted
for window in 1 1000 100000000; do
  fails 1 "unsorted:$(($(wc -l < log1) + 1)): disorder: 2026$" log2 unsorted --window $window
done
fails 2 'missing: No such file or directory' missing abc
fails 2 'missing: No such file or directory' abc missing
fails 2 '\.: Is a directory' . abc
fails 2 '\.: Is a directory' abc abc -o .
fails 2 'missing/out: No such file or directory' abc abc -o missing/out
fails 2 '/dev/full: No space left on device' abc abc -o /dev/full
fails 2 'FILE2 is required' abc
fails 2 'device' abc abc --device quantum
if [ "$(id -u)" -ne 0 ]; then
  : > secret && chmod 0 secret
  fails 2 'secret: Permission denied' secret abc
  fails 2 'secret: Permission denied' abc abc -o secret
fi
checks=$((checks + 4))
merge abc abc > /dev/full 2> message && fail 'a full standard output'
grep -q 'standard output: No space left' message || fail "full: prints '$(cat message)'"
merge abc abc >&- 2> message && fail 'a closed standard output'
grep -q 'standard output: Bad file' message || fail "closed: prints '$(cat message)'"
{ merge numbers1 numbers1; echo $? > status; } 2> message | head -n 1 > /dev/null
[ "$(cat status)" = 2 ] || fail "a broken pipe: exit status $(cat status)"
grep -q 'standard output: Broken pipe' message || fail "broken pipe: prints '$(cat message)'"
cp abc kept && merge unsorted abc -o kept 2> /dev/null
cmp -s abc kept || fail 'a failed merge changed the output'

# unharmed NAME STATUS COMMANDS: the shell commands exit with STATUS; the file log stays the same.
unharmed() {
  checks=$((checks + 1))
  run_commands program "$3" > result
  [ "$(head -n 1 result)" = "exit status $2" ] || fail "$1: $(head -n 1 result), not $2"
  cmp -s log1 program/log || fail "$1: the output changed"
  compgen -G 'program/*.??????' && fail "$1: an unfinished file was left behind"
}
for links in 1 2; do
  link=$([ $links -eq 2 ] && echo 'ln log other;')
  limited='{ ulimit -f 1; merge abc log -o log; }'
  unharmed "a limit of the size, $links links" 153 "$link $limited"
  unharmed "a limit of the size, no signal, $links links" 2 "$link trap '' XFSZ; $limited"
  grep -q 'File too large' message || fail "a limit of the size: prints '$(cat message)'"
  unharmed "a wrong order, $links links" 1 "$link printf 'b\na\n' | merge - log -o log"
done

if [ ${#alone[@]} -gt 0 ]; then
  unharmed 'a full disk' 2 "mkdir full; ${alone[*]} sh -c '
    mount -t tmpfs -o size=3m none full && cp log full && ln full/log full/other || exit
    merge log full/log -o full/log; status=\$?; cmp log full/log || exit; exit \$status'"
  grep -q 'full/log: No space left' message || fail "a full disk: prints '$(cat message)'"
fi

# With windows of one line, the merge takes longer than the test needs to end it.
yes same | head -n 3000000 > program/equal
for signal in HUP INT QUIT TERM ALRM VTALRM PROF IO XCPU XFSZ USR1 USR2; do
  checks=$((checks + 1))
  (
    # The program would ignore signals that the shell has told its children to ignore.
    env --default-signal "$program" --device "$device" program/equal program/equal --window 1 \
      -o ended &
    until compgen -G '*.??????' > /dev/null || ! kill -0 $!; do sleep 0.01; done
    kill -$signal $!
    wait $!
    echo $? > status
  ) 2> message
  [ "$(cat status)" -eq $((128 + $(kill -l $signal))) ] ||
    fail "SIG$signal: exit status $(cat status)"
  compgen -G '*.??????' && fail "SIG$signal: an unfinished file was left behind"
  [ -e ended ] && fail "SIG$signal: there is an output"
  rm -f ./*.?????? ended
done

compgen -G '*.??????' && fail 'unfinished files were left behind'
compgen -G 'tmp/*' && fail 'temporary files were left behind'

echo "test_merge_lines: $checks checks with --device $device, $wrong wrong"
[ $wrong -eq 0 ]
