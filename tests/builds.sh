#!/bin/bash
# SPDX-License-Identifier: MIT
# The library built with options that a distribution, a developer or a fuzzer sets for everything: it builds, and
# processes start with it. The code that runs in the loader must not have taken the options over.
#
# usage: builds.sh <settings> [compiler ...]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/common.sh
. "$here/common.sh"

settings=$(realpath "$1")
shift
root=$(sed -n 's/^root //p' "$settings")
cc=$(sed -n 's/^compiler //p' "$settings")
make_work
cd "$work"
generator=()
if have ninja; then generator=(-G Ninja); fi
"$cc" -std=gnu11 -O2 -fno-builtin -I"$root/lib" "$root/tests/programs/copies.c" -o copies -ldl

# build name compiler flags [cmake option ...]
build() {
  local name=$1 compiler=$2 flags=$3 status
  shift 3
  rm -rf build
  if ! cmake "${generator[@]}" -S "$root" -B build -DCMAKE_C_COMPILER="$compiler" -DCMAKE_C_FLAGS="$flags" -DFASTCOPY_TUNE=OFF \
    -DFASTCOPY_TESTS=OFF -DFASTCOPY_WERROR=ON "$@" >log 2>&1 || ! cmake --build build >>log 2>&1; then
    fail "$name: does not build"
    grep -iE 'error|undefined' log | head -n 5
    return
  fi
  for now in '' 1; do
    status=0
    (env ${now:+LD_BIND_NOW=1} LD_PRELOAD="$work/build/libfastcopy.so" /bin/true; exit $?) >out 2>&1 || status=$?
    if [ "$status" -ne 0 ] || [ -s out ]; then
      fail "$name: /bin/true does not start: exit status $status"
      head -n 3 out
      return
    fi
  done
  status=0
  (LD_PRELOAD=$work/build/libfastcopy.so ./copies; exit $?) >out 2>&1 || status=$?
  if [ "$status" -eq 0 ] && grep -qx 'copies are right' out; then pass; else fail "$name: copies: exit status $status"; fi
}

for compiler in "${@:-$cc}"; do
  have "$compiler" || {
    skip "$compiler: not installed"
    continue
  }
  for flags in -fsanitize=address -fsanitize=undefined -fsanitize=thread -fprofile-generate -finstrument-functions -pg \
    -fstack-protector-all -flto '-O0 -fno-inline' '-O3 -march=x86-64' '-D_FORTIFY_SOURCE=2 -O2 -fstack-clash-protection'; do
    if ! echo 'int main(void) { return 0; }' | "$compiler" $flags -o probe -x c - 2>/dev/null; then
      skip "$compiler $flags: not available"
      continue
    fi
    build "$compiler $flags" "$compiler" "$flags"
  done
  build "$compiler, debug" "$compiler" '' -DCMAKE_BUILD_TYPE=Debug
  build "$compiler, interprocedural" "$compiler" '' -DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON
  for linker in gold lld; do
    if echo 'int main(void) { return 0; }' | "$compiler" -fuse-ld=$linker -o probe -x c - 2>/dev/null; then
      build "$compiler, $linker" "$compiler" '' -DCMAKE_SHARED_LINKER_FLAGS=-fuse-ld=$linker
    fi
  done
done
finish 5
