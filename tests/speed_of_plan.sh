#!/usr/bin/env bash
# Measures `plan` against `verify` on a combined log of a day: the same reader and the same judge, so
# that a plan should take at most 1.5 times as long. Interleaved; prints medians without a verdict.
#
#   tests/speed_of_plan.sh [path/to/rlctl] [path/to/access_log]     default: build/release, build/tested
#   MILLIONS=5 ROUNDS=3 TMPDIR=...
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C
rlctl=${1:-build/release/rlctl}
generator=${2:-build/tested/tests/access_log}
for program in "$rlctl" "$generator"; do
  [[ -x $program ]] || { echo "${0##*/}: there is no $program: build it first" >&2; exit 2; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$generator" "$work/log" "$((${MILLIONS:-5} * 1000000))"
cat "$work/log" >/dev/null  # so that it is read from memory later

TIMEFORMAT='%R %U %S'
measure() {  # NAME ARGUMENTS...
  local name=$1 wall user system
  shift
  { time { "$rlctl" "$@" --quiet >"$work/out" || true; }; } 2>"$work/time"
  read -r wall user system <"$work/time"
  printf '%s\t%s\t%s %s\n' "$name" "$wall" "$user" "$system" >>"$work/times"
}
for ((round = 0; round < ${ROUNDS:-3}; ++round)); do
  measure verify verify "$work/log" --policy 100/1m --longest 0s
  measure 'plan' plan "$work/log" --policy 100/1m
  measure 'verify, bucket' verify "$work/log" --policy 'bucket 20 + 2/1s' --longest 0s
  measure 'plan, bucket' plan "$work/log" --policy 'bucket 20 + 2/1s'
  measure 'plan, two by two' plan "$work/log" --policy 100/1m --policy 'bucket 20 + 2/1s' --by ip --by ip/24
  measure 'plan --advise' plan "$work/log" --advise --by ip
done
awk -F '\t' '
  function median(of, name,   list, n, i, j, t) {
    n = split(of[name], list, " ")
    for (i = 2; i <= n; ++i)
      for (j = i; j > 1 && list[j - 1] + 0 > list[j] + 0; --j) { t = list[j]; list[j] = list[j - 1]; list[j - 1] = t }
    return list[int((n + 1) / 2)]
  }
  !($1 in wall) { names[++count] = $1 }
  { split($3, part, " "); wall[$1] = wall[$1] " " $2; cpu[$1] = cpu[$1] " " part[1] + part[2] }
  END {
    printf "%-20s %8s %8s %14s %14s\n", "medians", "wall/s", "CPU/s", "wall/verify", "CPU/verify"
    for (i = 1; i <= count; ++i) {
      name = names[i]; w = median(wall, name); c = median(cpu, name)
      printf "%-20s %8.2f %8.2f %14.2f %14.2f\n", name, w, c, w / median(wall, "verify"), c / median(cpu, "verify")
    }
  }' "$work/times"
