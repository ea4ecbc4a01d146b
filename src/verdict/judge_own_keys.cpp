#include "verdict/judge_own_keys.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "log/rule_keys.h"

namespace rlctl {
namespace {

// The records that are connected, because a rule counts both under the same key, directly or by
// others between them.
class Connected {
 public:
  Connected(std::size_t records, const std::vector<RuleKeys>& keys) : parents_(records) {
    std::iota(parents_.begin(), parents_.end(), 0U);
    for (const RuleKeys& rule : keys) {
      std::vector<std::uint32_t> first_of(rule.size(), kUncounted);
      for (std::uint32_t i = 0; i < records; ++i) {
        if (rule.of(i) == kUncounted) continue;
        std::uint32_t& first = first_of[rule.of(i)];
        if (first == kUncounted) first = i;
        parents_[root_of(i)] = root_of(first);
      }
    }
  }

  std::vector<std::vector<std::uint32_t>> parts() {
    std::vector<std::uint32_t> number_of(parents_.size(), kUncounted);
    std::vector<std::vector<std::uint32_t>> parts;
    for (std::uint32_t i = 0; i < parents_.size(); ++i) {
      std::uint32_t& number = number_of[root_of(i)];
      if (number == kUncounted) {
        number = static_cast<std::uint32_t>(parts.size());
        parts.emplace_back();
      }
      parts[number].push_back(i);
    }
    return parts;
  }

 private:
  std::uint32_t root_of(std::uint32_t record) {
    while (parents_[record] != record) record = parents_[record] = parents_[parents_[record]];
    return record;
  }

  std::vector<std::uint32_t> parents_;
};

class OwnKeysJudge {
 public:
  OwnKeysJudge(const JudgedLog& judged, const Rules& rules, JudgedKeys& judged_keys)
      : judged_(judged), rules_(rules), judged_keys_(judged_keys) {
    for (const Record& record : judged.log.records)
      opinions_.push_back(record.outcome == Outcome::denied ? Opinion::wrong : Opinion::right);
    for (const Rule& rule : rules) keys_.emplace_back(judged.log, rule.per);
    for (const RuleKeys& keys : keys_) by_key_.emplace_back(judged.log, keys);
  }

  History run() {
    for (std::uint32_t rule = 0; rule < keys_.size(); ++rule) judge_alone(rule);
    std::vector<std::uint32_t> all(judged_.log.records.size());
    std::iota(all.begin(), all.end(), 0U);
    History whole = history_of(judged_, all, rules_);
    count(whole);
    settle();
    return whole;
  }

 private:
  // Each rule by itself, under each of its keys.
  void judge_alone(std::uint32_t rule) {
    const Rules alone{rules_[rule]};
    Totals totals;
    Work work{"judging", "keys", 0, static_cast<std::int64_t>(by_key_[rule].keys())};
    for (std::uint32_t key = 0; key < by_key_[rule].keys(); ++key) {
      work.done = key;
      if (judged_.options.watcher) judged_.options.watcher(work);
      if (by_key_[rule].of(key).empty()) continue;
      const History history = history_of(judged_, by_key_[rule].of(key), alone);
      RuleOpinion opinion = opinion_by(history, alone.front(), judged_.options, false);
      combine(history.denied, opinion.denials, either);
      combine(history.admitted, opinion.admissions, both);
      judged_keys_.keys.push_back({key, opinion.figures, ""});
      judged_keys_.keys.back().figures.rule = rule;
      if (keys_[rule].has_own()) judged_keys_.keys.back().text = keys_[rule].texts()[key];
      totals.add(counted_figures(history, std::move(opinion)), key);
    }
    judged_keys_.by_rule.push_back(totals.take());
  }

  void combine(const std::vector<Placement>& decisions, const std::vector<Opinion>& opinions,
               Opinion (*with)(Opinion, Opinion)) {
    for (std::size_t i = 0; i < decisions.size(); ++i) {
      Opinion& all = opinions_[decisions[i].record];
      all = with(all, opinions[i]);
    }
  }

  // What all rules together say of these decisions.
  std::vector<Opinion> opinions_on(const std::vector<Placement>& decisions) const {
    std::vector<Opinion> opinions;
    for (const Placement& p : decisions) opinions.push_back(opinions_[p.record]);
    return opinions;
  }

  Figures counted(const History& history, Figures figures) const {
    return counted_figures(
        history, {std::move(figures), opinions_on(history.denied), opinions_on(history.admitted)});
  }

  void count(const History& whole) {
    Totals totals;
    std::uint32_t number = 0;
    for (KeyFigures& row : judged_keys_.keys) {
      const std::uint32_t rule = row.figures.rule;
      const auto records = by_key_[rule].of(row.key);
      row.figures = counted(history_of(judged_, records, {rules_[rule]}), row.figures);
      totals.add(row.figures, number++);
    }
    // An admission too many may be too many for several rules.
    Figures sums;
    for (const Figures& rule : judged_keys_.by_rule) {
      sums.excess_certain = std::max(sums.excess_certain, rule.excess_certain);
      sums.admitted_in_blocks = std::max(sums.admitted_in_blocks, rule.admitted_in_blocks);
    }
    Figures& all = judged_keys_.totals = totals.take_with(counted(whole, std::move(sums)));
    const Figures& worst = judged_keys_.by_rule[all.rule];
    all.max_certain = worst.max_certain;
    all.max_possible = worst.max_possible;
    all.peak = worst.peak;
    all.burst_factor = worst.burst_factor;
    all.slack_us = worst.slack_us;
  }

  // Rules have placements of their own under each key; one must keep all of them.
  void settle() {
    Figures& totals = judged_keys_.totals;
    if (totals.over_admission == OverAdmission::certain) return;
    if (!totals.certain_false_denials.empty()) return;
    const bool admissions_too = totals.over_admission == OverAdmission::possible;
    bool all_placed = true;
    for (const auto& records : Connected(judged_.log.records.size(), keys_).parts()) {
      JointPlacement joint = place(records, admissions_too);
      if (joint.answer == Schedulable::yes) continue;
      all_placed = false;
      const bool impossible = joint.answer == Schedulable::no;
      add_joint(std::move(joint), admissions_too, totals);
      if (impossible) return;
    }
    if (!all_placed || !admissions_too) return;
    totals.proof = Proof::witness;
    for (KeyFigures& row : judged_keys_.keys) add_witness(row.figures);
    std::ranges::for_each(judged_keys_.by_rule, add_witness);
  }

  JointPlacement place(const std::vector<std::uint32_t>& records, bool admissions_too) const {
    const History history = history_of(judged_, records, rules_);
    const KeyOfRecord key_of = [this](std::size_t rule, std::uint32_t record) {
      return keys_[rule].of(record);
    };
    return place_jointly(history, rules_, judged_.options, opinions_on(history.denied),
                         admissions_too, key_of);
  }

  const JudgedLog& judged_;
  const Rules& rules_;
  JudgedKeys& judged_keys_;
  std::vector<RuleKeys> keys_;        // by rule
  std::vector<RecordsByKey> by_key_;  // by rule
  std::vector<Opinion> opinions_;     // by record: what all rules together say
};

}  // namespace

History judge_own_keys(const JudgedLog& judged, const Rules& rules, JudgedKeys& judged_keys) {
  return OwnKeysJudge(judged, rules, judged_keys).run();
}

}  // namespace rlctl
