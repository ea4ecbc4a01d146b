#include "run/explore/script_program.h"

#include "base/error.h"
#include "base/escape.h"
#include "io/redis/redis_error.h"
#include "io/redis/script_sha1.h"

namespace rlctl {

void ScriptProgram::set_up(std::int64_t now_us, const Execute& execute) {
  ScriptCall* const call = call_.setup();
  if (call == nullptr) return;
  if (!set_up_with_) set_up_with_ = call->values_of(attempt_of({0, now_us}));
  std::vector<Reply> replies;
  Played played = play(*call, *set_up_with_, replies);
  while (!played.command.empty() && replies.size() < kMostProgramSteps) {
    replies.push_back(execute(played.command));
    played = play(*call, *set_up_with_, replies);
  }
  if (played.result.is_error())
    throw Error(Exit::target,
                "the set-up script failed: " + escape_for_terminal(played.result.text), "");
}

ProgramStep ScriptProgram::next(const ProgramStart& start, std::span<const Reply> replies) {
  const Prepared& given = prepared(start);
  Played played = play(call_, given.values, replies);
  if (!played.command.empty()) return {std::move(played.command), {}, {}, {}};
  ProgramStep step = decided(start, played.result);
  if (call_.finish() == nullptr || step.outcome != Outcome::allowed) return step;
  const bool begins = played.rest.empty();
  step.command = play(*call_.finish(), given.finish, played.rest).command;
  step.stage = begins ? ProgramStage::holding : ProgramStage::finishing;
  return step;
}

Attempt ScriptProgram::attempt_of(const ProgramStart& start) const {
  Attempt attempt;
  attempt.key = key_;
  attempt.virtual_now_us = start.now_us;
  attempt.clock_offset_us = static_cast<std::int64_t>(start.client) * clock_spread_us_;
  return attempt;
}

const ScriptProgram::Prepared& ScriptProgram::prepared(const ProgramStart& start) {
  const auto [place, is_new] = prepared_.try_emplace({start.client, start.now_us});
  Prepared& made = place->second;
  if (!is_new) return made;
  Attempt attempt = attempt_of(start);
  if (call_.finish() != nullptr) {
    made.ticket = call_.new_ticket();
    attempt.ticket = made.ticket;
    made.finish = call_.finish()->values_of(attempt);
  }
  made.values = call_.values_of(attempt);
  return made;
}

ScriptProgram::Played ScriptProgram::play(ScriptCall& call, const ScriptCall::Values& values,
                                          std::span<const Reply> replies) {
  if (call.client_script() == nullptr) return play_on_server(call.script(), values, replies);
  ClientScript::Run run(*call.client_script());
  ScriptStep step = run.start(values.keys, values.arguments);
  for (; !step.has_ended() && !replies.empty(); replies = replies.subspan(1))
    step = run.resume(replies.front());
  return {std::move(step.command), std::move(step.result), replies};
}

// The replies are those of a command, of EVALSHA, or of EVALSHA, SCRIPT LOAD and EVALSHA again.
ScriptProgram::Played ScriptProgram::play_on_server(const Script& script,
                                                    const ScriptCall::Values& values,
                                                    std::span<const Reply> replies) {
  if (script.manifest.is_command()) {
    if (replies.empty()) return {values.arguments, {}, {}};
    return {{}, replies[0], replies.subspan(1)};
  }
  const bool forgotten =
      !replies.empty() && replies[0].is_error() && error_code(replies[0]) == "NOSCRIPT";
  if (forgotten && replies.size() == 1) return {{"SCRIPT", "LOAD", script.text}, {}, {}};
  const std::size_t last = forgotten ? 2 : 0;
  if (replies.size() > last) return {{}, replies[last], replies.subspan(last + 1)};
  Words command{"EVALSHA", script.sha1, std::to_string(values.keys.size())};
  command.insert(command.end(), values.keys.begin(), values.keys.end());
  command.insert(command.end(), values.arguments.begin(), values.arguments.end());
  return {std::move(command), {}, {}};
}

ProgramStep ScriptProgram::decided(const ProgramStart& start, const Reply& result) {
  Decision decision;
  decision.sent_us = decision.received_us = start.now_us;
  if (result.is_error())
    decision.problem = escape_for_terminal(result.text);
  else
    call_.decode(result, attempt_of(start), decision);
  return {{}, decision.outcome, decision.problem, {}};
}

Reply ScriptRunner::evaluate(const std::string& text, const Words& keys, const Words& args,
                             const std::function<Reply(const Words&)>& call) {
  std::unique_ptr<ClientScript>& script = scripts_[text];
  if (!script) {
    Script source;
    source.name = source.origin = "a script";
    source.text = text;
    source.sha1 = script_sha1(text);
    script = std::make_unique<ClientScript>(source);
  }
  ClientScript::Run run(*script);
  ScriptStep step = run.start(keys, args);
  while (!step.has_ended()) step = run.resume(call(step.command));
  return step.result;
}

}  // namespace rlctl
