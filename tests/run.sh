#!/usr/bin/env bash
# Installs missing packages, builds, and runs every test, or those whose name contains NAME. Needs
# only bash and Debian's apt. Warnings are errors. With PRESET=asan the same under AddressSanitizer
# and UBSan, as tests/nightly.sh does: that takes two and a half times as long.
set -euo pipefail
CDPATH='' cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
source cmake/setup.sh

[[ $# -le 1 && ${1-} != -* ]] || stop "usage: [PRESET=asan] tests/run.sh [NAME]"
preset=${PRESET:-tested}

install_missing "$build_needs" "$run_needs" "$test_needs"
build "$preset"

# A test's name is a sentence and may contain operators of regular expressions.
name=$(sed 's/[][().*+?^$|\\]/\\&/g' <<<"${1-}")
export UBSAN_OPTIONS=${UBSAN_OPTIONS-print_stacktrace=1}
# Most of a test is waiting, so more of them run side by side than there are cores; CMake names those
# that need the machine for themselves (RUN_SERIAL).
exec ctest --preset "$preset" -R "${name:-.}"
