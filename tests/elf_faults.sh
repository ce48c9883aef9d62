#!/bin/bash
# SPDX-License-Identifier: MIT
# The tests of the file, of the early objects and of the preload notice what they are there to notice: each fault is
# made, and the test must name it.
#
# usage: elf_faults.sh <check_elf> <libfastcopy.a> <copies program> <settings>
set -eu
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/common.sh
. "$here/common.sh"

check_elf=$(realpath "$1")
archive=$(realpath "$2")
copies=$(realpath "$3")
settings=$(realpath "$4")
root=$(sed -n 's/^root //p' "$settings")
cc=$(sed -n 's/^compiler //p' "$settings")
make_work
cd "$work"

# expect name text command...: the command fails and prints a line with that text.
expect() {
  local name=$1 text=$2
  shift 2
  if "$@" >out 2>&1; then
    fail "$name: not noticed"
  elif grep -qF -- "$text" out; then
    pass
  else
    fail "$name: \"$text\" is not in the output"
    head -n 10 out
  fi
}

# link name option...: the library, with something wrong
link() {
  local name=$1
  shift
  "$cc" -shared -nostdlib -o "$name.so" -Wl,--whole-archive "$archive" -Wl,--no-whole-archive -Wl,-soname,libfastcopy.so.1 \
    -Wl,-z,relro,-z,now,-z,noexecstack -Wl,--version-script="$root/lib/fastcopy.map" "$@" -l:libc.so.6
}
link lazy -Wl,-z,lazy
link stack -Wl,-z,execstack
link rpath -Wl,-rpath,/tmp
link norelro -Wl,-z,norelro
link soname -Wl,-soname,libother.so
link bare -Wl,--strip-all
expect 'lazy binding' 'no BIND_NOW' "$check_elf" lazy.so "$archive"
expect 'executable stack' 'executable stack' "$check_elf" stack.so "$archive"
expect 'a run path' 'RUNPATH' "$check_elf" rpath.so "$archive"
expect 'no RELRO' 'no PT_GNU_RELRO' "$check_elf" norelro.so "$archive"
expect 'fc_live outside RELRO' 'lies outside RELRO' "$check_elf" norelro.so "$archive"
expect 'another SONAME' 'SONAME is libother.so' "$check_elf" soname.so "$archive"
expect 'a stripped library' 'no .symtab' "$check_elf" bare.so "$archive"

# names: one too many, one missing, one of another type, one with a version
printf 'int fastcopy_extra(void);\nint fastcopy_extra(void) { return 0; }\n' >extra.c
"$cc" -O1 -fPIC -fcf-protection=none -c extra.c
link extra extra.o
expect 'one name too many' 'fastcopy_extra is exported' "$check_elf" extra.so "$archive"
expect 'an object without notes' 'no IBT and SHSTK property' "$check_elf" extra.so "$archive"
cp "$archive" less.a
printf '{ global: memcpy; memmove; local: *; };\n' >less.map
"$cc" -shared -nostdlib -o less.so -Wl,--whole-archive "$archive" -Wl,--no-whole-archive -Wl,--version-script=less.map -l:libc.so.6
expect 'a missing name' '__memcpy_chk is not exported' "$check_elf" less.so "$archive"
sed 's/fastcopy_memcpy;/fastcopy_memcpy; memcpy;/' "$root/lib/fastcopy.map" >version.map
"$cc" -shared -nostdlib -o version.so -Wl,--whole-archive "$archive" -Wl,--no-whole-archive -Wl,--version-script=version.map -l:libc.so.6
expect 'memcpy with a version' 'memcpy: has version FASTCOPY_1.0' "$check_elf" version.so "$archive"
expect 'an import of a new version' 'needs version GLIBC_' "$check_elf" version.so "$archive"

cat >ifunc.c <<'END'
#include <stddef.h>
static void *copy(void *to, const void *from, size_t n) {
  void *result = to;
  __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
  return result;
}
static void *(*choose(void))(void *, const void *, size_t) { return copy; }
void *memcpy(void *, const void *, size_t) __attribute__((ifunc("choose")));
END
"$cc" -O1 -fPIC -fno-builtin -shared -nostdlib -o ifunc.so ifunc.c
expect 'memcpy as an IFUNC' 'memcpy: symbol type 10' "$check_elf" ifunc.so "$archive"
expect 'memcpy as an IFUNC, in programs' Relink "$here/preload.sh" ifunc.so "$copies" --least 1 ls-missing

# an object without unwind data, of which the archive also lacks a note
printf '.text\n.globl fc_extra\n.type fc_extra, @function\nfc_extra:\n ret\n.size fc_extra, . - fc_extra\n' >extra.S
"$cc" -c extra.S -o extra.S.o
link nounwind extra.S.o
cp "$archive" extra.a
ar r extra.a extra.S.o 2>/dev/null
expect 'a routine without unwind data' 'fc_extra: no FDE covers it' "$check_elf" nounwind.so extra.a
expect 'a routine without endbr64' 'fc_extra does not begin with endbr64' "$check_elf" nounwind.so extra.a
expect 'an object without a stack note' 'no .note.GNU-stack' "$check_elf" nounwind.so extra.a

# preload: a library that is not there, one that has nothing, one that copies wrongly
printf 'int nothing;\n' | "$cc" -shared -nostdlib -o empty.so -x c -
expect 'a library that is not bound' 'not bound under preload' "$here/preload.sh" empty.so "$copies" --least 1 ls
expect 'too few programs' 'are the least' "$here/preload.sh" "$work/ifunc.so" "$copies" --least 1 no-such-program
printf '%s\n' '#include <stddef.h>' 'void *memmove(void *to, const void *from, size_t n) { char *t = to; const char *f = from;' \
  ' while (n-- > 0) *t++ = *f++; return to; }' >forward.c
"$cc" -O1 -fno-builtin -fno-tree-loop-distribute-patterns -fPIC -shared -nostdlib -o forward.so forward.c
expect 'a memmove that is wrong for overlap' FAILED "$here/preload.sh" forward.so "$copies" --least 1 python3 perl git

# early objects: a call, a table of pointers, a vector register
{
  grep -vE '^(source|assembly|root) ' "$settings"
  echo "root $work"
  echo 'source early.c'
} >early.settings
sed "s|^compiler .*|compiler $cc|" -i early.settings
echo 'struct s { char c[1 << 20]; }; void fc_f(struct s *a, const struct s *b) { *a = *b; }' >early.c
expect 'a structure copied by memcpy' 'memcpy' "$here/early_objects.sh" early.settings --quick
echo 'const char *const fc_names[] = {"a", "b"};' >early.c
expect 'a table of pointers' 'absolute relocations' "$here/early_objects.sh" early.settings --quick
echo 'void fc_f(void); void fc_f(void) { __asm__ volatile("pxor %xmm0, %xmm0"); }' >early.c
expect 'a vector register' 'vector register' "$here/early_objects.sh" early.settings --quick
finish 23
