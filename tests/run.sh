#!/usr/bin/env bash
# Installs missing packages, builds with ASan and UBSan, and runs every test, or those whose name
# contains NAME. Needs only bash and Debian's apt. Warnings are errors.
set -euo pipefail
CDPATH='' cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
source cmake/setup.sh

[[ $# -le 1 && ${1-} != -* ]] || stop "usage: tests/run.sh [NAME]"

install_missing "$build_needs" "$run_needs" "$test_needs"
build asan

# A test's name is a sentence and may contain operators of regular expressions.
name=$(sed 's/[][().*+?^$|\\]/\\&/g' <<<"${1-}")
export UBSAN_OPTIONS=${UBSAN_OPTIONS-print_stacktrace=1}
# Side by side; CMake names those that need the machine for themselves (RUN_SERIAL).
exec ctest --test-dir build/asan --parallel 2 --output-on-failure --no-tests=error -R "${name:-.}"
