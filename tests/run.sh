#!/bin/bash
# SPDX-License-Identifier: MIT
# Builds everything into build-tests/ and runs the tests: natively, then for three kinds of PowerPC under qemu-user. On
# Debian 12 and 13, installs what is missing where it may.
#
# usage: tests/run.sh [option of ctest ...]; exit status 0 when every test of every build passed
set -euo pipefail
cd "$(dirname "$0")/.."

tests/packages.sh tests

# One line a build, printed at the end.
summary=()
failed=0
# conclude build log exit-status: what the log of ctest says of the build
conclude() {
  local line
  line=$(sed -n '/tests passed, .* tests failed out of/p' "$2" | tail -n 1)
  if [ "$3" -ne 0 ]; then
    failed=1
    line="FAILED ${line:-without a test run}"
  fi
  summary+=("$(printf '%-8s %s (%s not run here, %d s)' "$1" "${line:-no tests chosen}" \
    "$(grep -c '\*\*\*Skipped' "$2" || :)" "$((SECONDS - started))")")
}

# configure folder option ...
configure() {
  local folder=$1
  shift
  mkdir -p "$folder"
  cmake -G Ninja -S . -B "$folder" -DFASTCOPY_WERROR=ON "$@" >"$folder/configure.log" 2>&1 || {
    cat "$folder/configure.log" >&2
    return 1
  }
}

# native option-of-ctest ...
native() {
  echo '== build: the default compiler' >&2
  configure build-tests -DFASTCOPY_TESTS=ON && cmake --build build-tests || return 1
  echo '== build: clang, the library and the programs' >&2
  configure build-tests/clang -DCMAKE_C_COMPILER=clang -DFASTCOPY_TESTS=OFF && cmake --build build-tests/clang ||
    return 1
  echo "== tests (built in $((SECONDS - started)) s)" >&2
  ctest --test-dir build-tests --output-on-failure -j2 "$@"
}

# cross preset option-of-ctest ...
cross() {
  local preset=$1 folder=build-tests/$1 options=()
  shift
  echo "== build: $preset" >&2
  mkdir -p "$folder"
  if [ "$preset" = ppc64le ] && tests/cross_root.sh ppc64el build-tests/ppc64le-root; then
    options+=(-DFASTCOPY_CROSS_ROOT="$PWD/build-tests/ppc64le-root")
  fi
  cmake --preset "$preset" -B "$folder" "${options[@]}" >"$folder/configure.log" 2>&1 || {
    cat "$folder/configure.log" >&2
    return 1
  }
  grep -E '^-- not (emulated|tested|built)' "$folder/configure.log" || :
  cmake --build "$folder" || return 1
  echo "== tests: $preset, by qemu-user" >&2
  ctest --test-dir "$folder" --output-on-failure -j2 "$@"
}

logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
started=$SECONDS
status=0
native "$@" 2>&1 | tee "$logs/native" || status=1
conclude "$(uname -m)" "$logs/native" "$status"
for preset in ppc64le ppc64 ppc32; do
  started=$SECONDS status=0
  cross "$preset" "$@" 2>&1 | tee "$logs/$preset" || status=1
  conclude "$preset" "$logs/$preset" "$status"
done

printf '== %s\n' "${summary[@]}"
exit "$failed"
