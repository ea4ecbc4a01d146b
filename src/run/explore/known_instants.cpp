#include "run/explore/known_instants.h"

#include <algorithm>
#include <map>

#include "verdict/rule_judges.h"

namespace rlctl {
namespace {

constexpr int kMostTries = 20'000;

// Which windows a first hit may have opened so far: the end of the last one, and the fewest
// admissions in it. A hit opens a window if the last one has ended; a hit whose client was not
// admitted may also have left no trace. Within the tolerance of its end, a window may last or not.
class FirstHitWindows {
 public:
  FirstHitWindows(const Rule& rule, std::int64_t tolerance_us)
      : rule_(rule), tolerance_us_(tolerance_us) {}

  void add(std::int64_t at_us, bool admitted) {
    std::map<std::int64_t, std::int64_t> next;
    const auto keep = [&](std::int64_t end_us, std::int64_t count) {
      const auto [place, is_new] = next.try_emplace(end_us, count);
      if (!is_new) place->second = std::min(place->second, count);
    };
    for (const auto& [end_us, count] : counts_) {
      const std::int64_t more = count + (admitted ? 1 : 0);
      if (at_us < end_us + tolerance_us_ && more <= rule_.limit) keep(end_us, more);
      if (at_us < end_us - tolerance_us_) continue;
      keep(at_us + rule_.window_us, admitted ? 1 : 0);
      if (!admitted) keep(end_us, count);
    }
    counts_ = std::move(next);
  }

  bool are_kept() const { return !counts_.empty(); }

 private:
  const Rule& rule_;
  std::int64_t tolerance_us_;
  std::map<std::int64_t, std::int64_t> counts_{{INT64_MIN / 2, 0}};  // none was opened yet
};

// Looks for one choice of instants that keeps the rules, one admission after the other. What breaks
// a rule also breaks it with more admissions.
class Placing {
 public:
  Placing(const KnownInstants& known, const Rules& rules, std::int64_t tolerance_us)
      : known_(known), rules_(rules), admitted_(known.admitted) {
    options_.fresh = true;
    options_.tolerance_us = tolerance_us;
    std::ranges::sort(admitted_);
    chosen_.resize(admitted_.size());
  }

  bool exists(std::size_t next = 0) {
    if (next == admitted_.size()) return true;
    const std::vector<std::int64_t>& instants = admitted_[next];
    const bool as_last = next > 0 && admitted_[next - 1] == instants;  // then their order is free
    for (std::size_t i = as_last ? chosen_[next - 1] : 0; i < instants.size(); ++i) {
      if (++tries_ > kMostTries) return true;
      chosen_[next] = i;
      times_us_.push_back(instants[i]);
      if (keeps_all() && exists(next + 1)) return true;
      times_us_.pop_back();
    }
    return false;
  }

 private:
  bool keeps_all() const {
    std::vector<std::int64_t> times_us = times_us_;
    std::ranges::sort(times_us);
    return std::ranges::all_of(rules_, [&](const Rule& rule) {
      return rule.kind == RuleKind::first_hit ? keeps_first_hits(times_us, rule)
                                              : keeps(times_us, rule);
    });
  }

  bool keeps(const std::vector<std::int64_t>& times_us, const Rule& rule) const {
    History history;
    for (const std::int64_t at_us : times_us) history.admitted.push_back({at_us, at_us, 1, 0});
    history.from_us = times_us.front();
    return judge_by_kind(history, rule, options_).figures.over_admission != OverAdmission::certain;
  }

  bool keeps_first_hits(const std::vector<std::int64_t>& times_us, const Rule& rule) const {
    FirstHitWindows windows(rule, options_.tolerance_us);
    auto hit = known_.hits.begin();
    for (const std::int64_t at_us : times_us) {
      for (; hit != known_.hits.end() && *hit <= at_us; ++hit) windows.add(*hit, false);
      windows.add(at_us, true);
    }
    return windows.are_kept();
  }

  const KnownInstants& known_;
  const Rules& rules_;
  std::vector<std::vector<std::int64_t>> admitted_;
  JudgeOptions options_;
  std::vector<std::size_t> chosen_;
  std::vector<std::int64_t> times_us_;
  int tries_ = 0;
};

}  // namespace

bool over_admits(const KnownInstants& known, const Rules& rules, std::int64_t tolerance_us) {
  return !Placing(known, rules, tolerance_us).exists();
}

}  // namespace rlctl
