#!/usr/bin/env bash
# Tests whether `compare` is reliable on this machine. Of 20 pairs of identical benches, run one
# after the other, at most 2 may show a difference. Each bench is also compared with one of the same
# limiter slowed by a fifth, and that difference must be found. Prints a table; exit 1 on failure.
#
#   tests/significance_of_compare.sh [path/to/rlctl]      default: build/release/rlctl
#   PAIRS=20 ROUNDS=9 DURATION=200ms SLOWED=20 (percent)
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C
rlctl=${1:-build/release/rlctl}
[[ -x $rlctl ]] || { echo "${0##*/}: there is no $rlctl: build it first" >&2; exit 2; }
pairs=${PAIRS:-20}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The same limiter with extra work before it decides.
slow_by() {  # TURNS of an empty loop
  sed "s/^local call = redis.call$/&\nfor turn = 1, $1 do local work = turn * turn end/" \
    lua/sliding-list.lua >"$work/slowed.lua"
  grep -q '^for turn' "$work/slowed.lua"
}
bench() {  # FILE, options
  local file=$1
  shift
  "$rlctl" bench --only speed --rounds "${ROUNDS:-9}" --for "${DURATION:-200ms}" --quiet --json "$@" >"$file"
}
# How many turns of the loop make a decision cost SLOWED percent more of the server's CPU time.
# Machines differ, so this is measured, with both limiters in the same rounds.
turns_for() {  # PERCENT
  slow_by 2000
  bench "$work/both" --algo sliding-list --algo "$work/slowed.lua"
  cost_of() { grep -oE "\"name\":\"$1\".*" "$work/both" |
    grep -oEm1 '"server_cpu_us_per_decision":[0-9.]+' | head -n1 | cut -d: -f2; }
  awk -v base="$(cost_of sliding-list)" -v slowed="$(cost_of slowed)" -v percent="$1" \
    'BEGIN { printf "%d", 2000 * base * percent / 100 / (slowed - base) }'
}
figure() {  # METRIC: its text for the admitted traffic, from the comparison on standard input
  grep -oE "\"traffic\":\"admitted\",\"metric\":\"$1\"[^}]*" | grep -oE '"in_words":"[^"]*' | cut -d'"' -f4
}
# Prints the figures that differ. If the yardstick itself moved, the machine caused the difference.
alarms() { sed 's/"yardstick":\[[^]]*\]//' | { grep -oE '"finding":"differs"' || true; } | wc -l; }

compared() { "$rlctl" compare "$@" --json; }

slow_by "$(turns_for "${SLOWED:-20}")"
printf '%4s  %5s  %9s  %-24s  %-9s  %-26s  %s\n' pair load identical 'server CPU' slowed 'server CPU' 'server CPU > +5%'
bench "$work/base" --algo sliding-list
false_alarms=0
noticed=0
failed=0
for ((pair = 1; pair <= pairs; ++pair)); do
  load=$(cut -d' ' -f1 /proc/loadavg)
  bench "$work/slow" --algo "$work/slowed.lua"
  bench "$work/same" --algo sliding-list
  compared "$work/base" "$work/same" >"$work/alike"
  compared "$work/base" "$work/slow" --fail-if 'server_cpu > +5%' >"$work/slower" && exit=0 || exit=$?
  same=$(alarms <"$work/alike")
  slow=$(alarms <"$work/slower")
  ((same == 0)) || false_alarms=$((false_alarms + 1))
  ((slow == 0)) || noticed=$((noticed + 1))
  ((exit != 1)) || failed=$((failed + 1))
  printf '%4d  %5s  %9s  %-24s  %-9s  %-26s  %s\n' "$pair" "$load" "$same" \
    "$(figure server_cpu_us_per_decision <"$work/alike")" "$slow" \
    "$(figure server_cpu_us_per_decision <"$work/slower")" "exit $exit"
  mv "$work/same" "$work/base"
done
echo "identical benches that differed in something: $false_alarms of $pairs (at most $((pairs / 10)))"
echo "slowed limiters that were noticed:            $noticed of $pairs; --fail-if failed $failed"
((false_alarms <= pairs / 10 && noticed == pairs))
