#include "run/explore/script_program.h"

#include "base/escape.h"
#include "io/redis/redis_error.h"

namespace rlctl {

ProgramStep ScriptProgram::next(const ProgramStart& start, std::span<const Reply> replies) {
  return call_.client_script() != nullptr ? next_on_client(start, replies)
                                          : next_on_server(start, replies);
}

Attempt ScriptProgram::attempt_of(const ProgramStart& start) const {
  Attempt attempt;
  attempt.key = key_;
  attempt.virtual_now_us = start.now_us;
  attempt.clock_offset_us = static_cast<std::int64_t>(start.client) * clock_spread_us_;
  return attempt;
}

// Values are created once and cached: a uuid must not change.
const ScriptCall::Values& ScriptProgram::values_of(const ProgramStart& start) {
  const std::pair who{start.client, start.now_us};
  const auto known = values_.find(who);
  if (known != values_.end()) return known->second;
  return values_.emplace(who, call_.values_of(attempt_of(start))).first->second;
}

ProgramStep ScriptProgram::next_on_client(const ProgramStart& start,
                                          std::span<const Reply> replies) {
  const ScriptCall::Values& values = values_of(start);
  ClientScript::Run run(*call_.client_script());
  ScriptStep step = run.start(values.keys, values.arguments);
  for (const Reply& reply : replies) step = run.resume(reply);
  if (!step.has_ended()) return {std::move(step.command), {}, {}};
  return decided(start, step.result);
}

// The replies are those of EVALSHA, or of EVALSHA, SCRIPT LOAD and EVALSHA again.
ProgramStep ScriptProgram::next_on_server(const ProgramStart& start,
                                          std::span<const Reply> replies) {
  const bool forgotten =
      !replies.empty() && replies[0].is_error() && error_code(replies[0]) == "NOSCRIPT";
  if (forgotten && replies.size() == 1) return {{"SCRIPT", "LOAD", call_.script().text}, {}, {}};
  if (!replies.empty() && (!forgotten || replies.size() > 2)) return decided(start, replies.back());
  const ScriptCall::Values& values = values_of(start);
  Words command{"EVALSHA", call_.script().sha1, std::to_string(values.keys.size())};
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
  return {{}, decision.outcome, decision.problem};
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
