#!/bin/bash
# SPDX-License-Identifier: MIT
# A privileged program takes nothing from its user: no FASTCOPY_ variable, no table but the built-in path's, and that
# only while root alone can write it. What its user can do to the start data or forbid by a filter changes nothing.
#
# usage: secure.sh <settings>; needs root, and changes nothing but a temporary folder
set -eu
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/common.sh
. "$here/common.sh"

settings=$(realpath "$1")
root=$(sed -n 's/^root //p' "$settings")
cc=$(sed -n 's/^compiler //p' "$settings")
if [ "$(id -u)" -ne 0 ] || ! have setpriv; then
  skip 'setuid programs: needs root and setpriv'
  exit 77
fi
make_work
chmod 755 "$work"
cd "$work"
mkdir tables

# A library of its own, whose built-in path lies in the temporary folder.
if ! cmake -S "$root" -B build -DCMAKE_C_COMPILER="$cc" -DFASTCOPY_TUNE=OFF -DFASTCOPY_TESTS=OFF \
  -DFASTCOPY_TABLE_FOLDER="$work/tables" >log 2>&1 || ! cmake --build build -j2 >>log 2>&1; then
  tail -n 5 log
  fail 'the library does not build'
  finish
fi
mkdir lib
cp build/libfastcopy.so.1 lib/
"$cc" -O2 -fno-builtin -DFASTCOPY_LINKED -I"$root/lib" "$root/tests/programs/copies.c" -o program \
  -Wl,--no-as-needed -L"$work/build" -lfastcopy -Wl,-rpath,"$work/lib"
"$cc" -O2 -I"$root" -I"$root/lib" -I"$root/arch/x86_64" "$root/tests/programs/make_table.c" -o make_table \
  build/libfastcopy.a
privileged='setuid setgid'
if "$cc" -O2 -fno-builtin -static -DFASTCOPY_LINKED -I"$root/lib" "$root/tests/programs/copies.c" -o program_static \
  build/libfastcopy.a 2>/dev/null; then
  cp program_static setuid_static && chown 54321 setuid_static && chmod 4755 setuid_static
  privileged+=' setuid_static'
else
  skip 'a static program: the C library cannot'
fi
owner=54321
cp program setuid && chown $owner setuid && chmod 4755 setuid
cp program setgid && chown 0:$owner setgid && chmod 2755 setgid
user=(setpriv --reuid=65534 --regid=65534 --clear-groups --)

if [ "$("${user[@]}" ./setuid secure)" != 1 ]; then
  skip 'setuid programs: this file system does not honour the bit'
  exit 77
fi
if [ "$("${user[@]}" ./program secure)" = 0 ]; then pass; else fail 'an ordinary program is secure: nothing is tested'; fi

./make_table user.fct sse2 generic 0
chmod 644 user.fct
long=$(printf '%065000d' 0 | tr 0 A)
"${user[@]}" ./setuid plan >plan.plain
if grep -q 'source built-in.*there is no tuning table' plan.plain; then pass; else fail "the plan without variables: $(cat plan.plain)"; fi

for program in $privileged; do
  for variable in FASTCOPY_VERBOSE=1 FASTCOPY_VARIANT=generic FASTCOPY_DISABLE=all FASTCOPY_DISABLE=avx2 \
    FASTCOPY_TABLE="$work/user.fct" FASTCOPY_TABLE=/etc/shadow FASTCOPY_TABLE= FASTCOPY_VARIANT=%s%n 'FASTCOPY_DISABLE=,,,,' \
    FASTCOPY_TABLE="$long" FASTCOPY_VARIANT="$long" FASTCOPY_VERBOSE="$long"; do
    status=0
    env "$variable" "${user[@]}" "./$program" plan >out 2>err || status=$?
    if [ "$status" -eq 0 ] && [ ! -s err ] && cmp -s out plan.plain; then
      pass
    else
      fail "$program with ${variable:0:60}: exit status $status, $(head -c 200 out err)"
    fi
  done
done
# they do act in the ordinary program
if [ "$(FASTCOPY_TABLE=$work/user.fct "${user[@]}" ./program plan | grep -c 'source table')" -eq 1 ] &&
  [ "$(FASTCOPY_VERBOSE=1 "${user[@]}" ./program secure 2>&1 | wc -l)" -eq 2 ]; then
  pass
else
  fail 'the variables have no effect anywhere: nothing was tested'
fi

# Which files it asks the kernel for.
if have strace && getent passwd nobody >/dev/null; then
  strace -u nobody -f -o trace -E FASTCOPY_TABLE="$work/user.fct" -E FASTCOPY_VARIANT=generic ./setuid plan >out 2>/dev/null || :
  if ! grep -q user.fct trace && grep -q "openat(AT_FDCWD, \"$work/tables\", " trace && grep -q 'openat([0-9]*, "tuning.fct", ' trace; then
    pass
  else
    fail "a file of the user's is opened"
  fi
else
  skip 'which files are opened: no strace, or no user nobody'
fi

# The loader takes some variables away before, and the rest of the start data must still be found.
cp user.fct tables/tuning.fct
for program in $privileged; do
  "${user[@]}" "./$program" plan >plan.table
  if grep -q 'memcpy sse2 memmove generic source table' plan.table; then
    pass
  else
    fail "$program: the table is not in force: $(cat plan.table)"
  fi
  for variables in TMPDIR=/tmp LD_LIBRARY_PATH=/tmp MALLOC_CHECK_=3 'TMPDIR=/tmp LD_LIBRARY_PATH=/tmp MALLOC_CHECK_=3' \
    'LD_DEBUG=all LD_BIND_NOW=1 LD_ORIGIN_PATH=/ LOCALDOMAIN=x RES_OPTIONS=x' \
    'GLIBC_TUNABLES=glibc.malloc.check=3 GCONV_PATH=/tmp LOCPATH=/tmp NLSPATH=/tmp HOSTALIASES=/tmp TZDIR=/tmp'; do
    status=0
    # shellcheck disable=SC2086
    "${user[@]}" env $variables "./$program" plan >out 2>err || status=$?
    if [ "$status" -eq 0 ] && [ ! -s err ] && cmp -s out plan.table; then
      pass
    else
      fail "$program with $variables: exit status $status, $(head -c 300 out err)"
    fi
  done
done

# Filters of system calls: sandbox name killed numbers builds one.
sandbox() {
  "$cc" -O2 -Wall -Wextra -DKILLED="$2" -DNUMBERS="$3" "$root/tests/programs/sandbox.c" -o "$1"
}
# under name sandbox program: what it does there, with and without a table, is what it does outside
under() {
  local table status
  for table in with without; do
    rm -f tables/tuning.fct
    if [ "$table" = with ]; then cp user.fct tables/tuning.fct; fi
    "${user[@]}" "./$3" plan >plan.outside
    status=0
    "./$2" "./$3" plan >out 2>err || status=$?
    if [ "$status" -eq 0 ] && [ ! -s err ] && cmp -s out plan.outside; then
      pass
    else
      fail "$1, $3 $table a table: exit status $status, $(head -c 300 out err)"
    fi
  done
}
sandbox no_reads 1 SYS_openat,SYS_open
status=0
./no_reads ./setuid plan >out 2>err || status=$?
if [ "$status" -eq 100 ]; then
  skip "filters of system calls: $(cat err)"
else
  # 128 + SIGSYS
  if [ "$status" -eq 159 ]; then pass; else fail "a filter that kills openat: exit status $status"; fi
  sandbox no_statx 1 SYS_statx,SYS_stat,SYS_lstat,SYS_faccessat2,SYS_poll,SYS_ioctl
  for program in program $privileged; do
    under 'statx kills' no_statx "$program"
  done
fi
if [ "$status" -eq 159 ] && have strace && getent passwd nobody >/dev/null; then
  # All that the same program does with another library in place of this one, and no more.
  echo 'int fastcopy_none;' | "$cc" -shared -fPIC -o lib/libnone.so -x c -
  "$cc" -O2 -fno-builtin -I"$root/lib" "$root/tests/programs/copies.c" -o plain -Wl,--no-as-needed -Llib -lnone \
    -Wl,-rpath,"$work/lib"
  cp plain plain_setuid && chown $owner plain_setuid && chmod 4755 plain_setuid
  strace -f -o trace -u nobody ./plain_setuid secure >/dev/null
  numbers=$(sed -nE 's/^[0-9]+ +([a-z_0-9]+)\(.*/SYS_\1/p' trace | sort -u | tr '\n' ',')
  # of fstat there are two, and filters take both or none; the last three are those of the sandbox itself
  case $numbers in
  *SYS_openat,*SYS_read,*) pass ;;
  *) fail "the system calls of a plain program are not known: $numbers" ;;
  esac
  sandbox plain_only 0 "${numbers}SYS_fstat,SYS_newfstatat,SYS_setuid,SYS_setgid,SYS_execve"
  if [ "$(./plain_only ./plain_setuid secure)" = 1 ]; then pass; else fail 'a plain program needs more than it was seen to call'; fi
  # a static program starts in other ways
  for program in program setuid setgid; do
    under 'all but the calls of a plain program kill' plain_only "$program"
  done
else
  skip 'a filter with what a plain program calls: no strace'
fi
rm -f tables/tuning.fct

# The built-in path: believed only while nobody else can write it.
trusted() {
  "${user[@]}" ./setuid plan >out 2>err
  if grep -q "source $2" out && [ ! -s err ]; then pass; else fail "$1: $(cat out err)"; fi
}
cp user.fct tables/tuning.fct
trusted 'owned by root' table
chmod 664 tables/tuning.fct
trusted 'writable by the group' built-in
chmod 646 tables/tuning.fct
trusted 'writable by others' built-in
chmod 644 tables/tuning.fct && chown $owner tables/tuning.fct
trusted 'owned by another' built-in
chown 0 tables/tuning.fct && chmod 775 tables
trusted 'its folder writable by the group' built-in
chmod 757 tables
trusted 'its folder writable by others' built-in
chmod 755 tables && chown $owner tables
trusted 'its folder owned by another' built-in
chown 0 tables
trusted 'as it was at first' table
mv tables/tuning.fct tables/real.fct && ln -s real.fct tables/tuning.fct
trusted 'a symbolic link' built-in
rm tables/tuning.fct && ln -s /etc/shadow tables/tuning.fct
trusted 'a symbolic link elsewhere' built-in
rm tables/tuning.fct && mkfifo tables/tuning.fct
trusted 'a pipe' built-in
rm tables/tuning.fct && mkdir tables/tuning.fct
trusted 'a folder' built-in
rmdir tables/tuning.fct && mv tables there && ln -s there tables && mv there/real.fct there/tuning.fct
trusted 'its folder a symbolic link' built-in
finish 60
