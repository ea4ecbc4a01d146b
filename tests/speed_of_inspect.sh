#!/usr/bin/env bash
# Measures how long it takes to find, free and check one client among 210,000 limiter keys, as five
# libraries write them, and to list them all; redis-cli --scan beside it. Prints a table without a
# verdict. (Goal: under 2 s each.) Starts a redis-server of its own.
#
#   tests/speed_of_inspect.sh [path/to/rlctl]      default: build/release/rlctl
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C
rlctl=$(realpath "${1:-build/release/rlctl}")
[[ -x $rlctl ]] || { echo "${0##*/}: there is no $rlctl: build it first" >&2; exit 2; }
work=$(mktemp -d)
redis-server --port 0 --unixsocket "$work/redis" --save '' --dir "$work" >/dev/null &
server=$!
trap 'kill $server; wait $server || true; rm -rf "$work"' EXIT
until redis-cli -s "$work/redis" PING &>/dev/null; do sleep 0.1; done

redis-cli -s "$work/redis" EVAL "
  local call, now = redis.call, redis.call('TIME')[1]
  local function write(ip, i)
    call('SET', 'rl:api:' .. ip, i % 20, 'EX', 9000)
    call('SET', 'request_rate_limiter.{' .. ip .. '}.tokens', i % 20, 'EX', 9000)
    call('SET', 'request_rate_limiter.{' .. ip .. '}.timestamp', now, 'EX', 9000)
    call('SET', 'LIMITS:LIMITER/' .. ip .. '/login/20/1/minute', i % 20, 'EX', 9000)
    call('ZADD', 'throttle:log:' .. ip, now * 1000, i)
    call('EXPIRE', 'throttle:log:' .. ip, 9000)
    call('HSET', 'bucket:' .. ip, 'tokens', i % 20, 'last_refill', now)
    call('EXPIRE', 'bucket:' .. ip, 9000)
  end
  for i = 1, 35000 do write('10.' .. i % 250 .. '.' .. math.floor(i / 250) .. '.1', i) end
  write('203.0.113.7', 40)
  call('SET', 'rl:api:203.0.113.7:blocked', 1)
  return call('DBSIZE')" 0 >/dev/null

# measure NAME COMMAND...: its time and its exit code.
measure() {
  local name=$1 began exit=0
  shift
  began=$(date +%s%N)
  "$@" </dev/null >/dev/null 2>&1 || exit=$?
  printf '%-34s %6d ms  exit %d\n' "$name" $((($(date +%s%N) - began) / 1000000)) "$exit"
}
at=(--redis "unix://$work/redis")
measure 'redis-cli --scan' redis-cli -s "$work/redis" --scan
measure 'inspect 203.0.113.7' "$rlctl" inspect 203.0.113.7 "${at[@]}"
measure 'reset 203.0.113.7 --yes' "$rlctl" reset 203.0.113.7 --yes "${at[@]}"
measure 'inspect 203.0.113.7' "$rlctl" inspect 203.0.113.7 "${at[@]}"
measure 'list' "$rlctl" list "${at[@]}"
measure "watch --once 'rl:api:10.0.0.?'" "$rlctl" watch --once 'rl:api:10.0.0.?' "${at[@]}"
measure 'watch --once' "$rlctl" watch --once "${at[@]}"
