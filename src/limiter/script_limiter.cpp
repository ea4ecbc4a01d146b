#include "limiter/script_limiter.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/escape.h"
#include "base/text.h"
#include "io/redis/command.h"
#include "io/redis/redis_error.h"

namespace rlctl {
namespace {

constexpr std::string_view kPlace = "user_script:";

// The number after the last `user_script:`; 0: there is none.
std::size_t line_in(std::string_view error) {
  const auto at = error.rfind(kPlace);
  if (at == error.npos) return 0;
  const std::string_view rest = error.substr(at + kPlace.size());
  const auto digits = rest.substr(0, std::min(rest.find_first_not_of("0123456789"), rest.size()));
  return parse_whole<std::size_t>(digits).value_or(0);
}

// Removes ` script: SHA, on @user_script:57.` at the end and `user_script:57: ` in the message.
std::string message_of(std::string_view error) {
  std::string text(error.substr(0, error.find(" script: ")));
  const auto at = text.find(kPlace);
  if (at == text.npos) return text;
  const auto end = text.find_first_not_of("0123456789", at + kPlace.size());
  const bool is_prefix = end != text.npos && text.compare(end, 2, ": ") == 0;
  if (is_prefix) text.erase(at, end + 2 - at);
  return text;
}

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

std::string problem_of(const Exchange& exchange, const Script& script) {
  if (exchange.state != Exchange::State::replied) return exchange.problem;
  return script_error_in_words(exchange.reply.text, script);
}

}  // namespace

std::string script_error_in_words(std::string_view error, const Script& script) {
  const std::string message = escape_for_terminal(message_of(error));
  const std::size_t line = line_in(error);
  const bool is_own = line > script.lines_before &&
                      (script.own_lines == 0 || line <= script.lines_before + script.own_lines);
  if (!is_own) return message;
  return fmt::format("{} (line {} of {})", message, line - script.lines_before,
                     escape_for_terminal(script.origin));
}

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
    decision.problem = problem_of(exchange, call_.script());
  }
  co_return decision;
}

Task<> load_script_into(Redis& redis, const Script& script) {
  co_await ask(redis, encode_command("SCRIPT", "LOAD", script.text));
}

}  // namespace rlctl
