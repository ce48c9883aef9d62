#!/bin/bash
# SPDX-License-Identifier: MIT
# Every way into a process of another architecture, on one CPU of qemu-user: preloaded, linked, in static, static PIE,
# PIE and non-PIE programs, opened and closed again, bound lazily and eagerly; called before it is relocated; the plan
# that comes out, and tables of other architectures.
#
# usage: load.sh <CPU> <libfastcopy.so> <folder of the programs> <variant of the rules> <usable variant,...>
# CHECK_EMULATOR: the command that runs programs; it takes -E VARIABLE=VALUE.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/common.sh
. "$here/common.sh"
unset FASTCOPY_CACHEABLE

cpu=$1
library=$(realpath "$2")
programs=$(realpath "$3")
rule=$4
usable=${5//,/ }
read -ra emulator <<<"$CHECK_EMULATOR"
export QEMU_CPU=$cpu
make_work
cd "$work"

# run [variable=value ...] program argument ...
run() {
  local settings=()
  while [[ $1 == *=* ]]; do
    settings+=(-E "$1")
    shift
  done
  "${emulator[@]}" "${settings[@]}" "$@"
}
# right name text variable-or-program...: exit status 0, that last line of text, nothing on standard error
right() {
  local name=$1 text=$2 status=0
  shift 2
  run "$@" >out 2>err || status=$?
  if [ "$status" -eq 0 ] && [ "$(tail -n 1 out)" = "$text" ] && [ ! -s err ]; then
    pass
  else
    fail "$cpu, $name: exit status $status"
    head -n 3 out err
  fi
}
# plan name pattern variable-or-program...: the plan in force
plan() {
  local name=$1 pattern=$2 text
  shift 2
  text=$(run "$@" plan 2>&1) || :
  if [[ $text =~ $pattern ]]; then pass; else fail "$cpu, $name: the plan is not \"$pattern\": $text"; fi
}

preload=LD_PRELOAD=$library
copies=$programs/preloaded
builtin="^memcpy $rule memmove $rule source built-in"

# What is tested on this CPU is what the CPU can run, no more and no less.
run "$preload" "$copies" list >rows
while read -r variant state; do
  if [ "$state" = unusable ]; then
    printf 'not on %s, which cannot run it: %s\n' "$cpu" "$variant"
  fi
  if [[ " $usable " == *" $variant "* ]]; then wanted=usable; else wanted=unusable; fi
  if [ "$state" = "$wanted" ]; then pass; else fail "$cpu: $variant is $state, and the tests take it for $wanted"; fi
done <rows

kinds='linked pie no_pie static'
if [ -x "$programs/copies_static_pie" ]; then
  kinds+=' static_pie'
else
  skip 'static PIE: the C library has no start files for it'
fi
# glibc's memset does not survive every CPU as qemu has it: dcbz clears less than the auxiliary vector says
again=yes
if ! run "$programs/reload" libm.so.6 open >out 2>&1; then
  skip "$cpu, dlopen after dlclose: it fails with libm.so.6 alone"
  again=no
fi
for now in '' 1; do
  eager=${now:+LD_BIND_NOW=1}
  right "preload $eager" 'copies are right' "$preload" ${eager:+"$eager"} "$copies"
  right "preload $eager overlap" 'copies are right' "$preload" ${eager:+"$eager"} "$copies" overlap
  plan "preload $eager" "$builtin" "$preload" ${eager:+"$eager"} "$copies"
  for kind in $kinds; do
    right "$kind $eager" 'copies are right' ${eager:+"$eager"} "$programs/copies_$kind"
    right "$kind $eager, pointers" 'pointers are right' ${eager:+"$eager"} "$programs/pointer_$kind"
    plan "$kind $eager" "$builtin" ${eager:+"$eager"} "$programs/copies_$kind"
  done
  right "dlopen $eager" 'opening is right' ${eager:+"$eager"} "$programs/reload" "$library" once
  if [ "$again" = yes ]; then
    right "dlopen again $eager" 'reloading is right' ${eager:+"$eager"} "$programs/reload" "$library"
  fi
done

# A library with an IFUNC of its own is relocated before this one, and its resolver copies by what the linker wrote here,
# and nothing else. The big-endian 64-bit ABI reaches a function by a descriptor that is to be relocated, too. Its loader
# minds that only where it fills a PLT, so elsewhere every preloaded memcpy fails, one that needs no relocation included.
early() { run "$@" >out 2>&1; }
early_right=0
early_is_right() {
  local name=$1 status=0
  shift
  early "$@" || status=$?
  if [ "$status" -eq 0 ]; then
    early_right=$((early_right + 1))
    pass
  else
    fail "$cpu, $name: exit status $status"
  fi
}
for now in '' LD_BIND_NOW=1; do
  apart=
  for way in plt got pointer apart direct; do
    name="early, $way${now:+, $now}"
    loaded=(LD_LIBRARY_PATH="$programs/early_$way" ${now:+"$now"})
    if [ "$way" = direct ]; then
      # only this library has the names, so there is no control
      if [ -n "$apart" ]; then early_is_right "$name" "${loaded[@]}" "$preload" "$programs/early"; fi
    elif ! early "${loaded[@]}" "$programs/early"; then
      skip "$cpu, $name: it does not run without the library, since the linker puts the IFUNC first"
    elif ! early "${loaded[@]}" LD_PRELOAD="$programs/early_control/libcontrol.so" "$programs/early"; then
      skip "$cpu, $name: the loader uses the descriptor of memcpy before it is relocated"
    else
      if [ "$way" = apart ]; then apart=yes; fi
      early_is_right "$name" "${loaded[@]}" "$preload" "$programs/early"
      early_is_right "$name, the archive in a PIE" "${loaded[@]}" "$programs/early_archive"
    fi
  done
done
if [ "$early_right" -lt 3 ]; then fail "$cpu: only $early_right ways of calling before relocation were tried"; fi

# The names are bound to the library, not to the C library beside it.
mkdir trace
run "$preload" LD_BIND_NOW=1 LD_DEBUG=bindings LD_DEBUG_OUTPUT="$work/trace/bindings" "$copies" >/dev/null 2>&1 || :
if proves "$cpu, preload" trace "$library"; then pass; fi

for variant in $usable; do
  right "preload of $variant" 'copies are right' "$preload" FASTCOPY_VARIANT="$variant" "$copies"
  plan "$variant asked for" "^memcpy $variant memmove $variant source environment" "$preload" \
    FASTCOPY_VARIANT="$variant" "$copies"
  if [[ $variant == *cacheline* ]]; then
    plan "$variant asked for and dcbz disabled" 'source built-in .*was ignored$' "$preload" \
      FASTCOPY_VARIANT="$variant" FASTCOPY_DISABLE=dcbz "$copies"
    plan "$variant asked for and memory that is not cacheable" 'source built-in .*was ignored$' "$preload" \
      FASTCOPY_VARIANT="$variant" FASTCOPY_CACHEABLE=0 "$copies"
  fi
done
plan 'nothing said of memory' ' cacheable=0 ' "$preload" "$copies"
plan 'cacheable memory' ' cacheable=1 ' "$preload" FASTCOPY_CACHEABLE=1 "$copies"

# A table of this CPU is followed, what others wrote is not.
run "$programs/make_table" own.fct word generic 4096 3 2 1
run "$programs/make_table" --arch 1 x86_64.fct sse2 sse2 0
for arch in 2 3 4; do
  run "$programs/make_table" --arch "$arch" arch-$arch.fct word generic 4096 3 2 1
done
run "$programs/make_table" --big-endian big.fct word generic 4096 3 2 1
followed=0
for kind in preloaded copies_static; do
  how=
  if [ "$kind" = preloaded ]; then how=$preload; fi
  plan "$kind, table" '^memcpy word memmove generic source table dcbz_min=4096 dcbt_ahead=3 touch_buffers=2 cacheable=1' \
    ${how:+"$how"} FASTCOPY_TABLE="$work/own.fct" "$programs/$kind"
  plan "$kind, table of x86_64" "$builtin.*has no entry for this CPU" ${how:+"$how"} \
    FASTCOPY_TABLE="$work/x86_64.fct" "$programs/$kind"
  plan "$kind, table with its bytes the other way round" "$builtin.*; the tuning table " ${how:+"$how"} \
    FASTCOPY_TABLE="$work/big.fct" "$programs/$kind"
  for arch in 2 3 4; do
    if cmp -s own.fct arch-$arch.fct; then
      followed=$((followed + 1))
      continue
    fi
    plan "$kind, table of another PowerPC" "$builtin.*has no entry for this CPU" ${how:+"$how"} \
      FASTCOPY_TABLE="$work/arch-$arch.fct" "$programs/$kind"
  done
done
if [ "$followed" -ne 2 ]; then fail "$cpu: the tables of other architectures are not those of others"; fi
finish 50
