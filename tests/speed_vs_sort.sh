#!/usr/bin/env bash
# Measures `verify` against `sort` of the same file, which has to bring the lines of a key together
# too: 10 million records with keys drawn evenly, by Zipf's law, and one key with half of all, as CSV
# and as JSON Lines. Interleaved; prints medians and the peak memory without a verdict.
#
#   tests/speed_vs_sort.sh [path/to/rlctl]     default: build/release
#   MILLIONS=10 KEYS='even zipf half' FORMATS='csv jsonl' ROUNDS=3 TMPDIR=... (takes 3 GB there)
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C
rlctl=${1:-build/release/rlctl}
for program in "$rlctl" /usr/bin/time; do
  [[ -x $program ]] || { echo "${0##*/}: there is no $program: build or install it first" >&2; exit 2; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A correct limiter of 100 in any minute.
write_log() {  # KEYS FORMAT
  awk -v keys="$1" -v format="$2" -v records="$((${MILLIONS:-10} * 1000000))" '
    function draw(   uniform) {
      uniform = rand()
      if (keys == "zipf") return int(100000 ^ uniform) - 1
      return keys == "half" && uniform < 0.5 ? 0 : 1 + int(rand() * 99999)
    }
    BEGIN {
      srand(1)
      if (format == "csv") print "key,sent_us,received_us,outcome"
      line = format == "csv" ? "user:%d:minute,%d%06d,%d%06d,%s\n" : \
        "{\"key\":\"user:%d:minute\",\"sent_us\":%d%06d,\"received_us\":%d%06d,\"outcome\":\"%s\"}\n"
      for (i = 0; i < records; ++i) {
        us += int(rand() * 120)
        end = us + int(rand() * 2000)
        key = draw()
        while (first[key] < last[key] && at[key, first[key] + 0] <= us - 60000000) delete at[key, first[key]++ + 0]
        allowed = last[key] - first[key] < 100
        if (allowed) at[key, last[key]++ + 0] = us
        printf line, key, 1795219200 + int(us / 1000000), us % 1000000, 1795219200 + int(end / 1000000), \
          end % 1000000, allowed ? "allowed" : "denied"
      }
    }' >"$work/log"
}

measure() {  # NAME COMMAND...
  local name=$1
  shift
  /usr/bin/time -f '%e %U %S %M' -o "$work/time" -- "$@" >"$work/out" 2>/dev/null || true
  echo "$name $(tail -n1 "$work/time")" >>"$work/times"
}

median() {  # NAME FIELD
  awk -v name="$1" -v field="$2" '$1 == name { print field == "cpu" ? $3 + $4 : $field }' "$work/times" |
    sort -n | awk '{ value[NR] = $1 } END { print value[int((NR + 1) / 2)] }'
}

printf '%-6s %-6s %10s %8s %12s %10s %8s %10s %8s  %s\n' keys format verify/s CPU/s memory/MiB sort/s CPU/s time CPU verdict
for keys in ${KEYS:-even zipf half}; do
  for format in ${FORMATS:-csv jsonl}; do
    write_log "$keys" "$format"
    : >"$work/times"
    for ((round = 0; round < ${ROUNDS:-3}; ++round)); do
      measure sort sort -t, -k1,1 --parallel=2 -T "$work" "$work/log"
      measure verify "$rlctl" verify "$work/log" --policy 100/1m --fresh --quiet
    done
    awk -v keys="$keys" -v format="$format" -v wall="$(median verify 2)" -v cpu="$(median verify cpu)" \
      -v peak="$(median verify 5)" -v sorted="$(median sort 2)" -v sort_cpu="$(median sort cpu)" \
      -v verdict="$(head -n1 "$work/out")" 'BEGIN {
        printf "%-6s %-6s %10.1f %8.1f %12d %10.1f %8.1f %9.2fx %7.2fx  %s\n", keys, format, wall, cpu, \
          peak / 1024, sorted, sort_cpu, wall / sorted, cpu / sort_cpu, verdict }'
  done
done
