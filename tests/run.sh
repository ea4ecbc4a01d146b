#!/usr/bin/env bash
# Installs what is missing, builds with ASan and UBSan, and passes every test, or those whose name
# contains NAME. Needs nothing but bash and Debian's apt; warnings are errors.
set -euo pipefail
CDPATH='' cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
source cmake/setup.sh

[[ $# -le 1 && ${1-} != -* ]] || stop "usage: tests/run.sh [NAME]"

install_missing "$build_needs" "$run_needs" "$test_needs"
build asan

# A test's name is a sentence and may hold what a regular expression takes for an operator.
name=$(sed 's/[][().*+?^$|\\]/\\&/g' <<<"${1-}")
export UBSAN_OPTIONS=${UBSAN_OPTIONS-print_stacktrace=1}
exec ctest --test-dir build/asan --output-on-failure --no-tests=error -R "${name:-.}"
