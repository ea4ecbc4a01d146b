#!/usr/bin/env bash
# Measures the cost of a report: 5 million records of 100,000 keys, drawn by Zipf's law, are read,
# judged and drawn as one page. Prints a table without a verdict. (Limits: 20 s and 3 MB.)
#
#   tests/speed_of_report.sh [path/to/rlctl] [path/to/zipf_log]     default: build/release, build/tested
#   MILLIONS='1 5' KEYS=100000 STAMPS=1 TMPDIR=... (5 million records take 1 GB there)
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C
rlctl=${1:-build/release/rlctl}
generator=${2:-build/tested/tests/zipf_log}
for program in "$rlctl" "$generator"; do
  [[ -x $program ]] || { echo "${0##*/}: there is no $program: build it first" >&2; exit 2; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

printf '%10s %8s %8s %10s\n' records wall/s CPU/s HTML/kB
for millions in ${MILLIONS:-1 5}; do
  records=$((millions * 1000000))
  "$generator" "$work/log" "$records" "${KEYS:-100000}" "${STAMPS:-1}"
  cat "$work/log" >/dev/null  # so that it is read from memory later
  TIMEFORMAT='%R %U %S'
  { time "$rlctl" report "$work/log" -o "$work/report.html"; } 2>"$work/time"
  read -r wall user system <"$work/time"
  awk -v n="$records" -v wall="$wall" -v user="$user" -v kernel="$system" \
    -v bytes="$(wc -c <"$work/report.html")" \
    'BEGIN { printf "%10d %8.2f %8.2f %10d\n", n, wall, user + kernel, bytes / 1000 }'
  rm -f "$work/log"
done
