#!/bin/bash
# SPDX-License-Identifier: MIT
# Builds everything into build-tests/ and runs the tests. On Debian 12 and 13, installs what is missing where it may.
#
# usage: tests/run.sh [option of ctest ...]; exit status 0 when every test passed
set -eu
cd "$(dirname "$0")/.."

tests/packages.sh tests

started=$SECONDS
echo '== build: the default compiler' >&2
mkdir -p build-tests
cmake -G Ninja -S . -B build-tests -DFASTCOPY_WERROR=ON -DFASTCOPY_TESTS=ON >build-tests/configure.log 2>&1 || {
  cat build-tests/configure.log >&2
  exit 1
}
cmake --build build-tests

echo '== build: clang, the library and the programs' >&2
cmake -G Ninja -S . -B build-tests/clang -DCMAKE_C_COMPILER=clang -DFASTCOPY_WERROR=ON -DFASTCOPY_TESTS=OFF >build-tests/clang.log 2>&1 || {
  cat build-tests/clang.log >&2
  exit 1
}
cmake --build build-tests/clang

echo "== tests (built in $((SECONDS - started)) s)" >&2
# the summary of ctest stays the last thing that is seen
ctest --test-dir build-tests --output-on-failure -j2 "$@"
