# tests/run.sh and scenarios/run.sh source this file in the top folder. It installs the missing
# Debian packages, then builds a preset. If it fails, it stops the script with one line on stderr
# and exit 2.

# One line per package: its name, and the file of it that is needed: a command (`a|b`: either), a
# header or an absolute path. The script looks for that file, not for the package. So a tool that
# was built into /usr/local is not installed again, and if nothing is missing, dpkg and apt are not
# called.
build_needs='
  g++                c++
  make               make
  cmake              cmake
  pkgconf            pkg-config
  libcli11-dev       CLI/CLI.hpp
  libcurl4-openssl-dev curl/curl.h
  libevent-dev       event2/event.h
  libfmt-dev         fmt/core.h
  libhiredis-dev     hiredis/hiredis.h
  libjs-chart.js     /usr/share/javascript/chart.js/chart.min.js
  libluajit-5.1-dev  luajit-2.1/luajit.h
  libnghttp2-dev     nghttp2/nghttp2.h
  libssl-dev         openssl/ssl.h
  lua-cjson-dev      lua5.1/lua-cjson.h
  nlohmann-json3-dev nlohmann/json.hpp
  zlib1g-dev         zlib.h
'
run_needs='
  redis-server       redis-server|valkey-server
'
# chromedriver needs netbase to resolve localhost.
test_needs='
  chromium           chromium
  chromium-driver    chromedriver
  doctest-dev        doctest/doctest.h
  dpkg-dev           dpkg-shlibdeps
  file               file
  fish               fish
  groff-base         groff
  haproxy            haproxy
  netbase            /etc/hosts
  nghttp2-server     nghttpd
  nginx              nginx
  nodejs             node
  npm                npm
  openssl            openssl
  php-cli            php
  php-illuminate-cache /var/lib/dpkg/info/php-illuminate-cache.list
  php-illuminate-redis /var/lib/dpkg/info/php-illuminate-redis.list
  php-redis          /var/lib/dpkg/info/php-redis.list
  python3-grpcio     /usr/lib/python3/dist-packages/grpc
  python3-limits     /var/lib/dpkg/info/python3-limits.list
  python3-protobuf   /usr/lib/python3/dist-packages/google/protobuf
  python3-redis      /var/lib/dpkg/info/python3-redis.list
  ruby               ruby
  ruby-rack-attack   /var/lib/dpkg/info/ruby-rack-attack.list
  ruby-redis         /var/lib/dpkg/info/ruby-redis.list
  tmux               tmux
  zsh                zsh
'

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }

stop() {
  say "$@"
  exit 2
}

is_there() {  # COMMAND, A|B, HEADER or /PATH
  case $1 in
    /*) [[ -e $1 ]] ;;
    *'|'*) is_there "${1%%|*}" || is_there "${1#*|}" ;;
    */*|*.h)
      compgen -G "/usr/include/$1" || compgen -G "/usr/include/*-linux-*/$1" ||
        compgen -G "/usr/local/include/$1"
      ;;
    # On Debian the PATH of an ordinary user lacks sbin, where nginx is.
    *) PATH=$PATH:/usr/local/sbin:/usr/sbin command -v "$1" ;;
  esac >/dev/null
}

# Installs the missing packages of the lists; if none is missing, it starts no program.
install_missing() {  # LIST...
  local package need missing=()
  while read -r package need; do
    [[ -z $package ]] || is_there "$need" || missing+=("$package")
  done <<<"$(printf '%s\n' "$@")"
  ((${#missing[@]})) || return 0
  command -v apt-get >/dev/null ||
    stop "apt-get is missing; install the equivalents of these Debian packages: ${missing[*]}"
  local as_root=()
  if ((EUID != 0)); then
    as_root=(sudo)
    may_sudo ||
      stop "packages are missing; run as root: apt-get update && apt-get install -y ${missing[*]}"
  fi
  say "installing ${missing[*]}"
  apt_install "${missing[@]}"
  for package in redis-server nginx haproxy; do
    [[ " ${missing[*]} " != *" $package "* ]] || leave_service_off "$package"
  done
}

may_sudo() {
  command -v sudo >/dev/null || return 1
  if [[ -t 0 && -t 2 ]]; then sudo true; else sudo -n true 2>/dev/null; fi
}

# RUNLEVEL and SYSTEMD_OFFLINE keep sysvinit and systemd from starting the installed services during
# this call. Otherwise Debian would start a Redis on port 6379 and an nginx on port 80.
apt_get() {  # ARGUMENT...
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 SYSTEMD_OFFLINE=1 \
    apt-get -qq -o DPkg::Lock::Timeout=120 "$@" </dev/null 2>&1
}

apt_install() {  # PACKAGE...
  local output failure=
  # An install can work after a stale or partly failed update, so the failure of the update is
  # reported only if the install fails too.
  output=$(apt_get -o APT::Update::Error-Mode=any update) || failure=$(first_error "$output")
  output=$(apt_get install -y --no-install-recommends "$@") ||
    stop "apt-get failed: ${failure:-$(first_error "$output")}"
}

first_error() { grep -m1 '^[EW]:' <<<"$1" || tail -n1 <<<"$1"; }  # OUTPUT of apt-get

# The service must not start at the next boot either: rlctl and its tests run private servers.
leave_service_off() {  # SERVICE
  command -v systemctl >/dev/null || return 0
  "${as_root[@]}" env SYSTEMD_OFFLINE=1 systemctl disable "$1.service" &>/dev/null || true
  say "the service $1 was not started, and is not enabled"
}

# One compiler per core, as far as the memory allows: the largest sources need more than 1 GB with
# ASan.
parallel_jobs() {
  local jobs field kilobytes
  jobs=$(nproc)
  while read -r field kilobytes _; do
    [[ $field == MemAvailable: ]] && ((kilobytes / 1500000 < jobs)) && jobs=$((kilobytes / 1500000))
  done 2>/dev/null </proc/meminfo
  echo $((jobs > 1 ? jobs : 1))
}

# CMake configures again by itself if a CMakeLists.txt has changed, but not if a preset has changed.
# It does not work in a tree that was copied or moved, because its cache contains the old path.
configure() {  # PRESET
  local folder=build/$1
  grep -sqxF "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" "$folder/CMakeCache.txt" || rm -rf "$folder"
  [[ $folder/configured -nt CMakePresets.json ]] && return
  cmake --preset "$1" && touch "$folder/configured"
}

build() {  # PRESET
  configure "$1" || stop "cannot configure build/$1"
  # Leaves out make's line for every finished target, so that a second run prints nothing.
  cmake --build --preset "$1" --parallel "$(parallel_jobs)" |
    sed -u '/Built target /d; /Consolidate compiler generated/d'
}
