#include "limiter/script_limiter.h"

#include "base/escape.h"
#include "io/redis/command.h"
#include "io/redis/redis_error.h"

namespace rlctl {
namespace {

bool has_answer(const Exchange& exchange) {
  return exchange.state == Exchange::State::replied && !exchange.reply.is_error();
}

// `failed` if it was certainly not executed, otherwise `unknown`.
Outcome outcome_without_answer(const Exchange& exchange) {
  const bool failed = exchange.state == Exchange::State::replied
                          ? refused_before_running(exchange.reply)
                          : exchange.state == Exchange::State::not_sent;
  return failed ? Outcome::failed : Outcome::unknown;
}

std::string problem_of(const Exchange& exchange) {
  if (exchange.state != Exchange::State::replied) return exchange.problem;
  return escape_for_terminal(exchange.reply.text);
}

}  // namespace

Task<Decision> ScriptLimiter::decide(Attempt attempt) {
  const std::int64_t told_us = call_.render(attempt, wire_);
  Exchange exchange = co_await redis_.send(wire_);
  Decision decision;
  if (exchange.sent_us != 0) decision.sent_us = sent_at(told_us, exchange.sent_us);
  bool certainly_not_run = false;
  if (exchange.reply.is_error() && error_code(exchange.reply) == "NOSCRIPT") {
    exchange = co_await redis_.send(encode_command("SCRIPT", "LOAD", call_.script().text));
    certainly_not_run = !has_answer(exchange);
    if (!certainly_not_run) exchange = co_await redis_.send(wire_);
  }
  if (exchange.received_us != 0) decision.received_us = exchange.received_us;
  if (has_answer(exchange)) {
    call_.decode(exchange.reply, attempt, decision);
  } else {
    decision.outcome = certainly_not_run ? Outcome::failed : outcome_without_answer(exchange);
    decision.problem = problem_of(exchange);
  }
  co_return decision;
}

Task<> load_script_into(Redis& redis, const Script& script) {
  co_await ask(redis, encode_command("SCRIPT", "LOAD", script.text));
}

}  // namespace rlctl
