#!/bin/bash
# SPDX-License-Identifier: MIT
# Shows what libfastcopy gains on this machine: builds it, calibrates, compares it with the C library, and runs a real
# program under it. Takes about three minutes.
#
# usage: tune/try.sh [--install]
# Writes nothing outside build/, packages that are missing apart. --install: installs the library and the programs below
# /usr/local and the tuning table in /etc/fastcopy.
set -eu
cd "$(dirname "$0")/.."

install=no
case ${1:-} in
'') ;;
--install) install=yes ;;
-h | --help)
  sed -n '3,/^set/{/^set/d;s/^#\( \|$\)//p}' tune/try.sh
  exit 0
  ;;
*)
  echo "try.sh: unknown option '$1'; there is --install" >&2
  exit 2
  ;;
esac
as_root=()
if [ "$install" = yes ] && [ "$(id -u)" -ne 0 ]; then
  as_root=(sudo -n)
  if ! sudo -n true 2>/dev/null; then
    echo 'try.sh: --install needs root, or sudo without a password' >&2
    exit 1
  fi
fi

tests/packages.sh build

say() {
  printf '\n== %s\n' "$*"
}

say 'Building'
mkdir -p build
if ! cmake -G Ninja -S . -B build -DCMAKE_BUILD_TYPE=Release -DFASTCOPY_TESTS=OFF >build/configure.log 2>&1; then
  # a build folder of another generator is not ours to throw away
  cat build/configure.log >&2
  exit 1
fi
cmake --build build
tune=build/tune/fastcopy-tune
table=$PWD/build/tuning.fct

if [ "$install" = yes ]; then
  say 'Installing'
  "${as_root[@]}" cmake --install build
  "${as_root[@]}" ldconfig
  table=$(sed -n 's/^FASTCOPY_TABLE_FOLDER:[A-Z]*=//p' build/CMakeCache.txt)/tuning.fct
fi

say "Calibrating this machine into $table (30 seconds)"
if ! "${as_root[@]}" "$tune" calibrate --output "$table"; then
  # a machine too noisy to decide is no fault; what follows then shows the built-in rules
  echo 'No table was written: what follows is under the built-in rules.' >&2
fi
export FASTCOPY_TABLE=$table
say 'The plan in force'
"$tune" show

for symbol in memcpy memmove; do
  say "$symbol: nanoseconds a call, and how many times as fast as the C library's"
  "$tune" bench --symbol $symbol --seconds 25
done

say 'A real program under the preload'
if command -v sqlite3 >/dev/null 2>&1; then
  program=(sqlite3 :memory: "create table t(a integer primary key, b text);
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 300000)
    insert into t select i, printf('%.*c', i % 100, 'x') from n; create index x on t(b, a); select count(*), sum(length(b)) from t;")
elif command -v python3 >/dev/null 2>&1; then
  program=(python3 -c "import json; d = [{'key%d' % i: list(range(i % 20)), 'text': 'x' * (i % 300)} for i in range(100000)]
print(sum(len(json.dumps(e)) for e in d))")
else
  program=(sort --parallel=1 -R build/CMakeCache.txt)
fi
TIMEFORMAT='%3R s elapsed, %3U s user'
echo "${program[0]}, as it is:"
time "${program[@]}" >build/try.without
echo "${program[0]}, under fastcopy-run --verbose:"
time build/tune/fastcopy-run --verbose -- "${program[@]}" >build/try.with
if [ "${program[0]}" = sort ] || cmp -s build/try.without build/try.with; then
  echo 'The output is the same.'
else
  echo 'try.sh: the output differs' >&2
  exit 1
fi

if [ "$install" = yes ]; then
  say 'Installed'
  echo 'One program:   fastcopy-run -- PROGRAM'
  echo 'Undo:          xargs rm -f <build/install_manifest.txt; rm -r /etc/fastcopy'
else
  say 'Nothing was installed'
  echo 'One program:   build/tune/fastcopy-run --table build/tuning.fct -- PROGRAM'
  echo 'Installation:  tune/try.sh --install'
fi
