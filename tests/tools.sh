#!/bin/bash
# SPDX-License-Identifier: MIT
# fastcopy-run and fastcopy-tune as programs: what they refuse, and what they say when.
#
# usage: tools.sh <settings> <build folder>
set -eu
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/common.sh
. "$here/common.sh"

settings=$(realpath "$1")
build=$(realpath "$2")
cc=$(sed -n 's/^compiler //p' "$settings")
run=$build/tune/fastcopy-run
tune=$build/tune/fastcopy-tune
library=$build/libfastcopy.so.1
make_work
cd "$work"

# gives name status pattern-of-output pattern-of-errors command...: the patterns match the whole; "" is nothing
gives() {
  local name=$1 wanted=$2 out=$3 err=$4 status=0
  shift 4
  "$@" >out 2>err || status=$?
  if [ "$status" -eq "$wanted" ] && [[ $(<out) =~ ^$out$ ]] && [[ $(<err) =~ ^$err$ ]]; then
    pass
  else
    fail "$name: exit status $status, $(head -c 500 out err)"
  fi
}
any='.*'

# fastcopy-run
# shellcheck disable=SC2016 # the program prints it
print=(sh -c 'echo "$LD_PRELOAD"')
gives 'preload' 0 "$library" '' "$run" "${print[@]}"
gives 'preload after another' 0 "libm\.so\.6:$library" '' env LD_PRELOAD=libm.so.6 "$run" "${print[@]}"
gives 'preload of what is preloaded' 0 "$library" '' env LD_PRELOAD="$library" "$run" "${print[@]}"
ln -s "$library" other.so
gives 'preload of what is preloaded by another name' 0 "libm\.so\.6 $work/other\.so" '' \
  env LD_PRELOAD="libm.so.6 $work/other.so" "$run" "${print[@]}"
gives 'a line of its own with --help' 0 "Usage: $any" '' env FASTCOPY_VERBOSE=1 "$run" --help
gives 'a line of its own' 0 '' 'fastcopy [^'$'\n'']*' "$run" --verbose true
gives 'a variant' 0 '' 'fastcopy [^'$'\n'']* memcpy sse2, memmove sse2 [^'$'\n'']*' "$run" --verbose --variant sse2 true
gives 'no such variant' 2 '' "fastcopy-run: there is no variant 'none'$any" "$run" --variant none true
# shellcheck disable=SC2016 # names of folders
for folder in 'a b' a:b 'a$LIB' 'a${LIB}' 'a$b'; do
  mkdir -p "$folder/tune"
  cp "$library" "$folder/"
  cp "$run" "$folder/tune/"
  gives "a library in a folder $folder" 1 '' 'fastcopy-run: the library .* cannot be preloaded: [^'$'\n'']*' \
    "$folder/tune/fastcopy-run" true
done

# fastcopy-tune bench --against
if [ ! -x "$tune" ]; then
  skip 'fastcopy-tune: not built'
  finish 10
fi
cat >against.c <<'END'
#include <stddef.h>
#include <unistd.h>
void *memcpy(void *dst, const void *src, size_t n) { for (size_t i = 0; i < n; i++) ((volatile char *)dst)[i] = ((const char *)src)[i]; return dst; }
void *nothing(void *dst, const void *src, size_t n) { (void)src, (void)n; return dst; }
void *most(void *dst, const void *src, size_t n) { return memcpy(dst, src, n < 5000 ? n : 4999); }
void *more(void *dst, const void *src, size_t n) { return memcpy(dst, src, n + 1); }
void *crash(void *dst, const void *src, size_t n) { (void)src, (void)n; *(volatile char *)8 = 0; return dst; }
END
"$cc" -O2 -fno-builtin -fPIC -shared against.c -o against.so
bench() {
  local name=$1 status=$2 err=$3
  shift 3
  gives "bench --against, $name" "$status" "$([ "$status" -eq 0 ] && echo "$any" || echo '')" "$err" \
    "$tune" bench --sizes 64 --seconds 0.05 "$@"
}
bench 'a copy' 0 '' --against ./against.so
bench 'no copy' 1 'fastcopy-tune: --against: ./against.so: nothing is no [^'$'\n'']*' --against ./against.so:nothing
bench 'too little' 1 'fastcopy-tune: [^'$'\n'']* most is no [^'$'\n'']*5000 bytes[^'$'\n'']*' --against ./against.so:most
bench 'too much' 1 'fastcopy-tune: [^'$'\n'']* more is no [^'$'\n'']*' --against ./against.so:more
bench 'a crash' 1 'fastcopy-tune: [^'$'\n'']* crash is no [^'$'\n'']*crashes' --against ./against.so:crash
bench 'a copy forwards as memmove' 1 'fastcopy-tune: [^'$'\n'']* is no memmove: [^'$'\n'']*' --symbol memmove \
  --against ./against.so:memcpy

# fastcopy-tune calibrate: refused before it measures
cat >full.c <<'END'
#include <stdio.h>
#include "tests/make_table.h"
static struct fc_table_entry entries[FC_ENTRY_COUNT_MAX];
static unsigned char bytes[FC_HEADER_BYTES + FC_ENTRY_COUNT_MAX * FC_ENTRY_BYTES];
int main(void) {
  for (unsigned i = 0; i < FC_ENTRY_COUNT_MAX; i++) entries[i].cpu.id = i, entries[i].cpu.arch = 77;
  struct table_layout layout = table_layout(FC_ENTRY_COUNT_MAX);
  table_put(bytes, &layout, entries);
  return fwrite(bytes, 1, sizeof bytes, stdout) != sizeof bytes;
}
END
root=$(sed -n 's/^root //p' "$settings")
"$cc" -O2 -I"$root" -I"$root/arch/x86_64" full.c "$root/tests/make_table.c" "$build/libfastcopy.a" -o full
./full >full.fct
before=$SECONDS
gives 'calibrate into a full table' 1 '' "fastcopy-tune: full.fct has 4096 entries [^"$'\n'"]*" "$tune" calibrate --quick --output full.fct
if [ $((SECONDS - before)) -le 3 ]; then pass; else fail 'calibrate measures before it says that the table is full'; fi
if [ -z "$(find . -name '.fct-*')" ]; then pass; else fail 'something is left in the folder'; fi
finish 20
