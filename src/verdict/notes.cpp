#include "verdict/notes.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include "base/escape.h"
#include "base/status_set.h"
#include "base/units.h"
#include "log/in_flight_times.h"
#include "log/record.h"
#include "verdict/algorithm/unanswered.h"

namespace rlctl {
namespace {

constexpr std::size_t kStatusesNamed = 3;
constexpr const char* kFindOutWhy = "find out why the target decided none of them";

bool edge_crossed(const LogFacts& facts, const Rule& rule) {
  if (!rule.has_known_phase()) return facts.to_us - facts.from_us >= rule.window_us;
  const std::int64_t into = (facts.from_us - *rule.phase_us) % rule.window_us;
  const std::int64_t rest = rule.window_us - (into < 0 ? into + rule.window_us : into);
  return facts.to_us - facts.from_us >= rest;
}

std::string edge_note(const LogFacts& facts, const Rule& rule) {
  if (facts.from_us > facts.to_us)
    return facts.failed > 0 ? "no request was decided" : "the log has no requests";
  const std::string lasted = format_duration_for_people(facts.to_us - facts.from_us);
  if (!rule.has_window()) return lasted + " of traffic";
  const std::string window = format_duration(rule.window_us);
  return edge_crossed(facts, rule)
             ? fmt::format("the traffic crossed window edges: {} of traffic, windows of {}", lasted,
                           window)
             : fmt::format(
                   "bursts around a window edge were not tested: {} of traffic, windows of {}",
                   lasted, window);
}

std::string flight_note(const LogFacts& facts, const Log& head) {
  if (head.lacks_durations)
    return "whether requests were in flight at once is not known: the log has no durations";
  const std::int64_t widened_us = head.widened_us;
  const std::int64_t most = facts.most_in_flight;
  if (most > 1 && widened_us >= 1'000)
    return fmt::format(
        "up to {} requests may have been in flight at once: stamps of {} do not tell whether races "
        "were tested",
        format_count(most), format_duration_for_people(widened_us + 1));
  if (most <= 1)
    return fmt::format("no two {} were in flight at once: races were not tested",
                       facts.unknown > 0 ? "requests that were answered" : "requests");
  return fmt::format("up to {} requests were in flight at once", format_count(most));
}

std::string spans_in_words(std::int64_t widest_us) {
  if (widest_us == 0) return {};
  return fmt::format(", taken at most {} after the decision",
                     format_duration_for_people(widest_us));
}

std::string clock_note(const ClockOffset& offset, const JudgeOptions& options) {
  if (!options.use_server_stamps || offset.stamps == 0) {
    return "judged by the times of sending and answer: the log has no times of the server";
  }
  if (offset.step_us > 0) {
    return fmt::format(
        "judged by the times of sending and answer: a clock stepped or drifted by {} or more",
        format_duration_for_people(offset.step_us));
  }
  const std::int64_t most_us = std::max(std::abs(offset.low_us), std::abs(offset.high_us));
  std::string text = fmt::format(
      "judged by the server's times of {}{}; its clock and ours {}",
      counted(offset.stamps, "decision"), spans_in_words(offset.widest_us),
      most_us == 0 ? "agree" : "differ by at most " + format_duration_for_people(most_us));
  if (offset.stepped_keys > 0)
    text += fmt::format(
        "; {} by the times of sending and answer: a clock stepped, or another server went on",
        counted(offset.stepped_keys, "key"));
  return text;
}

// Each key is judged by the clock of its own server, so this changes no verdict.
std::string apart_note(const ClockOffset& offset, const JudgeOptions& options) {
  constexpr std::int64_t kWorthTellingUs = 1'000;
  if (!options.use_server_stamps) return {};
  if (offset.apart_us <= std::max(kWorthTellingUs, options.tolerance_us)) return {};
  return fmt::format(
      "the clocks of the servers differ by {} or more: that of the key {} is ahead of that of {}. "
      "Their windows do not begin together, and after a failover a key goes on by another clock",
      format_duration_for_people(offset.apart_us), in_quotes(offset.ahead_key),
      in_quotes(offset.behind_key));
}

// "1 of 9 requests was late".
std::string of_requests(std::int64_t count, std::int64_t of, const std::string& one,
                        const std::string& many) {
  const std::string requests = "of " + counted(of, "request") + " ";
  return counted(count, requests + one, requests + many);
}

std::string failed_of(std::int64_t count, std::int64_t of) {
  return of_requests(count, of, "failed before it was decided", "failed before they were decided");
}

std::string over_budget(const std::string& what, double share) {
  return fmt::format("{}: the budget is {:g} %", what, share * 100);
}

// " (status 404: 12, status 502: 3, no status: 1)", the most frequent first; empty: nobody answers
// with a status.
std::string unknown_by_status(const LogFacts& facts) {
  if (!facts.any_status) return {};
  std::vector<std::pair<std::int64_t, int>> most;
  for (const auto& [status, count] : facts.unknown_by_status) most.emplace_back(count, status);
  std::sort(most.rbegin(), most.rend());
  if (most.size() > kStatusesNamed) most.resize(kStatusesNamed);
  std::string text;
  for (const auto& [count, status] : most) {
    if (!text.empty()) text += ", ";
    text += status == 0 ? fmt::format("no status: {}", format_count(count))
                        : fmt::format("status {}: {}", status, format_count(count));
  }
  return " (" + text + ")";
}

bool unknown_has_status(const LogFacts& facts) {
  return std::ranges::any_of(facts.unknown_by_status,
                             [](const auto& one) { return one.first != 0; });
}

std::string raise_budget(const char* budget, const JudgeOptions& options) {
  switch (options.set_by) {
    case SetBy::scenario:
      return fmt::format(R"(raise the scenario's budget: "budget": {{"{}": "SHARE"}})", budget);
    case SetBy::simulate:
      return fmt::format("judge the log of --log with rlctl verify --budget-{} SHARE", budget);
    case SetBy::verify:
      break;
  }
  return fmt::format("raise --budget-{}", budget);
}

std::string status_codes(const JudgeOptions& options) {
  return setting("--allowed", options) + " and " + setting("--denied", options);
}

// Of the answers that are neither allowed nor denied, the status of most; a count of 0: there are
// none.
std::pair<int, std::int64_t> most_undecided(const LogFacts& facts) {
  std::pair<int, std::int64_t> most;
  for (const auto& [status, count] : facts.unknown_by_status)
    if (status != 0 && count > most.second) most = {status, count};
  return most;
}

std::string remedy_for_undecided(const KnownLog& known, const JudgeOptions& options) {
  const auto [status, count] = most_undecided(known.facts);
  return remedy_for_status(status, count == known.facts.operations,
                           options.set_by == SetBy::scenario);
}

// Nothing seems to be admitted, or to be denied: it may be with a status that nobody named. An
// application answers with others too, so these count only if they are most.
Doubt doubt_about_statuses(const KnownLog& known, const JudgeOptions& options) {
  const LogFacts& facts = known.facts;
  const auto [status, count] = most_undecided(facts);
  const bool none_admitted = facts.allowed == 0;
  const bool is_usual = usual_meaning(status).option == (none_admitted ? "--allowed" : "--denied");
  if (count == 0 || (!is_usual && 2 * count <= facts.operations)) return {};
  return {fmt::format("no request was {}, and {} answered with status {}, which is neither allowed "
                      "nor denied",
                      none_admitted ? "admitted" : "denied", counted(count, "was", "were"), status),
          remedy_for_undecided(known, options)};
}

// Names a burst that every limiter with these rules must partly deny. In simulate and in scenarios
// an option says how long an admission is held.
std::string burst_to_send(const Rules& rules, const JudgeOptions& options) {
  const Rule& least = *std::ranges::min_element(rules, {}, &Rule::most_at_once);
  const std::string more = "send more than " + format_count(least.most_at_once());
  if (least.has_window())
    return more +
           (least.row().takes_capacity ? " at once"
                                       : " within " + format_duration(least.window_us)) +
           " with one key";
  const std::string held = more + " at once with one key, and hold them";
  return options.set_by == SetBy::verify ? held : held + " (" + setting("--hold", options) + ")";
}

bool exceeds(std::int64_t count, std::int64_t of, const std::optional<double>& share) {
  return share && static_cast<double>(count) > *share * static_cast<double>(of);
}

}  // namespace

std::string setting(std::string_view option, const JudgeOptions& options) {
  if (options.set_by != SetBy::scenario) return std::string(option);
  std::string member(option.substr(2));
  std::ranges::replace(member, '-', '_');
  return '"' + member + '"';
}

std::int64_t most_in_flight(const Log& log) {
  InFlightTimes times;
  for (const Record& record : log.records) times.add(record);
  return times.most(nullptr);
}

std::string what_lacks_durations(const Log& log) {
  return log.lacks_durations ? "the log has no durations"
                             : "some lines of the log have no duration";
}

std::string slow_requests_note(const Log& log) {
  const std::int64_t longest_us = std::max(log.slow_before_us, log.slow_after_us);
  if (longest_us == 0) return {};
  return fmt::format(
      "{}: {} is taken to be at its stamp, and a violation counts only if requests of up to {} do "
      "not explain it; if none took longer than 5 s, add --longest 5s",
      what_lacks_durations(log), log.lacks_durations ? "each decision" : "such a decision",
      format_duration(longest_us));
}

std::vector<std::string> notes_on(const KnownLog& known, const Rules& rules,
                                  const ClockOffset& offset, const JudgeOptions& options) {
  const LogFacts& facts = known.facts;
  const Rule& longest = *std::ranges::max_element(rules, {}, &Rule::window_us);
  std::vector<std::string> notes;
  if (std::string slow = slow_requests_note(known.head); !slow.empty())
    notes.push_back(std::move(slow));
  notes.insert(notes.end(), {edge_note(facts, longest), flight_note(facts, known.head),
                             clock_note(offset, options)});
  if (std::string apart = apart_note(offset, options); !apart.empty())
    notes.push_back(std::move(apart));
  if (options.tolerance_us > 0)
    notes.push_back(fmt::format("the limiter's times may be off by {} (its tolerance)",
                                format_duration_for_people(options.tolerance_us)));
  if (options.fresh_is_promised)
    notes.push_back(
        "assumed: the limiter had not counted these keys before (fresh); if an earlier run used "
        "them, wait until their windows end");
  const std::int64_t late_after_us = options.budgets.late_after_us;
  if (facts.unknown > 0) {
    notes.push_back(counted(facts.unknown, "request has", "requests have") +
                    " an unknown outcome, and may have been admitted");
    const std::int64_t assumed_us = known.unanswered.assumed_us();
    if (assumed_us > 0 && !options.max_inflight_us)
      notes.push_back(fmt::format(
          "assumed: a request with an unknown outcome was decided at most {} after its answer, or "
          "after we stopped waiting for it (--max-inflight)",
          format_duration_for_people(assumed_us)));
  }
  if (facts.failed > 0) notes.push_back(failed_of(facts.failed, facts.operations + facts.failed));
  if (facts.late > 0) {
    notes.push_back(fmt::format("{} sent more than {} late",
                                counted(facts.late, "request was", "requests were"),
                                format_duration(late_after_us)));
  }
  if (const std::int64_t dropped = known.head.dropped(); dropped > 0)
    notes.push_back(counted(dropped, "planned request was", "planned requests were") +
                    " never sent");
  return notes;
}

namespace {

// Whatever the others decided says nothing of a target that decided nothing.
Doubt doubt_about_targets(const LogFacts& facts, const JudgeOptions& options) {
  for (const TargetCounts& count : facts.targets) {
    if (count.decided() > 0) continue;
    const std::string target = escape_for_terminal(count.target);
    if (count.requests == 0)
      return {target + " was asked nothing",
              "send more requests, or use " + setting("--spread", options) + " round"};
    return {fmt::format("{} decided none of its {}", target, counted(count.requests, "request")),
            "start this target, or leave it out"};
  }
  return {};
}

}  // namespace

Doubt doubt_about(const KnownLog& known, const Rules& rules, const JudgeOptions& options) {
  const LogFacts& facts = known.facts;
  const Budgets& budgets = options.budgets;
  const std::int64_t requests = facts.operations + facts.failed;
  if (facts.allowed + facts.denied > 0)
    if (Doubt doubt = doubt_about_targets(facts, options); !doubt.reason.empty()) return doubt;
  if (facts.operations == 0 && facts.failed > 0)
    return {failed_of(facts.failed, requests), kFindOutWhy};
  if (exceeds(facts.failed, requests, budgets.failed_share))
    return {over_budget(failed_of(facts.failed, requests), *budgets.failed_share),
            "keep the target up, or " + raise_budget("failed", options)};
  if (facts.operations == 0) return {"the log has no requests", "use a log with decisions"};
  if (facts.unknown == facts.operations)
    return {"all requests have an unknown outcome" + unknown_by_status(facts),
            unknown_has_status(facts) ? remedy_for_undecided(known, options)
            : facts.any_status        ? "check that the target answers"
                                      : kFindOutWhy};
  const bool admits_some = most_at_once(rules) > 0;
  if ((facts.allowed == 0 && admits_some) || facts.denied == 0)
    if (Doubt doubt = doubt_about_statuses(known, options); !doubt.reason.empty()) return doubt;
  if (facts.allowed == 0 && admits_some)
    return {"no request was admitted: a limiter that denies everything looks like this",
            "send the first requests with keys that were not used before"};
  if (facts.denied == 0)
    return {"no request was denied: the limiter was never tested",
            burst_to_send(rules, options) + ", so that some are denied"};
  if (exceeds(facts.unknown, facts.operations, budgets.unknown_share))
    return {over_budget(of_requests(facts.unknown, facts.operations, "has an unknown outcome",
                                    "have an unknown outcome"),
                        *budgets.unknown_share) +
                unknown_by_status(facts),
            (unknown_has_status(facts) ? "set what these codes mean with " + status_codes(options)
                                       : "find out why they got no answer") +
                ", or " + raise_budget("unknown", options)};
  if (exceeds(facts.late, facts.operations, budgets.late_share)) {
    const std::string late = "sent more than " + format_duration(budgets.late_after_us) + " late";
    return {over_budget(of_requests(facts.late, facts.operations, "was " + late, "were " + late),
                        *budgets.late_share),
            "use a lower rate or a less busy machine, or " + raise_budget("late", options)};
  }
  const std::int64_t dropped = known.head.dropped();
  const std::int64_t planned = facts.operations + dropped;
  if (exceeds(dropped, planned, budgets.dropped_share))
    return {over_budget(of_requests(dropped, planned, "was never sent", "were never sent"),
                        *budgets.dropped_share),
            "use a lower rate, a less busy machine or more users, or " +
                raise_budget("dropped", options)};
  return {};
}

bool sent_too_late(const Log& log, const Budgets& budgets) {
  const LogFacts facts(log, budgets.late_after_us, 1);
  return exceeds(facts.late, facts.operations, budgets.late_share);
}

std::string what_would_decide(const LogFacts& facts, const Rule& rule, const ClockOffset& offset,
                              const JudgeOptions& options) {
  if (rule.has_unknown_phase())
    return "set where windows start: write 'fixed' if they are those of the clock, 'fixed+10s' if "
           "they begin 10 s later";
  if (!options.use_server_stamps || !offset.usable())
    return "log the limiter's own time of each decision (server_us), or the duration of each "
           "request";
  if (facts.unknown > 0)
    return "use a log with fewer unknown outcomes, or set " + setting("--max-inflight", options);
  return "use a log in which fewer requests were decided at the same time, or a shorter one, so "
         "that every order can be tried";
}

}  // namespace rlctl
