#!/bin/bash
# SPDX-License-Identifier: MIT
# Every way of linking: the installed packages, the archive in static, static-pie, PIE and non-PIE programs by each
# linker, link-time optimisation, both symbol versions, pointers to the functions, copies before the library is
# relocated, dlopen, the loader's own modes.
#
# usage: link.sh <settings> <build folder> [install archive pointers early versions reload loader lto sanitizer fortify]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/common.sh
. "$here/common.sh"

settings=$(realpath "$1")
build=$(realpath "$2")
shift 2
groups=${*:-install archive pointers early versions reload loader lto sanitizer fortify}
root=$(sed -n 's/^root //p' "$settings")
cc=$(sed -n 's/^compiler //p' "$settings")
programs=$here/programs
library=$build/libfastcopy.so.1
archive=$build/libfastcopy.a
library_file=$(realpath "$library")
make_work
cd "$work"
c=("$cc" -std=gnu11 -O2 -Wall -Wextra -Werror -fno-builtin -I"$root/lib")

linkers=
for linker in bfd gold lld mold; do
  if echo 'int main(void) { return 0; }' | "$cc" -fuse-ld=$linker -o probe -x c - 2>/dev/null && ./probe; then
    linkers+=" $linker"
  else
    skip "linker $linker: $cc has none"
  fi
done

# check name command...: the command succeeds
check() {
  local name=$1 status=0
  shift
  "$@" >out 2>&1 || status=$?
  if [ "$status" -eq 0 ]; then
    pass
  else
    fail "$name: exit status $status"
    head -n 5 out
    return 1
  fi
}

# runs name program arguments...: lazily and eagerly bound, with nothing on standard error
runs() {
  local name=$1 status=0 now
  shift
  for now in '' 1; do
    status=0
    env ${now:+LD_BIND_NOW=$now} "$@" >out 2>err || status=$?
    if [ "$status" -ne 0 ] || [ -s err ]; then
      fail "$name${now:+, LD_BIND_NOW}: exit status $status"
      head -n 3 out err
    else
      pass
    fi
  done
}

# bound name program...: what it binds of the family comes from the library
bound() {
  local name=$1 pattern=$2
  shift 2
  rm -rf trace && mkdir trace
  LD_BIND_NOW=1 LD_DEBUG=bindings LD_DEBUG_OUTPUT=$work/trace/bindings "$@" >/dev/null 2>&1 || :
  if bindings trace | grep -E "$pattern" >bound && ! grep -v ' to [^ ]*libfastcopy\.so' bound >foreign; then
    pass
  else
    fail "$name: not bound to libfastcopy: $(head -n 1 foreign 2>/dev/null)"
  fi
}

group_install() {
  # a staged root: the packages' files say the final place
  DESTDIR=$work/root cmake --install "$build" >install.log 2>&1 || {
    fail "cmake --install: $(tail -n 1 install.log)"
    return
  }
  local prefix lib include
  prefix=$work/root$(sed -n 's/^CMAKE_INSTALL_PREFIX:PATH=//p' "$build/CMakeCache.txt")
  lib=$(dirname "$(find "$prefix" -name libfastcopy.so)")
  include=$(dirname "$(find "$prefix" -name fastcopy.h)")
  for file in "$lib/libfastcopy.so.1" "$lib/libfastcopy.a" "$lib/pkgconfig/fastcopy.pc" "$lib/cmake/fastcopy/fastcopy-config.cmake" "$include/fastcopy.h"; do
    if [ -e "$file" ]; then pass; else fail "not installed: $file"; fi
  done
  if [ "$(find "$prefix" -name '*.h' | wc -l)" -ne 1 ]; then fail 'more than one header installed'; fi

  if have pkg-config; then
    local words
    words=$(PKG_CONFIG_PATH=$lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$work/root pkg-config --cflags --libs fastcopy)
    # shellcheck disable=SC2086
    check 'C by pkg-config' "$cc" -fno-builtin -DFASTCOPY_LINKED "$programs/copies.c" -o c1 $words &&
      runs 'C by pkg-config' env LD_LIBRARY_PATH="$lib" ./c1 && bound 'C by pkg-config' ./c1 env LD_LIBRARY_PATH="$lib" ./c1
    # shellcheck disable=SC2086
    if have g++; then
      check 'C++ by pkg-config' g++ -Wall -Wextra -Werror "$programs/direct.cc" -o cc1 $words &&
        runs 'C++ by pkg-config' env LD_LIBRARY_PATH="$lib" ./cc1 && bound 'C++ by pkg-config' 'libstdc\+\+' env LD_LIBRARY_PATH="$lib" ./cc1
    fi
    local version stated
    version=$(PKG_CONFIG_PATH=$lib/pkgconfig pkg-config --modversion fastcopy)
    stated=$(printf '#include "fastcopy.h"\nFASTCOPY_VERSION_MAJOR FASTCOPY_VERSION_MINOR FASTCOPY_VERSION_PATCH\n' |
      "$cc" -E -P -I"$include" -x c - | tail -n 1)
    if [ "$version" = "${stated// /.}" ]; then pass; else fail "pkg-config says version $version, the header $stated"; fi
    # folders that are given as absolute paths are not below the prefix
    if check 'absolute folders' cmake -S "$root" -B absolute -DCMAKE_C_COMPILER="$cc" -DFASTCOPY_TUNE=OFF \
      -DFASTCOPY_TESTS=OFF -DCMAKE_INSTALL_PREFIX=/opt/there -DCMAKE_INSTALL_LIBDIR=/some/lib \
      -DCMAKE_INSTALL_INCLUDEDIR=/other/include; then
      words=$(PKG_CONFIG_PATH=$work/absolute pkg-config --cflags --libs fastcopy)
      if [[ $words == *-I/other/include* && $words == *-L/some/lib* ]]; then pass; else fail "absolute folders: $words"; fi
    fi
  else
    skip 'pkg-config: not installed'
  fi

  mkdir user
  cat >user/CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.22)
project(user LANGUAGES C CXX)
find_package(fastcopy 0.1 REQUIRED)
add_executable(shared $programs/direct.cc)
target_link_libraries(shared fastcopy::fastcopy)
add_executable(archive $programs/copies.c)
target_compile_options(archive PRIVATE -fno-builtin)
target_compile_definitions(archive PRIVATE FASTCOPY_LINKED)
target_link_libraries(archive fastcopy::static)
END
  if check 'find_package' cmake -S user -B user/build -DCMAKE_PREFIX_PATH="$prefix" && check 'build with find_package' cmake --build user/build; then
    runs 'find_package, shared' user/build/shared
    runs 'find_package, archive' user/build/archive
    bound 'find_package, shared' 'libstdc\+\+' user/build/shared
  fi
}

group_archive() {
  local linker kind options plan name
  # a table that differs from the built-in rules: whoever did not read it, shows
  "${c[@]}" -I"$root" -I"$root/arch/x86_64" "$programs/make_table.c" -o make_table "$archive"
  ./make_table table.fct sse2 generic 0 9216 120000 64 70000000
  LD_PRELOAD=$library FASTCOPY_TABLE=table.fct ./copies plan >plan.preload
  if ! grep -q 'memcpy sse2 memmove generic source table' plan.preload; then fail "the table is not in force: $(cat plan.preload)"; fi
  for linker in $linkers; do
    for kind in static static-pie pie no-pie; do
      for now in '' -Wl,-z,now; do
        options=(-fuse-ld="$linker")
        case $kind in
        static) options+=(-static) ;;
        static-pie) options+=(-static-pie -fPIE) ;;
        pie) options+=(-pie -fPIE -lz) ;;
        no-pie) options+=(-no-pie -fno-pie -lz) ;;
        esac
        name="$kind $linker${now:+ -z now}"
        if [[ $kind == static* ]] && ! echo 'int main(void) { return 0; }' | "$cc" "${options[@]}" -o probe -x c - 2>/dev/null; then
          skip "$name: the linker or the C library cannot"
          continue
        fi
        check "$name: link" "${c[@]}" -DFASTCOPY_LINKED "$programs/copies.c" -o program "$archive" -Wl,--no-as-needed "${options[@]}" $now || continue
        runs "$name" ./program
        runs "$name: overlap" ./program overlap
        plan=$(FASTCOPY_TABLE=table.fct ./program plan)
        if [ "$plan" = "$(cat plan.preload)" ]; then pass; else fail "$name: not the plan that preload gives: $plan"; fi
        # ours, and not the C library's beside it
        if nm program | grep -qE ' T memcpy$' && [ "$(nm program | grep -c ' fc_live$')" -eq 1 ]; then
          pass
        else
          fail "$name: memcpy is not ours"
        fi
        if [ "$kind" = pie ] || [ "$kind" = no-pie ]; then
          # the shared libraries of the program get the program's
          rm -rf trace && mkdir trace
          LD_BIND_NOW=1 LD_DEBUG=bindings LD_DEBUG_OUTPUT=$work/trace/bindings ./program >/dev/null
          if bindings trace | grep -q 'libz[^ ]* \[0\] to \./program'; then
            pass
          else
            fail "$name: libz does not bind the program's memcpy"
          fi
        fi
      done
    done
  done
  if have g++; then
    check 'C++ and the archive: link' g++ "$programs/direct.cc" -I"$root/lib" -o program "$archive" && runs 'C++ and the archive' ./program
    if check 'C++, static: link' g++ -static "$programs/direct.cc" -I"$root/lib" -o program "$archive"; then runs 'C++, static' ./program; fi
  fi
  # nothing switches the protection off that all other objects ask for
  check 'cet-report' "$cc" -shared -nostdlib -o cet.so -Wl,--whole-archive "$archive" -Wl,--no-whole-archive \
    -Wl,-z,cet-report=error -l:libc.so.6 || :
}

group_pointers() {
  local linker kind how
  for linker in $linkers; do
    for kind in pie no-pie; do
      local options=(-fuse-ld="$linker" -f"$kind" -"$kind")
      # the library as a dependency, and the IFUNC names, too
      check "pointers $linker $kind: link" "${c[@]}" -fPIC -shared -DPOINTER_DSO -DFASTCOPY_LINKED "$programs/pointer.c" \
        -fuse-ld="$linker" -o libpointer.so -L"$build" -lfastcopy &&
        check "pointers $linker $kind: link" "${c[@]}" -DFASTCOPY_LINKED "$programs/pointer.c" "${options[@]}" -o program \
          -L. -lpointer -L"$build" -lfastcopy &&
        runs "pointers $linker $kind" env LD_LIBRARY_PATH=".:$build" ./program
      # preloaded
      check "pointers $linker $kind: link" "${c[@]}" -fPIC -shared -DPOINTER_DSO "$programs/pointer.c" \
        -fuse-ld="$linker" -o libpointer.so &&
        check "pointers $linker $kind: link" "${c[@]}" "$programs/pointer.c" "${options[@]}" -o program -L. -lpointer &&
        runs "pointers $linker $kind, preload" env LD_LIBRARY_PATH=. LD_PRELOAD="$library" ./program
    done
    for kind in static static-pie pie no-pie; do
      how=(-"$kind")
      [ "$kind" != static-pie ] || how+=(-fPIE)
      if ! echo 'int main(void) { return 0; }' | "$cc" "${how[@]}" -fuse-ld="$linker" -o probe -x c - 2>/dev/null; then
        skip "pointers $linker $kind: the linker or the C library cannot"
        continue
      fi
      check "pointers $linker $kind, archive: link" "${c[@]}" -DPOINTER_ALONE -DFASTCOPY_LINKED "$programs/pointer.c" \
        -fuse-ld="$linker" "${how[@]}" -o program "$archive" &&
        runs "pointers $linker $kind, archive" ./program
    done
  done
}

# A library with an IFUNC of its own, which no other object binds, is relocated before this one: its resolver copies by
# what the linker wrote here, and nothing else.
group_early() {
  local linker option options order
  for linker in $linkers; do
    # through the PLT, bound lazily where nobody forbids it, and through the GOT
    for option in -fplt -fno-plt; do
      options=(-O0 "$option" -fPIC -shared -fuse-ld="$linker")
      check "early $linker $option: link" "${c[@]}" "${options[@]}" -DEARLY_DSO "$programs/early.c" -o libearly.so || continue
      check "early $linker $option: link" "${c[@]}" "$programs/early.c" -fuse-ld="$linker" -o program -L. -learly || continue
      if ! (LD_LIBRARY_PATH=. ./program && LD_BIND_NOW=1 LD_LIBRARY_PATH=. ./program) >/dev/null 2>&1; then
        skip "early $linker $option: it does not run without the library, since the linker puts the IFUNC first"
        continue
      fi
      runs "early $linker $option, preload" env LD_LIBRARY_PATH=. LD_PRELOAD="$library" ./program
      for order in '-lfastcopy -learly' '-learly -lfastcopy'; do
        # shellcheck disable=SC2086
        check "early $linker $option, $order: link" "${c[@]}" "$programs/early.c" -fuse-ld="$linker" -o program \
          -Wl,--no-as-needed -L. -L"$build" $order &&
          runs "early $linker $option, $order" env LD_LIBRARY_PATH=".:$build" ./program
      done
      # a program is relocated last, and the libraries bind its memcpy
      check "early $linker $option, the archive in a PIE: link" "${c[@]}" -fPIE -pie "$programs/early.c" \
        -fuse-ld="$linker" -o program -Wl,-u,memcpy -L. -learly "$archive" &&
        runs "early $linker $option, the archive in a PIE" env LD_LIBRARY_PATH=. ./program
    done
  done
}

group_versions() {
  "${c[@]}" "$programs/versions.c" -o program
  runs 'both versions of memcpy' env LD_PRELOAD="$library" ./program
  rm -rf trace && mkdir trace
  LD_PRELOAD=$library LD_DEBUG=bindings LD_DEBUG_OUTPUT=$work/trace/bindings ./program >/dev/null
  for version in GLIBC_2.2.5 GLIBC_2.14; do
    if bindings trace | grep 'program \[0\] to [^ ]*libfastcopy.so' | grep -qF "\`memcpy' [$version]"; then
      pass
    else
      fail "memcpy@$version does not bind to the library"
    fi
  done
}

group_reload() {
  "${c[@]}" "$programs/reload.c" -o program -ldl -lpthread
  runs 'dlopen and dlclose' ./program "$library_file"
  runs 'dlopen of a copy under preload' env LD_PRELOAD="$(cp "$library_file" other.so && realpath other.so)" ./program "$library_file"
}

# The loader's modes that look without running: the exit status is what it is without the library.
group_loader() {
  local loader mode with without file
  loader=$(readelf -Wl /bin/true | sed -n 's/.*interpreter: \(.*\)\]/\1/p')
  for mode in LD_TRACE_LOADED_OBJECTS=1 'LD_TRACE_LOADED_OBJECTS=1 LD_WARN=1' 'LD_TRACE_LOADED_OBJECTS=1 LD_WARN=1 LD_BIND_NOW=1' \
    'LD_TRACE_LOADED_OBJECTS=1 LD_WARN=1 LD_BIND_NOW=1 LD_DEBUG=unused' LD_DEBUG=unused 'LD_DEBUG=all' 'LD_DEBUG=statistics'; do
    for file in /bin/true /bin/ls; do
      with=0 without=0
      # shellcheck disable=SC2086
      env $mode "$loader" "$file" >/dev/null 2>&1 || without=$?
      # shellcheck disable=SC2086
      env $mode LD_PRELOAD="$library" "$loader" "$file" >/dev/null 2>err || with=$?
      if [ "$with" -eq "$without" ] && ! grep -q Relink err; then
        pass
      else
        fail "$mode $file: exit status $with, without the library $without"
      fi
    done
  done
  # whatever the order of the libraries, the C library is relocated before the resolver asks it
  for mode in "libc.so.6 $library" "$library libc.so.6" "$(basename "$loader") libc.so.6 $library" "$library $library_file"; do
    runs "preload of $mode" env LD_PRELOAD="$mode" /bin/true
  done
  "${c[@]}" -DFASTCOPY_LINKED "$programs/copies.c" -o program -Wl,--no-as-needed -lc -L"$build" -lfastcopy
  runs 'the C library linked first' env LD_LIBRARY_PATH="$build" ./program
  if have ldd; then
    check 'ldd' ldd "$library"
    if grep -q 'not found' out; then fail 'ldd: not found'; fi
    # 1: there are dependencies that nothing uses, which the weak references may count as
    with=0
    ldd -u "$library" >out 2>&1 || with=$?
    if [ "$with" -le 1 ] && ! grep -qi fault out; then pass; else fail "ldd -u: exit status $with"; fi
    with=0
    ldd -r "$library" >out 2>&1 || with=$?
    if [ "$with" -eq 0 ] && ! grep -q undefined out; then pass; else fail "ldd -r: $(head -n 1 out)"; fi
  fi
}

group_lto() {
  local compiler option
  for option in 'gcc -flto' 'gcc -flto -fno-fat-lto-objects -static' 'clang -flto -fuse-ld=lld' \
    'clang -flto=thin -fuse-ld=lld' 'clang -flto=thin -fuse-ld=lld -static'; do
    compiler=${option%% *}
    # shellcheck disable=SC2086
    if ! have "$compiler" || ! echo 'int main(void) { return 0; }' | $option -o probe -x c - 2>/dev/null; then
      skip "$option: not available"
      continue
    fi
    # shellcheck disable=SC2086
    check "$option: link" $option -O2 -DFASTCOPY_LINKED -I"$root/lib" "$programs/copies.c" -o program "$archive" \
      -Wl,-Map,map || continue
    runs "$option" ./program
    if nm program | grep -qE ' [Tt] memcpy$' && grep -q 'entry\.S' map; then pass; else fail "$option: memcpy is not ours"; fi
  done
}

# AddressSanitizer: gcc's shared runtime wants to come first, clang's static one does not care.
group_sanitizer() {
  cat >hello.c <<'END'
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv) { static char text[200]; memcpy(text, argv[0], strlen(argv[0])); return argc == 1 ? puts("hello") < 0 : 1; }
END
  if have gcc && gcc -fsanitize=address hello.c -o asan 2>/dev/null; then
    local runtime
    runtime=$(gcc -print-file-name=libasan.so)
    runs 'gcc ASan, link order not verified' env ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD="$library" ./asan
    runs 'gcc ASan, its runtime first' env LD_PRELOAD="$(realpath "$runtime"):$library" ./asan
  else
    skip 'gcc ASan: not available'
  fi
  if have clang && clang -fsanitize=address hello.c -o asan 2>/dev/null; then
    runs 'clang ASan' env LD_PRELOAD="$library" ./asan
  else
    skip 'clang ASan: not available'
  fi
}

# The fortified names stop the same overflow with the same words, and copy with ours when there is none.
group_fortify() {
  cat >fortify.c <<'END'
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
char b[8], s[64];
wchar_t w[8], v[64];
int main(int argc, char **argv) {
  size_t n = strtoul(argv[2], 0, 0);
  (void)argc;
  switch (argv[1][0]) {
  case 'c': memcpy(b, s, n); break;
  case 'm': memmove(b, s, n); break;
  case 'p': mempcpy(b, s, n); break;
  case 'w': wmemcpy(w, v, n); break;
  case 'x': wmemmove(w, v, n); break;
  case 'y': wmempcpy(w, v, n); break;
  }
  return 0;
}
END
  local name with without level
  for level in 2 3; do
    "$cc" -D_GNU_SOURCE -O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=$level -w fortify.c -o program 2>/dev/null || continue
    for name in c m p w x y; do
      for n in 8 9 18446744073709551615; do
        with=0 without=0
        # two commands, so that the subshell says into the file that the program was aborted
        (./program $name $n; exit $?) >base 2>&1 || without=$?
        (LD_PRELOAD=$library ./program $name $n; exit $?) >out 2>&1 || with=$?
        sed -i '/ Aborted /d' base out
        if [ "$with" -eq "$without" ] && cmp -s base out; then
          pass
        else
          fail "fortified $name of $n: exit status $with, without the library $without"
        fi
        if [ "$n" = 9 ] && [ "$without" -ne 134 ]; then fail "fortified $name: the test overflows nothing"; fi
      done
    done
    bound "fortified names, level $level" _chk env LD_PRELOAD="$library" ./program c 8
  done
}

"${c[@]}" "$programs/copies.c" -o copies -ldl
for group in $groups; do
  "group_$group"
done
finish 1
