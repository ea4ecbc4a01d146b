#!/usr/bin/env bash
# Plays the tests with real servers on Redis 8.0 and Valkey 8.1 (Debian 13), and those of traffic on
# Redis 6.0 (Debian 11), whichever Debian this is. Their packages are unpacked under build/servers,
# not installed, and run with their own libraries.
#
#   tests/other_servers.sh [BUILD] [OPTION of doctest...]      default: build/asan, all tests
#   SERVERS='redis-6 redis-8 valkey-8'
set -euo pipefail
CDPATH='' cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
build=${1:-build/asan}
machine=$(uname -m)-linux-gnu

# By server: its Debian, its program, and the packages of that Debian beside libc6 and the like.
declare -A of=(
  [redis-6]='bullseye redis-server redis-tools libgcrypt20 libgpg-error0 libhiredis0.14 liblua5.1-0 liblz4-1
             liblzma5 libssl1.1 lua-bitop lua-cjson'
  [redis-8]='trixie redis-server redis-tools libssl3t64'
  [valkey-8]='trixie valkey-server valkey-tools libssl3t64'
)
every=(libatomic1 libc6 libcap2 libgcc-s1 libjemalloc2 liblzf1 libstdc++6 libsystemd0 libzstd1 zlib1g)

# The machine's own mirror of Debian.
mirror=$(apt-get indextargets --format '$(REPO_URI) $(ORIGIN) $(CODENAME) $(COMPONENT)' \
  "Created-By: Packages" | awk '$2 == "Debian" && $3 !~ /-/ && $4 == "main" {print $1; exit}')
[[ $mirror ]] || { echo "apt knows no mirror of Debian: run apt-get update" >&2; exit 2; }

unpack() {  # ROOT DEBIAN PACKAGE...
  local root=$1 debian=$2 apt package
  shift 2
  mkdir -p "$root"/apt/{etc/apt/apt.conf.d,etc/apt/preferences.d,lib/lists/partial,cache/archives/partial}
  cat >"$root/apt/etc/apt/sources.list" <<END
deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $debian main
END
  apt=(apt-get -qq -o Dir="$root/apt" -o Dir::State="$root/apt/lib" -o Dir::Cache="$root/apt/cache"
    -o Dir::State::status=/dev/null -o APT::Sandbox::User="$(id -un)")
  "${apt[@]}" update
  (cd "$root" && "${apt[@]}" download "$@")
  for package in "$root"/*.deb; do dpkg-deb -x "$package" "$root"; done
}

# Of Redis 6 the tests that play traffic: the others make users, certificates and functions as Redis 7
# takes them.
failed=0
play() {  # SERVER OPTION...
  local tests programs=(io_tests cli_tests) options=()
  if [[ $1 == redis-6 ]]; then
    programs+=(timed_tests)
    options=(--test-case='soak:*,run:*,simulate*,serve*,hit*' --test-case-exclude='*TLS*')
  fi
  for tests in "${programs[@]}"; do
    PATH=$PWD/build/servers/$1/bin:$PATH "$build/tests/$tests" "${options[@]}" "${@:2}" || failed=1
  done
}

for server in ${SERVERS:-redis-6 redis-8 valkey-8}; do
  root=$PWD/build/servers/$server
  read -r -d '' -a packages <<<"${of[$server]}" || true
  unpack "$root" "${packages[@]}" "${every[@]}"
  # The loader is a link to an absolute path, or beside it.
  loader=$(compgen -G "$root/lib/$machine/ld-*.so*" || compgen -G "$root/usr/lib/$machine/ld-linux*")
  mkdir -p "$root/bin"
  cat >"$root/bin/redis-server" <<END
#!/bin/sh
exec "${loader%%$'\n'*}" --library-path "$root/lib/$machine:$root/usr/lib/$machine" \\
  "$root/usr/bin/${packages[1]}" "\$@"
END
  chmod +x "$root/bin/redis-server"
  "$root/bin/redis-server" --version
  play "$server" "${@:2}"
done
exit "$failed"
