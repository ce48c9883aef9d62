#!/bin/bash
# SPDX-License-Identifier: MIT
# Records the workloads in this folder anew, from programs of this machine. A program that is missing keeps its file.
#
# usage: tune/workloads/record.sh <fastcopy-tune> [name ...]
# Debian's packages: sqlite3 python3 git gcc nodejs perl coreutils tar btrfs-progs e2fsprogs redis xz-utils
set -eu
here=$(cd "$(dirname "$0")" && pwd)
if [ $# -lt 1 ]; then
  sed -n '3,/^set/{/^set/d;s/^#\( \|$\)//p}' "$0" >&2
  exit 2
fi
tune=$(realpath "$1")
shift
only=" $* "

work=$(mktemp -d)
server=
trap 'if [ -n "$server" ]; then kill "$server" 2>/dev/null || :; fi; rm -rf "$work"' EXIT
cd "$work"
export LC_ALL=C TZ=UTC

# Input: text of the system, so that it is of its kind, and files to pack.
mkdir files
cp -rL /usr/include/linux /usr/include/*.h files/
copies=0
while [ "$(find files -type f | wc -l)" -lt 20000 ]; do
  copies=$((copies + 1))
  cp -r files/linux "files/linux$copies"
done
find files -name '*.h' | sort | head -n 3000 | xargs cat >text
cat >rows.sql <<'END'
create table person(id integer primary key, name text, city text, note blob);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 200000)
  insert into person select i, 'name' || (i * 7919 % 100003), 'city ' || (i % 911),
    substr(hex(i * 2654435761 % 4294967296) || '0123456789abcdefghijklmnopqrstuvwxyz', 1, i % 41) from n;
create index by_city on person(city, name);
select count(*), sum(length(note)) from person where city > 'city 5';
select city, count(*), group_concat(name) from person group by city order by 2 desc limit 20;
update person set note = name || city where id % 3 = 0;
delete from person where id % 7 = 0;
select count(*) from person p join person q on q.city = p.city and q.name = p.name;
END
cat >objects.py <<'END'
import json
rows = [{'id': i, 'name': 'name %d' % (i * 7919 % 100003), 'tags': ['t%d' % (j * i % 97) for j in range(i % 9)],
         'text': 'word ' * (i % 23), 'position': {'x': i / 7, 'y': -i / 3}} for i in range(40000)]
for turn in range(3):
    text = json.dumps(rows)
    assert json.loads(text) == rows
lines = '\n'.join(json.dumps(row) for row in rows).split('\n')
print(len(text), sum(len(json.loads(line)) for line in lines))
END
cat >objects.js <<'END'
const rows = Array.from({length: 60000}, (_, i) => ({id: i, name: 'name ' + i * 7919 % 100003,
  tags: Array.from({length: i % 9}, (_, j) => 't' + j * i % 97), text: 'word '.repeat(i % 23)}));
let size = 0;
for (let turn = 0; turn < 4; turn++) {
  const text = JSON.stringify(rows);
  size += JSON.parse(text).length + Buffer.from(text).toString('base64').length;
  size += text.split(',').sort().join(';').replace(/name/g, 'label').length;
}
console.log(size);
END
cat >words.pl <<'END'
my %count;
while (<>) { $count{$_}++ for split /\W+/; }
my @words = sort { $count{$b} <=> $count{$a} || $a cmp $b } keys %count;
my $text = join ' ', map { "$_=$count{$_}" } @words;
print length($text), " ", length(join "\n", sort split / /, $text), "\n";
END
cat >unit.c <<'END'
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
END
for i in $(seq 300); do
  cat >>unit.c <<END
struct node$i { struct node$i *next; char name[$((i % 50 + 8))]; double weight[$((i % 7 + 1))]; };
static double walk$i(const struct node$i *node, int depth, double factor) {
  double sum = 0;
  for (; node != NULL && depth > 0; node = node->next, depth--) {
    for (unsigned k = 0; k < sizeof node->weight / sizeof *node->weight; k++) {
      switch ((depth + (int)k) % 5) {
      case 0: sum += node->weight[k] * factor; break;
      case 1: sum -= strlen(node->name) > $i ? 1 : factor; break;
      case 2: sum = fabs(sum) + $i; break;
      default: sum /= 1 + node->weight[k] * node->weight[k];
      }
    }
    if (strcmp(node->name, "name$i") == 0)
      printf("node$i: %g after %d\n", sum, depth);
  }
  return sum;
}
double use$i(void) { struct node$i last = {NULL, "last", {$i}}, first = {&last, "name$i", {1}}; return walk$i(&first, 9, $i.5); }
END
done

# record name command...
record() {
  local name=$1
  shift
  if [ "$only" != "  " ] && [[ $only != *" $name "* ]]; then
    return
  fi
  if ! command -v "$1" >/dev/null 2>&1; then
    echo "record.sh: $1 is not installed: $name stays as it is" >&2
    return
  fi
  "$tune" record -o "$work/$name.workload" -- "$@" >"$work/out" 2>"$work/err" || {
    echo "record.sh: $name: exit status $?: $(tail -n 1 "$work/err")" >&2
    return
  }
  cp "$work/$name.workload" "$here/"
  wc -c "$here/$name.workload" >&2
}

PATH=/usr/bin:/bin:/usr/sbin:/sbin:$PATH
record sqlite3 sqlite3 :memory: '.read rows.sql'
record python3-json python3 objects.py
git -C "$here" rev-parse --git-dir >/dev/null 2>&1 && git clone -q --bare "$here/../.." repository
record git-log git --git-dir repository log -p
record gcc gcc -O2 -c unit.c
record node node objects.js
record perl-sort-join perl words.pl text
record sort sort --parallel=1 -o sorted text
record tar tar -cf files.tar files
truncate -s 2G image.btrfs image.ext4
record mkfs.btrfs mkfs.btrfs -q --rootdir files image.btrfs
record mke2fs mke2fs -q -t ext4 -d files image.ext4
record xz xz -k -T1 -3 text

if command -v redis-server >/dev/null 2>&1 && { [ "$only" = "  " ] || [[ $only == *" redis-server "* ]]; }; then
  "$tune" record -o redis-server.workload -- redis-server --port 0 --unixsocket ./redis --save '' >out 2>&1 &
  server=$!
  until [ -S redis ]; do sleep 0.1; done
  redis-benchmark -s ./redis -n 30000 -q -d 100 -r 100000 -t set,get,incr,lpush,lpop,sadd,hset,zadd,lrange_100,mset >out
  redis-benchmark -s ./redis -n 20000 -q -d 3000 -r 10000 -t set,get >out
  kill "$server"
  wait "$server" || :
  server=
  cp redis-server.workload "$here/"
  wc -c "$here/redis-server.workload" >&2
fi
