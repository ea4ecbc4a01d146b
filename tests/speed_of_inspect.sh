#!/usr/bin/env bash
# Measures the searches of all keys among limiter keys as five libraries write them, of one
# redis-server of its own, with redis-cli --scan beside them: time, own CPU, peak memory and share of
# the server's time, with --load 100% (medians) and as they are without it (once, with PACED=1).
# Prints a table without a verdict. (Goals: 1.0 x redis-cli --scan, and 5 % of the server's time.)
#
#   tests/speed_of_inspect.sh [path/to/rlctl]      default: build/release/rlctl
#   KEYS=210000 ROUNDS=3 PACED=1 VERBS='list inspect-pattern …'   (10,000,000 keys take 1.5 GB)
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C
rlctl=$(realpath "${1:-build/release/rlctl}")
for program in "$rlctl" /usr/bin/time; do
  [[ -x $program ]] || { echo "${0##*/}: there is no $program: build or install it first" >&2; exit 2; }
done
keys=${KEYS:-210000}
work=$(mktemp -d)
redis-server --port 0 --unixsocket "$work/redis" --save '' --dir "$work" >/dev/null &
server=$!
trap 'kill $server; wait $server || true; rm -rf "$work"' EXIT
ask() { redis-cli -s "$work/redis" "$@"; }
until ask PING &>/dev/null; do sleep 0.1; done

# Six keys of each client, some thousand clients in each call.
for ((first = 1; first <= keys / 6; first += 20000)); do
  ask EVAL "
    local call, now = redis.call, redis.call('TIME')[1]
    for i = ARGV[1], math.min(ARGV[1] + 19999, ARGV[2]) do
      local ip = '10.' .. math.floor(i / 65536) .. '.' .. math.floor(i / 256) % 256 .. '.' .. i % 256
      call('SET', 'rl:api:' .. ip, i % 20, 'EX', 90000)
      call('SET', 'request_rate_limiter.{' .. ip .. '}.tokens', i % 20, 'EX', 90000)
      call('SET', 'request_rate_limiter.{' .. ip .. '}.timestamp', now, 'EX', 90000)
      call('SET', 'LIMITS:LIMITER/' .. ip .. '/login/20/1/minute', i % 20, 'EX', 90000)
      call('ZADD', 'throttle:log:' .. ip, now * 1000, i)
      call('EXPIRE', 'throttle:log:' .. ip, 90000)
      call('HSET', 'bucket:' .. ip, 'tokens', i % 20, 'last_refill', now)
      call('EXPIRE', 'bucket:' .. ip, 90000)
    end" 0 "$first" $((keys / 6)) >/dev/null
done
printf '%s keys, %s of Redis\n' "$(ask DBSIZE)" "$(ask INFO memory | sed -n 's/^used_memory_human:\([^\r]*\).*/\1/p')"

server_cpu() { ask INFO cpu | awk -F: '/^used_cpu_(user|sys):/ { sum += $2 } END { print sum }'; }

# measure NAME COMMAND...: one line "NAME seconds CPU KiB server-seconds exit".
measure() {
  local name=$1 before exit=0
  shift
  before=$(server_cpu)
  /usr/bin/time -f '%e %U %S %M' -o "$work/time" -- "$@" </dev/null >/dev/null 2>"$work/said" || exit=$?
  echo "$name $(tail -n1 "$work/time" | awk '{ print $1, $2 + $3, $4 }')" \
    "$(awk -v a="$before" -v b="$(server_cpu)" 'BEGIN { print b - a }')" "$exit" >>"$work/times"
}

# run NAME LOAD: one of the searches. The server holds nothing of 192.0.2.1.
run() {
  local -A search=(
    [list]='list'
    [inspect-pattern]='inspect *192.0.2.* --quiet'
    [inspect-client]='inspect 192.0.2.1'
    [reset]='reset *10.* --dry-run'
    [watch]='watch --once --interval 100ms')
  set -f
  measure "$1@$2" "$rlctl" ${search[$1]} --load "$2" --redis "unix://$work/redis"
  set +f
}

verbs=${VERBS:-list inspect-pattern inspect-client reset watch}
for ((round = 0; round < ${ROUNDS:-3}; ++round)); do
  measure scan redis-cli -s "$work/redis" --scan
  for verb in $verbs; do run "$verb" 100%; done
done
[[ ${PACED:-1} == 0 ]] || for verb in $verbs; do run "$verb" 5%; done

median() {  # NAME FIELD
  awk -v name="$1" -v field="$2" '$1 == name { print $field }' "$work/times" | sort -n |
    awk '{ value[NR] = $1 } END { print value[int((NR + 1) / 2)] }'
}
printf '%-16s %5s %9s %8s %8s %9s %13s %5s\n' search load time/s 'x scan' CPU/s peak/MiB 'server time' exit
for name in scan $(awk '$1 != "scan" { print $1 }' "$work/times" | awk '!seen[$0]++'); do
  awk -v name="${name%@*}" -v load="${name#*@}" -v wall="$(median "$name" 2)" -v scan="$(median scan 2)" \
    -v cpu="$(median "$name" 3)" -v peak="$(median "$name" 4)" -v server="$(median "$name" 5)" \
    -v exit_code="$(median "$name" 6)" 'BEGIN {
      printf "%-16s %5s %9.2f %8.2f %8.2f %9.1f %6.2f s %3.0f %% %5d\n", name, load == name ? "" : load, wall,
        wall / scan, cpu, peak / 1024, server, 100 * server / wall, exit_code }'
done
