#!/usr/bin/env bash
# Measures the cost of judging: 1, 3 and 10 million records of 100,000 keys, drawn by Zipf's law, as
# JSON Lines with the limiter's own stamps. Prints a table without a verdict.
#
#   tests/speed_of_verify.sh [path/to/rlctl] [path/to/zipf_log]     default: build/release, build/tested
#   MILLIONS='1 3 10' KEYS=100000 STAMPS=1 TMPDIR=... (10 million records take 2 GB there)
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

# The peak memory of a process in MiB, sampled until it ends.
peak_of() {  # PID
  local peak=0 name value
  while kill -0 "$1" 2>/dev/null; do
    while read -r name value _; do
      [[ $name != VmHWM: ]] || peak=$value
    done 2>/dev/null <"/proc/$1/status" || true
    sleep 0.1
  done
  echo $((peak / 1024))
}

printf '%10s %8s %8s %10s %12s %12s  %s\n' records wall/s CPU/s 'us/record' 'memory/MiB' 'bytes/record' verdict
for millions in ${MILLIONS:-1 3 10}; do
  records=$((millions * 1000000))
  "$generator" "$work/log" "$records" "${KEYS:-100000}" "${STAMPS:-1}"
  cat "$work/log" >/dev/null  # so that it is read from memory later
  TIMEFORMAT='%R %U %S'
  { time { "$rlctl" verify "$work/log" >"$work/verdict" & pid=$!; peak=$(peak_of "$pid"); wait "$pid" || true; }; } \
    2>"$work/time"
  read -r wall user system <"$work/time"
  awk -v n="$records" -v wall="$wall" -v user="$user" -v kernel="$system" -v peak="$peak" \
    -v verdict="$(head -n1 "$work/verdict")" 'BEGIN {
      printf "%10d %8.2f %8.2f %10.2f %12d %12.0f  %s\n", n, wall, user + kernel,
        (user + kernel) * 1e6 / n, peak, peak * 1048576 / n, verdict }'
  rm -f "$work/log"
done
