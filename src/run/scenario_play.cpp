#include "run/scenario_play.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/escape.h"
#include "base/suggest.h"
#include "base/units.h"
#include "base/words.h"
#include "io/clock.h"
#include "io/loop.h"
#include "run/phase_play.h"
#include "run/played/judged_run.h"
#include "run/redis_target.h"
#include "run/served_target.h"
#include "scenario/length.h"
#include "scenario/part_merge.h"
#include "scenario/shard_plan.h"
#include "verdict/outcome/header_truth.h"

namespace rlctl {
namespace {

constexpr std::int64_t kWatchIntervalUs = 100'000;
// Records are written in so small parts that the traffic does not have to wait for them.
constexpr std::int64_t kRecordIntervalUs = 10'000;
constexpr std::size_t kMostRecordsAtOnce = 1'000;
// If the first requests all fail, at least this many and for this long, no service is there.
constexpr std::size_t kFailuresInARow = 3;
constexpr std::int64_t kPatienceUs = 3'000'000;
// Time to connect the users before a fixed start time.
constexpr std::int64_t kSettleUs = 500'000;
// Gap between two phases of a run on several machines, for the last answers; all of them compute
// the same times.
constexpr std::int64_t kBetweenPartsUs = 1'000'000;

// A fault that does nothing to most scripts.
struct IdleFault {
  FaultKind kind;
  bool (*does_hit)(const PolicyPlay&);
  const char* note;
};

bool is_given_time(const PolicyPlay& policy) {
  return policy.has_script() && policy.script().manifest.is_given_time();
}

constexpr IdleFault kIdleFaults[] = {
    {FaultKind::clock_skew, is_given_time,
     "clock_skew did nothing: no script is given a client's time, so Redis's own clock decided; "
     "play it on one with now_us, now_ms or now_s in args"},
    {FaultKind::client_crash, [](const PolicyPlay& policy) { return policy.runs_on_client(); },
     "client_crash did nothing: Redis runs the script as one step, so there is no step between two "
     "commands; use --run client, or \"run\": \"client\""}};

std::unique_ptr<Target> make_target(Loop& loop, const Scenario& scenario,
                                    const ScenarioPlan& plan) {
  switch (scenario.target.kind) {
    case TargetKind::http:
      return std::make_unique<HttpService>(loop, scenario, scenario.target, plan.transport);
    case TargetKind::serve:
      return std::make_unique<ServedTarget>(loop, scenario, *plan.registry, plan.embedded,
                                            plan.run_id);
    case TargetKind::redis:
    case TargetKind::embedded:
      break;
  }
  const bool is_theirs = scenario.target.kind == TargetKind::redis;
  auto redis = std::make_unique<RedisTarget>(loop, is_theirs ? plan.redis : std::nullopt,
                                             plan.embedded, plan.run_id);
  redis->wait_for_answers(scenario.target.timeout_us);
  if (is_theirs && !scenario.shard.is_whole() && plan.threads == 1) redis->keep_keys();
  if (scenario.needs_proxy()) redis->go_through_proxy(scenario.seed);
  return redis;
}

}  // namespace

ScenarioPlay::ScenarioPlay(Loop& loop, const Scenario& scenario, const ScenarioPlan& plan,
                           ScenarioProgress& progress, ThreadsTogether& together)
    : loop_(loop),
      scenario_(scenario),
      plan_(plan),
      progress_(progress),
      together_(together),
      clock_(make_clock(loop, scenario)),
      target_(make_target(loop, scenario, plan)),
      faults_(loop,
              {scenario, plan.embedded.cluster.has_value(), *target_, *clock_, policies_, phases_},
              result_.faults) {}

void ScenarioPlay::prepare() {
  const bool is_virtual = scenario_.clock == ScenarioClock::virtual_time;
  const TimeSource time = is_virtual ? TimeSource::virtual_time : TimeSource::real;
  policies_.resize(scenario_.policies.size());
  for (std::uint32_t i = 0; i < scenario_.phases.size(); ++i) {
    const std::uint32_t index = scenario_.phases[i].policy;
    std::unique_ptr<PolicyPlay>& policy = policies_[index];
    if (!policy)
      policy = std::make_unique<PolicyPlay>(scenario_.policies[index], *plan_.registry,
                                            scenario_.target.kind, time);
    phases_.push_back(std::make_unique<PhasePlay>(*clock_, scenario_, i, *policy, *target_));
  }
  for (const auto& policy : policies_) {
    if (!policy) continue;
    Log& log = policy->log();
    for (const std::string& url : policy->spec().targets)
      log.targets.push_back(without_secrets(url));
    if (plan_.names_histories) log.history = scenario_.name + "/" + policy->spec().name;
    log.run_id = plan_.run_id;
    log.timeout_us = scenario_.target.timeout_us;
    const JudgeOptions judged = judge_options_of(scenario_, policy->spec(), log);
    log.terms = judged;
    log.budgets = judged.budgets;
    log.command = plan_.command;
    log.version = plan_.version;
    if (scenario_.verdict) log.expected = name_of(*scenario_.verdict);
    if (scenario_.own_contract) log.expected_own = name_of(*scenario_.own_contract);
    if (is_virtual) log.clock = "virtual";
    log.seed = scenario_.seed;
    log.shard = is_one_of_machines() ? scenario_.shard.text() : kWholeRun;
    for (const IdentitySpec& identity : scenario_.identities)
      log.identities.push_back(identity.name);
    for (const Phase& phase : scenario_.phases) log.phases.push_back(phase.name);
  }
}

// When the phase after this one begins: fixed, because machines do not know each other's answers.
std::int64_t ScenarioPlay::turn_after(std::size_t index) const {
  return phases_[index]->base_us() + planned_length_us(scenario_.phases[index]).value_or(0) +
         kBetweenPartsUs;
}

// Returns time 0 of the phase if it is fixed.
Task<std::optional<std::int64_t>> ScenarioPlay::wait_for_turn(std::size_t index) {
  const bool in_parts = is_one_of_machines();
  const std::optional<Moment>& start = scenario_.phases[index].start;
  if (!start) {
    if (index == 0) co_return scenario_.start_at_us;
    co_await phases_[index - 1]->ended.opened();
    if (!in_parts) co_return std::nullopt;
    co_return turn_after(index - 1);
  }
  std::int64_t from_us = started_us_;
  if (start->phase >= 0) {
    const PhasePlay& other = *phases_[static_cast<std::size_t>(start->phase)];
    co_await phases_[static_cast<std::size_t>(start->phase)]->started.opened();
    from_us = other.base_us();
  }
  const std::int64_t at_us = from_us + start->after_us;
  const Participation here(*clock_);
  co_await clock_->until(in_parts ? at_us - kSettleUs : at_us);
  if (!in_parts) co_return std::nullopt;
  co_return at_us;
}

Task<> ScenarioPlay::play_phase(std::size_t index) {
  const std::optional<std::int64_t> at_us = co_await wait_for_turn(index);
  progress_.phase = scenario_.phases[index].name;
  try {
    if (!clock_->stopped()) co_await phases_[index]->play(at_us, together_.meetings[index]);
  } catch (const Error& error) {
    fail(error);
  }
  // Phases and faults that wait for this phase continue and see that the run has stopped.
  phases_[index]->started.open();
  phases_[index]->ended.open();
  ++progress_.phases_done;
  if (std::ranges::all_of(phases_, [](const auto& phase) { return phase->ended.is_open(); }))
    faults_.stop();
}

void ScenarioPlay::stop() {
  clock_->stop();
  faults_.stop();
}

Task<> ScenarioPlay::play_fault(std::size_t index) {
  try {
    co_await faults_.play(index, started_us_);
  } catch (const Error& error) {
    fail(error);
  }
}

// The first problem is what is told.
void ScenarioPlay::fail(const Error& error) {
  if (!result_.problem) result_.problem = error;
  stop();
}

// Ends a run early if a service is not there, or refuses all: otherwise a five-minute phase would
// play to its end. A fault may be the cause of that, and then it is what the run is about.
bool ScenarioPlay::nobody_answers() const {
  const TargetKind kind = scenario_.target.kind;
  if (kind != TargetKind::http && kind != TargetKind::redis) return false;
  if (!scenario_.faults.empty() || progress_.played_us < kPatienceUs) return false;
  std::size_t asked = 0;
  for (const auto& policy : policies_) {
    if (!policy) continue;
    const std::vector<Record>& records = policy->log().records;
    asked += records.size();
    const auto answered = [](const Record& record) { return record.outcome != Outcome::failed; };
    if (std::ranges::any_of(records, answered)) together_.answered = true;
  }
  return !together_.answered && asked >= kFailuresInARow;
}

// To count them takes time, so not while planned requests are sent.
WaitingRetries ScenarioPlay::waiting(bool is_idle) const {
  WaitingRetries own;
  const bool has_plan = progress_.planned_us > 0;
  const bool is_over = has_plan ? progress_.played_us >= progress_.planned_us : is_idle;
  if (!is_over || clock_->is_virtual()) return own;
  for (const auto& phase : phases_) own.add(phase->waiting());
  return own;
}

void ScenarioPlay::note_waiting(const WaitingRetries& own) {
  const std::lock_guard lock(together_.waits);
  together_.waiting[thread()] = own;
  progress_.waiting = {};
  for (const WaitingRetries& one : together_.waiting) progress_.waiting.add(one);
}

void ScenarioPlay::watch() {
  progress_.played_us = clock_->now_us() - started_us_;
  std::int64_t decisions = 0;
  for (const auto& policy : policies_)
    if (policy) decisions += static_cast<std::int64_t>(policy->log().records.size());
  const std::int64_t more = decisions - std::exchange(told_, decisions);
  together_.decisions += more;
  progress_.decisions = together_.decisions;
  note_waiting(waiting(more == 0));
  if (nobody_answers() || together_.stopped) stop();
  if (clock_->stopped()) together_.stopped = true;
  if (clock_->stopped() || now_us() - wall_started_us_ < scenario_.wall_us) return;
  stop();
  result_.over_budget = true;
}

// What is not recorded is no evidence, so the run ends if its log can't be written. A thread does
// not wait for another one that writes: it writes more the next time.
void ScenarioPlay::record() {
  const std::unique_lock lock(together_.log, std::try_to_lock);
  if (!lock.owns_lock()) return;
  try {
    for (const auto& policy : policies_) {
      if (!policy) continue;
      policy->log().server = target_->server();
      plan_.log->grow(policy->log(), kMostRecordsAtOnce, thread());
    }
  } catch (const Error& error) {
    fail(error);
  }
}

void ScenarioPlay::end_log() {
  if (plan_.log == nullptr || plan_.threads == 1) return;
  try {
    for (const auto& policy : policies_)
      if (policy) plan_.log->grow_to_end(policy->log(), thread());
  } catch (const Error& error) {
    if (!result_.problem) result_.problem = error;
  }
}

bool ScenarioPlay::run(Task<> task) {
  try {
    loop_.run(std::move(task));
    return true;
  } catch (const Error& error) {
    result_.problem = error;
    return false;
  }
}

Task<> ScenarioPlay::open_target() {
  wall_started_us_ = std::max(now_us(), scenario_.start_at_us.value_or(0));
  progress_.phases = static_cast<std::int64_t>(scenario_.phases.size());
  progress_.planned_us = scenario_length_us(scenario_).value_or(0);
  prepare();
  check_faults_fit(scenario_, plan_.embedded.cluster);
  co_await target_->open();
  for (const auto& phase : phases_) phase->name_keys();
}

Task<> ScenarioPlay::play_phases() {
  if (scenario_.start_at_us) {
    progress_.phase = "waiting for the start time";
    co_await clock_->until(*scenario_.start_at_us - kSettleUs);
  }
  started_us_ = scenario_.start_at_us.value_or(together_.started_us.value_or(clock_->now_us()));
  const Ticker ticker(loop_, kWatchIntervalUs, [this] { watch(); });
  std::optional<Ticker> recorder;
  if (plan_.log != nullptr) recorder.emplace(loop_, kRecordIntervalUs, [this] { record(); });
  for (std::size_t i = 0; i < phases_.size(); ++i) loop_.spawn(play_phase(i));
  for (std::size_t i = 0; i < scenario_.faults.size(); ++i) loop_.spawn(play_fault(i));
  co_await loop_.join();
  note_waiting({});
  if (clock_->stopped()) together_.stopped = true;
}

Task<> ScenarioPlay::close_target() { leftover_ = co_await target_->close(); }

void ScenarioPlay::add(ScenarioPlay& part) {
  for (std::size_t i = 0; i < policies_.size(); ++i)
    if (policies_[i]) append_part(policies_[i]->log(), std::move(part.policies_[i]->log()));
  for (std::size_t i = 0; i < phases_.size(); ++i) phases_[i]->add(*part.phases_[i]);
  if (!result_.problem) result_.problem = part.result_.problem;
  result_.over_budget |= part.result_.over_budget;
  parts_.push_back(&part);
}

// Every request was refused before it ran, or none was sent; and no set-up script was.
bool ScenarioPlay::has_stored_nothing() const {
  const auto is_failed = [](const Record& one) { return one.outcome == Outcome::failed; };
  const auto sets_up = [](const auto& policy) {
    return policy && policy->has_script() && policy->call().setup() != nullptr;
  };
  return std::ranges::none_of(policies_, sets_up) &&
         std::ranges::all_of(result_.policies, [&](const PolicyResult& policy) {
           return std::ranges::all_of(policy.log.records, is_failed);
         });
}

// The results stay valid; of a run without results, the error is all that is shown. Each has its
// own remedy behind it.
void ScenarioPlay::tell_leftover() {
  if (leftover_.empty() || has_stored_nothing()) return;
  if (const std::optional<Error> problem = std::exchange(result_.problem, std::nullopt))
    result_.problem.emplace(problem->exit(),
                            with_hint(problem->what(), problem->hint()) + "; " + leftover_);
  else
    note(leftover_);
}

PolicyResult ScenarioPlay::judged(std::uint32_t index) {
  PolicyResult result;
  result.policy = index;
  result.log = std::move(policies_[index]->log());
  result.log.server = target_->server();
  result.log.servers = target_->servers();
  for (const PlayedFault& fault : result_.faults)
    result.log.faults.push_back(
        {name_of(scenario_.faults[fault.fault].kind), fault.at_us, fault.ended_us});
  // Several targets have several clocks.
  if (!scenario_.shard.is_whole() && result.log.targets.size() < 2)
    result.log.server_ahead = claims_on(scenario_.policies[index].name).server_ahead;
  result.log.began_us = started_us_;
  for (const PhaseResult& phase : result_.phases)
    if (const Phase& planned = scenario_.phases[phase.phase]; planned.policy == index)
      result.log.played.push_back({planned.name, started_us_ + phase.started_us,
                                   started_us_ + phase.ended_us, phase.dropped, phase.completed});
  judge_policy(scenario_, result, result_);
  // A mistake in `allowed` looks like a broken limiter.
  if (scenario_.policies[index].is_command) note(policies_[index]->call().remark());
  return result;
}

// What was played and could not change anything says so.
void ScenarioPlay::note_idle_faults() {
  for (const IdleFault& idle : kIdleFaults) {
    const auto is_played = [&](const PlayedFault& fault) {
      return scenario_.faults[fault.fault].kind == idle.kind;
    };
    const auto is_hit = [&](const auto& policy) { return policy && idle.does_hit(*policy); };
    if (std::ranges::any_of(result_.faults, is_played) && std::ranges::none_of(policies_, is_hit))
      note(idle.note);
  }
}

// Its remedy is the one of every verdict that it prevents.
void ScenarioPlay::tell_no_verdict() {
  std::string first;
  for (const auto& phase : phases_)
    if (first.empty()) first = phase->problem();
  result_.problem = why_no_verdict(scenario_, result_, first);
  if (!result_.problem || result_.problem->hint().empty()) return;
  for (PolicyResult& policy : result_.policies)
    if (policy.verdict.verdict == VerdictKind::inconclusive)
      policy.verdict.remedy = result_.problem->hint();
}

// Two policies or phases may have the same to say.
void ScenarioPlay::note(std::string text) {
  if (!text.empty() && std::ranges::find(result_.notes, text) == result_.notes.end())
    result_.notes.push_back(std::move(text));
}

HeaderClaims ScenarioPlay::claims_on(const std::string& policy) const {
  HeaderClaims all;
  if (const HeaderClaims* own = target_->claims(policy)) all = *own;
  for (const ScenarioPlay* part : parts_)
    if (const HeaderClaims* claims = part->target_->claims(policy)) all.add(*claims);
  return all;
}

// Notes on whether the target's headers were true.
void ScenarioPlay::note_headers() {
  const auto many_asked = [](const PolicyResult& policy) {
    return std::ranges::adjacent_find(policy.log.records, std::ranges::not_equal_to(),
                                      &Record::who) != policy.log.records.end();
  };
  const auto seen_as_one = [&](const PolicyResult& policy) {
    return !target_->tells_clients_apart(scenario_.policies[policy.policy]) && many_asked(policy);
  };
  if (std::ranges::any_of(result_.policies, seen_as_one))
    note(std::string("all clients send the same request, so the target counts them as one client: "
                     "to separate them, ") +
         (scenario_.target.descriptors.empty()
              ? "use --source-ip 127.0.0.0/8 or -H 'X-Forwarded-For: <ip>'"
              : "write <ip> or <user> into a descriptor"));
  for (const PolicyResult& policy : result_.policies) {
    const HeaderClaims claims = claims_on(scenario_.policies[policy.policy].name);
    if (claims.responses == 0) continue;
    for (const HeaderFinding& finding : header_findings(policy.log, claims)) note(note_on(finding));
  }
}

ScenarioResult ScenarioPlay::finish() {
  result_.command = plan_.command;
  result_.run_id = plan_.run_id;
  result_.seed = scenario_.seed;
  result_.threads = plan_.threads;
  result_.started_us = started_us_;
  result_.duration_us = std::max<std::int64_t>(0, now_us() - wall_started_us_);
  result_.interrupted = loop_.interrupted();
  for (const auto& phase : phases_) {
    PhaseResult played = phase->result();
    if (!phase->started.is_open() || played.ended_us == 0) continue;
    played.started_us -= started_us_;
    played.ended_us -= started_us_;
    result_.phases.push_back(played);
    if (!phase->problem().empty())
      note("phase " + scenario_.phases[played.phase].name + ": " + phase->problem());
  }
  for (std::uint32_t i = 0; i < policies_.size(); ++i)
    if (policies_[i] && !policies_[i]->log().records.empty()) result_.policies.push_back(judged(i));
  measure_faults(scenario_, result_);
  note_idle_faults();
  note_headers();
  const bool ended_early = result_.problem.has_value();
  if (!result_.problem && !result_.is_cut_short()) tell_no_verdict();
  tell_leftover();
  evaluate_expectations(
      scenario_, scenario_.shard.is_whole() ? "" : "in part " + scenario_.shard.text() + " only",
      result_);
  conclude(scenario_, result_);
  for (PolicyResult& policy : result_.policies)
    policy.log.stopped = result_.interrupted   ? kInterrupted
                         : result_.over_budget ? "its budget of wall time was used up"
                         : ended_early         ? "a part of it failed"
                                               : "";
  return std::move(result_);
}

}  // namespace rlctl
