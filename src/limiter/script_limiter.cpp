#include "limiter/script_limiter.h"

#include "core/escape.h"
#include "io/command.h"
#include "io/redis_error.h"

namespace rlctl {
namespace {

// What an exchange without a decision was: certainly not executed, or not known.
void explain_failure(const Exchange& exchange, Decision& decision) {
  const bool replied = exchange.state == Exchange::State::replied;
  const bool failed = replied ? refused_before_running(exchange.reply)
                              : exchange.state == Exchange::State::not_sent;
  decision.outcome = failed ? Outcome::failed : Outcome::unknown;
  decision.problem = replied ? escape_for_terminal(exchange.reply.text) : exchange.problem;
  if (!replied) decision.received_us = kNoTime;
}

}  // namespace

Task<Decision> ScriptLimiter::decide(Attempt attempt) {
  call_.render(attempt, wire_);
  Exchange exchange = co_await redis_.send(wire_);
  Decision decision;
  decision.sent_us = exchange.sent_us;
  if (exchange.reply.is_error() && error_code(exchange.reply) == "NOSCRIPT") {
    exchange = co_await redis_.send(encode_command("SCRIPT", "LOAD", call_.script().text));
    if (exchange.state == Exchange::State::replied && !exchange.reply.is_error())
      exchange = co_await redis_.send(wire_);
  }
  decision.received_us = exchange.received_us;
  if (exchange.state == Exchange::State::replied && !exchange.reply.is_error())
    call_.decode(exchange.reply, attempt, decision);
  else
    explain_failure(exchange, decision);
  co_return decision;
}

Task<> load_script_into(Redis& redis, const Script& script) {
  co_await ask(redis, encode_command("SCRIPT", "LOAD", script.text));
}

}  // namespace rlctl
