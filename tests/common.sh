# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What the test scripts share. Sourced, after `set -eu`.

ulimit -c 0
unset LD_PRELOAD LD_BIND_NOW LD_DEBUG LD_DEBUG_OUTPUT LD_LIBRARY_PATH
unset FASTCOPY_TABLE FASTCOPY_VARIANT FASTCOPY_DISABLE FASTCOPY_VERBOSE
export LC_ALL=C TZ=UTC

# The family as a pattern; what a program binds of it must come from libfastcopy.
FAMILY='(mem(cpy|move|pcpy)|__mempcpy|bcopy|wmem(cpy|move|pcpy)|__w?mem(cpy|move|pcpy)_chk)'

ran=0
failed=0
skipped=0

make_work() {
  work=$(mktemp -d "${TMPDIR:-/tmp}/fastcopy-test.XXXXXX")
  # dead programs may leave read-only folders behind
  trap 'chmod -R u+rwx "$work" 2>/dev/null || :; rm -rf "$work"' EXIT
}

# fail text...: counts; the test goes on, so that one run shows every fault.
fail() {
  failed=$((failed + 1))
  printf 'FAILED %s\n' "$*"
}
# Says what is skipped and why.
skip() {
  skipped=$((skipped + 1))
  printf 'SKIPPED %s\n' "$*"
}
pass() {
  ran=$((ran + 1))
}
have() {
  command -v "$1" >/dev/null 2>&1
}

# finish [least]: the summary, and the exit status. Fewer than `least` passes are a fault of the test's place.
finish() {
  if [ "$ran" -lt "${1:-1}" ]; then
    fail "only $ran checks ran, ${1:-1} are the least"
  fi
  printf '%d passed, %d failed, %d skipped\n' "$ran" "$failed" "$skipped"
  [ "$failed" -eq 0 ] || exit 1
  exit 0
}

# bindings folder: the lines of LD_DEBUG=bindings, of every process that wrote into the folder, that bind the family.
bindings() {
  find "$1" -name 'bindings.*' -exec cat {} + | grep -E "symbol \`$FAMILY'" || :
}

# proves name folder library: the traces show libfastcopy bound, and nobody that got the family from the C library.
proves() {
  local lines
  lines=$(bindings "$2")
  if ! grep -qF " to $3 " <<<"$lines"; then
    fail "$1: the library is not bound under preload"
    return 1
  fi
  # an object opened with RTLD_DEEPBIND may look in the C library first; none of the programs here does
  if grep -E ' to [^ ]*/libc\.so\.6 ' <<<"$lines" >"$2/foreign"; then
    fail "$1: bound to the C library: $(head -n 1 "$2/foreign")"
    return 1
  fi
}

# usable_variants program: the names that this CPU can run, from a program that lists them.
usable_variants() {
  "$1" list | awk '$2 == "usable" { print $1 }'
}
