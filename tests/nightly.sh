#!/usr/bin/env bash
# What takes too long for every run: the tests under ASan and UBSan, 50,000 random histories against
# brute force (each night others: RLCTL_SEED repeats them), as many mutated inputs and answers of
# HTTP servers, half an hour of faults on a cluster, the tests with servers on Redis 6 and 8 and
# Valkey (tests/other_servers.sh), a minute of libFuzzer for everything that reads bytes of others
# (SECONDS_EACH=60), what runs on several threads under ThreadSanitizer, the mutants of the judge
# (tests/mutants.sh), and the whole suite again and again (SUITE_RUNS=50) on both Debians
# (DEBIANS='bookworm trixie'; tests/on_debian.sh): a test that fails once in 50 runs is a defect.
# Failed tests are named with their number of times. Needs clang-19 (both Debians have it; clang 14
# knows no coroutines), which the ordinary run does not. What a fuzzer finds is kept in
# build/fuzz/found.
set -euo pipefail
CDPATH='' cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
source cmake/setup.sh

[[ $# -eq 0 ]] || stop "usage: [SECONDS_EACH=60] [SUITE_RUNS=50] [DEBIANS=trixie] tests/nightly.sh"
fuzz_needs='
  clang-19           clang++-19
  libclang-rt-19-dev ../lib/llvm-19/lib/clang/*/lib/linux/libclang_rt.fuzzer-*.a
'

install_missing "$build_needs" "$run_needs" "$test_needs" "$fuzz_needs"
PRESET=asan tests/run.sh || stop "a test fails under the sanitizers"
build fuzz
build tsan

export RLCTL_HISTORIES=50000 RLCTL_MUTATIONS=50000 RLCTL_SEED="${RLCTL_SEED:-$(date +%y%j)}"
say "random histories of RLCTL_SEED=$RLCTL_SEED"
build/asan/tests/unit_tests \
  --test-case='*brute force*,*one placement must keep both*,*whole seconds*,*joint placements*,in flight:*,known instants*'
build/asan/tests/fuzz/mutation_tests
timeout 3600 build/asan/tests/http_tests --test-case='*changed answers*'
RLCTL_SOAK_S=1800 build/asan/tests/io_tests --test-case='soak:*'
tests/other_servers.sh build/asan

say "threads under ThreadSanitizer"
build/tsan/tests/cli_tests --source-file='*/cli/parts/*'
build/tsan/tests/unit_tests --source-file='*/line_blocks_test.cpp,*/log_parts_test.cpp,*/parts_on_threads_test.cpp,*/meeting_test.cpp'

mkdir -p build/fuzz/found
for seeds in tests/fuzz/seeds/*/; do
  entry=$(basename "$seeds")
  corpus=build/fuzz/corpus/$entry
  mkdir -p "$corpus"
  say "fuzzing $entry for ${SECONDS_EACH:-60} s"
  "build/fuzz/tests/fuzz/fuzz_$entry" "$corpus" "$seeds" -artifact_prefix=build/fuzz/found/ \
    -max_total_time="${SECONDS_EACH:-60}" -max_len=8192 -timeout=10 -entropic=0 -rss_limit_mb=2048 \
    -print_final_stats=1 -verbosity=0
done

# A mutant that 1,000 histories do not catch lacks a test of its own.
RLCTL_HISTORIES=1000 tests/mutants.sh

# The tests that failed, as ctest lists them; without any, what stopped the run.
failures() {  # OUTPUT of a run
  local names
  names=$(sed -n '/tests FAILED:$/,/^Errors while/s/^[[:space:]]*[0-9]* - //p' "$1")
  echo "${names:-$(tail -n 1 "$1")}"
}

mkdir -p build/suite
rm -f build/suite/*
runs=${SUITE_RUNS:-50} failed=0 not_run=
for debian in ${DEBIANS-bookworm trixie}; do
  if ! tests/on_debian.sh "$debian" true; then
    not_run+="$debian "
    continue
  fi
  for ((run = 1; run <= runs; run++)); do
    log=build/suite/$debian-$run.log
    if tests/on_debian.sh "$debian" tests/run.sh &>"$log"; then
      rm "$log"
    else
      failures "$log" >>"build/suite/$debian.failures"
    fi
  done
  logs=$(compgen -G "build/suite/$debian-*.log" | wc -l || true)
  say "$debian: $logs of $runs runs of the suite failed"
  ((logs == 0)) || sort "build/suite/$debian.failures" | uniq -c | sort -rn >&2
  ((failed += logs)) || true
done
[[ -z $not_run ]] || say "the suite was not run on: $not_run(the reason is above)"
((failed == 0)) || stop "their output: build/suite/*.log"
