#!/bin/bash
# SPDX-License-Identifier: MIT
# The code that runs in a half-built process, compiled at every optimisation level, by every compiler, under options
# that a whole build may bring: it calls nothing but itself, needs no relocation of data, uses no vector register.
#
# usage: early_objects.sh <settings written by the build> [--quick]
# --quick: the compiler of the build, and two levels, only.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/common.sh
. "$here/common.sh"

# word lists, one word a line behind "name "
setting() {
  sed -n "s/^$1 //p" "$2"
}
mapfile -t sources < <(setting source "$1")
mapfile -t assembly < <(setting assembly "$1")
mapfile -t flags < <(setting flag "$1")
mapfile -t includes < <(setting include "$1")
mapfile -t definitions < <(setting definition "$1")
root=$(setting root "$1")
cc=$(setting compiler "$1")
quick=${2:-}
make_work
cd "$root"

common=(-std=gnu11 -fPIC "${includes[@]/#/-I}" "${definitions[@]/#/-D}")
allowed='^(__libc_stack_end|__x86_get_cpuid_feature_leaf)$'
declare -A seen

# takes compiler flag: does the compiler know it?
takes() {
  echo 'int x;' >"$work/probe.c"
  "$1" -Werror "$2" -c -o "$work/probe.o" "$work/probe.c" 2>/dev/null
}

# same_as_other compiler: is it the program that gcc or clang names, under another name?
same_as_other() {
  local other
  for other in gcc clang; do
    if [ "$1" != "$other" ] && have "$other" && [ "$(realpath "$(command -v "$1")")" = "$(realpath "$(command -v "$other")")" ]; then
      return 0
    fi
  done
  return 1
}

# check label object...: the objects of one run, the assembly's defined names in $work/asm.
check() {
  local label=$1 bad good=yes
  shift
  nm -g --defined-only "$@" 2>/dev/null | awk 'NF == 3 { print $3 }' | sort -u - "$work/asm" >"$work/defined"
  # "w": weak; what is strong must be ours
  bad=$(nm -u "$@" | awk 'NF == 2 && $2 != "_GLOBAL_OFFSET_TABLE_"' | sort -u | while read -r kind name; do
    if [ "$kind" = w ] && [[ $name =~ $allowed ]]; then continue; fi
    if [ "$kind" = U ] && [[ $name == fc_* ]] && grep -qxF "$name" "$work/defined"; then continue; fi
    echo "$name"
  done)
  if [ -n "$bad" ]; then
    fail "$label: calls or reads outside itself: $(echo $bad)"
    good=no
  fi
  # debug and unwind sections are not loaded, or not relocated at run time
  bad=$(objdump -r "$@" | awk '/^RELOCATION RECORDS FOR/ { section = $4 }
    / R_X86_64_(64|32|32S) / && section !~ /debug|eh_frame/ { print section, $3 }' | sort -u | head -n 3)
  if [ -n "$bad" ]; then
    fail "$label: absolute relocations: $(echo $bad)"
    good=no
  fi
  bad=$(objdump -d --no-show-raw-insn "$@" | grep -m 1 -E '%([xyz]?mm|st)[0-9(]' || :)
  if [ -n "$bad" ]; then
    fail "$label: vector register: $bad"
    good=no
  fi
  [ "$good" = no ] || pass
}

# compile compiler label option...: every source, with the project's own options last, as the build has them.
compile() {
  local compiler=$1 label="$1 ${*:2}" objects=() source object
  shift
  for source in "${sources[@]}"; do
    object=$work/objects/$(echo "$source" | tr / _).o
    # shellcheck disable=SC2086
    if ! "$compiler" "$@" "${common[@]}" ${seen[$compiler]} -c "$source" -o "$object" 2>"$work/log"; then
      fail "$label: $source: $(head -n 1 "$work/log")"
      return
    fi
    objects+=("$object")
  done
  check "$label" "${objects[@]}"
}

mkdir "$work/objects" "$work/asm.d"
compilers=$(printf '%s\n' "$cc" gcc clang | sort -u)
[ -z "$quick" ] || compilers=$cc
for compiler in $compilers; do
  if ! have "$compiler"; then
    skip "$compiler: not installed"
    continue
  fi
  # cc is gcc or clang by another name, mostly
  if [ -z "$quick" ] && [ "$compiler" = "$cc" ] && same_as_other "$cc"; then
    continue
  fi
  own=
  for flag in "${flags[@]}" -fno-tree-loop-distribute-patterns -fno-tree-switch-conversion -fno-profile-arcs \
    -fno-test-coverage -fno-sanitize-coverage=trace-pc -fno-profile-instr-generate -fno-coverage-mapping; do
    if takes "$compiler" "$flag"; then own+=" $flag"; fi
  done
  seen[$compiler]=$own
  for source in "${assembly[@]}"; do
    "$compiler" "${includes[@]/#/-I}" -c "$source" -o "$work/asm.d/$(basename "$source").o"
  done
  nm -g --defined-only "$work"/asm.d/*.o | awk 'NF == 3 { print $3 }' | sort -u >"$work/asm"
  if [ -n "$quick" ]; then
    compile "$compiler" -O0
    compile "$compiler" -O2
    continue
  fi
  for level in -O0 -O1 -O2 -O3 -Os '-O3 -march=native'; do
    # shellcheck disable=SC2086
    compile "$compiler" $level
  done
  for option in -fsanitize=address -fsanitize=undefined -fsanitize=thread -fprofile-generate -finstrument-functions \
    -fstack-protector-all -fsanitize-coverage=trace-pc -fprofile-arcs -ftest-coverage -flto -fprofile-instr-generate \
    -ftrivial-auto-var-init=zero -ftrivial-auto-var-init=pattern -D_FORTIFY_SOURCE=2 -fstack-clash-protection; do
    if ! takes "$compiler" "$option"; then
      skip "$compiler $option: the compiler does not know it"
      continue
    fi
    if [ "$option" = -finstrument-functions ] && ! takes "$compiler" -fno-instrument-functions; then
      skip "$compiler $option: cannot be taken back; lib/CMakeLists.txt drops it, which the test builds sees"
      continue
    fi
    compile "$compiler" -O2 "$option"
  done
done
[ -z "$quick" ] || finish 2
finish 14
