#!/usr/bin/env bash
# Tests the tests of the judge. A mutant is one small change of its sources: a bound off by one, a
# tolerance dropped, a rule forgotten. Each is made in a copy of the tree, which is then built and
# tested. A mutant that no test of the judge notices has survived: a test is missing.
# RLCTL_HISTORIES sets the number of random histories of each test (1,000). FILE selects the mutants
# of one file of src/verdict. Exit 1: some survived; exit 2: the table does not fit the sources.
set -euo pipefail
CDPATH='' cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
source cmake/setup.sh

[[ $# -le 1 && ${1-} != -* ]] || stop "usage: [RLCTL_HISTORIES=1000] tests/mutants.sh [FILE]"

# Below each file of src/verdict: the old text, which must be there exactly once, and the new text.
mutants='
algorithm/window_rule.h
  - return x + window_us_ + stretch_us_;
  + return x + window_us_ + stretch_us_ + 1;

  - return x + window_us_ + stretch_us_;
  + return x + window_us_;

  - return std::max(start_of(x) + window_us_ + stretch_us_, x + least_us_);
  + return start_of(x) + window_us_ + stretch_us_;

  - return t - window_us_ - stretch_us_ + 1;
  + return t - window_us_ - stretch_us_;

judge_windows.cpp
  - if (figures.max_certain > limit) {
  + if (figures.max_certain >= limit) {

  - const bool closed = options.closed && contract.kind == RuleKind::sliding;
  + const bool closed = options.closed;

  - return {WindowRule::sliding(window, -tolerance),
  + return {WindowRule::sliding(window, 0),

  - if (units <= limit) return Schedulable::yes;
  + if (units <= limit + 1) return Schedulable::yes;

  - history.from_us + memory_us(contract) + options.tolerance_us + rule.block_us;
  + history.from_us + memory_us(contract) + options.tolerance_us;

  - figures.proof == Proof::schedule ? OverAdmission::certain : OverAdmission::possible;
  + OverAdmission::possible;

containment.cpp
  - inside.high() >= end
  + inside.high() > end

  - rule.end(kept.begin()->first) <= p.high_us
  + rule.end(kept.begin()->first) < p.high_us

  - lowest.sum() - lowest.top_cost() > limit
  + lowest.sum() - lowest.top_cost() >= limit

judge_anchored.cpp
  - return may_last(course, p.low_us) && course.seen + p.cost > rule_.limit;
  + return may_last(course, p.low_us) && course.seen + p.cost >= rule_.limit;

  - return t >= course.from_us + shortest_us();
  + return t >= course.from_us + rule_.window_us;

  - if (may_open(p)) open_at(p.low_us);
  + if (false) open_at(p.low_us);

  - (contained.count + 1) / 2
  + contained.count

  - if (p.high_us >= from_us + contract.window_us - options.tolerance_us) continue;
  + if (p.high_us > from_us + contract.window_us - options.tolerance_us) continue;

judge_bucket.cpp
  - if (worst_ > allowance_ + slack_) {
  + if (worst_ >= allowance_ + slack_) {

  - slack_(rule_.refill(options.tolerance_us)),
  + slack_(0),

  - may.push_back(unseen);
  + (void)unseen;

bucket_fill.cpp
  - consider(by_high[high].high_us);
  + (void)consider;

  - (missing >= 0 && rule.limit > 0 ? 1 : 0)
  + 0

judge_unknown_phase.cpp
  - into(admitted[i].low_us) + 1,
  + into(admitted[i].low_us),

  - if (figures.proof == Proof::schedule) {
  + if (false) {

judge_in_flight.cpp
  - possible_.add(hold.low_us, after(hold.to_us, 1), hold.cost);
  + possible_.add(hold.low_us, hold.to_us, hold.cost);

  - if (figures.max_certain > limit_) {
  + if (figures.max_certain >= limit_) {

  - return length_us_ == 0 ? kOpenEnd : after(decided_us, length_us_ + tolerance_us_);
  + return length_us_ == 0 ? kOpenEnd : kOpenEnd + 0 * decided_us;

track/held_track.cpp
  - choices(std::move(holders), held - rule_.limit)
  + choices(std::move(holders), held - rule_.limit - 1)

  - rule_.limit - step.cost + 1)
  + rule_.limit - step.cost)

  - .plus = shortest, .most = held.from}
  + .plus = shortest}

joint_placement.cpp
  - last_us + memory_us_ + 2 * tolerance_us_ + 1
  + last_us + 1

  - requests.push_back({scaled(d.placement.low_us, base_us),
  + requests.push_back({d.placement.low_us - base_us,

  - if (cluster.empty()) return;
  + (void)cluster;

order_search.cpp
  - if (sequence_.now(i) > requests_[i].high) return {};
  + if (sequence_.now(i) >= requests_[i].high) return {};

  - if (first.low > later.low || first.high > later.high) continue;
  + if (first.low > later.low) continue;

  - if (i > begins.back() && requests[i].low > end) begins.push_back(i);
  + if (i > begins.back() && requests[i].low >= end) begins.push_back(i);

  - (found == Schedulable::yes && is_prefix) ||
  + (found == Schedulable::yes && false) ||

placement_search.cpp
  - if (admits && request.high >= wait.least &&
  + if (false && admits &&

track/steps_track.cpp
  - if (needed < to_be_full) {
  + if (needed <= to_be_full) {

  - return later(step.node, clock.first, 1 - (refill - 1) * step_ - tolerance_);
  + return later(step.node, clock.first, -(refill - 1) * step_ - tolerance_);

track/first_hit_track.cpp
  - if (next != kNoNode) way.with(later(step.node, next, 0));
  + (void)next;

  - scaled(rule.window_us) + tolerance_ - 1} {}
  + scaled(rule.window_us) + tolerance_} {}

track/bucket_track.cpp
  - const Instant missing = 1 - excess(step.cost) - tolerance_;
  + const Instant missing = 0 - excess(step.cost) - tolerance_;

track/rule_track.cpp
  - add_denied(step, blocked.with(later(step.node, block(), -block_lasts_.longest)), ways);
  + add_denied(step, blocked, ways);

algorithm/instants.cpp
  - return to <= state.high;
  + return to < state.high;

  - changes_.push_back({node, state.at});
  + (void)changes_;

decision_sequence.cpp
  - bound.least(instants_.at(bound.from)) <= instants_.high(bound.to)
  + bound.least(instants_.at(bound.from)) < instants_.high(bound.to)

  - role != Role::denial || std::ranges
  + true || std::ranges

opinion.cpp
  - if (least + denial.cost > rule.limit) {
  + if (least + denial.cost >= rule.limit) {

  - return span.to_us < denial.low_us - block_us;
  + return span.to_us <= denial.low_us - block_us;

  - if (opinions[i] == Opinion::wrong && unseen)
  + if (opinions[i] == Opinion::wrong)

  - p.low_us > possible_end) {
  + p.low_us >= possible_end) {

history.cpp
  - p.low_us = server_from_us(record);
  + p.low_us = record.server_us;

  - history_.reserved.back().cost = std::max<std::int64_t>(p.cost, record.cost);
  + (void)record.cost;

algorithm/clock_offset.cpp
  - lowest_high_us = std::min(lowest_high_us, server_from_us(record) - record.sent_us);
  + lowest_high_us = std::min(lowest_high_us, record.server_us - record.sent_us);

judge_key.cpp
  - return a == Opinion::wrong ? b : a;
  + return a;

  - return a == b ? a : Opinion::undecided;
  + return a;

  - rule.block_us - options.tolerance_us - 1,
  + rule.block_us - options.tolerance_us,

  - if (opinions[i] == Opinion::right && full[i] != Opinion::right)
  + if (false)

  - shorter.tolerance_us = -options.tolerance_us - 1;
  + shorter.tolerance_us = -options.tolerance_us;

  - if (impossible && admissions_too) figures.proof = Proof::undetermined;
  + (void)admissions_too;

notes.cpp
  - if (facts.allowed == 0 && admits_some)
  + if (false)

  - if (exceeds(facts.failed, requests, budgets.failed_share))
  + if (false)

judged_keys.h
  - return 2 * coarse_ > all_;
  + return false;

verdict.cpp
  - return count > allowed_share
  + return count >= allowed_share

  - static_cast<double>(totals.contradictions);
  + 0;

  - } else if (2 * judgement.totals.unverifiable_denials > judgement.totals.denied) {
  + } else if (judgement.totals.unverifiable_denials > judgement.totals.denied) {

  - verdict.own->verdict > verdict.policy.verdict;
  + verdict.own->verdict < verdict.policy.verdict;

algorithm/feasibility.h
  - if (jobs_[job].deadline >= t) {
  + if (jobs_[job].deadline > t) {

algorithm/step_function.cpp
  - std::upper_bound(starts_.begin(), starts_.end(), t);
  + std::lower_bound(starts_.begin(), starts_.end(), t);
'

# The table as three lists.
files=() olds=() news=()
read_table() {
  local line file=
  while IFS= read -r line; do
    case $line in
      '  - '*) files+=("$file") olds+=("${line#'  - '}") ;;
      '  + '*) news+=("${line#'  + '}") ;;
      ?*) file=$line ;;
    esac
  done <<<"$mutants"
  ((${#olds[@]} == ${#news[@]})) || stop "the table of mutants has an old text without a new one"
}

# Prints the file with the change.
changed() {  # FILE OLD NEW
  local text rest
  text=$(<"$1")
  rest=${text#*"$2"}
  [[ $rest != "$text" ]] || stop "$1 does not contain '$2': correct the table of mutants"
  [[ $rest != *"$2"* ]] || stop "$1 contains '$2' more than once: give more of the line"
  printf '%s\n' "${text%%"$2"*}$3$rest"
}

# The logs of sound limiters take too long at so many histories. A mutant may run forever.
passes() {
  timeout 600 build/mutants/tests/verdict_tests --abort-after=1 \
    --test-case-exclude='a sound limiter*'
}

first_failed() { sed -n '/^TEST CASE: */{s///;h}; /ERROR/{g;p;q}' "$log"; }

read_table
[[ $# -eq 0 || " ${files[*]} " == *" $1 "* ]] || stop "there are no mutants of '$1'"
source_of() { echo "src/verdict/${files[$1]}"; }  # NUMBER
for i in "${!files[@]}"; do
  changed "$(source_of "$i")" "${olds[i]}" "${news[i]}" >/dev/null
done

install_missing "$build_needs" "$test_needs"
tree=build/mutated
mkdir -p "$tree"
# A second run compiles only what has changed. The sources that were restored are newer than here.
tar --exclude=./build --exclude=./.git -cf - . |
  tar --keep-newer-files --warning=no-ignore-newer -xf - -C "$tree"
cd "$tree"
export RLCTL_HISTORIES=${RLCTL_HISTORIES:-1000}
build mutants
log=build/mutants/log
passes >"$log" 2>&1 || stop "the tests fail without a mutant: see $PWD/$log"

mutated=
restore() {
  [[ -n $mutated ]] || return 0
  cp build/original "$mutated"
  mutated=
}
trap restore EXIT

survivors=0
for i in "${!files[@]}"; do
  [[ $# -eq 0 || ${files[i]} == "$1" ]] || continue
  file=$(source_of "$i")
  cp "$file" build/original
  mutated=$file
  changed build/original "${olds[i]}" "${news[i]}" >"$file"
  build mutants >"$log" 2>&1 || stop "$file does not compile with '${news[i]}': see $PWD/$log"
  if passes >"$log" 2>&1; then
    say "survived: $file: '${olds[i]}' became '${news[i]}'"
    survivors=$((survivors + 1))
  else
    say "caught: $file: '${news[i]}': $(first_failed)"
  fi
  restore
done
((survivors == 0)) || {
  say "$survivors mutants survived: each needs a test"
  exit 1
}
