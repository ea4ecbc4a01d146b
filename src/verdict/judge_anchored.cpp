#include "verdict/judge_anchored.h"

#include <algorithm>

#include "verdict/anchored_replay.h"
#include "verdict/block.h"
#include "verdict/containment.h"
#include "verdict/judge_windows.h"
#include "verdict/opinion.h"

namespace rlctl {
namespace {

AnchoredRule rule_of(const History& history, const Contract& contract,
                     const JudgeOptions& options) {
  AnchoredRule rule{contract.limit, contract.window_us, options.tolerance_us, {}};
  if (!options.fresh) {
    rule.older_until_us = history.from_us + contract.window_us + options.tolerance_us;
  }
  return rule;
}

void name_records(const History& history, WorstWindow& window) {
  for (const Placement& p : history.admitted) {
    if (p.low_us >= window.from_us && p.low_us <= window.to_us) window.records.push_back(p.record);
  }
}

void conclude(const Replay& replay, std::int64_t limit, Figures& figures) {
  if (!replay.explained) {
    figures.over_admission = OverAdmission::certain;
    figures.proof = replay.max_certain > limit ? Proof::containment : Proof::schedule;
  } else if (replay.max_possible > limit) {
    figures.over_admission = OverAdmission::possible;
    figures.proof = Proof::witness;
  }
}

Figures judge_replay(const History& history, const Contract& contract, const JudgeOptions& options,
                     Replay replay) {
  Figures figures;
  figures.max_certain = replay.max_certain;
  figures.max_possible = replay.max_possible;
  figures.excess_certain = replay.excess;
  figures.worst_window = std::move(replay.worst_window);
  name_records(history, figures.worst_window);
  conclude(replay, contract.limit, figures);
  const DenialRule rule = denial_rule_of(history, contract, options);
  if (rule.block_us > 0) {
    explain_by_block(history.denied, block_starts(history.denied, replay.denials), rule.block_us,
                     replay.denials);
  }
  excuse_unseen(history.denied, rule.verifiable_from_us, replay.denials);
  count_denials(history, replay.denials, figures);
  count_admissions(history, replay.admissions, figures);
  return figures;
}

std::vector<Placement> placed_at(const std::vector<Placement>& placements, std::int64_t eighths) {
  std::vector<Placement> placed = placements;
  for (Placement& p : placed) {
    p.low_us = p.high_us = p.low_us + (p.high_us - p.low_us) / 8 * eighths;
  }
  std::sort(placed.begin(), placed.end(),
            [](const Placement& a, const Placement& b) { return a.low_us < b.low_us; });
  return placed;
}

// Tries a few placements; true if one of them keeps the contract.
bool find_witness(const History& history, const Contract& contract, const AnchoredRule& rule) {
  const WindowRule sliding = WindowRule::sliding(contract.window_us, -rule.tolerance_us);
  if (schedule_windows(history.admitted, sliding, contract.limit) == Schedulable::yes) return true;
  for (const std::int64_t eighths : {0, 4, 8}) {
    History placed;
    placed.admitted = placed_at(history.admitted, eighths);
    const Replay replay = replay_anchored(placed, rule);
    if (replay.complete && replay.explained) return true;
  }
  return false;
}

std::vector<Opinion> only(std::vector<Opinion> opinions, Opinion kept) {
  for (Opinion& opinion : opinions) {
    if (opinion != kept) opinion = Opinion::undecided;
  }
  return opinions;
}

void add_opinions(const History& history, const Contract& contract, const JudgeOptions& options,
                  Figures& figures) {
  const WindowRules rules = rules_of(contract, options);
  DenialRule rule = denial_rule_of(history, contract, options);
  std::vector<Opinion> denials = judge_denials(history, rules.denials, rule);
  for (Opinion& opinion : denials) {
    if (opinion == Opinion::right) opinion = Opinion::undecided;
  }
  count_denials(history, denials, figures);
  const std::vector<Opinion> admissions =
      judge_admissions(history, rules.admissions, contract.limit, contract.counts_denied);
  count_admissions(history, only(admissions, Opinion::right), figures);
}

Figures judge_any_anchor(const History& history, const Contract& contract,
                         const JudgeOptions& options) {
  const WindowRule sliding = rules_of(contract, options).admissions;
  const std::int64_t limit = contract.limit;
  Figures figures;
  Containment contained = most_certain(history.admitted, sliding, limit);
  for (const Placement& p : history.admitted) {
    if (p.cost > limit) figures.max_certain = std::max(figures.max_certain, p.cost);
  }
  figures.max_certain = std::max(figures.max_certain, (contained.count + 1) / 2);
  figures.max_possible = most_possible(history, sliding);
  figures.worst_window = std::move(contained.window);
  figures.excess_certain = least_excess(history.admitted, sliding, 2 * limit);
  if (figures.max_certain > limit) {
    figures.over_admission = OverAdmission::certain;
    figures.proof = Proof::containment;
  } else if (figures.max_possible > limit) {
    figures.over_admission = OverAdmission::possible;
    const bool found = find_witness(history, contract, rule_of(history, contract, options));
    figures.proof = found ? Proof::witness : Proof::undetermined;
  }
  add_opinions(history, contract, options, figures);
  return figures;
}

}  // namespace

Figures judge_anchored(const History& history, const Contract& contract,
                       const JudgeOptions& options) {
  if (history.exact()) {
    Replay replay = replay_anchored(history, rule_of(history, contract, options));
    if (replay.complete) return judge_replay(history, contract, options, std::move(replay));
  }
  return judge_any_anchor(history, contract, options);
}

}  // namespace rlctl
