#include "verdict/outcome/judged_parts.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "verdict/algorithm/log_facts.h"
#include "verdict/algorithm/unanswered.h"
#include "verdict/judged_keys.h"
#include "verdict/outcome/kept_records.h"
#include "verdict/outcome/part_histories.h"

namespace rlctl {
namespace {

// The keys as they are judged in one way, by whoever has the records.
using SumKeys = std::function<SummedKeys(const FramedRules&)>;

class PartsJudge {
 public:
  PartsJudge(const Log& head, LogParts& parts, const JudgeOptions& options, std::size_t most_keys,
             const EachPart& each)
      : head_(head),
        parts_(parts),
        options_(options),
        most_keys_(most_keys),
        each_(each),
        facts_(head, options.budgets.late_after_us, options.grain_us()) {
    options_.watcher = {};
    find_facts();
    find_unanswered();
    if (head.is_whole() && facts_.any_status) check_waits();
  }

  KnownLog known() const { return {head_, facts_, unanswered_}; }
  const JudgeOptions& options() const { return options_; }
  const KeptPromises& promises() const { return promises_; }

  SummedKeys sum(const FramedRules& framed, const Portion& portion) const {
    std::vector<std::optional<SummedKeys>> judged(LogParts::kParts);
    SummedKeys all{KeySums(framed.rules.size(), most_keys_), no_records()};
    each_(
        LogParts::kParts,
        [&](std::size_t part) {
          if (part % portion.count == portion.index && parts_.records_of(part) > 0)
            judged[part] = sum_part(part, framed);
        },
        [&](std::size_t part) {
          if (!judged[part]) return;
          join(std::move(*judged[part]), all);
          judged[part].reset();
        });
    return all;
  }

  static void join(SummedKeys&& some, SummedKeys& all) {
    all.sums.join(std::move(some.sums));
    all.kept.join(std::move(some.kept));
    all.kept.forget_unnamed(all.sums);
  }

 private:
  KeptRecords no_records() const { return KeptRecords(most_keys_ == KeySums::kAll); }

  void find_facts() {
    const LogFacts none = facts_;
    std::vector<LogFacts> facts(LogParts::kParts, none);
    each_(
        LogParts::kParts, [&](std::size_t part) { read_facts(part, facts[part]); },
        [&](std::size_t part) { facts_.join(std::exchange(facts[part], {})); });
    facts_.most_in_flight = parts_.most_in_flight();
  }

  void read_facts(std::size_t part, LogFacts& facts) {
    std::vector<ClockEvidence> clocks;  // of several servers: by key
    const auto keys = parts_.read(part, [&](const NumberedRecord& row, std::uint32_t key) {
      facts.add(row.record, row.finish, options_.budgets.late_after_us);
      if (row.record.retry_after_us >= 0) has_waits_[part] = 1;
      if (!facts.clock.by_key) return;
      if (key == clocks.size()) clocks.emplace_back();
      clocks[key].add(row.record);
    });
    for (std::size_t i = 0; i < clocks.size(); ++i) facts.clock.add_key(clocks[i], keys[i]);
  }

  void check_waits() {
    std::vector<KeptPromises> found(LogParts::kParts);
    each_(
        LogParts::kParts,
        [&](std::size_t part) {
          if (has_waits_[part] != 0) found[part] = waits_in_part(part);
        },
        [&](std::size_t part) { promises_.add(std::exchange(found[part], {})); });
  }

  KeptPromises waits_in_part(std::size_t part) const {
    Log log;
    log.records.reserve(parts_.records_of(part));
    log.keys = parts_.read(part, [&](const NumberedRecord& row, std::uint32_t key) {
      log.records.push_back(row.record);
      log.records.back().key = key;
    });
    return check_promises(log);
  }

  // Only logs that rlctl wrote itself have bounds.
  void find_unanswered() {
    if (head_.run_id.empty() || facts_.unknown == 0) return;
    UnansweredSearch search(head_);
    const auto see_all = [&](const SeeRecord& see) {
      for (std::size_t i = 0; i < LogParts::kParts; ++i) parts_.read(i, see);
    };
    see_all([&](const NumberedRecord& row, std::uint32_t) {
      search.add_if_lost(row.record, row.number);
    });
    search.end_of_lost();
    see_all([&](const NumberedRecord& row, std::uint32_t) {
      search.add_if_answer(row.record, row.number);
    });
    unanswered_ = search.bounds();
  }

  SummedKeys sum_part(std::size_t part, const FramedRules& framed) const {
    SummedKeys judged{KeySums(framed.rules.size(), most_keys_), no_records()};
    PartHistories histories(parts_, part, head_, framed);
    for (PartHistories::Key& key : histories.take())
      judge_into(judged.sums, std::exchange(key.history, {}), framed, key.first_record,
                 std::move(key.text));
    judged.kept.keep(parts_, part, judged.sums, framed.rules);
    return judged;
  }

  const Log& head_;
  LogParts& parts_;
  JudgeOptions options_;
  std::size_t most_keys_;
  const EachPart& each_;
  LogFacts facts_;
  UnansweredBounds unanswered_;
  std::vector<char> has_waits_ = std::vector<char>(LogParts::kParts);  // by part
  KeptPromises promises_;
};

// Judges by the sums of the keys, and refers to the records that were kept.
class Conclusion {
 public:
  Conclusion(const KnownLog& known, const SumKeys& sum_keys) : known_(known), sum_keys_(sum_keys) {}

  JudgedParts of(const JudgeOptions& options) {
    JudgedParts result;
    result.verdict =
        judge_known(known_, options, [this](const FramedRules& framed) { return judge(framed); });
    const std::vector<std::uint32_t> numbers = kept_.numbers();
    kept_.make_log(known_.head, result.log, result.lines);
    refer(result.verdict.policy, numbers, result.log);
    if (result.verdict.own) refer(*result.verdict.own, numbers, result.log);
    return result;
  }

 private:
  JudgedKeys judge(const FramedRules& framed) {
    SummedKeys summed = sum_keys_(framed);
    JudgedKeys keys = summed.sums.take();
    if (known_.facts.has_actual_costs) add_share_in_flight(summed.kept, keys.totals);
    kept_.join(std::move(summed.kept));
    return keys;
  }

  void add_share_in_flight(KeptRecords kept, Figures& totals) const {
    const std::vector<std::uint32_t> numbers = kept.numbers();
    Log log;
    LineMap lines;
    kept.make_log(known_.head, log, lines);
    totals.in_flight_share = share_in_flight(log, indexes_of(totals.worst_window.records, numbers));
  }

  // What is not kept is not shown.
  static std::vector<std::uint32_t> indexes_of(std::vector<std::uint32_t> records,
                                               const std::vector<std::uint32_t>& numbers) {
    for (std::uint32_t& record : records) {
      const auto at = std::ranges::lower_bound(numbers, record);
      record = at == numbers.end() || *at != record
                   ? std::numeric_limits<std::uint32_t>::max()
                   : static_cast<std::uint32_t>(at - numbers.begin());
    }
    return records;
  }

  static void refer(Figures& figures, const std::vector<std::uint32_t>& numbers) {
    for (std::vector<std::uint32_t>* records :
         {&figures.certain_false_denials, &figures.worst_window.records, &figures.against})
      *records = indexes_of(std::move(*records), numbers);
  }

  // To the records and the keys of the log of what is kept.
  static void refer(Judgement& judgement, const std::vector<std::uint32_t>& numbers, Log& log) {
    refer(judgement.totals, numbers);
    for (Figures& rule : judgement.by_rule) refer(rule, numbers);
    std::map<std::string, std::uint32_t> known;
    for (std::uint32_t i = 0; i < log.keys.size(); ++i) known.emplace(log.keys[i], i);
    for (KeyFigures& key : judgement.keys) {
      refer(key.figures, numbers);
      const auto [at, is_new] =
          known.try_emplace(key.text, static_cast<std::uint32_t>(log.keys.size()));
      if (is_new) log.keys.push_back(key.text);
      key.key = at->second;
      key.text.clear();
    }
  }

  const KnownLog& known_;
  const SumKeys& sum_keys_;
  KeptRecords kept_;
};

}  // namespace

bool can_judge_parts(const Rules& rules) {
  return std::ranges::all_of(rules, [](const Rule& rule) { return rule.per.empty(); });
}

JudgedParts judge_parts(const Log& head, LogParts& parts, const JudgeOptions& options,
                        std::size_t most_keys, const EachPart& each) {
  const PartsJudge judge(head, parts, options, most_keys, each);
  const SumKeys sum_all = [&](const FramedRules& framed) { return judge.sum(framed, Portion()); };
  const KnownLog known = judge.known();
  JudgedParts judged = Conclusion(known, sum_all).of(judge.options());
  judged.promises = judge.promises();
  return judged;
}

JudgedPortion judge_portion(const Log& head, LogParts& parts, const JudgeOptions& options,
                            std::size_t most_keys, const EachPart& each, const Portion& portion) {
  const PartsJudge judge(head, parts, options, most_keys, each);
  const KnownLog known = judge.known();
  JudgedPortion judged{head, known.facts, known.unanswered.assumed_us(), judge.promises(), {}};
  each_way(known, judge.options(),
           [&](const FramedRules& framed) { judged.ways.push_back(judge.sum(framed, portion)); });
  return judged;
}

JudgedParts join_portions(std::vector<JudgedPortion> portions, const JudgeOptions& options) {
  const JudgedPortion& first = portions.front();
  std::size_t way = 0;
  const SumKeys sum_next = [&](const FramedRules&) {
    SummedKeys all = std::move(portions.front().ways.at(way));
    for (std::size_t i = 1; i < portions.size(); ++i)
      PartsJudge::join(std::move(portions[i].ways.at(way)), all);
    ++way;
    return all;
  };
  const auto unanswered = UnansweredBounds::only_assumed(first.assumed_us);
  const KnownLog known{first.head, first.facts, unanswered};
  JudgedParts judged = Conclusion(known, sum_next).of(options);
  judged.promises = portions.front().promises;  // each machine has read the whole log
  return judged;
}

}  // namespace rlctl
