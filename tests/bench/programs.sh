#!/bin/bash
# SPDX-License-Identifier: MIT
# User time of real programs under the plan in force, against a branchy variant with the built-in rules and against no
# preload. Judges nothing: other work of the machine is in the figures.
#
# usage: programs.sh <libfastcopy.so> <bench_programs> [rounds, 15]
# FASTCOPY_TABLE names the table; ONLY, a pattern, the programs. Takes about ten minutes.
# shellcheck disable=SC2016 # the programs expand it
set -eu
table=${FASTCOPY_TABLE:-}
here=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/common.sh
. "$here/common.sh"
PATH=$PATH:/usr/sbin:/sbin

library=$(realpath "$1")
driver=$(realpath "$2")
rounds=${3:-15}
if [ -n "$table" ]; then
  FASTCOPY_TABLE=$(realpath "$table")
  export FASTCOPY_TABLE
fi
make_work
cd "$work"
# nothing of the user's own in what programs do
export HOME=$work GIT_CONFIG_NOSYSTEM=1

# program name command-that-must-be-there preparation command: into the list, unless it is not installed or not wanted
program() {
  local name=$1 needs=$2 prepare=$3 command=$4
  if [[ ! $name =~ ${ONLY:-} ]]; then
    return 0
  elif ! have "$needs"; then
    echo "skipped: $name, $needs is not installed"
  elif ! (eval "$prepare") >prepare.log 2>&1; then
    echo "skipped: $name, its input could not be made: $(tail -n 1 prepare.log)"
  else
    printf '%s\t%s\n' "$name" "${command//$'\n'/ }" >>list
  fi
}

# words number: lines of a few words each, always the same
words() {
  awk -v lines="$1" 'BEGIN {
    seed = 1
    for (i = 0; i < lines; i++) {
      line = i
      for (count = 0; count < 3 + i % 9; count++) {
        seed = seed * 16807 % 2147483647
        line = line " " substr("abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz", 1 + seed % 26, 1 + seed % 17)
      }
      print line
    }
  }'
}
# tree: folders of small files, some larger
tree() {
  mkdir -p tree
  words 60000 | awk '{ folder = "tree/" int(NR / 300)
    if (NR % 300 == 1 || !(folder in made)) { system("mkdir -p " folder); made[folder] = 1 }
    file = folder "/" int(NR / 6); print >>file; if (NR % 6 == 5) close(file) }'
  head -c 3000000 /dev/urandom >tree/large
}

program 'sqlite3' sqlite3 'cat >sql <<"END"
create table t(a integer primary key, b text, c integer);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 150000)
  insert into t select i, printf("%.*c", i % 90, char(97 + i % 26)), i * 7919 % 150000 from n;
create index x on t(c, b);
select count(*), sum(length(t.b || u.b)) from t join t u on u.a = t.c;
select count(distinct substr(b, 1, 20)) from t;
END' 'exec sqlite3 :memory: <sql'

# what a version manager calls python3 is a script
python=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null || echo python3)
program 'python3 json' "$python" 'cat >json.py <<"END"
import json
data = [{"key%d" % i: list(range(i % 20)), "text": "x" * (i % 300), "name": "name %d" % i} for i in range(20000)]
for turn in range(3):
    text = json.dumps(data)
    data = json.loads(text)
END' "exec $python -I json.py"

program 'git log -p' git '
git init -q repository
(
  cd repository
  words 600 >lines
  for ((commit = 0; commit < 250; commit++)); do
    printf "commit refs/heads/master\ncommitter A <a@example.org> %d +0000\ndata 2\nc\n" $((1700000000 + commit))
    for file in a b c; do
      printf "M 644 inline %s%d\ndata <<END\n" $file $((commit % 7))
      sed "$((commit % 50 + 1))~$((commit % 11 + 3))s/\$/ changed in $commit/" lines
      printf "END\n\n"
    done
  done | git fast-import --quiet
)' 'exec git -C repository log -p master'

program 'gcc -O1 -c' gcc 'awk "BEGIN {
  for (i = 0; i < 150; i++)
    printf \"struct s%d { int a[%d]; struct s%d *next; };\nint f%d(struct s%d *s, int n) { int r = n; for (int i = 0; i < n; i++) { if (s->a[i %% %d] > r) r += s->a[i %% %d] * %d; else r ^= i; } return s->next ? r + f%d(s->next, n - 1) : r; }\n\", i, i + 1, i, i, i, i + 1, i + 1, i, i
}" >generated.c' 'exec gcc -O1 -c generated.c -o generated.o'

program 'perl sort, join' perl 'words 60000 >perl.in; cat >sort.pl <<"END"
open my $in, "<", "perl.in"; my @lines = <$in>;
for (1 .. 3) {
  my @parts = map { join ",", sort split / /, $_ } @lines;
  my $text = join "", sort @parts;
  splice @lines, 100, 5, split(/(?<=\n)/, substr($text, 0, 500));
}
END' 'exec perl sort.pl'

program 'sort' sort 'words 300000 >sort.in' 'exec sort --parallel=1 -k 2 sort.in'

program 'tar' tar 'tree' 'for turn in 1 2 3 4; do tar cf - tree tree tree tree tree | cat; done'

program 'node' node 'cat >script.js <<"END"
const lines = [];
for (let i = 0; i < 60000; i++) lines.push({ id: i, text: "x".repeat(i % 200), list: [i, i + 1] });
let total = 0;
for (let turn = 0; turn < 3; turn++) {
  const buffer = Buffer.from(JSON.stringify(lines));
  const parts = [];
  for (let at = 0; at < buffer.length; at += 1000) parts.push(Buffer.from(buffer.subarray(at, at + 1000)));
  total += JSON.parse(Buffer.concat(parts).toString()).length;
}
END' 'exec node script.js'

program 'xz -0' xz 'words 200000 >xz.in' 'exec xz -0 -T1 -c xz.in'
program 'gzip -6' gzip 'words 200000 >gzip.in' 'exec gzip -6 -c gzip.in'
program 'zstd -5' zstd 'words 400000 >zstd.in' 'exec zstd -q -5 --single-thread -c zstd.in'
program 'awk' awk 'words 100000 >awk.in' "exec awk '{ for (i = 1; i <= NF; i++) { seen[\$i]++; line[i % 50] = \$i \" \" substr(line[i % 50], 1, 200) } }
END { for (w in seen) n += length(w); print n }' awk.in"
program 'mkfs.btrfs' mkfs.btrfs '[ -d tree ] || tree' \
  'rm -f btrfs.img; truncate -s 512M btrfs.img; exec mkfs.btrfs -q --rootdir tree btrfs.img'
program 'mke2fs -d' mke2fs '[ -d tree ] || tree' \
  'for turn in 1 2 3; do rm -f ext4.img; mke2fs -q -t ext4 -d tree ext4.img 256M; done'
program 'redis' redis-benchmark 'command -v redis-server' 'redis-server --save "" --port 0 --unixsocket "$PWD/redis.sock" & server=$!;
for try in 1 2 3 4 5 6 7 8 9; do redis-cli -s redis.sock ping 2>&1 | grep PONG && break; sleep 0.1; done;
redis-benchmark -q -s redis.sock -n 12000 -d 500 -t set,get,lrange_100; redis-cli -s redis.sock shutdown nosave; wait $server'

if [ ! -s list ]; then
  echo 'programs.sh: no program was left to run' >&2
  exit 1
fi
plan=$(FASTCOPY_VERBOSE=1 LD_PRELOAD=$library /bin/true 2>&1)
variant=avx2
if ! FASTCOPY_VERBOSE=1 FASTCOPY_VARIANT=avx2 LD_PRELOAD=$library /bin/true 2>&1 | grep -q 'memcpy avx2,'; then
  variant=sse2
fi
sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1
echo "$plan"
echo "user time of $rounds rounds, ratio to the plan: above 1 the plan is faster"
"$driver" "$library" "$variant" "$rounds" list
