#!/usr/bin/env bash
# Plays the tests with real servers on Redis 8.0 and Valkey 8.1 of Debian 13, whichever Debian this
# is. Their packages are unpacked under build/servers, not installed, and run with their own libraries.
#
#   tests/other_servers.sh [BUILD] [OPTION of doctest...]      default: build/asan, all tests
set -euo pipefail
CDPATH='' cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
build=${1:-build/asan}
root=$PWD/build/servers
libraries=$root/usr/lib/$(uname -m)-linux-gnu
packages=(redis-server redis-tools valkey-server valkey-tools libatomic1 libc6 libcap2 libgcc-s1
  libjemalloc2 liblzf1 libssl3t64 libstdc++6 libsystemd0 libzstd1 zlib1g)

# The machine's own mirror of Debian.
mirror=$(apt-get indextargets --format '$(REPO_URI) $(ORIGIN) $(CODENAME) $(COMPONENT)' \
  "Created-By: Packages" | awk '$2 == "Debian" && $3 !~ /-/ && $4 == "main" {print $1; exit}')
[[ $mirror ]] || { echo "apt knows no mirror of Debian: run apt-get update" >&2; exit 2; }

mkdir -p "$root"/apt/{etc/apt/apt.conf.d,etc/apt/preferences.d,lib/lists/partial,cache/archives/partial}
cat >"$root/apt/etc/apt/sources.list" <<END
deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror trixie main
END
apt=(apt-get -qq -o Dir="$root/apt" -o Dir::State="$root/apt/lib" -o Dir::Cache="$root/apt/cache"
  -o Dir::State::status=/dev/null -o APT::Sandbox::User="$(id -un)")
"${apt[@]}" update
(cd "$root" && "${apt[@]}" download "${packages[@]}")
for package in "$root"/*.deb; do dpkg-deb -x "$package" "$root"; done

loader=$(compgen -G "$libraries/ld-linux*" | head -n 1)
failed=0
for server in redis valkey; do
  mkdir -p "$root/$server"
  cat >"$root/$server/redis-server" <<END
#!/bin/sh
exec "$loader" --library-path "$libraries" "$root/usr/bin/$server-server" "\$@"
END
  chmod +x "$root/$server/redis-server"
  "$root/$server/redis-server" --version
  for tests in io_tests cli_tests; do
    PATH=$root/$server:$PATH "$build/tests/$tests" "${@:2}" || failed=1
  done
done
exit "$failed"
