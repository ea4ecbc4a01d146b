#!/usr/bin/env bash
# Speed against redis-benchmark: the same EVALSHA, keys and server, interleaved, medians.
# Prints a table without a verdict: speed is measured here and never in a test. The script is the
# shortest possible fixed window: the server runs on one core. With a longer script it would be the
# bottleneck for both clients, and their costs would look equal (SCRIPT=lua/fixed.lua shows it).
# With TLS, both clients verify the server's certificate; only rlctl verifies its name. The figures
# of redis-benchmark include its handshakes, rlctl's do not: that is 2 % with 50 connections and
# 100,000 requests, and much with 1,000.
#
#   tests/speed_vs_redis_benchmark.sh [ROUNDS] [path/to/rlctl]      default: 5 rounds, build/release
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C
rounds=${1:-5}
rlctl=${2:-build/release/rlctl}
requests=${REQUESTS:-300000}
keys=2000
more=()  # options of rlctl
script=${SCRIPT:-tests/tools/plain-fixed.lua}
name=$(basename "$script" .lua)
work=$(mktemp -d)
port=$((10000 + RANDOM % 10000))
peer_key=
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=speed \
  -addext subjectAltName=IP:127.0.0.1 -keyout "$work/key.pem" -out "$work/cert.pem" 2>/dev/null
redis-server --port "$port" --tls-port "$((port + 1))" --tls-cert-file "$work/cert.pem" \
  --tls-key-file "$work/key.pem" --tls-ca-cert-file "$work/cert.pem" --tls-auth-clients no \
  --unixsocket "$work/s" --save '' --appendonly no --maxclients 10000 --tcp-backlog 4096 \
  --dir "$work" --daemonize no --loglevel warning --logfile "$work/log" &
server=$!
servers=("$server")
trap 'kill "${servers[@]}"; wait 2>/dev/null || true; rm -rf "$work"' EXIT
until redis-cli -p "$port" ping >/dev/null 2>&1; do sleep 0.1; done
ulimit -n 8192

# A cluster of three masters; redis-benchmark puts the tag of a slot of the node where it writes {tag}.
nodes=()
for ((i = 0; i < 3; i++)); do
  node=$((port + 10 + i))
  mkdir "$work/node$i"
  redis-server --port "$node" --cluster-enabled yes --save '' --appendonly no --dir "$work/node$i" \
    --maxclients 10000 --tcp-backlog 4096 --loglevel warning --logfile log &
  servers+=("$!")
  nodes+=("127.0.0.1:$node")
  until redis-cli -p "$node" ping >/dev/null 2>&1; do sleep 0.1; done
done
redis-cli --cluster create "${nodes[@]}" --cluster-yes >"$work/create.log"
until redis-cli -p "$((port + 10))" cluster info | grep -q cluster_state:ok; do sleep 0.1; done

"$rlctl" load "$script" --redis "redis://${nodes[0]}" >/dev/null
sha=$("$rlctl" load "$script" --redis "redis://127.0.0.1:$port" --json |
  grep -oE '"sha1":"[0-9a-f]{40}"' | cut -d'"' -f4)

# The values that rlctl passes for the script's `args`, with a limit of 1,000 per second and cost 1.
arguments=()
for argument in $(grep -oE '^-- rlctl: args *= .*' "$script" | sed 's/.*= //; s/,//g'); do
  case $argument in
    limit | window_ms | ttl_ms) arguments+=(1000) ;;
    cost) arguments+=(1) ;;
    *) arguments+=('') ;;
  esac
done

# Seconds of CPU that the server has used. It decides in one thread: a second for each is its limit.
server_cpu() { awk -v ticks="$(getconf CLK_TCK)" '{ print ($14 + $15) / ticks }' "/proc/$server/stat"; }

# Each prints "decisions-per-second client-CPU-µs-per-decision server-busy-%".
peer() {  # connections, address options
  local connections=$1 before=$(server_cpu)
  shift
  local TIMEFORMAT='%U %S'
  { time redis-benchmark "$@" -c "$connections" -n "$requests" -r "$keys" --csv \
    EVALSHA "$sha" 1 "rlctl:00000000:$name:admitted0:${peer_key}__rand_int__" "${arguments[@]}" \
    >"$work/peer.csv" 2>/dev/null; } 2>"$work/peer.cpu"
  awk -F'","|"' -v n="$requests" -v before="$before" -v after="$(server_cpu)" 'NR == FNR { split($0, t, " "); cpu = t[1] + t[2]; next }
    { rate = $3 } END { printf "%s %.3f %.1f\n", rate, cpu * 1e6 / n, (after - before) * 100 * rate / n }' \
    "$work/peer.cpu" "$work/peer.csv"
}
ours() {  # connections, URL
  "$rlctl" bench "${more[@]}" --only speed --algo "$script" --limit 1000 --window 1s --redis "$2" --rounds 1 \
    --users "$1" --requests "$requests" --keys "$keys" --json --quiet >"$work/ours.json"
  awk '{
    match($0, /"decisions_per_second":[0-9.e+]+/); r = substr($0, RSTART + 23, RLENGTH - 23)
    match($0, /"client_cpu_us_per_decision":[0-9.e+-]+/); c = substr($0, RSTART + 29, RLENGTH - 29)
    match($0, /"redis_cpu_percent":[0-9.e+-]+/); b = substr($0, RSTART + 20, RLENGTH - 20)
    printf "%s %s %s\n", r, c, b }' "$work/ours.json"
}
median() { sort -g | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }
column_of() { awk "{ print $1 }" "$work/rows"; }  # AWK EXPRESSION
range() { sort -g | awk 'NR == 1 { a = $1 } { b = $1 } END { printf "%.2f..%.2f", a, b }'; }

printf '%-22s %14s %14s %8s %14s %10s %10s %8s %14s\n' case 'rlctl/s' 'peer/s' ratio '(range)' \
  'rlctl us' 'peer us' ratio '(range)'
compare() {  # name, connections, URL, redis-benchmark options
  local name=$1 connections=$2 url=$3
  shift 3
  : >"$work/rows"
  for ((i = 0; i < rounds; i++)); do
    echo "$(ours "$connections" "$url") $(peer "$connections" "$@")" >>"$work/rows"
  done
  printf '%-22s %14.0f %14.0f %8.2f %14s %10.2f %10.2f %8.2f %14s\n' "$name" \
    "$(column_of '$1' | median)" "$(column_of '$4' | median)" \
    "$(column_of '$1 / $4' | median)" "$(column_of '$1 / $4' | range)" \
    "$(column_of '$2' | median)" "$(column_of '$5' | median)" \
    "$(column_of '$2 / $5' | median)" "$(column_of '$2 / $5' | range)"
  [[ $name == cluster* ]] || printf '  Redis was busy for %.0f %% of the time with rlctl, %.0f %% with the peer\n' \
    "$(column_of '$3' | median)" "$(column_of '$6' | median)"
}
compare 'tcp, 50 connections' 50 "redis://127.0.0.1:$port" -p "$port"
compare 'tcp, 3000 connections' 3000 "redis://127.0.0.1:$port" -p "$port"
compare 'unix, 50 connections' 50 "unix://$work/s" -s "$work/s"
more=(--pipeline 16)
compare 'tcp, pipeline of 16' 50 "redis://127.0.0.1:$port" -p "$port" -P 16
more=(--cacert "$work/cert.pem")
for connections in 50 1000; do
  compare "tls, $connections connections" "$connections" "rediss://127.0.0.1:$((port + 1))" \
    -p "$((port + 1))" --tls "${more[@]}"
done
more=(--threads 2)  # redis-benchmark takes one for each master
peer_key='{tag}:'
compare 'cluster, 50 connections' 50 "redis://${nodes[0]}" -p "$((port + 10))" --cluster

# What each master did in the last round of rlctl, and what it costs to decide all on one hot key.
echo
grep -oE '"name":"[^"]*","decisions_per_second":[0-9.e+]+,"cpu_percent":[0-9.e+]+' "$work/ours.json" |
  tr -d '"' | sed 's/name://; s/,[a-z_]*:/ /g' |
  awk '{ printf "%-22s %14.0f /s %10.0f %% CPU %14.0f /s per CPU\n", $1, $2, $3, $2 * 100 / $3 }'
for figure in one_slot_decisions_per_second one_key_decisions_per_second one_key_server_cpu_us \
  one_key_busiest_cpu_percent; do
  printf '%-32s %10.1f\n' "$figure" "$(grep -oE "\"$figure\":[0-9.e+]+" "$work/ours.json" | cut -d: -f2)"
done
