#!/bin/bash
# SPDX-License-Identifier: MIT
# fastcopy-tune bench and its suites: which rows there are, in what form, and what is refused. Never how fast.
#
# usage: bench.sh <fastcopy-tune>
set -eu
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/common.sh
. "$here/common.sh"

tune=$(realpath "$1")
make_work
cd "$work"

if ! have python3; then
  echo 'SKIPPED bench: there is no python3 to read JSON'
  exit 77
fi

# What the output must hold: one argument a group of rows, "symbol: group: least number of rows", and in them
# "symbol: kind:" of rows that must be there.
cat >judge.py <<'END'
import json, sys
output = json.load(open(sys.argv[1]))
rows, wrong = output["rows"], []
assert output["plan"][0]["cpu"] and output["plan"][0]["memcpy"]
summary = {(line["symbol"], line["group"]): line for line in output["summary"]}
for wanted in sys.argv[2:]:
    symbol, group, least = wanted.split(": ")
    line = summary.pop((symbol, group), None)
    own = [row for row in rows if (row["symbol"], row["group"]) == (symbol, group)]
    if line is None or line["count"] != len(own) or len(own) < int(least):
        wrong.append("%s: %s" % (wanted, line and line["count"]))
        continue
    ratios = [row["fastcopy_ratio"] for row in own]
    at = ["%s%s, %s" % (row["kind"], " " + row["size"] if row["size"] else "", row["where"]) for row in own]
    if line["least"] != min(ratios) or not min(ratios) <= line["geomean"] <= max(ratios) or line["at"] not in at:
        wrong.append("the summary does not fit the rows: %s" % line)
    if len(set(at)) != len(at):
        wrong.append("%s: rows that cannot be told apart" % wanted)
    for row in own:
        if any(not row[name] > 0 for name in ("system_ns", "fastcopy_ns", "empty_ns", "fastcopy_ratio")):
            wrong.append("no figure: %s" % row)
        tells = row["size"] and not row["size"].startswith("..") and not row["kind"].startswith(("overlap", "forward"))
        size = row["size"] or ""
        if tells and (size.endswith(("K", "M")) or int(size) >= 256) != (row["ceiling_ns"] is not None):
            wrong.append("a ceiling where there is none, or none where there is: %s" % row)
        if (line["against"] == "bytes") != (row.get("bytes_ns") is not None):
            wrong.append("the byte loop: %s" % row)
wrong += ["not expected: %s" % (group,) for group in summary]
print("\n".join(wrong))
sys.exit(bool(wrong))
END

# suite name group... -- option...: the suite runs in hardly any time and has these groups
suite() {
  local name=$1 groups=() status=0
  shift
  while [ "$1" != -- ]; do
    groups+=("$1")
    shift
  done
  shift
  "$tune" bench --suite "$name" --seconds 0.2 --json "$@" >"$name.json" 2>err || status=$?
  if [ "$status" -eq 0 ] && [ ! -s err ] && python3 judge.py "$name.json" "${groups[@]}" >said 2>&1; then
    pass
  else
    fail "suite $name $*: exit status $status, $(head -c 1000 err said)"
  fi
}

small=('distributions, not predictable' 'distributions, predictable' 'distributions, consumed')
# of symbol number: those of the distributions, `number` rows in each
of() {
  printf "$1: %s: $2\n" "${small[@]}"
}
caches=': 4K..256K in L2, L3: 2'
goals() {
  of "$1" "$2"
  printf "$1: %s\n" 'chains of one size, 4..64: 19' '256..16K in L1: 13' '4K..256K in L2, L3: 2' '8M..64M: 4' \
    '8M..64M, read afterwards: 4'
  if [ "$1" = memmove ]; then
    printf 'memmove: %s\n' '500..16K, overlapping: 96' '500, overlapping, to a byte loop: 16'
  fi
}
mapfile -t for_memcpy < <(goals memcpy 1)
mapfile -t for_memmove < <(goals memmove 1)
suite goals "${for_memcpy[@]}" "${for_memmove[@]}" --
suite goals "${for_memmove[@]}" -- --symbol memmove
mapfile -t groups < <(of memcpy 1)
suite small "${groups[@]}" 'memcpy: one size, 0..256: 16' 'memcpy: even chances, 0..256: 6' \
  'memcpy: chains of one size, 4..64: 19' --
suite large 'memmove: 256..16K in L1: 13' 'memmove: 1K..64K, close page offsets: 12' "memmove$caches" \
  'memmove: 64..1M, cold: 4' 'memmove: 8M..64M: 4' 'memmove: 8M..64M, read afterwards: 4' -- --symbol memmove
suite overlap 'memmove: 500..16K, overlapping: 96' 'memmove: 500, overlapping, to a byte loop: 16' \
  'memmove: to 4K, any overlap: 4' --
if [ "$(nproc)" -ge 2 ]; then
  suite threads 'memcpy: two threads at once: 4' --
  suite threads 'mempcpy: two threads at once: 4' -- --symbol mempcpy
else
  skip 'two threads at once: there is one CPU'
fi

# distributions of one's own: two of memcpy, one of both symbols
echo '1:0.5,40:0.5' >Memcpy_1.csv
echo '8:0.5,9:0.5' >memcpy-2
echo '0:0.1,30:0.9' >other
mapfile -t for_memcpy < <(goals memcpy 3)
mapfile -t for_memmove < <(goals memmove 1)
suite goals "${for_memcpy[@]}" "${for_memmove[@]}" -- -d Memcpy_1.csv -d memcpy-2 -d other

# says name status pattern-of-output pattern-of-errors option...: the first is found in a line, "" in none; the second
# matches the whole
says() {
  local name=$1 wanted=$2 out=$3 err=$4 status=0
  shift 4
  "$tune" bench "$@" >out 2>err || status=$?
  if [ "$status" -eq "$wanted" ] && { [ -z "$out" ] || grep -qE -- "$out" out; } && [[ $(<err) =~ ^$err$ ]]; then
    pass
  else
    fail "bench $name: exit status $status, $(head -c 1000 out err)"
  fi
}
line='[^'$'\n'']*'
says 'a suite that there is not' 2 '' "fastcopy-tune: --suite is default, goals, small, large, overlap$line or $line, not 'none'" \
  --suite none
says 'a symbol that a suite has not' 2 '' "fastcopy-tune: the suite overlap has no rows $line"$'\n'"$line" \
  --suite overlap --symbol memcpy
says 'sizes of a suite' 2 '' "fastcopy-tune: --sizes and --suite exclude each other"$'\n'"$line" --suite small --sizes 5
says 'operations of a suite' 2 '' "fastcopy-tune: --operations and --suite $line"$'\n'"$line" --suite small --operations 5
says 'what is left out' 0 '^distributions, predictable +memcpy ' \
  "(fastcopy-tune: left out: distributions, $line, memmove: no --distribution is for memmove"$'\n'"?){3}" \
  --suite goals --seconds 0.2 -d Memcpy_1.csv
if grep -qE '^8M\.\.64M +memcpy +system +4 ' out; then pass; else fail 'goals shows no summary'; fi
if grep -q 'fastcopy_ns' out; then fail 'goals shows its rows unasked'; else pass; fi
says 'the rows, too' 0 'forward +24 +L1 ' '' --suite goals --seconds 0.2 --symbol memcpy --verbose
if grep -qE '^8M\.\.64M +memcpy +system +4 ' out; then pass; else fail 'with --verbose there is no summary'; fi
says 'a distribution alone' 0 '^geometric mean' '' --seconds 0.1 -d memcpy-2 -d other

# the suite with a table of its own
says 'the chunks' 0 '^65536 +[0-9]' '' --suite chunks --seconds 0.1
rows=$(awk '$1 == "chunk" { rows = 1; next } rows' out | wc -l)
if [ "$rows" -eq 14 ]; then pass; else fail "the suite chunks has $rows rows"; fi
says 'a distribution of chunks' 2 '' "fastcopy-tune: --distribution is not for the suite chunks"$'\n'"$line" \
  --suite chunks -d other

# the default suite: something of everything, in the form that it always had
for symbol in memcpy memmove; do
  says "the default rows of $symbol" 0 '' '' --seconds 0.2 --symbol $symbol --json
  for kind in 'recorded' 'recorded, predictable' 'recorded, consumed' varied fixed forward consumed read \
    'page offset 1..63' "$([ $symbol = memmove ] && echo 'overlap, 400 down' || echo fixed)"; do
    if python3 -c 'import json, sys
sys.exit(all(row["kind"] != sys.argv[2] for row in json.load(open("out"))[sys.argv[1]]))' $symbol "$kind"; then
      pass
    else
      fail "the default rows of $symbol: none is '$kind'"
    fi
  done
done

finish 35
