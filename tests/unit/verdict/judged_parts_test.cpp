// A log by parts of its keys must give the verdict of the whole log, whatever its rules are.
#include "verdict/outcome/judged_parts.h"

#include <doctest/doctest.h>

#include <random>

#include "policy/rules_text.h"
#include "tools/memory_store.h"

using namespace rlctl;

namespace {

using Numbers = std::vector<std::uint32_t>;

class RandomLog {
 public:
  explicit RandomLog(std::uint64_t seed) : random_(seed) {}

  Log log(const std::string& policy, const std::string& contract) {
    Log log;
    log.policy = policy_of(parse_rules(policy, "policy"));
    if (!contract.empty()) log.contract = parse_rules(contract, "contract");
    if (draw(2) == 0) log.run_id = "r";
    if (draw(2) == 0) log.server = "redis 7";
    log.servers = draw(3) == 0 ? 3 : 1;
    log.timeout_us = draw(2) * 50'000;
    if (draw(3) == 0) log.targets = {"a", "b"};
    if (draw(4) == 0) log.slow_before_us = 300'000;
    log.has_finishes = policy.find("flight") != policy.npos && draw(2) == 0;
    stamped_ = draw(2) == 0;
    const auto keys = static_cast<std::uint32_t>(1 + draw(20));
    for (std::uint32_t i = 0; i < keys; ++i) log.keys.push_back("k" + std::to_string(i * 7));
    const std::int64_t records = 1 + draw(300);
    for (std::int64_t i = 0; i < records; ++i) add_record(log);
    by_first_use(log);
    return log;
  }

 private:
  // As a log that is read: keys are in the order of their first records.
  static void by_first_use(Log& log) {
    Interner keys;
    for (Record& record : log.records) record.key = keys.number_of(log.keys[record.key]);
    log.keys = keys.take();
  }

  void add_record(Log& log) {
    Record record;
    now_us_ += draw(20'000);
    record.sent_us = now_us_ + draw(3'000);
    record.received_us = record.sent_us + draw(30'000);
    record.key = static_cast<std::uint32_t>(
        draw(std::min<std::int64_t>(1 + draw(20), static_cast<std::int64_t>(log.keys.size()))));
    const std::int64_t outcome = draw(40);
    record.outcome = outcome == 0   ? Outcome::unknown
                     : outcome == 1 ? Outcome::failed
                     : outcome < 24 ? Outcome::allowed
                                    : Outcome::denied;
    record.status = outcome % 3 == 0 ? 503 : 0;
    if (record.outcome == Outcome::unknown && draw(2) == 0) record.received_us = kNoTime;
    const std::int64_t last_us = std::max(record.sent_us, record.received_us);
    if (stamped_ && draw(8) != 0)
      record.server_us = 5'000 + record.sent_us + (last_us - record.sent_us) / 2;
    record.intended_us = record.sent_us - draw(11'000);
    record.cost = static_cast<std::uint32_t>(1 + draw(6) / 5);
    if (!log.targets.empty()) record.target = static_cast<std::uint16_t>(draw(2)) & 1U;
    if (log.has_finishes && draw(5) != 0)
      log.set_finish(log.records.size(), {record.sent_us + 40'000, record.sent_us + 41'000, -1});
    else if (draw(200) == 0)
      log.set_finish(log.records.size(), {.actual_cost = draw(4)});
    log.records.push_back(record);
  }

  std::int64_t draw(std::int64_t below) {
    return std::uniform_int_distribution<std::int64_t>(0, below - 1)(random_);
  }

  std::mt19937_64 random_;
  std::int64_t now_us_ = 1'700'000'000'000'000;
  bool stamped_ = false;
};

// Everything that reports show, with records by their numbers in the whole log.
class Dump {
 public:
  Dump(const Log& log, const LineMap* lines) : log_(log), lines_(lines) {}

  std::string of(const Verdict& verdict) {
    text_ = verdict.reason + "\n" + verdict.remedy + "\n";
    for (const std::string& note : verdict.notes) text_ += note + "\n";
    for (const TargetCounts& count : verdict.targets)
      add(count.target.size(), count.requests, count.allowed, count.failed);
    add(verdict.policy);
    if (verdict.own) add(*verdict.own);
    return text_;
  }

 private:
  void add(const Judgement& judgement) {
    text_ += judgement.reason + "\n" + judgement.remedy + "\n";
    add(static_cast<int>(judgement.verdict), judgement.violations.over_admission,
        judgement.violations.false_denial, judgement.key_count);
    add(judgement.totals);
    for (const Figures& rule : judgement.by_rule) add(rule);
    for (const KeyFigures& key : judgement.keys) {
      text_ += judgement.name_of(log_, key) + "\n";
      add(key.figures);
    }
  }

  void add(const Figures& f) {
    add(f.operations, f.allowed, f.denied, f.unknown, f.failed, f.max_certain, f.max_possible,
        static_cast<int>(f.over_admission), static_cast<int>(f.proof), f.excess_certain,
        f.unverifiable_denials, f.peak, f.burst_factor, f.overshoot, f.slack_us, f.decisions,
        f.right, f.wrong, f.undecided, f.accuracy_low, f.accuracy_high, f.worst_window.from_us,
        f.worst_window.to_us, f.in_flight_share.value_or(-1), f.admitted_in_blocks,
        static_cast<int>(f.together), f.contradictions, f.rule);
    for (const Numbers* records : {&f.certain_false_denials, &f.worst_window.records, &f.against}) {
      for (const std::uint32_t record : *records) add_record(record);
      text_ += "\n";
    }
  }

  void add_record(std::uint32_t record) {
    const Record& r = log_.records.at(record);
    add(lines_ == nullptr ? record : lines_->line_of(record).line, r.sent_us, r.received_us);
    text_ += log_.keys[r.key] + " ";
  }

  template <class... Values>
  void add(Values... values) {
    ((text_ += std::to_string(values) + " "), ...);
  }

  const Log& log_;
  const LineMap* lines_;
  std::string text_;
};

Log head_of(const Log& log) {
  Log head = log;
  head.records.clear();
  head.finishes.clear();
  head.keys.clear();
  return head;
}

class PartsOf {
 public:
  PartsOf(const Log& log, std::int64_t most_bytes)
      : head_(head_of(log)),
        parts_(std::make_shared<PartsMemory>(most_bytes, std::make_unique<test::MemoryStore>())) {
    for (std::uint32_t i = 0; i < log.records.size(); ++i)
      parts_.add(log.records[i], log.keys[log.records[i].key], {0, i}, log.finish_of(i));
    parts_.finish();
  }

  JudgedParts judged(const JudgeOptions& options) {
    return judge_parts(head_, parts_, options, 0, in_another_order());
  }

  JudgedPortion part_of(std::size_t machines, const JudgeOptions& options) {
    return judge_portion(head_, parts_, options, 0, in_another_order(),
                         {.index = 0, .count = machines});
  }

  JudgedParts judged_by(std::size_t machines, const JudgeOptions& options) {
    std::vector<JudgedPortion> portions;
    for (std::size_t i = machines; i > 0; --i)
      portions.push_back(judge_portion(head_, parts_, options, 0, in_another_order(),
                                       {.index = i - 1, .count = machines}));
    return join_portions(std::move(portions), options);
  }

 private:
  // Than that of the parts.
  static EachPart in_another_order() {
    return [](std::size_t count, const PartWork& judge, const PartWork& join) {
      for (std::size_t i = 0; i < count; ++i) judge(i);
      for (std::size_t i = count; i > 0; --i) join(i - 1);
    };
  }

  Log head_;
  LogParts parts_;
};

void same_verdict(const std::string& policy, const std::string& contract) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Log log = RandomLog(seed).log(policy, contract);
    CAPTURE(policy);
    CAPTURE(seed);
    JudgeOptions options;
    options.fresh = seed % 2 == 0;
    options.budgets.unknown_share = seed % 3 == 0 ? std::optional<double>() : 0.01;
    const std::string expected = Dump(log, nullptr).of(judge(log, options));
    for (const std::int64_t most_bytes : {std::int64_t{1} << 40, std::int64_t{2'000}}) {
      PartsOf parts(log, most_bytes);
      const auto dump = [](const JudgedParts& judged) {
        return Dump(judged.log, &judged.lines).of(judged.verdict);
      };
      CHECK(dump(parts.judged(options)) == expected);
      if (seed % 3 == 0) CHECK(dump(parts.judged_by(3, options)) == expected);
    }
  }
}

TEST_CASE("by parts: windows") {
  same_verdict("3/100ms", "");
  same_verdict("3/100ms", "5/200ms fixed");
  same_verdict("4/100ms fixed+7ms", "4/100ms first-hit");
}

TEST_CASE("by parts: buckets") {
  same_verdict("bucket 4 + 10/1s", "");
  same_verdict("10/100ms", "bucket 4 + 10/1s");
}

TEST_CASE("by parts: several rules, blocks, denied count") {
  same_verdict("3/100ms & 8/1s", "3/100ms, denied count");
  same_verdict("5/100ms, block 200ms", "bucket 4 + 10/1s & 5/100ms");
}

TEST_CASE("by parts: in flight") { same_verdict("2 in flight", "3 in flight & 6/100ms"); }

TEST_CASE("by parts, too, what can't be judged is told before it is") {
  const Log log = RandomLog(1).log("3/100ms", "bucket 4 + 10/1s by steps of 1s & 5/100ms");
  PartsOf parts(log, 2'000);
  CHECK_THROWS_AS(judge(log, {}), Error);
  CHECK_THROWS_AS(parts.judged({}), Error);
  CHECK_THROWS_AS(parts.part_of(2, {}), Error);
}

TEST_CASE("rules that count by a name cannot be judged by parts of the keys") {
  CHECK(can_judge_parts(parse_rules("3/1s & 5/1m", "policy")));
  CHECK_FALSE(can_judge_parts(parse_rules("3/1s & 5/1m, per user", "policy")));
}

}  // namespace
