#!/usr/bin/env bash
# Installs missing packages, builds (Release), and runs the main job on a private Redis: the fixed
# window against the sliding ones, then every scenario. Needs only bash and Debian's apt.
set -euo pipefail
CDPATH='' cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
source cmake/setup.sh

[[ $# -eq 0 ]] || stop "usage: scenarios/run.sh"

install_missing "$build_needs" "$run_needs"
build release

rlctl=build/release/rlctl
"$rlctl" bench --algo fixed --algo sliding --algo sliding-list
"$rlctl" run scenarios/holds scenarios/breaks
