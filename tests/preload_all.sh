#!/bin/bash
# SPDX-License-Identifier: MIT
# Every program of /usr/bin, bound at once and asked for its version: no Relink line, and the exit status and the
# errors are those without preload. The loader does all its work there, whatever the program makes of the option.
#
# usage: preload_all.sh <libfastcopy.so> [most programs, 400; 0: all]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/common.sh
. "$here/common.sh"

library=$(realpath "$1")
most=${2:-400}
make_work
mkdir "$work/here" "$work/home"

# Left out: they talk to a display, a bus or a terminal, start services or sessions, or act on the machine.
leave='^(X.*|x.*term|.*-session|dbus-.*|systemd.*|busctl|.*ctl|gdbus|gio|dconf|gpg-agent|dirmngr|ssh-agent|scdaemon'
leave+='|su|sudo|sg|newgrp|login|pkexec|passwd|chfn|chsh|reset|tset|screen|tmux|dtach|at|batch|crontab|wall|write|mesg'
leave+='|qemu-.*|wine.*|docker.*|containerd.*|podman.*|strace|ltrace|rr|perf|valgrind.*)$'

# One try: the output is not compared, since versions print to it what they like.
try() {
  local prefix=$1 status=0
  shift
  (cd "$work/here" && env -i PATH="$PATH" HOME="$work/home" LC_ALL=C TERM=dumb LD_BIND_NOW=1 "$@" --version) \
    </dev/null >/dev/null 2>"$prefix.err" || status=$?
  echo "$status" >"$prefix.status"
  # a process number or a time is not the library's doing
  sed -i -E 's/\b[0-9]{3,}\b/N/g' "$prefix.err"
}
same() {
  cmp -s "$1.err" "$2.err" && cmp -s "$1.status" "$2.status"
}

mapfile -t programs < <(find -L /usr/bin -maxdepth 1 -type f -perm -u=x -printf '%f\n' 2>/dev/null | grep -vE "$leave" | sort)
elf=()
for name in "${programs[@]}"; do
  # dynamically linked for this machine: it names an interpreter that loads the library
  if head -c 4 "/usr/bin/$name" 2>/dev/null | grep -q ELF && readelf -Wl "/usr/bin/$name" 2>/dev/null |
    grep -q 'interpreter: .*ld-linux-x86-64'; then
    elf+=("$name")
  fi
done
total=${#elf[@]}
if [ "$most" -gt 0 ] && [ "$total" -gt "$most" ]; then
  # spread over the alphabet, the same ones each time
  mapfile -t elf < <(printf '%s\n' "${elf[@]}" |
    awk -v n="$total" -v m="$most" 'int((NR - 1) * m / n) != int((NR - 2) * m / n) || NR == 1')
fi
printf '%d of %d programs\n' "${#elf[@]}" "$total"

relinks=0
for name in "${elf[@]}"; do
  program=/usr/bin/$name
  try "$work/with" LD_PRELOAD="$library" timeout -k 1 10 "$program"
  if grep -q Relink "$work/with.err"; then
    relinks=$((relinks + 1))
    fail "$name: $(grep Relink "$work/with.err" | head -n 1)"
    continue
  fi
  try "$work/base" timeout -k 1 10 "$program"
  if same "$work/base" "$work/with"; then
    pass
    continue
  fi
  # once more of each, for programs that differ by chance
  try "$work/base2" timeout -k 1 10 "$program"
  try "$work/with2" LD_PRELOAD="$library" timeout -k 1 10 "$program"
  if same "$work/base2" "$work/with2"; then
    pass
  elif ! same "$work/base" "$work/base2"; then
    skip "$name: differs from run to run"
  else
    fail "$name: exit status $(cat "$work/with.status"), without preload $(cat "$work/base.status")"
    diff "$work/base.err" "$work/with.err" | head -n 5 || :
  fi
done
printf '%d Relink lines\n' "$relinks"
finish 50
