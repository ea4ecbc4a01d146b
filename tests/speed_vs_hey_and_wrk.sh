#!/usr/bin/env bash
# Speed over HTTP against hey and wrk, and over HTTP/2 against h2load: the same nginx (`return 200`),
# 50 and 3,000 users, each on its keep-alive connection or 50 on one of HTTP/2, interleaved, medians.
# Then open loops at 50,000 requests/s, as many rounds. Prints tables without a verdict: speed is
# measured here and never in a test. Needs the Debian packages hey, wrk, nghttp2-client and nginx.
#
#   tests/speed_vs_hey_and_wrk.sh [ROUNDS] [path/to/rlctl]      default: 5 rounds, build/release
#
# REQUESTS (400000), RATE (50000) and ENGINE (own, curl) of the environment change what is asked.
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C PATH=$PATH:/usr/sbin
rounds=${1:-5}
rlctl=${2:-build/release/rlctl}
requests=${REQUESTS:-400000}
engine=${ENGINE:-own}
for program in "$rlctl" nginx hey wrk h2load; do
  type "$program" &>/dev/null || { echo "${0##*/}: there is no $program: install or build it first" >&2; exit 2; }
done
ulimit -n 8192
work=$(mktemp -d)
port=$((20000 + RANDOM % 20000))
url=http://127.0.0.1:$port/ url2=http://127.0.0.1:$((port + 1))/
cat >"$work/nginx.conf" <<END
daemon off; master_process off; pid nginx.pid; error_log error.log;
events { worker_connections 8192; }
http {
  access_log off; keepalive_requests 1000000000;
  client_body_temp_path a; proxy_temp_path b; fastcgi_temp_path c; uwsgi_temp_path d; scgi_temp_path e;
  server {
    listen 127.0.0.1:$port backlog=4096; listen 127.0.0.1:$((port + 1)) http2 backlog=4096;
    location / { return 200 "ok\n"; }
  }
}
END
nginx -p "$work/" -c nginx.conf -e error.log 2>/dev/null &
server=$!
trap 'kill "$server"; wait "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
until (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do sleep 0.1; done
TIMEFORMAT='%U %S'

# The number after "name": in the first phase of rlctl's JSON.
figure() { grep -oE "\"$1\":-?[0-9]+" "$work/ours.json" | head -n1 | cut -d: -f2; }  # NAME
per_request() { awk -v n="$1" '{ printf "%.3f", ($1 + $2) * 1e6 / n }' "$2"; }     # N, FILE

# Seconds of CPU that nginx has used. It is one process, so a second for each second is its limit.
server_cpu() { awk -v ticks="$(getconf CLK_TCK)" '{ print ($14 + $15) / ticks }' "/proc/$server/stat"; }
server_per_request() {  # N, CPU BEFORE
  awk -v n="$1" -v a="$2" -v b="$(server_cpu)" 'BEGIN { printf " %.3f", (b - a) * 1e6 / n }'
}

# Each prints "requests-per-second client-CPU-µs-per-request server-CPU-µs-per-request".
ours() {  # URL [OPTION...]
  local before=$(server_cpu)
  # Nothing is denied, so the run is inconclusive: exit 4.
  { time "$rlctl" simulate flood --target "$1" "${@:2}" --users "$users" \
    --requests "$requests" --limit 1000000000 --window 1s --json --quiet >"$work/ours.json" 2>"$work/ours.err" ||
    [[ $? == 4 ]]; } 2>"$work/ours.cpu"
  awk -v n="$(figure allowed)" -v from="$(figure started_us)" -v to="$(figure ended_us)" \
    'BEGIN { printf "%.0f ", n * 1e6 / (to - from) }'
  per_request "$requests" "$work/ours.cpu"
  server_per_request "$requests" "$before"
}
with_hey() {
  local before=$(server_cpu)
  { time hey -n "$requests" -c "$users" "$url" >"$work/hey" 2>&1; } 2>"$work/hey.cpu"
  awk '/Requests\/sec/ { printf "%.0f ", $2 }' "$work/hey"
  per_request "$requests" "$work/hey.cpu"
  server_per_request "$requests" "$before"
}
with_wrk() {
  local before=$(server_cpu) sent
  { time wrk -t1 -c"$users" -d3s "$url" >"$work/wrk" 2>&1; } 2>"$work/wrk.cpu"
  awk '/Requests\/sec/ { printf "%.0f ", $2 }' "$work/wrk"
  sent=$(awk '/requests in/ { print $1 }' "$work/wrk")
  per_request "$sent" "$work/wrk.cpu"
  server_per_request "$sent" "$before"
}
with_h2load() {
  local before=$(server_cpu)
  { time h2load -t1 -n "$requests" -c "$((users / 50))" -m50 "$url2" >"$work/h2load" 2>&1; } 2>"$work/h2load.cpu"
  awk '/^finished in/ { printf "%.0f ", $4 }' "$work/h2load"
  per_request "$requests" "$work/h2load.cpu"
  server_per_request "$requests" "$before"
}
median() { sort -g | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }
range() { sort -g | awk 'NR == 1 { a = $1 } { b = $1 } END { printf "%.2f..%.2f", a, b }'; }

column_of() { awk "{ print $1 }" "$work/rows"; }  # AWK EXPRESSION
row() {  # name, column of its rate
  local rate=\$$2 cpu=\$$(($2 + 1)) server=\$$(($2 + 2))
  printf '%-6s %10.0f %10.0f %8.2f %14s %10.2f %10.2f %8.2f %14s\n' "$1" \
    "$(column_of '$1' | median)" "$(column_of "$rate" | median)" \
    "$(column_of "\$1 / $rate" | median)" "$(column_of "\$1 / $rate" | range)" \
    "$(column_of '$2' | median)" "$(column_of "$cpu" | median)" \
    "$(column_of "\$2 / $cpu" | median)" "$(column_of "\$2 / $cpu" | range)"
  printf '       the server was busy for %.0f %% of the time with rlctl, %.0f %% with %s\n' \
    "$(column_of '$1 * $3 / 1e4' | median)" "$(column_of "$rate * $server / 1e4" | median)" "$1"
}
heading() {  # WORDS
  printf '%s\n%-6s %10s %10s %8s %14s %10s %10s %8s %14s\n' "$1" peer \
    'rlctl/s' 'peer/s' ratio '(range)' 'rlctl us' 'peer us' ratio '(range)'
}
for users in 50 3000; do
  rm -f "$work/rows"
  for ((i = 0; i < rounds; i++)); do
    echo "$(ours "$url" --engine "$engine") $(with_wrk) $(with_hey)" >>"$work/rows"
  done
  heading "$users connections"
  row wrk 4
  row hey 7
  rm -f "$work/rows"
  for ((i = 0; i < rounds; i++)); do
    echo "$(ours "$url2" --http2) $(with_h2load)" >>"$work/rows"
  done
  heading "$((users / 50)) connections of HTTP/2 with 50 streams each"
  row h2load 4
done

rate=${RATE:-50000} seconds=10 want=$((rate * seconds))
# Prints how many requests were sent, how many of them nginx answered with 200, and how late they
# began, in µs: median, p99, worst.
open_loop() {
  "$rlctl" simulate bot --target "$url" --engine "$engine" --rate "$rate/1s" --for "${seconds}s" \
    --limit 1000000000 --window 1s --json --quiet --log "$work/open.csv" >"$work/ours.json" \
    2>"$work/ours.err" || [[ $? == 4 ]]
  awk -F, '
    /^#/ { next }
    !columns { for (i = 1; i <= NF; i++) column[$i] = i; columns = NF; next }
    $column["sent_us"] != "" { print $column["sent_us"] - $column["intended_us"], $column["outcome"] }
  ' "$work/open.csv" | sort -g | awk '{ lag[NR] = $1; allowed += $2 == "allowed" }
    END { print NR, allowed + 0, lag[int((NR + 1) / 2)], lag[int(NR * 0.99 + 0.999)], lag[NR] }'
}
rm -f "$work/rows"
for ((i = 0; i < rounds; i++)); do open_loop >>"$work/rows"; done
printf 'open loop at %d/s, %d times: of %d requests at least %d sent, %d allowed\n' "$rate" "$rounds" \
  "$want" "$(column_of '$1' | sort -g | head -n1)" "$(column_of '$2' | sort -g | head -n1)"
printf 'start lag, medians: median %.0f us, p99 %.0f us (%s), worst %.0f us\n' \
  "$(column_of '$3' | median)" "$(column_of '$4' | median)" "$(column_of '$4' | range)" \
  "$(column_of '$5' | median)"
