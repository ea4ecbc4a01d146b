#include "run/explore/confirm.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/escape.h"
#include "io/loop.h"
#include "io/redis/command.h"
#include "io/redis/server_info.h"
#include "run/explore/probe.h"

namespace rlctl {
namespace {

constexpr int kAttempts = 3;

// Plays one schedule once on one server.
class Playing {
 public:
  Playing(Loop& loop, Connection& control, const Endpoint& endpoint, const ExploreRules& rules,
          StepProgram& program)
      : loop_(loop),
        control_(control),
        rules_(rules),
        program_(program),
        clients_(rules.clients),
        now_us_(rules.start_us) {
    for (Client& client : clients_) {
      client.connection = std::make_unique<Connection>(loop_);
      loop_.run(client.connection->connect(endpoint));
    }
  }

  void prepare(const Script& script) {
    ask(control_, {"FLUSHALL"});
    ask(control_, {"SCRIPT", "FLUSH"});
    ask(control_, {"SCRIPT", "LOAD", script.text});
    if (script.finish && !script.finish->manifest.is_command())
      ask(control_, {"SCRIPT", "LOAD", script.finish->text});
    program_.set_up(rules_.start_us,
                    [this](const Words& command) { return answer(control_, command); });
  }

  // Plays the trace. Returns how the server differed from the model; empty: no difference.
  std::string play(const std::vector<TraceStep>& trace) {
    for (const TraceStep& step : trace) {
      take(step);
      if (step.kind != TraceKind::decision) continue;
      const Client& client = clients_[step.client];
      if (!client.step.has_decided() || client.step.outcome != step.outcome)
        return fmt::format("client {} got another decision than on the model", step.client);
    }
    return {};
  }

  std::string check_keys(const ExploreViolation& violation) {
    for (const std::string& key : violation.keys)
      if (ask(control_, {"PTTL", key}).integer != -1)
        return "the key " + in_quotes(key) + " has an expiry";
    return {};
  }

  std::string check_blocked(const Policy& policy) {
    std::int64_t denied_in_a_row = 0;
    for (std::int64_t i = 0; i < probes_for(policy); ++i) {
      pass(kProbeGapWindows * policy.window_us);
      denied_in_a_row = decide_late(0, false) == Outcome::denied ? denied_in_a_row + 1 : 0;
    }
    return denied_in_a_row >= 2 ? "" : "later requests were admitted";
  }

  // As ExploreProbe::holders().
  std::string check_leak(const Policy& policy, std::int64_t gap_us) {
    for (int i = 0; i < kRequestsBeforeLeak; ++i) {
      pass(gap_us);
      decide_late(0, false);
    }
    ++now_us_;
    for (std::int64_t i = 0; i < policy.limit; ++i)
      if (decide_late(static_cast<std::size_t>(i), true) == Outcome::denied) return {};
    return "later, as many clients as may hold were admitted";
  }

 private:
  struct Client {
    std::unique_ptr<Connection> connection;
    ProgramStart start;
    std::vector<Reply> replies;
    ProgramStep step;
    bool has_begun = false;
  };

  // As decide_alone().
  Outcome decide_late(std::size_t index, bool holds) {
    Client late;
    const auto is_over = [&] {
      return late.has_begun && (holds ? late.step.has_decided() : late.step.has_ended());
    };
    for (std::size_t steps = 0; steps < kMostProgramSteps && !is_over(); ++steps)
      go_on(late, control_, index);
    return late.step.outcome;
  }

  Reply ask(Connection& connection, const Words& command) {
    const std::string wire = encode_command(std::span<const std::string>(command));
    const Exchange exchange = loop_.run(send(connection, wire));
    if (exchange.state != Exchange::State::replied)
      throw Error(Exit::target, "the embedded Redis does not answer: " + exchange.problem);
    return exchange.reply;
  }

  static Task<Exchange> send(Connection& connection, std::string wire) {
    co_return co_await connection.send(wire);
  }

  void take(const TraceStep& step) {
    Client& client = clients_[step.client];
    switch (step.kind) {
      case TraceKind::command:
        for (std::int64_t i = 0; i < step.tries; ++i)
          go_on(client, *client.connection, step.client);
        return;
      case TraceKind::decision:
        begin(client, step.client);
        return;
      case TraceKind::crash:
        client.connection->close("the client crashed");
        return;
      case TraceKind::forget:
        ask(control_, {"SCRIPT", "FLUSH"});
        return;
      default:
        pass(rules_.start_us + step.at_us - now_us_);
    }
  }

  void begin(Client& client, std::size_t index) {
    if (client.has_begun) return;
    client.start = {index, now_us_};
    client.step = program_.next(client.start, client.replies);
    client.has_begun = true;
  }

  void go_on(Client& client, Connection& connection, std::size_t index) {
    begin(client, index);
    if (client.step.has_ended()) return;
    const Words command = client.step.command;
    client.replies.push_back(answer(connection, command));
    client.step = program_.next(client.start, client.replies);
  }

  // TIME is answered here with the schedule's time; all else by the server.
  Reply answer(Connection& connection, const Words& command) {
    const std::string name = lower_case(command[0]);
    if (name == "time")
      return array_reply({text_reply(std::to_string(now_us_ / 1'000'000)),
                          text_reply(std::to_string(now_us_ % 1'000'000))});
    if (name == "watch") watched_.insert(command.begin() + 1, command.end());
    return ask(connection, command);
  }

  std::vector<std::string> keys() {
    std::vector<std::string> names;
    for (const Reply& key : ask(control_, {"KEYS", "*"}).elements) names.push_back(key.text);
    std::sort(names.begin(), names.end());
    return names;
  }

  // A watched key keeps its TTL, because PEXPIRE would break the WATCH.
  void pass(std::int64_t time_us) {
    now_us_ += time_us;
    for (const std::string& key : keys()) {
      const std::int64_t left_ms = ask(control_, {"PTTL", key}).integer;
      if (left_ms < 0) continue;
      const std::int64_t rest_ms = left_ms - time_us / 1000;
      if (rest_ms < 0 || !watched_.contains(key))
        ask(control_, {"PEXPIRE", key, std::to_string(rest_ms)});
    }
  }

  Loop& loop_;
  Connection& control_;
  const ExploreRules& rules_;
  StepProgram& program_;
  std::vector<Client> clients_;
  std::set<std::string> watched_;
  std::int64_t now_us_;
};

}  // namespace

void ExploreConfirmer::start() {
  if (control_) return;
  server_ = std::make_unique<ServerProcess>(server_program_);
  loop_ = std::make_unique<Loop>();
  control_ = std::make_unique<Connection>(*loop_);
  loop_->run(control_->connect(server_->endpoint()));
  server_name_ = loop_->run(server_version(*control_));
}

void ExploreConfirmer::confirm(const ExploreRules& rules, StepProgram& program,
                               const Script& script, const Policy& policy,
                               ExploreViolation& violation) {
  start();
  for (int i = 0; i < kAttempts && !violation.confirmed; ++i) {
    Playing playing(*loop_, *control_, server_->endpoint(), rules, program);
    playing.prepare(script);
    violation.doubt = playing.play(violation.trace);
    const bool leaves_keys = violation.finding == ExploreFinding::blocked_for_ever ||
                             violation.finding == ExploreFinding::key_without_expiry;
    if (violation.doubt.empty() && leaves_keys) violation.doubt = playing.check_keys(violation);
    if (violation.doubt.empty() && violation.finding == ExploreFinding::blocked_for_ever)
      violation.doubt = playing.check_blocked(policy);
    if (violation.doubt.empty() && violation.finding == ExploreFinding::leak)
      violation.doubt = playing.check_leak(policy, violation.afterwards_gap_us);
    violation.confirmed = violation.doubt.empty();
  }
}

}  // namespace rlctl
