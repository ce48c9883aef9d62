#!/bin/bash
# SPDX-License-Identifier: MIT
# What a start costs and executes: no CPUID where the C library has the answer, and no system call but those that read
# the table.
#
# usage: startup.sh <libfastcopy.so> <copies program> <make_table program> <empty library>
set -eu
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/common.sh
. "$here/common.sh"

library=$(realpath "$1")
copies=$(realpath "$2")
make_table=$(realpath "$3")
empty=$(realpath "$4")
make_work
cd "$work"

# CPUID ---------------------------------------------------------------------------------------------------------

# sites file function: the addresses of cpuid and xgetbv in it
sites() {
  objdump -d --no-show-raw-insn "$1" | awk -v want="<$2>:" '/^[0-9a-f]+ </ { on = $2 == want }
    on && ($2 == "cpuid" || $2 == "xgetbv") { sub(":", "", $1); print $1 }'
}
# poison file function: each of them becomes ud2; prints how many
poison() {
  local address count=0 offset type start virtual size
  for address in $(sites "$1" "$2"); do
    offset=
    while read -r type start virtual _ size _; do
      if [ "$type" = LOAD ] && [ $((16#$address)) -ge $((virtual)) ] && [ $((16#$address)) -lt $((virtual + size)) ]; then
        offset=$((16#$address - virtual + start))
      fi
    done < <(readelf -Wl "$1")
    printf '\x0f\x0b' | dd of="$1" bs=1 seek="$offset" conv=notrunc status=none
    count=$((count + 1))
  done
  echo "$count"
}

cp "$library" poisoned.so
found=$(poison poisoned.so fc_cpu_detect)
if [ "$found" -ge 1 ] && [ "$(sites poisoned.so fc_cpu_detect | wc -l)" -eq 0 ]; then
  pass
else
  fail "found $found places that execute CPUID: nothing was tested"
fi
if [ "$(objdump -d --no-show-raw-insn "$library" | grep -cE '\s(cpuid|xgetbv)\s*$')" -eq "$found" ]; then
  pass
else
  fail 'CPUID stands in another function, too'
fi
mapfile -t libc < <(LD_TRACE_LOADED_OBJECTS=1 /bin/true | grep -oE '/[^ ]*(libc\.so|ld-linux)[^ ]*')
LD_PRELOAD=$library "$copies" plan >plan.ours
if grep -qa __x86_get_cpuid_feature_leaf "${libc[@]}"; then
  for now in '' 1; do
    status=0
    (env ${now:+LD_BIND_NOW=1} LD_PRELOAD="$work/poisoned.so" /bin/true; exit $?) 2>/dev/null || status=$?
    if [ "$status" -eq 0 ]; then pass; else fail "a start executes CPUID: exit status $status"; fi
  done
  LD_PRELOAD=$work/poisoned.so "$copies" plan >plan.poisoned
  if cmp -s plan.poisoned plan.ours; then pass; else fail "the plan differs: $(cat plan.poisoned)"; fi
else
  skip 'no CPUID at a start: this C library does not give the features'
fi
# it would be noticed: where nobody gives the features, the same code executes it. A library whose weak reference
# finds nothing stands for an old C library.
sed 's/__x86_get_cpuid_feature_leaf/__x86_get_cpuid_feature_none/g' "$library" >old.so
LD_PRELOAD=$work/old.so "$copies" plan >plan.old
if cmp -s plan.old plan.ours; then pass; else fail "by CPUID the plan is another: $(cat plan.old), not $(cat plan.ours)"; fi
poison old.so fc_cpu_detect >/dev/null
status=0
(LD_PRELOAD=$work/old.so /bin/true; exit $?) 2>/dev/null || status=$?
if [ "$status" -eq 132 ]; then pass; else fail "executed where it should be, CPUID is not noticed: exit status $status"; fi

# System calls ----------------------------------------------------------------------------------------------------

"$make_table" table.fct sse2 sse2 0

# calls file: the names of the system calls in order, openat with its path
calls() {
  grep -oE '^[a-z0-9_]+\((AT_FDCWD, "[^"]*")?' "$1" | sed -E 's/AT_FDCWD, //; s/empty\.so|[^"\/]*libfastcopy\.so[^"]*/LIBRARY/'
}
if have strace && strace -o probe /bin/true 2>/dev/null; then
  mkdir preload && cp "$library" preload/libfastcopy.so && mkdir preload/empty && cp "$empty" preload/empty/empty.so
  strace -o trace.empty -E LD_PRELOAD="$work/preload/empty/empty.so" /bin/true
  strace -o trace.ours -E LD_PRELOAD="$work/preload/libfastcopy.so" -E FASTCOPY_TABLE="$work/table.fct" /bin/true
  calls trace.empty | sed 's/preload\/empty/preload/' >calls.empty
  calls trace.ours >calls.ours
  # the loader may need fewer calls to map ours
  diff calls.empty calls.ours | grep '^>' >added || :
  printf '> %s\n' "openat(\"$work/table.fct\"" 'read(' 'close(' >wanted
  if cmp -s added wanted; then
    pass
  else
    fail 'other system calls than openat, read and close of the table:'
    cat added
  fi
  # without a table: one call
  strace -o trace.ours -E LD_PRELOAD="$work/preload/libfastcopy.so" -E FASTCOPY_TABLE="$work/none" /bin/true
  calls trace.ours >calls.ours
  if [ "$(diff calls.empty calls.ours | grep -c '^>')" -eq 1 ]; then pass; else fail 'without a table there is more than one system call'; fi
  # all of them come before the program starts: the loader protects the library's data afterwards
  strace -o trace.ours -E LD_PRELOAD="$work/preload/libfastcopy.so" -E FASTCOPY_TABLE="$work/table.fct" /bin/true
  if sed -n '/table.fct/,$p' trace.ours | grep -q '^mprotect(.*PROT_READ)'; then pass; else fail 'the data of the library is not protected after the table was read'; fi
else
  skip 'system calls: strace is not installed, or may not trace'
fi

finish 6
