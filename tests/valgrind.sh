#!/bin/bash
# SPDX-License-Identifier: MIT
# Under valgrind: no read outside a block, no instruction that it does not know, no complaint that is not there without
# the library; a table that names a variant which valgrind cannot run is of no effect.
#
# usage: valgrind.sh <libfastcopy.so> <copies program> <make_table program>
set -eu
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/common.sh
. "$here/common.sh"

library=$(realpath "$1")
copies=$(realpath "$2")
make_table=$(realpath "$3")
if ! have valgrind; then
  skip 'valgrind: not installed'
  exit 77
fi
make_work
cd "$work"

# under variable=value... -- command: status in $status, the complaints in err with process numbers taken out
under() {
  local variables=()
  while [ "$1" != -- ]; do variables+=("$1") && shift; done
  shift
  status=0
  env "${variables[@]}" valgrind -q --error-exitcode=9 "$@" >out 2>err || status=$?
  sed -i -E 's/==[0-9]+==/==N==/; s/0x[0-9A-F]+/0xN/g' err
}

# Valgrind puts its own memcpy in the place of the C library's, by the name of the file. It must not do so here.
LD_PRELOAD=$library valgrind --trace-redir=yes "$copies" plan >out 2>&1 || :
if grep -E "R->|redir" out | grep -q 'libfastcopy.*memcpy'; then
  fail "valgrind replaces the library's memcpy: nothing here would be tested"
fi
# The CPU's features may be fewer there; each variant that is left is called directly, too.
for variant in '' $(LD_PRELOAD="$library" valgrind -q "$copies" list | sed -n 's/ usable$//p'); do
  under LD_PRELOAD="$library" FASTCOPY_VARIANT="$variant" -- "$copies"
  if [ "$status" -eq 0 ] && [ ! -s err ] && grep -qx 'copies are right' out; then
    pass
  else
    fail "exact blocks, variant ${variant:-chosen}: exit status $status"
    head -n 12 err
  fi
done
# it does notice: a copy that reads one byte too many
cat >beyond.c <<'END'
#include <stdlib.h>
#include <string.h>
void *(*volatile copy)(void *, const void *, size_t) = memcpy;
int main(void) { char *from = calloc(20, 1), *to = malloc(40); copy(to, from, 21); return 0; }
END
if have cc && cc -O1 -w -o beyond beyond.c; then
  under LD_PRELOAD="$library" -- ./beyond
  if [ "$status" -eq 9 ] && grep -q 'libfastcopy\|memcpy\|fc_' err; then pass; else fail "a read beyond a block is not noticed: exit status $status"; fi
fi

# Programs: the same complaints and exit status as without the library.
for command in '/bin/ls -l /etc/passwd nothing' "/usr/bin/python3 -c print(1)" '/usr/bin/sqlite3 :memory: select(1)'; do
  program=${command%% *}
  if [ ! -x "$program" ]; then
    skip "$program: not installed"
    continue
  fi
  # shellcheck disable=SC2086
  under NOTHING=1 -- $command
  mv err err.without && mv out out.without
  without=$status
  # shellcheck disable=SC2086
  under LD_PRELOAD="$library" -- $command
  if [ "$status" -eq "$without" ] && cmp -s out out.without && [ "$(wc -l <err)" -le "$(wc -l <err.without)" ]; then
    pass
  else
    fail "$command: exit status $status, without the library $without"
    head -n 12 err
  fi
done

# Tables: one made here of what the CPU really has, and one for the CPU that valgrind shows; both name zmm.
"$make_table" native.fct avx512_masked avx512 65
valgrind -q "$make_table" shown.fct avx512_masked avx512 65
for table in native.fct shown.fct; do
  under LD_PRELOAD="$library" FASTCOPY_TABLE="$work/$table" -- "$copies"
  if [ "$status" -eq 0 ] && grep -qx 'copies are right' out; then pass; else fail "$table: exit status $status"; fi
  under LD_PRELOAD="$library" FASTCOPY_TABLE="$work/$table" -- "$copies" plan
  if grep -q 'memcpy avx512' out && ! LD_PRELOAD="$library" valgrind -q "$copies" list | grep -q 'avx512_masked usable'; then
    fail "$table: a zmm variant is in force: $(cat out)"
  else
    pass
  fi
done
finish 8
