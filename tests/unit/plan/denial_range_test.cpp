// What a policy denies, compared with all placements of the arrivals: a limiter of its own decides
// each of them, request by request.
#include "plan/denial_range.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "base/random.h"
#include "plan/exact_limiter.h"
#include "policy/rules_text.h"

namespace rlctl {
namespace {

struct Placed {
  std::int64_t at;
  std::int64_t end;  // of the work
};

// Whether the rule has room at `now` beside what it admitted; `denied`: what it denied.
bool has_room(const Rule& rule, std::int64_t now, const std::vector<Placed>& admitted,
              const std::vector<Placed>& denied, bool ends_first) {
  const auto counts = [&](const auto& inside) {
    auto count = std::ranges::count_if(admitted, inside);
    if (rule.counts_denied) count += std::ranges::count_if(denied, inside);
    return count;
  };
  switch (rule.kind) {
    case RuleKind::sliding:
      return counts([&](const Placed& p) { return p.at > now - rule.window_us; }) < rule.limit;
    case RuleKind::fixed:
      return counts([&](const Placed& p) {
               return p.at / rule.window_us == now / rule.window_us;
             }) < rule.limit;
    case RuleKind::first_hit: {
      std::int64_t opened = -1'000;
      for (const Placed& p : admitted)
        if (p.at >= opened + rule.window_us) opened = p.at;
      return now >= opened + rule.window_us ||
             counts([&](const Placed& p) { return p.at >= opened; }) < rule.limit;
    }
    case RuleKind::in_flight:
      return counts([&](const Placed& p) { return ends_first ? p.end > now : p.end >= now; }) <
             rule.limit;
    case RuleKind::bucket: {
      // Tokens in parts of 1 / window.
      std::int64_t tokens = rule.capacity * rule.window_us;
      std::int64_t before = 0;
      for (const Placed& p : admitted) {
        tokens = std::min(rule.capacity * rule.window_us, tokens + (p.at - before) * rule.limit);
        tokens -= rule.window_us;
        before = p.at;
      }
      tokens = std::min(rule.capacity * rule.window_us, tokens + (now - before) * rule.limit);
      return tokens >= rule.window_us;
    }
  }
  return false;
}

std::int64_t denials_of_placement(std::vector<Placed> placed, const Rules& rules, bool ends_first) {
  std::ranges::stable_sort(placed, {}, &Placed::at);
  std::vector<Placed> admitted;
  std::vector<Placed> denied;
  std::vector<std::int64_t> blocked_until(rules.size(), 0);
  for (const Placed& p : placed) {
    bool all = true;
    for (std::size_t i = 0; i < rules.size(); ++i) {
      if (p.at < blocked_until[i]) {
        all = false;
      } else if (!has_room(rules[i], p.at, admitted, denied, ends_first)) {
        all = false;
        if (rules[i].block_us > 0) blocked_until[i] = p.at + rules[i].block_us;
      }
    }
    (all ? admitted : denied).push_back(p);
  }
  return static_cast<std::int64_t>(denied.size());
}

struct Brute {
  std::int64_t least = 1'000;
  std::int64_t most = 0;
  OverAdmission denied() const {
    return least > 0  ? OverAdmission::certain
           : most > 0 ? OverAdmission::possible
                      : OverAdmission::none;
  }
};

Brute by_all_placements(const History& history, const Rules& rules) {
  Brute brute;
  std::vector<Placed> placed(history.admitted.size());
  const std::function<void(std::size_t)> place_from = [&](std::size_t i) {
    if (i == placed.size()) {
      for (const bool ends_first : {true, false}) {
        const std::int64_t denials = denials_of_placement(placed, rules, ends_first);
        brute.least = std::min(brute.least, denials);
        brute.most = std::max(brute.most, denials);
        if (!any_in_flight(rules)) break;
      }
      return;
    }
    const Placement& p = history.admitted[i];
    for (std::int64_t at = p.low_us; at <= p.high_us; ++at) {
      placed[i] = {at, history.ends.empty() ? at : history.ends[i].to_us};
      place_from(i + 1);
    }
  };
  place_from(0);
  return brute;
}

History random_arrivals(Random& random, std::int64_t widest, bool with_ends) {
  History history;
  const auto count = 1 + random.below(6);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto low = static_cast<std::int64_t>(random.below(14));
    const auto width =
        static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(widest) + 1));
    history.admitted.push_back({low, low + width, 1, static_cast<std::uint32_t>(i)});
  }
  std::ranges::stable_sort(history.admitted, {}, &Placement::low_us);
  for (const Placement& p : history.admitted) {
    if (!with_ends) break;
    const std::int64_t end = p.high_us + 1 + static_cast<std::int64_t>(random.below(4));
    history.ends.push_back({end, end, 1});
  }
  return history;
}

std::string shown(const History& history) {
  std::string text;
  for (const Placement& p : history.admitted)
    text += "[" + std::to_string(p.low_us) + "," + std::to_string(p.high_us) + "] ";
  return text;
}

Rule rule_of(RuleKind kind, Random& random) {
  Rule rule;
  rule.kind = kind;
  rule.limit = 1 + static_cast<std::int64_t>(random.below(3));
  if (rule.has_window()) rule.window_us = 3 + static_cast<std::int64_t>(random.below(5));
  if (kind == RuleKind::bucket) {
    rule.capacity = 1 + static_cast<std::int64_t>(random.below(3));
    // The judge's instants are not whole: whole ones are enough if a token takes a whole time.
    rule.window_us = rule.limit * (2 + static_cast<std::int64_t>(random.below(3)));
  }
  return rule;
}

struct Agreement {
  int cases = 0;
  int same = 0;        // none, possible or certain
  int tight_most = 0;  // not only a bound
  int tight_least = 0;
};

// The bounds are right in each case; how tight they are is counted.
Agreement compare_rules(std::uint64_t seed, std::int64_t widest,
                        const std::function<Rules(Random&)>& make) {
  Random random(seed);
  Agreement agreement;
  JudgeOptions options;
  options.fresh = true;
  for (int i = 0; i < 600; ++i) {
    const Rules rules = make(random);
    const History history = random_arrivals(random, widest, any_in_flight(rules));
    const Brute brute = by_all_placements(history, rules);
    const ClientDenials denials = denials_of(history, rules, options);
    INFO(rules_text(rules), " ", shown(history), " brute ", brute.least, "..", brute.most, " got ",
         denials.least, "..", denials.most);
    CHECK(denials.least <= brute.least);
    CHECK(denials.most >= brute.most);
    ++agreement.cases;
    agreement.same += denials.denied == brute.denied();
    agreement.tight_most += denials.most == brute.most;
    agreement.tight_least += denials.least == brute.least;
  }
  return agreement;
}

}  // namespace

TEST_CASE("what a policy denies equals all placements, for every kind of rule") {
  for (const RuleRow& row : kRuleRows) {
    CAPTURE(row.name);
    const auto one = [&](Random& random) { return Rules{rule_of(row.meaning, random)}; };
    const Agreement exact = compare_rules(1, 0, one);
    CHECK(exact.same == exact.cases);
    const Agreement wide = compare_rules(2, 3, one);
    CHECK(wide.same == wide.cases);
    if (row.meaning == RuleKind::in_flight) continue;  // its bounds are wider
    CHECK(exact.tight_least == exact.cases);
    CHECK(exact.tight_most == exact.cases);
    if (row.meaning == RuleKind::first_hit) continue;
    CHECK(wide.tight_most == wide.cases);
  }
}

TEST_CASE("what several rules, blocks and counted denials deny lies within the bounds") {
  const std::function<Rules(Random&)> makes[] = {
      [](Random& random) {
        return Rules{rule_of(RuleKind::sliding, random), rule_of(RuleKind::fixed, random)};
      },
      [](Random& random) {
        Rule rule = rule_of(RuleKind::sliding, random);
        rule.counts_denied = true;
        return Rules{rule};
      },
      [](Random& random) {
        Rule rule = rule_of(RuleKind::sliding, random);
        rule.block_us = 4;
        return Rules{rule};
      }};
  for (const auto& make : makes) {
    const Agreement wide = compare_rules(3, 3, make);
    CHECK(wide.same == wide.cases);
  }
}

TEST_CASE("an exact limiter decides as a limiter that looks at all that it admitted") {
  Random random(4);
  for (const RuleRow& row : kRuleRows)
    for (int i = 0; i < 200; ++i) {
      const Rules rules{rule_of(row.meaning, random)};
      const History history = random_arrivals(random, 0, true);
      std::vector<Placed> placed;
      ExactLimiter limiter(rules);
      std::int64_t denials = 0;
      for (std::size_t j = 0; j < history.admitted.size(); ++j) {
        placed.push_back({history.admitted[j].low_us, history.ends[j].to_us});
        denials += !limiter.admits(placed[j].at, placed[j].end, 1);
      }
      INFO(rules_text(rules), " ", shown(history));
      CHECK(denials == denials_of_placement(placed, rules, true));
    }
}

}  // namespace rlctl
