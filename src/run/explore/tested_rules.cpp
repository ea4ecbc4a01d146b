#include "run/explore/tested_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/escape.h"
#include "base/sort.h"
#include "base/text.h"
#include "base/units.h"
#include "policy/rules_text.h"
#include "run/explore/known_instants.h"

namespace rlctl {
namespace {

constexpr std::size_t kMostTimeSteps = 16;

using Times = std::vector<std::int64_t>;

std::int64_t most_held(const Times& admitted, const Rule& rule) {
  std::int64_t most = 0;
  for (const std::int64_t now_us : admitted)
    most =
        std::max(most, std::ranges::count_if(admitted, [&](std::int64_t at_us) {
                   return at_us <= now_us && (rule.lease_us == 0 || now_us < at_us + rule.lease_us);
                 }));
  return most;
}

bool breaks(const Times& admitted, const Rules& rules, std::int64_t tolerance_us) {
  Rules windows;
  for (const Rule& rule : rules) {
    if (rule.has_window())
      windows.push_back(rule);
    else if (most_held(admitted, rule) > rule.limit)
      return true;
  }
  if (windows.empty() || admitted.empty()) return false;
  KnownInstants known;
  for (const std::int64_t at_us : admitted) known.admitted.push_back({at_us});
  known.hits = admitted;
  sort_unique(known.hits);
  return over_admits(known, windows, tolerance_us);
}

// When requests can be sent.
Times instants_of(const ExploreRules& asked, std::int64_t expiry_us) {
  Times instants{asked.start_us};
  for (const std::int64_t step_us : asked.events.time_steps_us)
    instants.push_back(instants.back() + step_us);
  if (expiry_us > 0) instants.push_back(instants.back() + expiry_us);
  return instants;
}

// As early as the others admit, after what is `admitted` already.
Times admitted_at_most(const ExploreRules& asked, Times admitted,
                       std::span<const std::int64_t> instants, const Rules& others) {
  for (const std::int64_t at_us : instants)
    while (admitted.size() < asked.clients) {
      admitted.push_back(at_us);
      if (!breaks(admitted, others, 0)) continue;
      admitted.pop_back();
      break;
    }
  return admitted;
}

// What is held can be given back at once, so it takes no room from a window.
Rules beside(const Rule& rule, const Rules& rules) {
  Rules others;
  for (const Rule& other : rules)
    if (other != rule && (other.has_window() || !rule.has_window())) others.push_back(other);
  return others;
}

bool begins_with_request(const Rule& rule) {
  return rule.row().counts_from_0 && !rule.row().takes_phase;
}

// Whoever is admitted later makes no more room, so only the beginning is chosen. A window that a
// request begins may be opened by one, and filled just before its end.
bool can_break(const ExploreRules& asked, const Rule& rule, std::span<const std::int64_t> instants,
               const Rules& others) {
  const auto broken_from = [&](const Times& admitted, std::size_t first) {
    return breaks(admitted_at_most(asked, admitted, instants.subspan(first), others), {rule},
                  asked.tolerance_us);
  };
  const bool is_opened = std::ranges::any_of(others, begins_with_request);
  for (std::size_t first = 0; first < instants.size(); ++first) {
    if (broken_from({}, first)) return true;
    for (std::size_t later = first + 1; is_opened && later < instants.size(); ++later)
      if (broken_from({instants[first]}, later)) return true;
  }
  return false;
}

bool can_break(const ExploreRules& asked, const Rule& rule) {
  const Rules others = beside(rule, asked.contract);
  // How long keys live is the script's secret: often as long as a window.
  Times expiries_us{0};
  for (const Rule& one : asked.contract)
    if (asked.events.expiry) expiries_us.push_back(one.window_us);
  return std::ranges::any_of(expiries_us, [&](std::int64_t expiry_us) {
    return can_break(asked, rule, instants_of(asked, expiry_us), others);
  });
}

double real(std::int64_t number) { return static_cast<double>(number); }

// The most that a rule with a window admits in a time: `room` more than `per_us` times the time.
struct Bound {
  double room = 0;
  double per_us = 0;
};
Bound bound_of(const Rule& rule) {
  const double per_us = real(rule.limit) / real(rule.window_us);
  if (rule.row().takes_capacity) return {real(rule.capacity), per_us};
  // An edge may be crossed: two windows are then full.
  return {(rule.row().any_window ? 1 : 2) * real(rule.limit), per_us};
}

// Windows of `rule` that a time without its end can touch.
double windows_in(std::int64_t time_us, const Rule& rule) {
  const std::int64_t whole = (time_us + rule.window_us - 1) / rule.window_us;
  return real(rule.row().any_window ? whole : whole + 1);
}

// Whether whatever `other` admits, `rule` admits too. It may say no where it is so.
bool follows_from(const Rule& rule, const Rule& other) {
  if (!rule.has_window() || !other.has_window())
    return rule.kind == other.kind && other.limit <= rule.limit && other.lease_us == rule.lease_us;
  if (other.step_us > 0 || rule.step_us > 0) return false;
  const Bound most = bound_of(other);
  if (rule.row().takes_capacity)
    return most.room <= real(rule.capacity) &&
           real(other.limit) * real(rule.window_us) <= real(rule.limit) * real(other.window_us);
  const double in_window = other.row().takes_capacity
                               ? most.room + most.per_us * real(rule.window_us)
                               : windows_in(rule.window_us, other) * real(other.limit);
  return in_window <= real(rule.limit);
}

struct Implied {
  Rule rule;
  Rule by;
};

// Takes those out that follow from one that remains.
std::vector<Implied> take_implied(Rules& rules) {
  std::vector<Implied> implied;
  for (std::size_t i = 0; i < rules.size();) {
    const Rule rule = rules[i];
    const auto by = std::ranges::find_if(
        rules, [&](const Rule& one) { return one != rule && follows_from(rule, one); });
    if (by == rules.end()) {
      ++i;
      continue;
    }
    implied.push_back({rule, *by});
    rules.erase(rules.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return implied;
}

Rules rules_to_test(Rules rules) {
  take_implied(rules);
  return rules;
}

bool more_clients_break(ExploreRules& asked, const Rule& rule) {
  while (asked.clients < kMostExploredClients) {
    ++asked.clients;
    if (can_break(asked, rule)) return true;
  }
  return false;
}

// Until a rule admits again what it has admitted, or one more.
std::int64_t recovery_us(const Rule& rule) {
  if (!rule.row().takes_capacity) return rule.window_us;
  return std::max({rule.window_us / rule.limit, rule.step_us, std::int64_t{1}});
}

// Across an edge: from one window's beginning to just before its end, to just after it, and on.
// Each step is a whole number of ms.
std::vector<Times> edge_steps(const Rule& rule, std::size_t steps) {
  constexpr std::int64_t kParts[] = {60, 100, 1'000};
  std::vector<Times> all;
  for (const std::int64_t parts : kParts) {
    if (!rule.row().counts_from_0 || steps < 2 || rule.window_us % (parts * 1'000) != 0) continue;
    const std::int64_t near_us = rule.window_us / parts;
    Times times(steps, rule.window_us);
    times[0] -= near_us;
    times[1] = 2 * near_us;
    all.push_back(times);
  }
  return all;
}

std::vector<Times> steps_to_try(const Rule& other, std::size_t steps) {
  std::vector<Times> all = edge_steps(other, steps);
  all.insert(all.begin(), Times(steps, recovery_us(other)));
  return all;
}

// The options that let the requests break a rule; empty: none were found.
std::string options_to_break(const ExploreRules& asked, const Rule& rule) {
  ExploreRules more = asked;
  if (more_clients_break(more, rule)) return fmt::format("--users {}", more.clients);
  for (std::size_t steps = 1; steps <= kMostTimeSteps; ++steps)
    for (const Rule& other : beside(rule, asked.contract)) {
      if (!other.has_window()) continue;
      for (const Times& times : steps_to_try(other, steps)) {
        more.events.time_steps_us = times;
        more.clients = kMostExploredClients;
        if (!can_break(more, rule)) continue;
        more.clients = asked.clients - 1;
        more_clients_break(more, rule);
        std::vector<std::string> words;
        for (const std::int64_t step_us : times) words.push_back(format_duration(step_us));
        return fmt::format("--users {} --time-steps {}", more.clients, joined(words, ","));
      }
    }
  return {};
}

// What to do about a rule that no options test.
std::string remedy_without_options(const Rule& rule) {
  if (rule.most_at_once() >= static_cast<std::int64_t>(kMostExploredClients))
    return fmt::format(
        "--users {} is the maximum; use a policy with a smaller limit, or rlctl simulate",
        kMostExploredClients);
  return "the other rules may imply it; leave it out, or use rlctl simulate";
}

std::string untested_rule(const ExploreRules& asked, const Rule& rule) {
  const std::string options = options_to_break(asked, rule);
  return fmt::format("no order of {} can break {}{}, so it was not tested: {}",
                     counted(asked.clients, "request"), in_quotes(rules_text({rule})),
                     asked.contract.size() > 1 ? " alone" : "",
                     options.empty() ? remedy_without_options(rule) : "use " + options);
}

}  // namespace

// What breaks a rule breaks those that it implies, too.
std::vector<std::string> untested_rules(ExploreRules asked) {
  asked.contract = rules_to_test(asked.contract);
  std::vector<std::string> untested;
  for (const Rule& rule : asked.contract)
    if (!can_break(asked, rule)) untested.push_back(untested_rule(asked, rule));
  return untested;
}

std::vector<std::string> implied_rules(const Rules& rules) {
  Rules tested = rules;
  std::vector<std::string> words;
  for (const auto& [rule, by] : take_implied(tested))
    words.push_back(fmt::format("{} is implied by {}, so it needs no test",
                                in_quotes(rules_text({rule})), in_quotes(rules_text({by}))));
  return words;
}

std::size_t clients_to_test(ExploreRules asked, std::size_t fewest, std::size_t most) {
  asked.contract = rules_to_test(asked.contract);
  const auto tested_by = [&](std::size_t clients) {
    asked.clients = clients;
    return std::ranges::count_if(asked.contract,
                                 [&](const Rule& one) { return can_break(asked, one); });
  };
  const auto tested = tested_by(most);
  std::size_t clients = fewest;
  while (clients < most && tested_by(clients) < tested) ++clients;
  return clients;
}

}  // namespace rlctl
