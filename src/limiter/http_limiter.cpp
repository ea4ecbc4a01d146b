#include "limiter/http_limiter.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/escape.h"
#include "base/status_set.h"
#include "base/text.h"
#include "base/timestamp.h"
#include "policy/rls_message.h"

namespace rlctl {
namespace {

// Every response has a Date, so that field alone is no information.
bool says_something(const std::vector<HeaderField>& fields) {
  return std::any_of(fields.begin(), fields.end(),
                     [](const HeaderField& field) { return field.name.size() != 4; });
}

std::string redirect_in_words(const HttpExchange& exchange, const HttpUrl& from) {
  const std::string url = from.scheme + "://" + from.authority;
  for (const HeaderField& field : exchange.fields) {
    if (field.name.size() != std::string_view("location").size()) continue;
    const std::string place = other_place(url, field.value);
    return place.empty() ? "redirects to " + in_quotes(field.value)
                         : "redirects to another host, " + in_quotes(place);
  }
  return "redirects without a Location";
}

std::string unknown_in_words(const HttpExchange& exchange, const HttpUrl& url) {
  std::string text = "status " + std::to_string(exchange.status);
  if (exchange.status >= 300 && exchange.status < 400)
    return text + ": it " + redirect_in_words(exchange, url) + ", which is not followed";
  return text + ", neither allowed nor denied";
}

// What to do about words of a problem (io/http, io/tls). Most of these are not the service's.
constexpr std::pair<const char*, const char*> kHints[] = {
    {"certificate", "trust its signer with --cacert FILE, or any certificate with --insecure"},
    {"does not speak TLS", "use http://, or the port that speaks TLS"},
    {"speak HTTP/2", "remove --http2, or use the port that speaks it"},
    {"offer HTTP/2", "remove --http2"},
    {"the source address", "name an address of this machine with --source-ip"},
    {"the proxy ", "check the proxy, or remove --proxy"},
    {"no reply within", "allow more with --timeout"}};

Decision failed(const char* problem) {
  Decision decision;
  decision.outcome = Outcome::failed;
  decision.problem = problem;
  return decision;
}

}  // namespace

void HttpLimiter::prepare(const Identity& identity, std::int64_t cost) {
  const bool varies = target_.varies_with_client || login_ != nullptr;
  const bool same =
      !varies || (values_.client == identity && !(login_ != nullptr && login_->is_renewed()));
  if (prepared_ && same && values_.cost == cost && !target_.varies_always) return;
  prepared_ = false;
  values_.client = identity;
  values_.cost = cost;
  if (login_ != nullptr) values_.captured = &login_->values_of(identity);
  if (target_.varies_always) numbers_.number(values_);
  request_ = target_.request_for(values_);
  prepared_ = true;
}

// A service may repeat them in the address of a redirect.
std::string HttpLimiter::without_secrets(std::string text, const Identity& client) const {
  std::vector<std::string> secrets = target_.secrets;
  if (login_ != nullptr)
    for (const auto& [name, value] : login_->values_of(client)) secrets.push_back(value);
  return masked(std::move(text), secrets);
}

// The frame of this coroutine is what a request on its way costs: no decision is in it.
Task<Decision> HttpLimiter::decide(const Attempt& attempt) {
  static const Identity kNobody;
  const Identity& client = attempt.identity != nullptr ? *attempt.identity : kNobody;
  try {
    if (login_ != nullptr && login_->is_renewed()) co_await login_->renew_if_old(client);
    prepare(client, attempt.cost);
  } catch (const Error& error) {
    co_return failed(error.what());
  }
  HttpClient::Send asked = client_.send(request_);
  co_await asked;
  co_return decision_of(asked.exchange(), client);
}

// An admission whose cost is not known may have used anything.
void HttpLimiter::read_cost(const HttpExchange& exchange, Decision& decision) {
  const auto cost = number_at(target_.cost_from, exchange.fields, exchange.body);
  decision.actual_cost = cost.value_or(-1);
  if (cost) return;
  const AnswerPlace& from = target_.cost_from;
  decision.outcome = Outcome::unknown;
  decision.problem = "the answer does not say its cost in " +
                     (from.header.empty() ? from.pointer : "the header " + from.header);
}

RateLimitFields HttpLimiter::read_rls(const HttpExchange& exchange, Decision& decision) {
  RlsAnswer answer;
  if (exchange.status != 200)
    answer.problem =
        "HTTP status " + std::to_string(exchange.status) + ", so no rate limit service is there";
  else
    // A call that fails at once has no body, and one head with all fields.
    answer = read_rls_answer(exchange.trailers.empty() ? exchange.fields : exchange.trailers,
                             exchange.body);
  if (!answer.problem.empty())
    decision.outcome = Outcome::unknown;
  else
    decision.outcome = answer.is_ok ? Outcome::allowed : Outcome::denied;
  decision.problem = std::move(answer.problem);
  return answer.fields;
}

RateLimitFields HttpLimiter::read_http(const HttpExchange& exchange, Decision& decision) {
  if (target_.allowed.has(exchange.status)) {
    decision.outcome = Outcome::allowed;
  } else if (target_.denied.has(exchange.status)) {
    decision.outcome = Outcome::denied;
  } else {
    decision.outcome = Outcome::unknown;
    decision.problem = unknown_in_words(exchange, target_.url);
  }
  if (decision.outcome == Outcome::allowed && target_.cost_from.is_given())
    read_cost(exchange, decision);
  if (!says_something(exchange.fields)) return {};
  return read_rate_limit_fields(exchange.fields, exchange.received_us);
}

// It changes once a second, so it is rarely parsed.
void HttpLimiter::note_date(const HttpExchange& exchange) {
  const auto date = std::ranges::find_if(exchange.fields, [](const HeaderField& field) {
    return equals_ignoring_case(field.name, "date");
  });
  if (date == exchange.fields.end()) return;
  if (date->value != date_) {
    date_ = date->value;
    date_us_ = parse_http_date(date_);
  }
  if (date_us_) claims_.note_date(*date_us_, exchange.sent_us, exchange.received_us);
}

Decision HttpLimiter::decision_of(const HttpExchange& exchange, const Identity& client) {
  Decision decision;
  if (exchange.sent_us != 0) decision.sent_us = exchange.sent_us;
  if (exchange.received_us != 0) decision.received_us = exchange.received_us;
  if (!target_.is_rls()) decision.status = exchange.status;
  if (exchange.state != HttpExchange::State::replied) {
    const bool is_sent = exchange.state != HttpExchange::State::not_sent;
    decision.outcome = is_sent ? Outcome::unknown : Outcome::failed;
    decision.problem = exchange.problem;
    return decision;
  }
  note_date(exchange);
  const RateLimitFields fields =
      target_.is_rls() ? read_rls(exchange, decision) : read_http(exchange, decision);
  if (!decision.problem.empty())
    decision.problem = without_secrets(std::move(decision.problem), client);
  decision.remaining = fields.remaining();
  decision.reset_us = fields.exhausted_reset_us();
  if (decision.outcome != Outcome::allowed) decision.retry_after_us = fields.wait_us();
  claims_.note(fields, decision.outcome);
  return decision;
}

std::string http_hint(const Decision& decision) {
  // A broken answer has a status too.
  const bool is_answered = decision.received_us != kNoTime && decision.status != 0;
  if (is_answered) return remedy_for_status(decision.status, true);
  for (const auto& [words, hint] : kHints)
    if (decision.problem.find(words) != std::string::npos) return hint;
  if (decision.outcome == Outcome::failed) return "check that the service listens there";
  return "";
}

}  // namespace rlctl
