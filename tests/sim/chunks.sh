#!/bin/bash
# SPDX-License-Identifier: MIT
# Counts copies on PowerPC with qemu and the plugin count.c, prints the tables and holds them against the goals. Every
# figure is a count, or follows from counts: nothing here depends on the machine's speed or load.
#
# usage: chunks.sh [instructions|copies|all [<sim-settings>]]; without settings the three cross builds are made first
#   instructions   instructions a call against those of glibc 2.36
#   copies         bytes on the bus, and a table by chunk size in MB/s, both by the model of cache and bus (model.h);
#                  the same table in instructions, as fastcopy-tune bench --suite chunks copies
# Exit status: 0 goals met, 1 one was missed or something failed, 2 wrong usage, 77 cannot run here: Debian 13 builds its
# qemu-user without plugins, Debian 12 with.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/common.sh
. "$here/../common.sh"

part=${1:-all}
case $part in
instructions | copies | all) ;;
*)
  echo 'usage: chunks.sh [instructions|copies|all [<sim-settings>]]' >&2
  exit 2
  ;;
esac

if [ $# -lt 2 ]; then
  status=0
  for preset in ppc64le ppc64 ppc32; do
    (cd "$here/../.." && cmake --preset "$preset" && cmake --build --preset "$preset" --target chunks chunks_touch chunks_libc chunks_static chunks_libc_static) >&2
    "$0" "$part" "$here/../../build-$preset/tests/sim-settings" || status=$?
  done
  exit "$status"
fi

settings=$(realpath "$2")
# setting name: its value
setting() { sed -n "s/^$1 //p" "$settings"; }
read -r -a emulator <<<"$(setting emulator)"
processor=$(setting processor)
if ! have "${emulator[0]}" || ! have "${CC_FOR_BUILD:-cc}"; then
  skip "${emulator[0]} or a compiler for this machine: not installed"
  exit 77
fi
make_work
"${CC_FOR_BUILD:-cc}" -std=gnu11 -O2 -fPIC -shared -I"$here/../.." -o "$work/count.so" "$here/count.c" "$here/model.c" -ldl
# qemu may have been built without plugins; then it does not know the option
if ! "${emulator[@]}" -plugin "$work/count.so,out=$work/counts" "$(setting chunks_libc_static)" count empty 0 0 1 >"$work/log" 2>&1; then
  skip "${emulator[0]} runs no plugin: $(head -n 1 "$work/log")"
  exit 77
fi

# measure cpu plugin-arguments program arguments...: a line a size, on standard output:
#  1 mode 2 function 3 dst 4 src 5 size 6 calls 7 instructions 8 loads 9 stores 10 load_bytes 11 store_bytes 12 dcbz
#  13 dcbt 14 lost 15 cycles 16 fills 17 touches 18 wasted 19 writebacks 20 broadcasts 21 dirty 22 rate
measure() {
  local cpu=$1 plugin=$2 program
  program=$(setting "$3")
  shift 3
  if ! "${emulator[@]}" -cpu "$cpu" -plugin "$work/count.so,out=$work/counts$plugin" "$program" "$@" >"$work/calls"; then
    echo "chunks.sh: $cpu $program $*: failed" >&2
    return 1
  fi
  grep -v '^#' "$work/counts" | paste -d ' ' "$work/calls" -
}

# holds text value comparison bound: a goal
holds() {
  if awk "BEGIN { exit !($2 $3 $4) }"; then
    pass
  else
    fail "goal: $1: $2, not $3 $4"
  fi
}

# Instructions a call.

sizes='8 16 31 64 128 256 1024 4096 65536'

# glibc 2.36: CPU, bytes that dst and src lie past a multiple of 16, and the instructions for each of the sizes; the
# return is counted, the call is not
glibc() {
  sed -n "s/^$1 $2 $3 *//p" <<'END'
power9 0 0   13 26 39 34 47 68 194 698 10778
power9 1 3   13 39 46 78 96 132 348 1212 18492
power10 0 0  5 5 17 36 50 61 187 691 10771
power10 1 3  5 5 17 36 50 95 221 725 10805
base 0 0     22 36 50 54 76 120 384 1440 22560
603e 0 0     54 75 106 117 175 291 987 3771 59451
603e 1 3     54 101 121 194 318 566 2054 8006 127046
END
}

# instructions cpu program function dst src [sizes]: for each of the sizes
instructions() {
  local empty
  empty=$(measure "$1" '' "$2" count empty 0 0 8 | awk '{ print $7 / $6 }')
  # shellcheck disable=SC2086
  measure "$1" '' "$2" count "$3" "$4" "$5" ${6:-$sizes} | awk -v empty="$empty" '{ printf "%s ", $7 / $6 - empty + 1 }'
}

# compare name counts of-what counts: a table; sets `ratios` to the ratios and adds them to `all_ratios`
compare() {
  local -a ours theirs
  read -r -a ours <<<"$2"
  read -r -a theirs <<<"$4"
  printf '%-44s' "$1"
  printf '%8s' "${ours[@]}"
  printf '\n%-44s' "$3"
  printf '%8s' "${theirs[@]}"
  ratios=$(awk -v a="$2" -v b="$4" 'BEGIN { n = split(a, x); split(b, y); for (i = 1; i <= n; i++) printf "%.3f ", x[i] / y[i] }')
  all_ratios="$all_ratios $ratios"
  printf '\n%-44s' '  ratio'
  # shellcheck disable=SC2086
  printf '%8s' $ratios
  printf '   geometric mean %s\n' "$(mean "$ratios")"
}
mean() { awk -v a="$1" 'BEGIN { n = split(a, x); for (i = 1; i <= n; i++) s += log(x[i]); printf "%.3f", exp(s / n) }'; }
worst() { awk -v a="$1" 'BEGIN { n = split(a, x); for (i = 1; i <= n; i++) if (x[i] > w) w = x[i]; printf "%.3f", w }'; }

# against_glibc cpu row program function: both alignments
against_glibc() {
  local dst src here_now
  all_ratios=
  printf '%-44s' "$1, $3: n ="
  # shellcheck disable=SC2086
  printf '%8s' $sizes
  echo
  for dst in 0 1; do
    src=$((dst * 3))
    if [ -z "$(glibc "$2" "$dst" "$src")" ]; then continue; fi
    compare "$4, dst + $dst, src + $src" "$(instructions "$1" "$3" "$4" "$dst" "$src")" "  glibc 2.36" \
      "$(glibc "$2" "$dst" "$src")"
    # shows that the counting is that of the table, where the C library is the table's
    here_now=$(instructions "$1" "${3/chunks/chunks_libc}" memcpy "$dst" "$src")
    if [ "${here_now% }" = "$(glibc "$2" "$dst" "$src")" ]; then
      echo '  the C library here: the same, counted'
    else
      printf '%-44s' '  the C library here'
      # shellcheck disable=SC2086
      printf '%8s' $here_now
      echo
    fi
  done
}

# exported cpu program: what the exported memcpy adds, both bound as this program binds them; for every size up to where
# the ways of all variants have parted, and some above
every="$(seq -s ' ' 1 300) 511 512 1000 4096 65536"
exported() {
  local least most
  read -r least most <<<"$(awk -v a="$(instructions "$1" "$2" memcpy 0 0 "$every")" \
    -v b="$(instructions "$1" "$2" fastcopy_memcpy 0 0 "$every")" \
    'BEGIN { n = split(a, x); split(b, y); l = 1e9; m = -1e9
      for (i = 1; i <= n; i++) { d = x[i] - y[i]; if (d > m) m = d; if (d < l) l = d }
      print l, m }')"
  printf '%s, %s: the exported memcpy takes %s to %s instructions more than fastcopy_memcpy\n\n' "$1" "$2" "$least" "$most"
  holds "$1, $2: the exported memcpy more than fastcopy_memcpy" "$most" '<=' 6
  # less: fastcopy_memcpy is not bound to the variant in force. In a static program it is the entry itself, which the
  # linker calls through a stub of a few instructions
  local stub=0
  [ "$2" != chunks_static ] || stub=-8
  holds "$1, $2: the exported memcpy more than fastcopy_memcpy" "$least" '>=' "$stub"
}

all_instructions() {
  echo "Instructions a call, $processor: qemu, (100 calls - 100 empty calls) / 100 + 1"
  echo
  case $processor in
  ppc64le)
    against_glibc power9 power9 chunks fastcopy_memcpy
    holds 'power9, the worst ratio' "$(worst "$all_ratios")" '<=' 1
    holds 'power9, geometric mean' "$(mean "$all_ratios")" '<=' 0.75
    exported power9 chunks
    against_glibc power10 power10 chunks fastcopy_memcpy
    holds 'power10, the worst ratio' "$(worst "$all_ratios")" '<=' 1.2
    holds 'power10, geometric mean' "$(mean "$all_ratios")" '<=' 0.9
    exported power10 chunks
    for cpu in power9 power10; do
      # static programs of the C library have the base routine on every CPU
      against_glibc "$cpu" base chunks_static memcpy
      holds "static program on $cpu, geometric mean" "$(mean "$all_ratios")" '<=' 0.6
      exported "$cpu" chunks_static
    done
    ;;
  ppc64)
    against_glibc 970fx base chunks fastcopy_memcpy
    exported 970fx chunks
    exported power9 chunks
    against_glibc power8 base chunks_static memcpy
    exported power8 chunks_static
    ;;
  ppc)
    against_glibc 603e 603e chunks fastcopy_memcpy
    holds '603e, geometric mean' "$(mean "$all_ratios")" '<=' 0.5
    exported 603e chunks
    exported e300c3 chunks
    exported 603e chunks_static
    ;;
  esac
}

# Copies.

# on_the_bus cpu model line variant: bytes on the bus for each byte of a copy of 64 KB with an empty cache, to the end
on_the_bus() {
  measure "$1" ",dcbf=dcbt,model=$2" chunks_touch cold "$4" 0 0 65536 |
    awk -v line="$3" '{ printf "%.3f", ($16 + $17 + $19 + $21) * line / $5 }'
}

# same_counts cpu variant: dcbf for dcbt changes nothing else, and no dcbz is lost
same_counts() {
  local real copy
  real=$(measure "$1" '' chunks walk "$2" 0 0 1000 65536 | cut -d ' ' -f 1-14)
  copy=$(measure "$1" ',dcbf=dcbt' chunks_touch walk "$2" 0 0 1000 65536 | cut -d ' ' -f 1-14)
  if [ "$real" = "$copy" ] && awk '$14 != 0 { exit 1 }' <<<"$real"; then pass; else fail "$1, $2: the copy with dcbf counts otherwise, or a dcbz was lost"; fi
}

bus() {
  local cpu=$1 model=$2 line=$3 plain=$4 dcbz=$5 a b
  a=$(on_the_bus "$cpu" "$model" "$line" "$plain")
  b=$(on_the_bus "$cpu" "$model" "$line" "$dcbz")
  printf 'Bytes on the bus for each byte copied, %s, 64 KB, nothing in the cache before, all written back after:\n' "$model"
  printf '  %-20s %s\n  %-20s %s\n\n' "$plain" "$a" "$dcbz" "$b"
  holds "$model, $plain: bytes on the bus" "$a" '>=' 3
  holds "$model, $plain: bytes on the bus" "$a" '<=' 3.01
  holds "$model, $dcbz: bytes on the bus" "$b" '<=' 2.1
  same_counts "$cpu" "$dcbz"
}

# rates mode model program function [--set parameter=value]...: MB/s at 333 MHz for each of the chunks
rates() {
  local mode=$1 model=$2 program=$3 function=$4
  shift 4
  measure e300c3 ",dcbf=dcbt,model=$model" "$program" "$@" "$mode" "$function" 0 0 chunks |
    awk '{ printf "%.1f ", $5 * $6 * 333 / $15 }'
}

# columns rates...: the chunks, and the columns
columns() {
  local -a lists=("$("${emulator[@]}" "$(setting chunks_libc_static)" count empty 0 0 chunks | cut -d ' ' -f 5 | paste -s -d ' ')" "$@")
  local list
  for list in "${lists[@]}"; do echo "$list"; done |
    awk '{ for (i = 1; i <= NF; i++) cell[NR, i] = $i; n = NF }
      END { for (i = 1; i <= n; i++) { for (j = 1; j <= NR; j++) printf j == 1 ? "%8s" : "%12s", cell[j, i]; print "" } }'
}
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { n = split(a, x); split(b, y); for (i = 1; i <= n; i++) printf "%.2f ", x[i] / y[i] }'; }

table() {
  local libc word dcbz four word_four hold one four_ratio reading
  local -a row
  libc=$(rates walk e300c3 chunks_libc memcpy)
  word=$(rates walk e300c3 chunks_touch word)
  dcbz=$(rates walk e300c3 chunks_touch cacheline32)
  word_four=$(rates walk e300c3:touch=4 chunks_touch word)
  four=$(rates walk e300c3:touch=4 chunks_touch cacheline32 --set touch_buffers=4 --set dcbt_ahead=4)
  hold=$(rates walk e300c3:hold=1 chunks_touch cacheline32)
  one=$(ratio "$dcbz" "$word")
  four_ratio=$(ratio "$four" "$word_four")
  cat <<'END'
Copy by chunk size, MB/s by the model of the e300c3 at 333 MHz: calibrated by two figures of the 2008 report, 69 and
97 MB/s, which is no validation. 256 KB to another 256 KB, chunk after chunk. one, four: touch buffers. hold: one
buffer that keeps its line until it is asked for, another reading of the manual (model.h).
END
  printf '%8s%12s%12s%12s%12s%12s%12s%12s\n' chunk 'C library' word dcbz,one ratio dcbz,four ratio hold,ratio
  hold=$(ratio "$hold" "$word")
  columns "$libc" "$word" "$dcbz" "$one" "$four" "$four_ratio" "$hold"
  echo
  for reading in one hold; do
    read -r -a row <<<"${!reading}"
    holds "e300c3, $reading, 64 KB, dcbz against word" "${row[13]}" '>=' 1.41
    holds "e300c3, $reading, the worst chunk, dcbz against word" "$(printf '%s\n' "${row[@]}" | sort -n | head -n 1)" '>=' 1
  done

  word=$(rates count e300c3 chunks_touch word)
  dcbz=$(rates count e300c3 chunks_touch cacheline32)
  echo 'The same chunk over and over, which up to 8 KB stays in the cache; there is nothing for dcbz to gain there:'
  printf '%8s%12s%12s%12s\n' chunk word dcbz,one ratio
  columns "$word" "$dcbz" "$(ratio "$dcbz" "$word")"
  echo
}

# The program's own rows, counted: how many instructions a chunk takes. Its MB/s are the emulator's and mean nothing, and
# the model knows no POWER's rates.
suite() {
  local tune table
  tune=$(setting tune)
  if [ -z "$tune" ]; then
    skip "fastcopy-tune bench --suite chunks: not built here; tests/cross_root.sh gets what it needs for ppc64le alone. The program chunks stands in"
    return
  fi
  table=$("${emulator[@]}" -cpu "$1" -plugin "$work/count.so,out=$work/counts,model=POWER9" "$tune" bench --suite chunks --seconds 0.1) || {
    fail "$1: fastcopy-tune bench --suite chunks"
    return
  }
  # 1 chunk 2 calls 3 instructions a call of the C library 4 of libfastcopy 5 bytes stored by one 6 by the other
  awk '$1 == "chunk" { rows = 1; next } rows { print $1, int(262144 / $1) }' <<<"$table" >"$work/rows"
  grep -v '^#' "$work/counts" | awk '{ i = $1; b = $5; getline; print i, $1, b, $5 }' | paste -d ' ' "$work/rows" - |
    awk '{ print $1, $2, $3 / $2, $4 / $2, $5, $6 }' >"$work/suite"
  echo "fastcopy-tune bench --suite chunks on $1: instructions a chunk, with those of the call"
  printf '%8s%12s%12s%12s\n' chunk 'C library' memcpy ratio
  awk '{ printf "%8d%12.1f%12.1f%12.2f\n", $1, $3, $4, $4 / $3 }' "$work/suite"
  echo
  holds "$1: rows of fastcopy-tune bench --suite chunks" "$(wc -l <"$work/suite")" '==' 14
  holds "$1: rows that both copied whole" "$(awk '$5 >= $1 * $2 && $6 >= $1 * $2' "$work/suite" | wc -l)" '==' 14
  holds "$1: the worst ratio of a chunk" "$(awk '$4 / $3 > w { w = $4 / $3 } END { print w }' "$work/suite")" '<=' 1
}

all_copies() {
  case $processor in
  ppc64le)
    bus power9 POWER9 128 vsx vsx_cacheline128
    ;;
  ppc64)
    bus power7 POWER9 128 word cacheline128
    ;;
  ppc)
    bus e300c3 e300c3 32 word cacheline32
    table
    ;;
  esac
  suite power9
}

if [ "$part" != copies ]; then all_instructions; fi
if [ "$part" != instructions ]; then all_copies; fi
finish 2
