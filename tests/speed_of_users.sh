#!/usr/bin/env bash
# What a virtual user costs: the peak memory of `simulate flood` with 100,000 users in one process
# against that with a fifth of them, which send as many requests: so the records, the verdict and
# the program itself do not count. All users begin at once, and send three requests each on average.
#
#   HTTP/1.1  each user has a connection to `rlctl serve`; without enough open files (ulimit -Hn), or
#             ports of one address, there are fewer users
#   HTTP/2    nginx, 50 users over a connection
#   a script  Redis on a unix socket, 50 connections
#
# Prints a table. Its figures are no test, but the exit code is 1 if the two sides do not count the
# same: every request, and no other. Needs redis-server, nginx and time.
#
#   tests/speed_of_users.sh [USERS] [path/to/rlctl]      default: 100000 users, build/release
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C PATH=$PATH:/usr/sbin
users=${1:-100000}
rlctl=$(realpath "${2:-build/release/rlctl}")
ulimit -n "$(ulimit -Hn)"
most=$(($(ulimit -n) - 300))  # connections
work=$(mktemp -d)
port=$((20000 + RANDOM % 10000))
servers=()
trap 'kill "${servers[@]}" 2>/dev/null; wait 2>/dev/null || true; rm -rf "$work"' EXIT

cat >"$work/nginx.conf" <<END
daemon off; master_process off; pid nginx.pid; error_log error.log; worker_rlimit_nofile $(ulimit -n);
events { worker_connections $most; }
http {
  access_log off; keepalive_requests 1000000000; client_header_timeout 600s;
  client_body_temp_path a; proxy_temp_path b; fastcgi_temp_path c; uwsgi_temp_path d; scgi_temp_path e;
  server {
    listen 127.0.0.1:$port http2 backlog=4096;
    location / { return 200 "ok\n"; }
  }
  server { listen 127.0.0.1:$((port + 1)); location / { stub_status; } }
}
END
nginx -p "$work/" -c nginx.conf -e error.log 2>/dev/null &
servers+=("$!")
redis-server --port 0 --unixsocket "$work/s" --save '' --appendonly no --dir "$work" \
  --loglevel warning --logfile "$work/log" &
servers+=("$!")
until (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && redis-cli -s "$work/s" ping &>/dev/null; do
  sleep 0.1
done
"$rlctl" serve --listen "127.0.0.1:$((port + 2))" --redis "unix://$work/s" --policy 1000000000/1s \
  --algo fixed-anchored --timeout 600s --connections "$((most < 100000 ? most : 100000))" --json --quiet \
  >"$work/served" 2>"$work/listening" &
servers+=("$!")
until grep -qs 'listening on' "$work/listening"; do sleep 0.1; done


# What each server has counted.
counted_by_serve() {  # It tells when it ends.
  kill -INT "${servers[2]}"
  until grep -q '"requests"' "$work/served"; do sleep 0.1; done
  grep -oE '"requests":[0-9]+' "$work/served" | cut -d: -f2
}
counted_by_nginx() {  # The third number, which has this request too.
  exec 3<>"/dev/tcp/127.0.0.1/$((port + 1))"
  printf 'GET / HTTP/1.0\r\n\r\n' >&3
  awk '/^ / { print $3 - 1 }' <&3
}
counted_by_redis() {  # Each decision asks for the time, and nothing else does.
  redis-cli -s "$work/s" info commandstats | sed -n 's/^cmdstat_time:calls=\([0-9]*\),.*/\1/p'
}

peak_kib=0 asked=0 failed=0
flood() {  # USERS REQUESTS TARGET...
  # Nothing is denied, so the run is inconclusive: exit 4.
  /usr/bin/time -o "$work/peak" -f %M "$rlctl" simulate flood --users "$1" --requests "$2" \
    --limit 1000000000 --window 1s --timeout 600s --json --quiet "${@:3}" >"$work/ours" 2>"$work/errors" ||
    [[ $? == 4 ]] || { cat "$work/errors" >&2; exit 1; }
  peak_kib=$(tail -n1 "$work/peak")
  allowed=$(grep -oE '"allowed":[0-9]+' "$work/ours" | head -n1 | cut -d: -f2)
  ((asked += allowed)) || true
  [[ $allowed == "$2" ]] || failed=1
}

row() {  # NAME USERS COUNTED_BY TARGET...
  local few all counted
  asked=0
  flood "$(($2 / 5))" "$((3 * $2))" "${@:4}"
  few=$peak_kib
  flood "$2" "$((3 * $2))" "${@:4}"
  all=$peak_kib
  counted=$("$3")
  [[ $counted == "$asked" ]] || failed=1
  awk -v name="$1" -v users="$2" -v few="$few" -v all="$all" -v asked="$asked" -v counted="$counted" \
    'BEGIN { printf "%-9s %9d %9.1f %9.1f %15.2f %9d %9d\n", name, users, few / 1024, all / 1024,
             (all - few) / (users * 4 / 5), asked, counted }'
}
printf '%-9s %9s %9s %9s %15s %9s %9s\n' over users 'MiB of /5' MiB 'KiB each' asked counted
least() { printf '%s\n' "$@" | sort -n | head -n1; }
row HTTP/1.1 "$(least "$users" "$most" 25000)" counted_by_serve --target "http://127.0.0.1:$((port + 2))/"
row HTTP/2 "$users" counted_by_nginx --target "http://127.0.0.1:$port/" --http2
redis-cli -s "$work/s" config resetstat >/dev/null  # `serve` asked it too
row script "$users" counted_by_redis --redis "unix://$work/s" --algo fixed-anchored
exit "$failed"
