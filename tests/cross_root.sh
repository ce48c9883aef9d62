#!/bin/bash
# SPDX-License-Identifier: MIT
# Unpacks the libraries that fastcopy-tune needs, for another of Debian's architectures, into a folder for CMake to look
# in. Nothing is installed: beside the packages of this machine they would have to be of the very same versions.
#
# usage: cross_root.sh <architecture, as ppc64el> <folder>; exit status 1 where they are not to be had
set -eu

architecture=$1
mkdir -p "$2"
folder=$(realpath "$2")
packages='libelf1 libelf-dev zlib1g zlib1g-dev libzstd1 libsmartcols1 libsmartcols-dev'
if [ -e "$folder/done" ]; then exit 0; fi
if ! command -v apt-get >/dev/null 2>&1; then
  echo 'cross_root.sh: only apt-get is known here' >&2
  exit 1
fi

# a list of packages and a cache of our own, for that architecture alone
state=$folder/apt
mkdir -p "$state/lists/partial" "$state/archives/partial"
: >"$state/status"
options=(-q -o "APT::Architecture=$architecture" -o "APT::Architectures::=$architecture" -o "Dir::State=$state"
  -o "Dir::State::lists=$state/lists" -o "Dir::State::status=$state/status" -o "Dir::Cache=$state" -o APT::Sandbox::User=
  -o Acquire::Languages=none)
# some sources have nothing for it
apt-get "${options[@]}" update >"$state/log" 2>&1 || :
cd "$state/archives"
# shellcheck disable=SC2086
if ! apt-get "${options[@]}" download $packages >>"$state/log" 2>&1; then
  tail -n 3 "$state/log" >&2
  exit 1
fi
for package in *.deb; do
  dpkg-deb -x "$package" "$folder"
done
cd "$folder"
# one folder of libraries, and no link that leads out of it
if [ -d lib ]; then
  cp -a lib/. usr/lib/
  rm -rf lib
fi
find . -type l -lname '/*' -printf '%P %l\n' | while read -r link target; do
  target=usr/${target#/}
  ln -sfn "$(realpath -m --relative-to="$(dirname "$link")" "${target/usr\/usr/usr}")" "$link"
done
rm -rf "$state"
: >"$folder/done"
