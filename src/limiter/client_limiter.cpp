#include "limiter/client_limiter.h"

#include "base/escape.h"
#include "io/clock.h"
#include "io/redis/command.h"
#include "limiter/lua/lua_value.h"

namespace rlctl {
namespace {

Reply refusal(const std::string& name) {
  return error_reply("ERR " + name + " is not allowed: it changes the connection, which is shared");
}

void set_no_answer(const Exchange& exchange, Decision& decision) {
  const bool nothing_sent = decision.sent_us == kNoTime;
  decision.outcome = nothing_sent && exchange.state == Exchange::State::not_sent ? Outcome::failed
                                                                                 : Outcome::unknown;
  decision.received_us = kNoTime;
  decision.problem = exchange.problem;
}

}  // namespace

// Runs to the end of the script, or until an answer does not come. In that case the step still has
// its command, and the decision holds the reason.
Task<ScriptStep> ClientLimiter::play(ScriptStep step, CommandTrail& trail, Decision& decision) {
  while (!step.has_ended()) {
    if (changes_connection(step.command)) {
      step = run_.resume(refusal(step.command.front()));
      continue;
    }
    const std::string wire = encode_command(std::span<const std::string>(step.command));
    const Exchange exchange = co_await redis_.send(wire);
    if (decision.sent_us == kNoTime && exchange.sent_us != 0) decision.sent_us = exchange.sent_us;
    if (exchange.state != Exchange::State::replied) {
      set_no_answer(exchange, decision);
      break;
    }
    decision.received_us = exchange.received_us;
    trail.add(step.command, exchange.reply);
    step = run_.resume(exchange.reply);
  }
  co_return std::move(step);
}

Task<Decision> ClientLimiter::decide(const Attempt& attempt) {
  const ScriptCall::Values values = call_.values_of(attempt);
  CommandTrail trail;
  Decision decision;
  const std::int64_t started_us = now_us();
  if (!values.keys.empty()) redis_.settle_on(values.keys.front());
  const ScriptStep last = co_await play(run_.start(values.keys, values.arguments), trail, decision);
  if (decision.sent_us != kNoTime) decision.sent_us = sent_at(values.told_us, decision.sent_us);
  if (!last.has_ended()) co_return decision;
  // The script decided without any command.
  if (decision.sent_us == kNoTime) decision.sent_us = decision.received_us = started_us;
  if (last.result.is_error()) {
    decision.outcome = trail.may_have_written() ? Outcome::unknown : Outcome::failed;
    decision.problem = escape_for_terminal(last.result.text);
  } else {
    call_.decode(last.result, attempt, decision);
  }
  if (const std::string_view command = trail.closing_command(); !command.empty())
    co_await close(command);
  co_return decision;
}

// A failure here means that the connection is lost; the next decision will report it.
Task<> ClientLimiter::close(std::string_view command) {
  call_.remark_once(
      escape_for_terminal(call_.script().name) +
      (command == "DISCARD" ? " can end inside MULTI" : " can end with keys watched") +
      ": rlctl sends " + std::string(command) + " after it");
  co_await redis_.send(encode_command(command));
}

}  // namespace rlctl
