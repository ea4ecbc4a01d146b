#include "verdict/joint_placement.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "log/rule_keys.h"
#include "verdict/algorithm/window_rule.h"
#include "verdict/judge_unknown_phase.h"
#include "verdict/placement_search.h"
#include "verdict/rule_judges.h"

namespace rlctl {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max() / 4;

// Until then, requests before the log may explain a denial by this rule.
std::int64_t unseen_until(const History& history, const Rule& rule, const JudgeOptions& options) {
  return options.fresh ? -kNever : history.from_us + memory_us(rule) + options.tolerance_us;
}

// How long a decision of one key may matter to later ones: they form a cluster.
class Reach {
 public:
  Reach(const History& history, const Rules& rules, const JudgeOptions& options)
      : tolerance_us_(options.tolerance_us) {
    for (const Rule& rule : rules) {
      if (!rule.has_window()) continue;  // until its end
      if (rule.row().takes_capacity)
        buckets_.push_back({rule.window_us, std::max<std::int64_t>(1, rule.limit), -kNever});
      else
        memory_us_ = std::max(memory_us_, rule.window_us);
      // A step after the last refill, the clock of a full bucket is forgotten.
      memory_us_ = std::max({memory_us_, rule.block_us, 2 * rule.step_us});
    }
    if (options.fresh) return;
    // A block may have begun there, too; what empties a bucket earlier is refilled later.
    std::int64_t unseen_us = -kNever;
    for (const Rule& rule : rules)
      unseen_us = std::max(unseen_us, unseen_until(history, rule, options));
    until_us_ = unseen_us + memory_us_ + 2 * tolerance_us_ + 1;
    for (Bucket& bucket : buckets_) bucket.full_us = unseen_us;
    const auto may_owe = [](const Rule& rule) {
      return rule.row().takes_capacity && rule.counts_denied;
    };
    if (std::ranges::any_of(rules, may_owe)) until_us_ = kNever;  // of denied requests, any number
  }

  bool ends_before(std::int64_t at_us) const { return at_us > until_us_; }

  void add(const Placement& p, const End& end) {
    if (p.high_us >= kOpenEnd || end.to_us >= kOpenEnd) until_us_ = kNever;
    const std::int64_t last_us = std::max(p.high_us, end.to_us);
    until_us_ = std::max(until_us_, last_us + memory_us_ + 2 * tolerance_us_ + 1);
    for (Bucket& bucket : buckets_) {
      // An upper bound of the instant at which it is full again.
      const auto refill = static_cast<std::int64_t>(std::min<Wide>(
          kNever / 4, static_cast<Wide>(p.cost) * bucket.window_us / bucket.limit + 1));
      bucket.full_us = std::max(bucket.full_us, p.high_us) + refill;
      until_us_ = std::max(until_us_, bucket.full_us + 2 * tolerance_us_ + 1);
    }
  }

 private:
  struct Bucket {
    std::int64_t window_us;
    std::int64_t limit;
    std::int64_t full_us;
  };

  std::int64_t tolerance_us_;
  std::int64_t memory_us_ = 0;
  std::int64_t until_us_ = -kNever;
  std::vector<Bucket> buckets_;
};

struct Decided {
  Placement placement;
  Role role;
  End end;  // of a rule "in flight"
};

constexpr End kNone{-kNever, -kNever, 0};

bool is_denial(const Decided& d) { return d.role == Role::denial; }

// The denials that the search has to place. One that is right anyway, or that requests before the
// log may explain by a rule that counts it, is left out if it changes no state.
std::vector<std::uint32_t> denials_to_place(const History& history, const Rules& rules,
                                            const JudgeOptions& options,
                                            const std::vector<Opinion>& denials,
                                            const KeyOfRecord& key_of) {
  // What is right at the best phase may be wrong at others.
  const bool phase_unknown = std::ranges::any_of(rules, &Rule::has_unknown_phase);
  // What was reserved until it was settled explains denials: the bounds do not know it.
  const bool is_reserving = !history.reserved.empty();
  std::vector<std::int64_t> until_us;  // by rule
  for (const Rule& rule : rules) until_us.push_back(unseen_until(history, rule, options));
  const auto is_excused = [&](const Placement& p) {
    for (std::size_t rule = 0; rule < rules.size(); ++rule)
      if (p.low_us < until_us[rule] && (!key_of || key_of(rule, p.record) != kUncounted))
        return true;
    return false;
  };
  std::vector<std::uint32_t> some;
  for (std::uint32_t i = 0; i < denials.size(); ++i) {
    const Placement& p = history.denied[i];
    const bool open =
        (phase_unknown || denials[i] != Opinion::right) && !is_reserving && !is_excused(p);
    const bool minded =
        std::ranges::any_of(rules, [&](const Rule& rule) { return minds_denials(rule, p.cost); });
    if (open || minded) some.push_back(i);
  }
  return some;
}

// All decisions by the beginning of their ranges.
std::vector<Decided> decided(const History& history, const Rules& rules,
                             const std::vector<std::uint32_t>& denials) {
  std::vector<Decided> all;
  all.reserve(history.admitted.size() + history.unknown.size() + denials.size());
  const bool any_held = any_in_flight(rules);
  for (std::size_t i = 0; i < history.admitted.size(); ++i)
    all.push_back({history.admitted[i], Role::admission, any_held ? history.ends[i] : kNone});
  for (const Placement& p : history.unknown) {
    const End end{p.low_us, any_held ? kOpenEnd : p.low_us, p.cost};
    all.push_back({p, Role::unanswered, end});
  }
  for (const std::uint32_t i : denials) all.push_back({history.denied[i], Role::denial, kNone});
  std::ranges::stable_sort(all, {}, [](const Decided& d) { return d.placement.low_us; });
  return all;
}

// Instants per us: so many that a token of every bucket takes whole instants. 0: too many.
std::int64_t scale_of(const Rules& rules) {
  constexpr std::int64_t kMost = 1'000'000;
  std::int64_t scale = 1;
  for (const Rule& rule : rules) {
    if (!rule.row().takes_capacity || rule.step_us > 0) continue;
    const std::int64_t limit = std::max<std::int64_t>(1, rule.limit);
    const std::int64_t parts = limit / std::gcd(limit, rule.window_us);
    scale = std::lcm(scale, parts);
    if (scale > kMost) return 0;
  }
  return scale;
}

// Of the requests of a cluster: the lanes in which they meet. Rules that count by the same name
// share their lanes, one for each key.
class LaneMap {
 public:
  LaneMap(const Rules& rules, const KeyOfRecord& key_of) : rules_(rules), key_of_(key_of) {
    if (!key_of) lanes_.push_back(rules);
  }

  // False: no rule counts the request.
  bool add_to(Request& request) {
    if (!key_of_) return true;
    for (std::size_t rule = 0; rule < rules_.size(); ++rule) {
      const std::string& per = rules_[rule].per;
      const bool first =
          std::ranges::find(rules_, per, &Rule::per) - rules_.begin() == std::ptrdiff_t(rule);
      const std::uint32_t key = first ? key_of_(rule, request.record) : kUncounted;
      if (key != kUncounted) request.lanes.push_back(lane_of(rule, key));
    }
    return !request.lanes.empty();
  }

  const Lanes& lanes() const { return lanes_; }

 private:
  std::uint32_t lane_of(std::size_t rule, std::uint32_t key) {
    const auto next = static_cast<std::uint32_t>(lanes_.size());
    const auto [at, is_new] = numbers_.try_emplace({rule, key}, next);
    if (!is_new) return at->second;
    lanes_.emplace_back();
    for (const Rule& other : rules_)
      if (other.per == rules_[rule].per) lanes_.back().push_back(other);
    return next;
  }

  const Rules& rules_;
  const KeyOfRecord& key_of_;
  std::map<std::pair<std::size_t, std::uint32_t>, std::uint32_t> numbers_;
  Lanes lanes_;
};

class JointSearch {
 public:
  JointSearch(const History& history, const Rules& rules, const JudgeOptions& options,
              bool admissions_too, const KeyOfRecord& key_of)
      : history_(history),
        rules_(rules),
        options_(options),
        admissions_too_(admissions_too),
        key_of_(key_of),
        scale_(scale_of(rules)) {}

  // The worst answer of all clusters.
  JointPlacement run(const std::vector<Decided>& all) const {
    JointPlacement worst;
    std::vector<Decided> cluster;
    Reach reach(history_, rules_, options_);
    for (const Decided& next : all) {
      if (!cluster.empty() && reach.ends_before(next.placement.low_us)) {
        judge(cluster, worst);
        cluster.clear();
        reach = Reach(history_, rules_, options_);
      }
      cluster.push_back(next);
      reach.add(next.placement, next.end);
    }
    judge(cluster, worst);
    return worst;
  }

 private:
  void judge(const std::vector<Decided>& cluster, JointPlacement& worst) const {
    if (cluster.empty()) return;
    const bool needed = admissions_too_ || std::ranges::any_of(cluster, is_denial);
    if (!needed || worst.answer == Schedulable::no) return;
    const Schedulable answer = place(cluster);
    if (answer == Schedulable::yes) return;
    worst.answer = answer;
    worst.against.clear();
    constexpr std::size_t kMostNamed = 100;
    for (const Decided& d : cluster)
      if (worst.against.size() < kMostNamed) worst.against.push_back(d.placement.record);
    std::ranges::sort(worst.against);
  }

  Schedulable place(const std::vector<Decided>& cluster) const {
    const std::int64_t base_us = cluster.front().placement.low_us;
    std::int64_t last_us = base_us;
    for (const Decided& d : cluster)
      if (d.role != Role::unanswered) last_us = std::max(last_us, d.placement.high_us);
    const Wide span = static_cast<Wide>(last_us - base_us + 1) * std::max<std::int64_t>(1, scale_);
    if (scale_ == 0 || span > kNever / 4) return Schedulable::undetermined;
    Requests requests;
    LaneMap lanes(rules_, key_of_);
    for (const Decided& d : cluster) {
      // An unanswered request matters only up to the last answered one.
      const std::int64_t high_us = std::min(d.placement.high_us, last_us);
      if (d.placement.low_us > high_us) continue;
      requests.push_back({scaled(d.placement.low_us, base_us),
                          scaled(high_us, base_us),
                          d.placement.cost,
                          d.placement.record,
                          d.role,
                          {},
                          tenure(d, base_us)});
      if (!lanes.add_to(requests.back())) requests.pop_back();
    }
    JointFrame frame;
    frame.scale = scale_;
    frame.base_us = base_us;
    frame.tolerance_us = options_.tolerance_us;
    frame.closed = options_.closed;
    if (!options_.fresh) frame.from_us = history_.from_us;
    return find_placement(requests, lanes.lanes(), frame);
  }

  Tenure tenure(const Decided& d, std::int64_t base_us) const {
    const std::int64_t least_us = d.role == Role::admission ? history_.held_at_least_us : 0;
    const auto is_leased = [](const Rule& rule) { return rule.lease_us > 0; };
    return {scaled(d.end.from_us, base_us), scaled(d.end.to_us, base_us), least_us * scale_,
            d.end.cost, std::ranges::any_of(rules_, is_leased)};
  }
  Instant scaled(std::int64_t at_us, std::int64_t base_us) const {
    const Wide scaled = (static_cast<Wide>(at_us) - base_us) * scale_;
    return static_cast<Instant>(std::clamp<Wide>(scaled, -kNever, kNever));
  }

  const History& history_;
  const Rules& rules_;
  const JudgeOptions& options_;
  bool admissions_too_;
  const KeyOfRecord& key_of_;
  std::int64_t scale_;
};

// Between these phases nothing changes: each edge passes the ends of the decisions' ranges there.
std::vector<std::int64_t> phases_of(const Rule& rule, const std::vector<Decided>& all,
                                    std::int64_t tolerance_us) {
  std::set<std::int64_t> phases = {0};
  const auto add = [&](std::int64_t at_us) {
    const std::int64_t into = at_us % rule.window_us;
    phases.insert(into < 0 ? into + rule.window_us : into);
  };
  for (const Decided& d : all)
    for (const std::int64_t shift_us : {-tolerance_us, std::int64_t{0}, tolerance_us}) {
      add(d.placement.low_us + 1 + shift_us);
      if (d.placement.high_us < kOpenEnd) add(d.placement.high_us + 1 + shift_us);
    }
  return {phases.begin(), phases.end()};
}

// What refutes the rule at its phase needs no search. Another rule may explain a denial, and what
// was reserved may.
bool is_refuted(const History& history, const Rule& rule, const JudgeOptions& options, bool alone) {
  const RuleOpinion opinion = judge_by_kind(history, rule, options);
  if (opinion.figures.over_admission == OverAdmission::certain) return true;
  return alone && history.reserved.empty() &&
         std::ranges::find(opinion.denials, Opinion::wrong) != opinion.denials.end();
}

struct TriedPhases {
  std::vector<std::int64_t> phases;  // never empty
  bool all = true;                   // at no other one was the rule kept
  bool refuted = false;              // nor at these
};

// All phases at which the rule may have been kept, if they are few; else likely ones.
TriedPhases phases_to_try(const History& history, Rule rule, const JudgeOptions& options,
                          const std::vector<Decided>& all, bool alone, bool one_key) {
  constexpr std::size_t kMostPhases = 200;
  constexpr std::size_t kMostJudged = 2'000'000;  // decisions, once at each phase
  std::vector<std::int64_t> phases = phases_of(rule, all, options.tolerance_us);
  if (phases.size() <= kMostPhases) return {std::move(phases)};
  if (one_key && phases.size() * all.size() <= kMostJudged) {
    const std::int64_t any_us = phases.front();
    std::erase_if(phases, [&](std::int64_t phase_us) {
      rule.phase_us = phase_us;
      return is_refuted(history, rule, options, alone);
    });
    // One of them shows which decisions stand against each other.
    if (phases.empty()) return {.phases = {any_us}, .refuted = true};
    if (phases.size() <= kMostPhases) return {std::move(phases)};
  }
  return {possible_phases(history, rule, options, kMostPhases / 2), false};
}

// Of windows with an unknown phase, one phase must explain everything.
JointPlacement place_at_some_phase(const History& history, Rules rules, const JudgeOptions& options,
                                   const std::vector<Decided>& all, bool admissions_too,
                                   const KeyOfRecord& key_of) {
  const auto unknown = std::ranges::find_if(rules, &Rule::has_unknown_phase);
  if (unknown == rules.end())
    return JointSearch(history, rules, options, admissions_too, key_of).run(all);
  const TriedPhases tried =
      phases_to_try(history, *unknown, options, all, rules.size() == 1, !key_of);
  JointPlacement best;
  best.answer = Schedulable::no;
  for (const std::int64_t phase_us : tried.phases) {
    unknown->phase_us = phase_us;
    JointPlacement found = place_at_some_phase(history, rules, options, all, true, key_of);
    if (found.answer == Schedulable::yes) return found;
    if (best.against.empty() || found.answer == Schedulable::undetermined) best = std::move(found);
  }
  if (tried.refuted) best.answer = Schedulable::no;
  // Each key may have a phase of its own.
  if (!tried.all || key_of) best.answer = Schedulable::undetermined;
  return best;
}

}  // namespace

JointPlacement place_jointly(const History& history, const Rules& rules,
                             const JudgeOptions& options, const std::vector<Opinion>& denials,
                             bool admissions_too, const KeyOfRecord& key_of) {
  const auto to_place = denials_to_place(history, rules, options, denials, key_of);
  if (!admissions_too && to_place.empty()) return {};
  const std::vector<Decided> all = decided(history, rules, to_place);
  JointPlacement placed = place_at_some_phase(history, rules, options, all, admissions_too, key_of);
  placed.about_denials = !to_place.empty();
  // Of a bucket by steps, the level at the beginning of a log is not searched.
  const bool by_steps =
      std::ranges::any_of(rules, [](const Rule& rule) { return rule.step_us > 0; });
  if (by_steps && !options.fresh && placed.answer == Schedulable::no)
    placed.answer = Schedulable::undetermined;
  return placed;
}

}  // namespace rlctl
