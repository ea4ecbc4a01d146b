#!/usr/bin/env bash
# Counts how often the log of a sound limiter ends undecided: each shipped algorithm on a Redis, and
# `rlctl serve` over HTTP, under RUNS floods of ten users. Each log is judged by the limiter's own
# contract, with the server's times and without. Prints a table; exit 1 if a log is violated, or if
# more than one in a hundred is undecided.
#
#   tests/undecided_of_sound.sh [path/to/rlctl]      default: build/release/rlctl
#   RUNS=20 DURATION=1s
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C
rlctl=$(realpath "${1:-build/release/rlctl}")
[[ -x $rlctl ]] || { echo "${0##*/}: there is no $rlctl: build it first" >&2; exit 2; }
runs=${RUNS:-20}
work=$(mktemp -d)
server=
trap '[[ -z $server ]] || kill "$server"; rm -rf "$work"' EXIT
declare -A all=([holds]=0 [violated]=0 [inconclusive]=0)

# The verdict on the limiter's own contract is the last word of its line.
judge() {  # LOG
  "$rlctl" verify "$1" --fresh | sed -n 's/^ *own contract, .*: \([a-z]*\).*/\1/p' || true
}

flood() {  # NAME, arguments of simulate
  local name=$1 run verdict log=$work/log.jsonl
  local -A here=([holds]=0 [violated]=0 [inconclusive]=0)
  shift
  for ((run = 1; run <= runs; ++run)); do
    "$rlctl" simulate flood --users 10 --for "${DURATION:-1s}" --clock wall --seed "$run" --quiet \
      --log "$log" "$@" >/dev/null || true
    sed -E 's/"(server_us|server_from_us|decided_us)":[0-9]+,//g' "$log" >"$work/without.jsonl"
    for verdict in "$(judge "$log")" "$(judge "$work/without.jsonl")"; do
      here[$verdict]=$((here[$verdict] + 1))
      all[$verdict]=$((all[$verdict] + 1))
    done
  done
  printf '%-16s %5d %9d %13d\n' "$name" "${here[holds]}" "${here[violated]}" "${here[inconclusive]}"
}

printf '%-16s %5s %9s %13s\n' limiter holds violated inconclusive
for algorithm in fixed fixed-anchored gcra leaky-bucket sliding sliding-list token-bucket; do
  flood "$algorithm" --algo "$algorithm" --policy 20/250ms
done
"$rlctl" serve --listen 127.0.0.1:0 --policy 20/250ms >"$work/serve" &
server=$!
until port=$(sed -n 's/.*127\.0\.0\.1:\([0-9]*\).*/\1/p' "$work/serve") && [[ -n $port ]]; do
  sleep 0.1
done
flood serve --target "http://127.0.0.1:$port/" --key client --policy 20/250ms \
  --contract 20/250ms
printf '%-16s %5d %9d %13d\n' all "${all[holds]}" "${all[violated]}" "${all[inconclusive]}"
((all[violated] == 0 && 100 * all[inconclusive] <= all[holds] + all[inconclusive]))
