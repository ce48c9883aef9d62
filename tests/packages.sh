#!/bin/bash
# SPDX-License-Identifier: MIT
# Installs what is missing, through apt and without a question, where it may; else names the packages and exits 1.
#
# usage: packages.sh build|tests
set -eu

missing=()
# need package command, header or file ...: the package, unless one of them is there
need() {
  local package=$1 thing
  shift
  for thing in "$@"; do
    case $thing in
    /*) if [ -e "$thing" ]; then return 0; fi ;;
    *.h) if echo "#include <$thing>" | cc -E -o /dev/null -x c - 2>/dev/null; then return 0; fi ;;
    *) if command -v "$thing" >/dev/null 2>&1; then return 0; fi ;;
    esac
  done
  missing+=("$package")
}
PATH=$PATH:/usr/sbin:/sbin

need build-essential c++
need cmake cmake
need ninja-build ninja
need pkg-config pkg-config
need libcpuid-dev libcpuid/libcpuid.h
need libelf-dev gelf.h
need zlib1g-dev zlib.h
need libsmartcols-dev libsmartcols/libsmartcols.h libsmartcols.h
if [ "${1:-}" = tests ]; then
  need clang clang
  need lld ld.lld
  need valgrind valgrind
  need gdb gdb
  need strace strace
  need qemu-user qemu-ppc64le
  # triple, Debian's name of the architecture
  while read -r triple name; do
    need "gcc-$triple" "$triple-gcc"
    need "libc6-dev-$name-cross" "/usr/$triple/include/stdio.h"
  done <<END
powerpc64le-linux-gnu ppc64el
powerpc64-linux-gnu ppc64
powerpc-linux-gnu powerpc
END
  need sqlite3 sqlite3
  need python3 python3
  need man-db man
  need git git
  need perl perl
  need binutils objdump
  need xz-utils xz
  need bzip2 bzip2
  need file file
  need openssl openssl
  need openssh-client ssh
  need util-linux setpriv
fi

if [ "${#missing[@]}" -eq 0 ]; then
  exit 0
fi
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  as_root=(sudo -n)
  if ! sudo -n true 2>/dev/null; then
    printf 'These packages are missing, and neither root nor sudo without a password is at hand to install them:\n' >&2
    printf '  apt-get install %s\n' "${missing[*]}" >&2
    exit 1
  fi
fi
if ! command -v apt-get >/dev/null 2>&1; then
  printf 'These packages are missing, by their Debian names: %s\n' "${missing[*]}" >&2
  exit 1
fi
printf 'Installing: %s\n' "${missing[*]}" >&2
quiet=(-q -o Dpkg::Use-Pty=0)
# the lists may be old or empty: once more with new ones
install=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get "${quiet[@]}" install -y --no-install-recommends "${missing[@]}")
if ! "${install[@]}" >&2; then
  "${as_root[@]}" apt-get "${quiet[@]}" update >&2
  "${install[@]}" >&2
fi
