// Access logs with stamps in whole seconds are compared with the exact instants: if a claim is
// certain by the log, it must be certain by the instants. Random histories on a grid of quarter
// seconds give many ties and many times at window edges. RLCTL_HISTORIES sets the number of
// histories, RLCTL_SEED the seed.
#include <doctest/doctest.h>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"
#include "log/log_parser.h"
#include "tools/random_history.h"
#include "verdict/verdict.h"

namespace rlctl {
namespace {

using test::from_environment;
using test::HistoryRandom;

constexpr std::int64_t kStart = 1'700'000'000 * kSecondUs;

// The real request: decided at one instant, in transit for some time.
struct Request {
  std::int64_t start_us;
  std::int64_t decided_us;
  std::int64_t end_us;
  Outcome outcome;
};

struct BlurredCase {
  std::vector<Request> requests;  // in the order in which a server logs them
  Rule contract;
  JudgeOptions options;
};

// Quarter seconds, some of them off by a tiny amount.
std::int64_t instant(HistoryRandom& random) {
  const std::int64_t hair = random.one_in(3) ? random.between(-2, 2) : 0;
  return kStart + random.between(1, 32) * kSecondUs / 4 + hair;
}

Rule contract_of(HistoryRandom& random) {
  Rule contract;
  contract.kind = static_cast<RuleKind>(random.between(0, 3));
  contract.limit = random.between(1, 4);
  contract.window_us = random.between(1, 12) * kSecondUs / 4;
  contract.capacity = random.between(1, 4);
  contract.phase_us = random.between(0, 11) * kSecondUs / 4;
  if (random.one_in(3)) contract.phase_us.reset();
  contract.counts_denied = random.one_in(5);
  if (random.one_in(5)) contract.block_us = random.between(1, 8) * kSecondUs / 4;
  return contract;
}

// The answer of a limiter with the contract's size, with a random mistake now and then.
Outcome decide(const BlurredCase& c, std::int64_t at_us, HistoryRandom& random) {
  if (random.one_in(20)) return Outcome::unknown;
  std::int64_t lately = 0;
  for (const Request& before : c.requests)
    lately += before.outcome == Outcome::allowed && before.decided_us <= at_us &&
              before.decided_us > at_us - c.contract.window_us;
  const bool slips = random.one_in(12);
  return (lately < c.contract.limit) != slips ? Outcome::allowed : Outcome::denied;
}

BlurredCase blurred_case(std::uint64_t seed) {
  HistoryRandom random(seed);
  BlurredCase c;
  c.contract = contract_of(random);
  c.options.fresh = random.one_in(2);
  c.options.closed = c.contract.kind == RuleKind::sliding && random.one_in(4);
  std::vector<std::int64_t> instants;
  for (std::int64_t i = random.between(1, 14); i > 0; --i) instants.push_back(instant(random));
  std::sort(instants.begin(), instants.end());
  for (const std::int64_t at : instants) {
    const bool waits = random.one_in(3);
    const std::int64_t start = at - (waits ? random.between(0, kSecondUs) : 0);
    const std::int64_t end = at + (waits ? random.between(0, kSecondUs) : 0);
    c.requests.push_back({start, at, end, decide(c, at, random)});
  }
  std::stable_sort(c.requests.begin(), c.requests.end(),
                   [](const Request& a, const Request& b) { return a.end_us < b.end_us; });
  return c;
}

Log exact_log(const BlurredCase& c) {
  Log log;
  log.keys = {"10.0.0.1"};
  for (const Request& request : c.requests) {
    Record record;
    record.sent_us = record.received_us = request.decided_us;
    record.outcome = request.outcome;
    log.records.push_back(record);
  }
  return log;
}

// Whole seconds of `stamp_us`; the request time as nginx has it, between two times in whole ms.
std::string line_of(const Request& request, std::int64_t stamp_us) {
  const int status = request.outcome == Outcome::allowed  ? 200
                     : request.outcome == Outcome::denied ? 429
                                                          : 504;
  const std::int64_t took_ms = request.end_us / 1'000 - request.start_us / 1'000;
  return fmt::format("10.0.0.1 [{:%d/%b/%Y:%H:%M:%S} +0000] {} {}.{:03}\n",
                     fmt::gmtime(static_cast<std::time_t>(stamp_us / kSecondUs)), status,
                     took_ms / 1'000, took_ms % 1'000);
}

Log blurred_log(const BlurredCase& c, StampAt stamp_at) {
  LogReadOptions options;
  options.format = "$remote_addr [$time_local] $status $request_time";
  options.stamp_at = stamp_at;
  LogParser parser(options);
  parser.begin_file("access.log", 0);
  for (const Request& request : c.requests)
    parser.feed(line_of(request, stamp_at == StampAt::end ? request.end_us : request.start_us));
  parser.end_file();
  return parser.finish().histories.at(0).log;
}

bool certain(const Figures& figures) { return figures.over_admission == OverAdmission::certain; }
bool violated(const Figures& figures) {
  return certain(figures) || !figures.certain_false_denials.empty() ||
         figures.together == Together::impossible;
}

// For the other contracts these figures count the admissions of one span or half of them.
bool counts_windows(const Rule& contract) {
  return contract.kind == RuleKind::sliding ||
         (contract.kind == RuleKind::fixed && contract.phase_us);
}

struct Tally {
  int over_admissions = 0;
  int false_denials = 0;
};

void check_blurred(const BlurredCase& c, StampAt stamp_at, Tally& proven) {
  const Figures exact = judge_rules(exact_log(c), {c.contract}, c.options).totals;
  const Log log = blurred_log(c, stamp_at);
  REQUIRE(log.records.size() == c.requests.size());
  const Figures blurred = judge_rules(log, {c.contract}, c.options).totals;
  if (violated(blurred)) CHECK(violated(exact));
  // With denials among them, no order may be found without saying which decision is wrong.
  if (certain(blurred)) CHECK((certain(exact) || exact.proof == Proof::undetermined));
  const auto& denials = exact.certain_false_denials;
  CHECK(std::includes(denials.begin(), denials.end(), blurred.certain_false_denials.begin(),
                      blurred.certain_false_denials.end()));
  CHECK(blurred.excess_certain <= exact.excess_certain);
  CHECK(blurred.wrong <= exact.wrong);
  if (counts_windows(c.contract)) {
    CHECK(blurred.max_certain <= exact.max_certain);
    CHECK(blurred.max_possible >= exact.max_possible);
  }
  proven.over_admissions += certain(blurred) ? 1 : 0;
  proven.false_denials += blurred.certain_false_denials.empty() ? 0 : 1;
}

std::string show(const BlurredCase& c) {
  std::string text =
      fmt::format("kind {} limit {} window {} capacity {} phase {}\n",
                  static_cast<int>(c.contract.kind), c.contract.limit, c.contract.window_us,
                  c.contract.capacity, c.contract.phase_us.value_or(-1));
  for (const Request& request : c.requests)
    text += fmt::format("  {} in [{}, {}]: {}\n", request.decided_us - kStart,
                        request.start_us - kStart, request.end_us - kStart,
                        static_cast<int>(request.outcome));
  return text;
}

}  // namespace

TEST_CASE("whole seconds prove nothing that the instants do not") {
  const std::int64_t histories = from_environment("RLCTL_HISTORIES", 5'000);
  const auto first = static_cast<std::uint64_t>(from_environment("RLCTL_SEED", 1));
  Tally proven;
  for (std::uint64_t seed = first; seed < first + static_cast<std::uint64_t>(histories); ++seed) {
    const BlurredCase c = blurred_case(seed);
    INFO("RLCTL_SEED=" << seed << " RLCTL_HISTORIES=1\n" << show(c));
    check_blurred(c, StampAt::end, proven);
    check_blurred(c, StampAt::start, proven);
  }
  // The stamps must still prove something; otherwise a judge that never proves anything would pass.
  if (histories >= 1'000) {
    CHECK(proven.over_admissions > histories / 100);
    CHECK(proven.false_denials > histories / 100);
  }
}

}  // namespace rlctl
