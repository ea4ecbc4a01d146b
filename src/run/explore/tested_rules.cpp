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

// As early as the others admit: whoever is admitted later makes no more room.
Times admitted_at_most(const ExploreRules& asked, std::span<const std::int64_t> instants,
                       const Rules& others) {
  Times admitted;
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

bool can_break(const ExploreRules& asked, const Rule& rule) {
  const Rules others = beside(rule, asked.contract);
  // How long keys live is the script's secret: often as long as a window.
  Times expiries_us{0};
  for (const Rule& one : asked.contract)
    if (asked.events.expiry) expiries_us.push_back(one.window_us);
  for (const std::int64_t expiry_us : expiries_us) {
    const Times instants = instants_of(asked, expiry_us);
    for (std::size_t first = 0; first < instants.size(); ++first)
      if (breaks(admitted_at_most(asked, std::span(instants).subspan(first), others), {rule},
                 asked.tolerance_us))
        return true;
  }
  return false;
}

bool follows_from(const Rule& rule, const Rule& other) {
  if (rule == other || other.limit > rule.limit) return false;
  if (!rule.has_window()) return !other.has_window() && other.lease_us == rule.lease_us;
  return other.row().any_window && !rule.row().takes_capacity && other.window_us >= rule.window_us;
}

Rules rules_to_test(const Rules& rules) {
  Rules tested;
  for (const Rule& rule : rules)
    if (std::ranges::none_of(rules, [&](const Rule& one) { return follows_from(rule, one); }))
      tested.push_back(rule);
  return tested;
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

// The options that let the requests break a rule; empty: there are none.
std::string options_to_break(const ExploreRules& asked, const Rule& rule) {
  ExploreRules more = asked;
  if (more_clients_break(more, rule)) return fmt::format("--users {}", more.clients);
  for (std::size_t steps = 1; steps <= kMostTimeSteps; ++steps)
    for (const Rule& other : beside(rule, asked.contract)) {
      if (!other.has_window()) continue;
      more.events.time_steps_us.assign(steps, recovery_us(other));
      more.clients = kMostExploredClients;
      if (!can_break(more, rule)) continue;
      more.clients = asked.clients - 1;
      more_clients_break(more, rule);
      const std::vector<std::string> words(steps, format_duration(recovery_us(other)));
      return fmt::format("--users {} --time-steps {}", more.clients, joined(words, ","));
    }
  return {};
}

std::string untested_rule(const ExploreRules& asked, const Rule& rule) {
  const std::string options = options_to_break(asked, rule);
  const std::string remedy = !options.empty()
                                 ? "use " + options
                                 : fmt::format(
                                       "--users {} is the maximum; use a policy with a smaller "
                                       "limit, or rlctl simulate",
                                       kMostExploredClients);
  return fmt::format("no order of {} can break {}{}, so it was not tested: {}",
                     counted(asked.clients, "request"), in_quotes(rules_text({rule})),
                     asked.contract.size() > 1 ? " alone" : "", remedy);
}

}  // namespace

std::string untested_rules(const ExploreRules& asked) {
  std::vector<std::string> untested;
  for (const Rule& rule : rules_to_test(asked.contract))
    if (!can_break(asked, rule)) untested.push_back(untested_rule(asked, rule));
  return joined(untested, "; ");
}

std::size_t clients_to_test(ExploreRules asked, std::size_t fewest, std::size_t most) {
  const Rules rules = rules_to_test(asked.contract);
  const auto tested_by = [&](std::size_t clients) {
    asked.clients = clients;
    return std::ranges::count_if(rules, [&](const Rule& one) { return can_break(asked, one); });
  };
  const auto tested = tested_by(most);
  std::size_t clients = fewest;
  while (clients < most && tested_by(clients) < tested) ++clients;
  return clients;
}

}  // namespace rlctl
