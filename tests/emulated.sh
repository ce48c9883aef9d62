#!/bin/bash
# SPDX-License-Identifier: MIT
# Other CPUs, by qemu: a static and a preloaded program run on each, with the variant that the CPU allows.
#
# usage: emulated.sh <libfastcopy.so> <copies program> <settings> <libfastcopy.a>
set -eu
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/common.sh
. "$here/common.sh"

library=$(realpath "$1")
copies=$(realpath "$2")
settings=$(realpath "$3")
archive=$(realpath "$4")
if ! have qemu-x86_64; then
  skip 'qemu-x86_64: not installed'
  exit 77
fi
make_work
cd "$work"
root=$(sed -n 's/^root //p' "$settings")
cc=$(sed -n 's/^compiler //p' "$settings")
static=
if "$cc" -O2 -fno-builtin -static -DFASTCOPY_LINKED -I"$root/lib" "$root/tests/programs/copies.c" -o static "$archive" 2>/dev/null; then
  static=./static
  echo 'int main(void) { return 0; }' >control.c
  "$cc" -static control.c -o control
else
  skip 'static program: the C library has no archive here'
fi
version=$(qemu-x86_64 --version | sed -n '1s/.*version \([0-9]*\)\.\([0-9]*\).*/\1 \2/p')
# AVX came to qemu with 7.2
avx=avx2 zen=avx2_narrow
if [ "${version% *}" -lt 7 ] || [ "$version" = '7 0' ] || [ "$version" = '7 1' ]; then avx=sse2 zen=sse2; fi

# CPU, variant that the rules give there
while read -r cpu variant; do
  if ! qemu-x86_64 -cpu "$cpu" /bin/true 2>/dev/null; then
    skip "$cpu: qemu does not run it"
    continue
  fi
  hows=(preload)
  if [ -n "$static" ]; then
    # static programs of glibc 2.41 die of their own strncmp where BMI1 is missing
    if qemu-x86_64 -cpu "$cpu" ./control >/dev/null 2>&1; then
      hows+=(static)
    else
      skip "$cpu, static: a static program without the library dies there"
    fi
  fi
  for how in "${hows[@]}"; do
    if [ "$how" = preload ]; then
      command=(qemu-x86_64 -cpu "$cpu" -E LD_PRELOAD="$library" "$copies")
    else
      command=(qemu-x86_64 -cpu "$cpu" "$static")
    fi
    for argument in '' overlap; do
      status=0
      "${command[@]}" $argument >out 2>err || status=$?
      if [ "$status" -eq 0 ] && grep -qx 'copies are right' out; then
        pass
      else
        fail "$cpu, $how${argument:+ $argument}: exit status $status"
        grep -v 'TCG doesn.t support' out err | head -n 5 || :
      fi
    done
    "${command[@]}" plan >out 2>/dev/null || :
    if grep -q "^memcpy $variant memmove $variant source built-in" out; then
      pass
    else
      fail "$cpu, $how: not $variant: $(cut -c 1-60 out)"
    fi
  done
  # the C library itself does not survive every set of features
  status=0 without=0
  (qemu-x86_64 -cpu "$cpu" -E LD_BIND_NOW=1 /bin/ls /nonexistent; exit $?) >out 2>&1 || without=$?
  (qemu-x86_64 -cpu "$cpu" -E LD_PRELOAD="$library" -E LD_BIND_NOW=1 /bin/ls /nonexistent; exit $?) >out 2>&1 || status=$?
  if [ "$status" -eq "$without" ] && ! grep -q Relink out; then pass; else fail "$cpu, ls: exit status $status, without the library $without"; fi
done <<END
core2duo sse2
qemu64 sse2
Nehalem sse2
Haswell $avx
EPYC $zen
max $avx
max,-xsave sse2
max,-bmi2 $avx
max,-bmi1 $avx
max,-avx2 sse2
max,-avx sse2
max,-erms $avx
END
finish 20
