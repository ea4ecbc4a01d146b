#!/usr/bin/env bash
# Runs a command in this tree on a Debian of that name (bookworm, trixie), as root of it: as it is,
# if this machine has that Debian, else in a small system that debootstrap makes in
# build/debian/NAME, with the sources of this tree and a build folder of its own. That is in a mount
# namespace: nothing stays mounted. Exit 2, with the reason, if it can't be done here.
#
#   tests/on_debian.sh trixie tests/run.sh
set -euo pipefail
CDPATH='' cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
source cmake/setup.sh

[[ $# -ge 2 && $1 =~ ^[a-z]+$ ]] || stop "usage: tests/on_debian.sh NAME COMMAND..."
debian=$1
shift
grep -qx "VERSION_CODENAME=$debian" /etc/os-release && exec "$@"

((EUID == 0)) || stop "$debian: not run: it needs root"
command -v debootstrap >/dev/null || stop "$debian: not run: it needs debootstrap"
unshare --mount true 2>/dev/null || stop "$debian: not run: this machine forbids mounts"

root=$PWD/build/debian/$debian
if [[ ! -e $root/made ]]; then
  rm -rf --one-file-system "$root"
  mkdir -p "$root"
  debootstrap --variant=minbase "$debian" "$root" >"$root.log" 2>&1 ||
    stop "$debian: not run: debootstrap failed: $(tail -n1 "$root.log")"
  touch "$root/made"
fi
mkdir -p "$root/rlctl" "$root.build"
cp /etc/resolv.conf /etc/hosts "$root/etc/"
# shellcheck disable=SC2016  # the inner shell expands them
exec unshare --mount --propagation private bash -ec '
  root=$1 tree=$2
  shift 2
  mount -t proc proc "$root/proc"
  mount --rbind /dev "$root/dev"
  mount -t tmpfs tmpfs "$root/tmp"
  mount --bind "$tree" "$root/rlctl"
  mount --bind "$root.build" "$root/rlctl/build"
  exec chroot "$root" /usr/bin/env -i HOME=/root TERM=dumb PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    sh -c "cd /rlctl && exec \"\$@\"" sh "$@"
' on_debian "$root" "$PWD" "$@"
