#include "run/explore/explore.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "base/error.h"
#include "base/escape.h"
#include "base/text.h"
#include "base/units.h"
#include "run/explore/count.h"
#include "run/explore/pct.h"
#include "run/explore/probe.h"
#include "run/explore/script_program.h"
#include "run/explore/search.h"
#include "run/explore/shorten.h"
#include "run/explore/tested_rules.h"
#include "run/explore/trace.h"

namespace rlctl {
namespace {

// Far in the future, so that absolute expiry times of scripts are not in the past for a real Redis.
constexpr std::int64_t kEpochUs = 2'000'000'000'000'000;
constexpr std::size_t kMostCountedByPreemptions = 20'000;

constexpr std::uint32_t bit(ExploreFinding finding) {
  return 1u << static_cast<std::uint32_t>(finding);
}

// As in a run, but shorter than every window.
std::int64_t tolerance_us_for(const ExplorePlan& plan) {
  std::int64_t most_us = tolerance_us_of(plan.script.manifest);
  for (const Rule& rule : plan.judged.rules)
    if (rule.has_window()) most_us = std::min(most_us, rule.window_us - 1);
  return most_us;
}

ExploreRules rules_of(const ExplorePlan& plan, const ExploreEvents& events) {
  ExploreRules rules;
  rules.clients = plan.clients;
  rules.contract = plan.judged.rules;
  rules.tolerance_us = tolerance_us_for(plan);
  const std::int64_t window_us = plan.policy.window_us;
  rules.start_us = (kEpochUs / window_us + 1) * window_us;
  rules.events = events;
  return rules;
}

// The state that the passes share.
class Exploration {
 public:
  Exploration(const ExplorePlan& plan, const ScheduleConfirmer& confirm)
      : plan_(plan),
        confirm_(confirm),
        call_(plan.script, plan.policy, TimeSource::modelled),
        program_(call_, plan.key, plan.clock_spread_us),
        probe_(program_, plan.policy) {}

  ExploreResult run() {
    begin();
    if (plan_.replay.empty()) {
      pass({});
      if (plan_.events.any()) pass(plan_.events);
      check_that_it_decides();
    } else {
      replay();
    }
    conclude();
    return std::move(result_);
  }

 private:
  void begin() {
    result_.algorithm = plan_.script.name;
    result_.key = plan_.key;
    result_.policy = plan_.policy;
    result_.contract = plan_.judged.rules;
    result_.on_client = call_.client_script() != nullptr;
    result_.clients = plan_.clients;
    const auto clients = static_cast<std::int64_t>(plan_.clients);
    room_ = std::min(clients, most_at_once(plan_.judged.rules));
    holds_ = call_.finish() != nullptr && any_in_flight(plan_.judged.rules);
    result_.least_admitted = clients;
  }

  ExploreRules rules_for(const ExploreEvents& events) const {
    ExploreRules rules = rules_of(plan_, events);
    rules.clients_alike = program_.clients_alike();
    return rules;
  }

  RedisModel redis_for(const ExploreRules& rules) {
    RedisModel redis(rules.clients, rules.start_us, &runner_);
    for (const Script* script : {&plan_.script, plan_.script.finish.get()})
      if (script != nullptr && script->manifest.run == RunPlace::server &&
          !script->manifest.is_command())
        redis.execute(0, {"SCRIPT", "LOAD", script->text});
    program_.set_up(rules.start_us,
                    [&](const Words& command) { return redis.execute(0, command); });
    return redis;
  }

  void pass(const ExploreEvents& events) {
    const ExploreRules rules = rules_for(events);
    ExploreSpace space(rules, program_, redis_for(rules));
    ExploreSearch search(space, plan_.most_states);
    const std::string what = events_in_words(events);
    Work work{what.empty() ? "clients alone" : "with one of each event: " + what,
              "states of at most " + format_count(static_cast<std::int64_t>(plan_.most_states))};
    search.run([&](ExploreSpace::State state) {
      work.done = static_cast<std::int64_t>(search.states());
      tell(work);
      return goals(space, state);
    });
    ExplorePass pass;
    pass.events = events_in_words(events);
    pass.states = search.states();
    pass.steps = search.steps();
    pass.preemptions_covered = search.preemptions_covered();
    pass.runs = search.runs();
    if (search.is_exhaustive()) count(search, space, pass);
    std::optional<PctSearch> by_chance;
    if (!search.is_exhaustive()) {
      pass.coverage = Coverage::preemptions;
      if (plan_.random_schedules > 0 &&
          !search.found(static_cast<std::size_t>(ExploreFinding::over_admission))) {
        pass.coverage = Coverage::random;
        by_chance.emplace(go_at_random(rules));
        pass.random = by_chance->runs();
      }
    }
    result_.passes.push_back(std::move(pass));
    if (!space.waited_with().empty())
      waiting_ = command_in_words(space.waited_with(), rules.start_us);
    for (std::size_t i = 0; i < kMostExploreGoals; ++i) {
      const auto finding = static_cast<ExploreFinding>(i);
      if (search.found(i))
        report(finding, space, rules, search.found(i)->choices, false);
      else if (by_chance && by_chance->found(i))
        report(finding, space, rules,
               shortened(space, by_chance->found(i)->choices,
                         [&](ExploreSpace::State state) {
                           return (goals(space, state) & bit(finding)) != 0;
                         }),
               true);
    }
  }

  void tell(const Work& work) const {
    if (plan_.watcher) plan_.watcher(work);
  }

  std::uint32_t goals(const ExploreSpace& space, ExploreSpace::State state) {
    std::uint32_t found = 0;
    if (space.breaks_contract(state)) found |= bit(ExploreFinding::over_admission);
    if (space.is_quiescent(state) && state != space.first()) found |= litter(space, state);
    if (holds_ && space.is_quiescent(state) && probe_.leaks(space.redis(state)))
      found |= bit(ExploreFinding::leak);
    if (!space.is_final(state) || space.has_crash(state)) return found;
    const auto admitted = static_cast<std::int64_t>(space.admitted(state));
    result_.most_admitted = std::max(result_.most_admitted, admitted);
    if (space.in_doubt(state) == 0) {
      result_.least_admitted = std::min(result_.least_admitted, admitted);
      if (admitted < room_) found |= bit(ExploreFinding::false_denial);
    } else {
      keep_problem(space, state);
    }
    return found;
  }

  // Findings about keys that never expire: they block everyone, or a crash left them without
  // expiry.
  std::uint32_t litter(const ExploreSpace& space, ExploreSpace::State state) {
    for (const auto& [name, entry] : space.redis(state).entries())
      if (entry.expires_ms != kNeverExpires) expire_.insert(name);
    const std::vector<std::string> keys = space.keys_without_expiry(state);
    if (keys.empty()) return 0;
    std::uint32_t found = 0;
    if (probe_.is_blocked(space.redis(state))) found |= bit(ExploreFinding::blocked_for_ever);
    if (!space.has_crash(state)) {
      never_expire_.insert(keys.begin(), keys.end());
    } else if (std::any_of(keys.begin(), keys.end(),
                           [&](const auto& key) { return !never_expire_.contains(key); })) {
      found |= bit(ExploreFinding::key_without_expiry);
    }
    return found;
  }

  void keep_problem(const ExploreSpace& space, ExploreSpace::State state) {
    for (std::size_t i = 0; i < plan_.clients && problem_.empty(); ++i)
      problem_ = space.slot(state, i).problem;
  }

  void count(ExploreSearch& search, ExploreSpace& space, ExplorePass& pass) {
    const CountBy by =
        search.states() <= kMostCountedByPreemptions ? CountBy::preemptions : CountBy::nothing;
    const auto counts = count_schedules(
        search, space, [&](ExploreSpace::State state) { return judge_end(space, state); }, by);
    for (const ScheduleCounts& one : counts) pass.counts += one;
    if (by == CountBy::preemptions) pass.by_preemptions = counts;
  }

  ScheduleCounts judge_end(const ExploreSpace& space, ExploreSpace::State state) {
    const auto admitted = static_cast<std::int64_t>(space.admitted(state) + space.in_doubt(state));
    ScheduleCounts counts;
    counts.schedules = 1;
    counts.violating = space.breaks_contract(state) ? 1 : 0;
    counts.refusing = admitted < room_ ? 1 : 0;
    counts.leaking = holds_ && probe_.leaks(space.redis(state)) ? 1 : 0;
    counts.littering = (litter(space, state) & ~bit(ExploreFinding::blocked_for_ever)) != 0 ? 1 : 0;
    return counts;
  }

  PctSearch go_at_random(const ExploreRules& rules) {
    PctSearch search(
        [&] { return std::make_unique<ExploreSpace>(rules, program_, redis_for(rules)); },
        {plan_.random_schedules, plan_.depth, plan_.seed, bit(ExploreFinding::over_admission)});
    Work work{"at random", "schedules", 0, static_cast<std::int64_t>(plan_.random_schedules)};
    search.run(
        [&](const ExploreSpace& space, ExploreSpace::State state) { return goals(space, state); },
        [&](std::uint64_t runs) {
          work.done = static_cast<std::int64_t>(runs);
          tell(work);
        });
    return search;
  }

  void report(ExploreFinding finding, ExploreSpace& space, const ExploreRules& rules,
              const std::vector<Choice>& choices, bool by_chance) {
    if (finding == ExploreFinding::false_denial && !plan_.deny_is_violation) {
      if (result_.refusing_schedule.empty()) result_.refusing_schedule = format_schedule(choices);
      return;
    }
    const auto& known = result_.violations;
    const bool told = std::any_of(known.begin(), known.end(), [&](const ExploreViolation& one) {
      const bool is_less =
          finding == ExploreFinding::key_without_expiry || finding == ExploreFinding::leak;
      return one.finding == finding || (is_less && one.finding == ExploreFinding::blocked_for_ever);
    });
    if (!told) add_violation(finding, space, rules, choices, by_chance);
  }

  void add_violation(ExploreFinding finding, ExploreSpace& space, const ExploreRules& rules,
                     const std::vector<Choice>& choices, bool by_chance) {
    WalkedSchedule walked = walk_schedule(space, choices);
    ExploreViolation violation;
    violation.finding = finding;
    violation.by_chance = by_chance;
    violation.preemptions = walked.preemptions;
    violation.steps = static_cast<std::int64_t>(choices.size());
    violation.broken = std::move(walked.broken);
    const bool is_held = violation.broken.empty() ? holds_ : !any_window(violation.broken);
    violation.admitted =
        static_cast<std::int64_t>(is_held ? space.held(walked.end) : space.admitted(walked.end));
    violation.schedule = format_schedule(choices);
    violation.trace = std::move(walked.trace);
    violation.keys = space.keys_without_expiry(walked.end);
    if (finding == ExploreFinding::blocked_for_ever ||
        finding == ExploreFinding::key_without_expiry) {
      violation.afterwards = probe_.outcomes(space.redis(walked.end));
      violation.afterwards_gap_us = kProbeGapWindows * plan_.policy.window_us;
    }
    if (finding == ExploreFinding::leak) {
      violation.afterwards = probe_.holders(space.redis(walked.end));
      violation.afterwards_gap_us = half_lease_us(space.redis(walked.end), plan_.policy);
    }
    confirm_(rules, program_, violation);
    result_.violations.push_back(std::move(violation));
  }

  void replay() {
    const ExploreRules rules = rules_for(plan_.events);
    ExploreSpace space(rules, program_, redis_for(rules));
    std::vector<Choice> choices = parse_schedule(plan_.replay, plan_.clients);
    if (rules.clients_alike) choices = renamed_by_order(std::move(choices));
    const WalkedSchedule walked = walk_schedule(space, choices);
    ExplorePass pass;
    pass.coverage = Coverage::replay;
    pass.events = events_in_words(plan_.events);
    pass.steps = choices.size();
    result_.passes.push_back(pass);
    const std::uint32_t found = goals(space, walked.end);
    for (std::size_t i = 0; i < kMostExploreGoals; ++i)
      if ((found >> i & 1) != 0)
        report(static_cast<ExploreFinding>(i), space, rules, choices, false);
    if (result_.violations.empty()) result_.replayed = walked.trace;
  }

  void check_that_it_decides() const {
    if (problem_.empty() || result_.most_admitted > 0) return;
    throw Error(Exit::target, "no decision by " + in_quotes(plan_.script.name) + ": " + problem_,
                "");
  }

  void conclude() {
    if (!problem_.empty()) result_.notes.push_back("some decisions failed: " + problem_);
    for (const std::string& key : never_expire_)
      result_.notes.push_back(expire_.contains(key)
                                  ? "the script gives " + in_quotes(key) +
                                        " an expiry on some paths only"
                                  : "the script never gives " + in_quotes(key) + " an expiry");
    if (!waiting_.empty())
      result_.notes.push_back("a client that repeats " + in_quotes(waiting_) +
                              " is taken as waiting: failed retries are not counted as steps, and "
                              "running out of retries was explored only if no other client could "
                              "go on");
    for (const std::string& note : plan_.judged.notes) result_.notes.push_back(note);
    const bool exhaustive =
        std::all_of(result_.passes.begin(), result_.passes.end(),
                    [](const ExplorePass& pass) { return pass.coverage == Coverage::exhaustive; });
    const bool confirmed =
        std::any_of(result_.violations.begin(), result_.violations.end(),
                    [](const ExploreViolation& violation) { return violation.confirmed; });
    const ExploreRules rules = rules_of(plan_, plan_.events);
    for (const std::string& note : implied_rules(rules.contract)) result_.notes.push_back(note);
    std::vector<std::string> untested;
    if (result_.violations.empty() && plan_.replay.empty()) untested = untested_rules(rules);
    result_.verdict = VerdictKind::inconclusive;
    if (confirmed)
      result_.verdict = VerdictKind::violated;
    else if (!result_.violations.empty())
      result_.reason = "found on the model of Redis, but not confirmed on a real server";
    else if (!plan_.replay.empty())
      result_.reason = "this schedule breaks nothing, but it is only one of many";
    else if (!untested.empty())
      result_.reason = tell_untested(untested);
    else if (!problem_.empty())
      result_.reason = "some decisions failed";
    else if (!exhaustive)
      result_.reason = "there are too many schedules to explore all of them";
    else
      result_.verdict = VerdictKind::holds;
  }

  // The reason; if there are several, each is a note.
  std::string tell_untested(const std::vector<std::string>& untested) {
    if (untested.size() == 1) return untested.front();
    result_.notes.insert(result_.notes.end(), untested.begin(), untested.end());
    return fmt::format("{} rules were not tested", untested.size());
  }

  static std::string events_in_words(const ExploreEvents& events) {
    std::vector<std::string> words;
    const auto add = [&](const std::string& event) { words.push_back(event); };
    if (events.crash) add("a client crashes");
    for (const std::int64_t step_us : events.time_steps_us)
      add(format_duration(step_us) + " passes");
    if (events.expiry) add("a key expires");
    if (events.forget) add("Redis forgets the script");
    return joined(words);
  }

  const ExplorePlan& plan_;
  const ScheduleConfirmer& confirm_;
  ScriptCall call_;
  ScriptProgram program_;
  ScriptRunner runner_;
  ExploreProbe probe_;
  ExploreResult result_;
  std::int64_t room_ = 0;  // how many of the clients should be admitted
  bool holds_ = false;     // clients hold what they were given until their finish
  std::set<std::string> never_expire_, expire_;  // names seen without an expiry, and with one
  std::string problem_;
  std::string waiting_;
};

}  // namespace

std::size_t usual_clients(const ExplorePlan& plan) {
  // So that there are few states: clients that take one step each have the fewest.
  const bool is_one_step = plan.script.manifest.run == RunPlace::server && !plan.script.finish;
  return clients_to_test(rules_of(plan, plan.events), 3, is_one_step ? 6 : 4);
}

ExploreResult explore(const ExplorePlan& plan, const ScheduleConfirmer& confirm) {
  return Exploration(plan, confirm).run();
}

}  // namespace rlctl
