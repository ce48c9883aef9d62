#!/bin/bash
# SPDX-License-Identifier: MIT
# fastcopy-tune record as a program: what it counts, exactly, and that the program does not notice; and what calibrate
# makes of it.
#
# usage: record.sh <settings> <build folder> <recorded program> [calibrate]
# calibrate: that part alone
set -eu
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/common.sh
. "$here/common.sh"

settings=$(realpath "$1")
build=$(realpath "$2")
recorded=$(realpath "$3")
cc=$(sed -n 's/^compiler //p' "$settings")
tune=$build/tune/fastcopy-tune
make_work
cd "$work"
mkdir tmp
export TMPDIR=$work/tmp

# field file function size name: a number of the line, 0 where there is none; the name "calls" is the number of calls
field() {
  awk -v function_="$2" -v size="$3" -v name="$4" '$1 == function_ && $2 == size {
    if (name == "calls") found = $3
    for (i = 4; i <= NF; i++) if (index($i, name "=") == 1) found = substr($i, length(name) + 2)
  } END { print found + 0 }' "$1"
}
# has file function size name number ...
has() {
  local file=$1 function=$2 size=$3 got
  shift 3
  while [ $# -gt 0 ]; do
    got=$(field "$file" "$function" "$size" "$1")
    if [ "$got" -eq "$2" ]; then pass; else fail "$file: $function of $size: $1 is $got, not $2"; fi
    shift 2
  done
}
# record file status program...
record() {
  local file=$1 wanted=$2 status=0
  shift 2
  "$tune" record -o "$file" -- "$@" >out 2>err || status=$?
  if [ "$status" -eq "$wanted" ] && [ -z "$(ls "$TMPDIR")" ]; then
    pass
  else
    fail "record $*: exit status $status, $(head -c 500 out err; ls "$TMPDIR")"
  fi
}

if [ "${4:-}" = calibrate ]; then
  # one fixed size, always the same buffers: what is best for exactly this must win
  printf 'fastcopy-workload 1\nmemcpy 8 1000 same=1000 steady=1000 again=1000\n' >fixed.workload
  measured=0
  for options in '-w fixed.workload' '-w fixed.workload -w again.workload --json' ''; do
    cp fixed.workload again.workload
    for _ in 1 2 3; do
      status=0
      # shellcheck disable=SC2086
      "$tune" calibrate --quick --explain -o table.fct $options >out 2>err || status=$?
      if [ "$status" -ne 1 ] || ! grep -q 'too busy' err; then break; fi
    done
    if [ "$status" -eq 1 ] && grep -q 'too busy' err; then
      skip "calibrate $options: $(cat err)"
      continue
    fi
    measured=$((measured + 1))
    if [ "$status" -ne 0 ] || ! "$tune" show table.fct >shown; then
      fail "calibrate $options: exit status $status, $(head -c 500 err)"
      continue
    fi
    pass
    rm table.fct
    # every variant that is usable and not for names alone is explained, for both functions
    for variant in $("$tune" variants | awk 'NR > 1 && / yes / && $1 != "generic" && $1 != "rep_movsb" { print $1 }'); do
      case $variant in
        avx2*)
          if grep -qw rtm /proc/cpuinfo; then
            skip "calibrate $options: $variant: not tried where it would abort memory transactions"
            continue
          fi
          ;;
      esac
      for function in memcpy memmove; do
        if grep -qE "^$function +${variant}[, ] *|\"candidate\": ?\"$variant\"" out; then
          pass
        else
          fail "calibrate $options: $variant for $function is not explained"
        fi
      done
    done
    for name in non_temporal_min rep_movsb_min; do
      if [ "$(grep -c "$name" out)" -gt 5 ]; then pass; else fail "calibrate $options: $name is not explained"; fi
    done
  done
  status=0
  "$tune" calibrate --quick -w none.workload -o table.fct >out 2>err || status=$?
  if [ "$status" -eq 1 ] && [ "$(wc -l <err)" -eq 1 ] && [ ! -e table.fct ]; then pass; else fail "a workload that is missing: $status, $(cat err)"; fi
  # on a machine that is busy all the time nothing of this was seen
  if [ "$failed" -eq 0 ] && [ "$measured" -eq 0 ]; then exit 77; fi
  finish 2
fi

# Numbers ---------------------------------------------------------------------------------------------------------

record threads 0 "$recorded" threads
has threads memcpy 37 calls 401000 same 400995 again 400995
record many 0 "$recorded" many
has many memcpy 37 calls 120000
record children 0 "$recorded" children
has children memcpy 41 calls 3800
has children memmove 43 calls 2200
has children memcpy 47 calls 300
has children memcpy 53 calls 400
record family 0 "$recorded" family
has family memcpy 29 calls 5
has family memmove 29 calls 3
has family memcpy 52 calls 4
has family memmove 52 calls 2
record dependence 0 "$recorded" dependence
has dependence memcpy 31 calls 1000 same 999 steady 999 again 999 used 0 overlap 0 aligned 1000
has dependence memcpy 51 calls 2000 same 1999 steady 1998 again 1 used 1000 overlap 0
has dependence memcpy 55 calls 1000 same 999 used 1000 again 0
has dependence memmove 57 calls 1000 same 999 again 999 overlap 1000 aligned 0
has dependence memcpy 33 calls 1000 same 0 steady 999
has dependence memcpy 35 calls 1000 same 0 steady 999 overlap 0
record loop 0 "$recorded" loop
has loop memcpy 24 calls 100000 same 99999 steady 99999 again 99999
"$tune" workload loop | sed -n '/^scenario/,$p' | tail -n +2 >rows
if [ "$(wc -l <rows)" -eq 1 ] && grep -qE '^small, stored, copied, loaded +1\.000 +1\.000 +24$' rows; then pass; else fail "what the loop is weighed by: $(cat rows)"; fi
record overrun 134 "$recorded" overrun
has overrun memcpy 39 calls 10
has overrun memcpy 40 calls 0

# A program whose library copies while the process is half-built.
if "$cc" -O0 -fno-builtin -fPIC -shared -DEARLY_DSO "$here/programs/early.c" -o libearly.so 2>log &&
  "$cc" "$here/programs/early.c" -o early -L. -learly 2>>log && (LD_LIBRARY_PATH=. ./early) >/dev/null 2>&1; then
  for now in '' 1; do
    record early.w 0 env LD_LIBRARY_PATH=. ${now:+LD_BIND_NOW=1} ./early
    has early.w memcpy 37 calls 1
    has early.w memcpy 299-299 calls 0
    has early.w memmove 37 calls 1
    has early.w memcpy 32768-40959 calls 1 bytes 40000
    has early.w memmove 32768-40959 calls 1 bytes 40000
  done
else
  skip "early: $(cat log)"
fi

# The program does not notice ---------------------------------------------------------------------------------------

record quiet 9 "$recorded" quiet
if [ "$(cat out)" = out ] && [ "$(cat err)" = err ]; then pass; else fail "output: $(cat out err)"; fi
has quiet memcpy 61 calls 1
record signal 143 sh -c "$recorded threads; kill -TERM \$\$"
has signal memcpy 37 calls 401000
# shellcheck disable=SC2016 # the program asks
record ignored 0 sh -c '"$0" quiet >/dev/null 2>&1; [ $? -eq 9 ]' "$recorded"
library=$build/libfastcopy-record.so
# without a file, or with another, it copies alone
echo 'no counters' >other
for name in "$work/other" "$work/none" "$work" /dev/null ''; do
  status=0
  LD_PRELOAD=$library FASTCOPY_RECORD=$name "$recorded" quiet >out 2>err || status=$?
  if [ "$status" -eq 9 ] && [ "$(cat out)" = out ] && [ "$(cat err)" = err ]; then pass; else fail "FASTCOPY_RECORD=$name: $status, $(cat out err)"; fi
done
if [ "$(cat other)" = 'no counters' ]; then pass; else fail 'another file was written'; fi
LD_PRELOAD=$library LD_BIND_NOW=1 /bin/ls "$work" >out 2>err
if [ ! -s err ]; then pass; else fail "the loader complains: $(cat err)"; fi

# nor find anything new in its folder
mkdir seen
(cd seen && "$tune" record -o here.workload -- ls >../out)
if [ ! -s out ] && [ -s seen/here.workload ]; then pass; else fail "the program sees $(cat out)"; fi

# A signal reaches the program, and what it counted is written.
for signal in TERM USR1; do
  rm -f ready
  # shellcheck disable=SC2016 # the program expands it
  "$tune" record -o passed -- sh -c 'trap "exit 21" TERM USR1; "$0" threads; touch ready; while :; do sleep 0.1; done' "$recorded" &
  pid=$!
  for _ in $(seq 200); do if [ -e ready ]; then break; fi; sleep 0.1; done
  kill -"$signal" "$pid"
  status=0
  wait "$pid" || status=$?
  if [ "$status" -eq 21 ]; then pass; else fail "SIG$signal: exit status $status"; fi
done
has passed memcpy 37 calls 401000

# What it refuses ---------------------------------------------------------------------------------------------------

# refuses name status pattern command...: one line, and no file where none was
refuses() {
  local name=$1 wanted=$2 pattern=$3 status=0
  shift 3
  "$@" >out 2>err || status=$?
  if [ "$status" -eq "$wanted" ] && [ ! -s out ] && [[ $(<err) =~ ^fastcopy-tune:\ $pattern ]] && [ ! -e new ] &&
    [ -z "$(ls "$TMPDIR")" ]; then
    pass
  else
    fail "$name: exit status $status, $(head -c 500 out err)"
  fi
}
refuses 'no program' 2 'record: no program given' "$tune" record -o new
refuses 'a program that is missing' 127 'cannot run ' "$tune" record -o new -- ./missing
refuses 'a program that is none' 126 'cannot run ' "$tune" record -o new -- ./other
refuses 'a place that is missing' 1 'cannot write the workload none/new: ' "$tune" record -o none/new -- true
mkfifo pipe
refuses 'a result that is no regular file' 1 'pipe is no regular file' timeout 20 "$tune" record -o pipe -- "$recorded" none
refuses 'a program that copies nothing' 1 '[^ ]* copied nothing' "$tune" record -o new -- "$recorded" none
# shellcheck disable=SC2016 # the shell that has the limit expands it
refuses 'a limit of file sizes' 1 'cannot make a file of 25 MB' sh -c 'ulimit -f 1000; exec "$0" record -o new -- true' "$tune"
if echo 'int main(void) { return 0; }' | "$cc" -static -x c - -o static 2>/dev/null; then
  refuses 'a static program' 1 './static was not recorded' "$tune" record -o new -- ./static
fi
cp threads old
refuses 'a program that is missing, over an old file' 127 'cannot run ' "$tune" record -o old -- ./missing
if cmp -s threads old; then pass; else fail 'the old file is lost'; fi
cd tmp && mkdir folder && cd folder
if TMPDIR=$work "$tune" record "$recorded" family >out 2>err && [ -s recorded.workload ]; then pass; else fail "without --output: $(cat err)"; fi
cd "$work"

# The file is one that the parser takes.
for file in threads children family dependence; do
  if "$tune" workload "$file" >out 2>err && [ ! -s err ] && grep -q "^$file " out; then pass; else fail "workload $file: $(cat err)"; fi
done
# An installed tree finds its library.
if cmake --install "$build" --prefix "$work/installed" >log 2>&1; then
  if "$work/installed/bin/fastcopy-tune" record -o installed.workload -- "$recorded" family >out 2>err; then
    has installed.workload memcpy 29 calls 5
  else
    fail "installed: $(cat err)"
  fi
  if [ "$(find "$work/installed" -name '*.workload' | wc -l)" -ge 10 ]; then pass; else fail 'the workloads are not installed'; fi
else
  skip "install: $(tail -n 1 log)"
fi
finish 60
