#!/bin/bash
# SPDX-License-Identifier: MIT
# Installed programs under preload: the same output, the same errors byte for byte and the same exit status as
# without, lazily and eagerly bound, and with variants forced.
#
# usage: preload.sh <libfastcopy.so> <copies program> [--variants] [--least N] [program ...]
# --variants: force every usable variant in turn, for the programs of $forced. --least: how many programs must have run.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/common.sh
. "$here/common.sh"

library=$(realpath "$1")
copies=$(realpath "$2")
shift 2
variants=no least=20
while [ $# -gt 0 ]; do
  case $1 in
  --variants) variants=yes ;;
  --least) least=$2 && shift ;;
  *) break ;;
  esac
  shift
done
only=" $* "

make_work
data=$work/data
home=$work/home
mkdir "$data" "$home" "$data/tree"

# Programs, by name: what must be installed, and the command. They run in an empty folder, with $data beside it.
names=()
declare -A needs commands
program() {
  names+=("$1")
  needs[$1]=$2
  commands[$1]=$3
}
program ls-missing ls 'ls -l /nonexistent/file; ls nothing here'
program ls ls 'ls -lAR --time-style=+%s ../data'
program cat cat 'cat ../data/text ../data/noise nothing | cksum'
program cp cp 'cp -r ../data/tree copy && cp ../data/noise . && cksum noise copy/*'
program dd dd 'dd if=../data/noise bs=4093 status=none | cksum; dd if=nothing'
program sort sort 'sort -k2,2n -k1 ../data/text | cksum; sort -S 1M -u ../data/text | tail -n 3'
program join join 'sort ../data/text >a; join a a | cksum; comm -3 a a'
program sed sed "sed -E 's/([a-z]+) ([0-9]+)/\\2-\\1/g;n;G' ../data/text | cksum; sed -n 's/x/y' nothing"
program awk awk '{ awk "{ n[\$1] += \$2; s = s \$1 } END { for (w in n) print w, n[w]; print length(s) }" | sort; } <../data/text'
program grep grep 'grep -rnE "fa[a-z]* [0-9]*9" ../data | sort | cksum; grep -c . ../data/text; grep x nothing'
program find find 'find ../data -type f -printf "%p %s\n" | sort; find nothing'
program diff diff 'sed 7d ../data/text >other; diff -u --label a --label b ../data/text other; cmp ../data/text other'
program tar tar 'tar -cf a.tar -C ../data . && tar -xf a.tar && cksum text noise && tar -tf nothing'
program gzip gzip 'gzip -9nc ../data/text | tee text.gz | cksum; gzip -dc text.gz | cksum; gzip -t ../data/text'
program xz xz 'xz -2c ../data/text | tee text.xz | cksum; xz -dc text.xz | cksum; xz -T2 -0c ../data/noise | xz -dc | cksum'
program bzip2 bzip2 'bzip2 -c ../data/text | bzip2 -dc | cksum; bzip2 -t ../data/text'
program zstd zstd 'zstd -qc -3 ../data/text | zstd -dqc | cksum; zstd -tq ../data/text'
program coreutils od 'od -An -tx8 ../data/noise | tail -n 2; base64 ../data/noise | sha256sum; tac ../data/text | cut -c 3- | tr a-z A-Z | fold -w 13 | wc'
program bash bash 'bash -c '\''s=; for i in {1..3000}; do s+="$i "; a[i%50]=$s; done; echo ${#s} ${#a[7]} ${s//7/x} | cksum; nothing'\'''
program perl perl 'perl -e '\''my @w = map { join "", sort split //, ($_ * 7919) . "word$_" } 1..20000; my $s = join " ", reverse sort @w; $s =~ s/(\d+)o/<$1>/g; print length $s, " ", unpack("%32C*", $s), "\n"; die "end\n"'\'''
program python3 python3 'python3 -c '\''
import json, zlib, sys
d = [{"key%d" % i: list(range(i % 17)), "text": "x" * (i % 300)} for i in range(3000)]
s = json.dumps(d)
assert json.loads(s) == d
z = zlib.compress(s.encode() * 5)
b = bytearray(zlib.decompress(z)); b[3:3] = b[:100]
print(len(s), zlib.crc32(z), zlib.crc32(b), file=sys.stderr)
raise SystemExit(3)'\'''
program sqlite3 sqlite3 'sqlite3 a.db "create table t(a integer primary key, b text, c blob); with recursive n(i) as (select 1 union all select i+1 from n where i<8000) insert into t select i, printf(\"%.*c\", i%90, \"x\"), zeroblob(i%400) from n; create index x on t(b, a); select count(*), sum(length(c)), max(b) from t; select sum(a*length(b)) from t where b > \"xxx\"; delete from t where a%3=0; vacuum; pragma integrity_check; select nothing from t"'
program git git 'git init -q -b main r && cd r && for i in 1 2 3 4 5 6; do sed -n "$i~6p" ../../data/text >f$((i%3)) && git add . && git commit -qm "number $i"; done && git log -p | cksum && git diff HEAD~3 --stat && git gc -q && git fsck && git show nothing'
program cmake cmake 'cmake --version; cmake -P ../data/script.cmake; cmake -P nothing'
program make make 'make -f ../data/makefile; make -f ../data/makefile nothing'
program gdb gdb 'gdb --batch -nx -ex "print 6*7" -ex "info line main" -ex "print sizeof(long)" -ex "x/s nothing" ../data/hello'
program node node 'node -e "const z=require(\"zlib\"); const o=[...Array(20000).keys()].map(i=>({i,s:\"ab\".repeat(i%40)})); const s=JSON.stringify(o); const b=z.deflateSync(Buffer.from(s)); console.log(s.length, z.inflateSync(b).equals(Buffer.from(s)), Buffer.concat([b,b]).length); process.exit(4)"'
program gcc gcc 'gcc -O2 -Wall -S -o - ../data/hello.c | cksum; gcc -g -o h ../data/hello.c && ./h; gcc nothing.c'
program clang clang 'clang -O2 -Wall -S -o - ../data/hello.c | cksum; clang -o h ../data/hello.c && ./h; clang nothing.c'
program g++ g++ 'g++ -O1 -o h ../data/throw.cc && ./h; cksum <h'
program c++-program g++ '../data/throw'
program binutils objdump 'objdump -d ../data/hello | cksum; readelf -Wa ../data/hello | cksum; strip -o h ../data/hello && cksum h; nm nothing'
program ssh ssh 'ssh -V; ssh -o Nothing=1 nowhere'
program man man 'man -P cat ls | cksum; man -P cat nothing-of-that-name'
program apt-cache apt-cache 'apt-cache show base-files libc6 | cksum; apt-cache depends libc6; apt-cache show nothing-of-that-name'
program dpkg dpkg 'dpkg -l | cksum; dpkg -s libc6 | head -n 4; dpkg -s nothing-of-that-name'
program openssl openssl 'openssl enc -aes-256-ctr -pbkdf2 -iter 10 -nosalt -k key -in ../data/noise | openssl dgst -sha256; openssl x509 -in nothing 2>&1 | wc -l'
program file file 'file ../data/hello ../data/text ../data/noise ../data/script.cmake nothing'
program jq jq 'seq 5000 | jq -s "map({v: ., t: (tostring * 3)}) | length, (.[17] | tojson)"; echo "{" | jq .'
program curl curl 'curl --version; curl -s file://$PWD/../data/text | cksum; curl -sS file:///nonexistent'
program vim vim 'vim -u NONE -es -c "%s/a/bb/g" -c "sort" -c "w! out" -c "q!" ../data/text; cksum out'
program ruby ruby 'ruby -e '\''s = (1..20000).map { |i| (i * 7919).to_s.reverse }.sort.join(" "); puts s.sum, s.gsub("1", "xyz").size; exit 5'\'''
program php php 'php -r '\''$a = range(1, 20000); shuffle($a); sort($a); echo strlen(json_encode($a)), crc32(serialize($a)), "\n";'\'''
# the ones that run once more for each variant
forced='ls-missing cp sort tar gzip perl python3 sqlite3 git gcc c++-program'

make_data() {
  local i
  awk 'BEGIN { srand(7); for (i = 0; i < 20000; i++) { w = ""; for (j = int(rand() * 9); j >= 0; j--)
         w = w sprintf("%c", 97 + int(rand() * 26)); print w, int(rand() * 100000) } }' >"$data/text"
  gzip -9nc "$data/text" >"$data/noise"
  for i in 1 2 3 4 5; do tail -n "$((i * 100))" "$data/text" >"$data/tree/$i"; done
  cat >"$data/hello.c" <<'END'
#include <stdio.h>
#include <string.h>
struct big { char bytes[700]; };
static struct big twice(struct big b) { memmove(b.bytes + 1, b.bytes, 600); return b; }
int main(void) { struct big b; memset(&b, 65, sizeof b); b.bytes[650] = 0; b = twice(b); return puts(b.bytes) < 0; }
END
  cat >"$data/throw.cc" <<'END'
#include <algorithm>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>
int main() {
  std::map<std::string, std::vector<std::string>> m;
  for (int i = 0; i < 3000; i++) m[std::to_string(i % 97)].push_back(std::string(i % 200, 'x') + std::to_string(i));
  size_t n = 0;
  for (auto &e : m) { std::sort(e.second.begin(), e.second.end()); e.second.insert(e.second.begin(), e.first); n += e.second.back().size(); }
  try { throw std::runtime_error("thrown " + std::to_string(n)); } catch (const std::exception &e) { std::cout << e.what() << std::endl; }
  std::cerr << "end" << std::endl;
  return 6;
}
END
  if have gcc; then gcc -g -o "$data/hello" "$data/hello.c"; fi
  if have g++; then g++ -O1 -o "$data/throw" "$data/throw.cc"; fi
  cat >"$data/script.cmake" <<'END'
foreach(i RANGE 300)
  string(APPEND s "${i};")
  list(APPEND l "item${i}")
endforeach()
list(SORT l)
string(SHA256 h "${s}${l}")
message(STATUS "${h}")
message(FATAL_ERROR "the end")
END
  printf 'x := $(shell seq 2000)\nall:\n\t@echo $(words $(sort $(x:%%=%%.o)))\n\t@false\n' >"$data/makefile"
  find "$data" -exec touch -h -d @1000000000 {} +
}

# run out-prefix command [variable=value ...]: one run in an empty folder of always the same name.
run() {
  local prefix=$1 command=$2 status=0
  shift 2
  chmod -R u+rwx "$work/here" 2>/dev/null || :
  rm -rf "$work/here"
  mkdir "$work/here"
  # the name of the shell, too, is the same in every message
  (cd "$work/here" && env -i PATH="$path" HOME="$home" LC_ALL=C TZ=UTC TERM=dumb MANWIDTH=80 GIT_CONFIG_NOSYSTEM=1 \
    GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b \
    GIT_AUTHOR_DATE='1000000000 +0000' GIT_COMMITTER_DATE='1000000000 +0000' "$@" \
    timeout -k 5 120 bash -c "$command" program </dev/null >"$prefix.out" 2>"$prefix.err") || status=$?
  echo "$status" >"$prefix.status"
}
same() {
  cmp -s "$1.out" "$2.out" && cmp -s "$1.err" "$2.err" && cmp -s "$1.status" "$2.status"
}

# compare name how command variables...: against the run without preload, which must then be the same twice.
compare() {
  local name=$1 how=$2 command=$3
  shift 3
  run "$work/with" "$command" LD_PRELOAD="$library" "$@"
  if ! grep -qF Relink "$work/with.err" && same "$work/base" "$work/with"; then
    return 0
  fi
  run "$work/again" "$command"
  if ! same "$work/base" "$work/again"; then
    skip "$name: its output differs from run to run"
    return 2
  fi
  fail "$name, $how: exit status $(cat "$work/with.status"), without preload $(cat "$work/base.status")"
  diff "$work/base.out" "$work/with.out" | head -n 5 || :
  diff "$work/base.err" "$work/with.err" | head -n 5 || :
  return 1
}

one() {
  local name=$1 command=${commands[$1]} bound=yes status=0
  if ! have "${needs[$name]}"; then
    skip "$name: ${needs[$name]} is not installed"
    return
  fi
  run "$work/base" "$command"
  # proof that what follows tests anything
  rm -rf "$work/trace" && mkdir -m 1777 "$work/trace"
  run "$work/traced" "$command" LD_PRELOAD="$library" LD_BIND_NOW=1 LD_DEBUG=bindings \
    LD_DEBUG_OUTPUT="$work/trace/bindings"
  proves "$name" "$work/trace" "$library" || bound=no
  compare "$name" preload "$command" || status=$?
  [ "$status" -ne 0 ] || compare "$name" 'preload and LD_BIND_NOW=1' "$command" LD_BIND_NOW=1 || status=$?
  [ "$status" -eq 0 ] && [ "$bound" = yes ] || return 0
  pass
}

one_forced() {
  local name=$1 variant=$2 command=${commands[$1]}
  have "${needs[$name]}" || return 0
  run "$work/base" "$command"
  if compare "$name" "variant $variant" "$command" FASTCOPY_VARIANT="$variant"; then
    pass
  fi
}

path=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
PATH=$path
chmod 755 "$work" && chmod 1777 "$home"
make_data

if [ "$variants" = yes ]; then
  for variant in $(LD_PRELOAD="$library" "$copies" list | cut -d' ' -f1); do
    if ! LD_PRELOAD="$library" "$copies" list | grep -qx "$variant usable"; then
      skip "variant $variant: this CPU cannot run it"
      continue
    fi
    if ! LD_PRELOAD="$library" FASTCOPY_VARIANT=$variant "$copies" plan |
      grep -q "^memcpy $variant memmove $variant source environment"; then
      fail "FASTCOPY_VARIANT=$variant was not followed"
      continue
    fi
    for name in $forced; do
      one_forced "$name" "$variant"
    done
  done
else
  for name in "${names[@]}"; do
    if [ "$only" = "  " ] || [[ $only == *" $name "* ]]; then
      one "$name"
    fi
  done
fi
finish "$least"
