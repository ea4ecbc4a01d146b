#!/usr/bin/env bash
# Measures `plan` against `verify` on a combined log of a day: the same reader and the same judge, so
# that a plan should take at most 1.5 times as long. Prints a table without a verdict.
#
#   tests/speed_of_plan.sh [path/to/rlctl] [path/to/access_log]     default: build/release, build/asan
#   MILLIONS=5 TMPDIR=...
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C
rlctl=${1:-build/release/rlctl}
generator=${2:-build/asan/tests/access_log}
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
  [[ $name != verify ]] || base=$wall
  awk -v name="$name" -v wall="$wall" -v cpu="$user $system" -v base="$base" 'BEGIN {
      split(cpu, part, " ")
      printf "%-24s %8.2f %8.2f %8.2f\n", name, wall, part[1] + part[2], wall / base }'
}
base=1
printf '%-24s %8s %8s %8s\n' what wall/s CPU/s /verify
measure verify verify "$work/log" --policy 100/1m --longest 0s
measure 'plan' plan "$work/log" --policy 100/1m
measure 'plan, bucket' plan "$work/log" --policy 'bucket 20 + 2/1s'
measure 'plan, two by two' plan "$work/log" --policy 100/1m --policy 'bucket 20 + 2/1s' --by ip --by ip/24
measure 'plan --advise' plan "$work/log" --advise --by ip
