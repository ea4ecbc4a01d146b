#include "cli/hit_http.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/escape.h"
#include "base/json.h"
#include "base/units.h"
#include "cli/output/output.h"
#include "limiter/http_limiter.h"

namespace rlctl {
namespace {

struct HttpHits {
  std::vector<Decision> decisions;
  bool interrupted = false;
};

Task<HttpHits> hit(Loop& loop, HttpLimiter& limiter, std::int64_t count) {
  HttpHits hits;
  while (static_cast<std::int64_t>(hits.decisions.size()) < count) {
    hits.interrupted = loop.interrupted();
    if (hits.interrupted) break;
    hits.decisions.push_back(co_await limiter.decide({}));
    if (hits.decisions.back().outcome > Outcome::denied) break;
  }
  co_return hits;
}

std::string in_words(const Decision& decision) {
  const bool allowed = decision.outcome == Outcome::allowed;
  std::string text = fmt::format("{}, status {}", allowed ? "allowed" : "denied", decision.status);
  if (decision.remaining >= 0) text += fmt::format(", {} left", decision.remaining);
  if (decision.retry_after_us != kNoTime)
    text += ", retry after " + format_duration_for_people(decision.retry_after_us);
  return text;
}

nlohmann::ordered_json to_json(const Decision& decision) {
  nlohmann::ordered_json json{{"allowed", decision.outcome == Outcome::allowed},
                              {"status", decision.status}};
  if (decision.remaining >= 0) json["remaining"] = decision.remaining;
  if (decision.retry_after_us != kNoTime) json["retry_after_us"] = decision.retry_after_us;
  json["latency_us"] = decision.received_us - decision.sent_us;
  return json;
}

void print_hits(const HttpHits& hits, const HttpTarget& target, bool json) {
  nlohmann::ordered_json decisions = nlohmann::ordered_json::array();
  for (const Decision& decision : hits.decisions) {
    if (decision.outcome > Outcome::denied) break;
    if (json)
      decisions.push_back(to_json(decision));
    else
      print(in_words(decision) + "\n");
  }
  if (!json) return;
  nlohmann::ordered_json body;
  put_bytes(body, "target", target.url.shown);
  body["decisions"] = std::move(decisions);
  print_json("hit", std::move(body));
}

std::string hint_for(const Decision& decision) {
  if (decision.status == 404) return "check the path";
  if (decision.status != 0)
    return "set which statuses mean allowed and denied with --allowed and --denied";
  if (decision.problem.find("certificate") != std::string::npos)
    return "trust its signer with --cacert FILE, or any certificate with --insecure";
  if (decision.outcome == Outcome::failed) return "check that the service listens there";
  return "";
}

}  // namespace

Exit hit_http(const HttpOptions& options, std::int64_t timeout_us, std::int64_t count, bool json) {
  const HttpTarget target = http_target_from(options.spec(timeout_us));
  const HttpSettings settings = http_settings_for(target, options.transport(timeout_us));
  Loop loop;
  loop.watch_signals();
  HttpClient client(loop, settings);
  HttpLimiter limiter(client, target);
  const HttpHits hits = loop.run(hit(loop, limiter, count));
  print_hits(hits, target, json);
  if (hits.interrupted) return Exit::interrupted;
  const Decision& last = hits.decisions.back();
  if (last.outcome > Outcome::denied)
    throw Error(Exit::target,
                "no decision from " + in_quotes(target.url.shown) + ": " + last.problem,
                hint_for(last));
  for (const Decision& decision : hits.decisions)
    if (decision.outcome == Outcome::denied) return Exit::violated;
  return Exit::done;
}

}  // namespace rlctl
