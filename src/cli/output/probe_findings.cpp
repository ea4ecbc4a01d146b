#include "cli/output/probe_findings.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/units.h"
#include "policy/rules_text.h"
#include "probe/finding_text.h"

namespace rlctl {
namespace {

Json hypothesis_json(const Hypothesis& one) {
  Json json{{"kind", one.row().name}, {"open", one.is_open()}};
  if (one.beside) json["beside"] = hypothesis_json(*one.beside);
  if (!one.same_as.empty()) json["same_as"] = one.same_as;
  if (one.is_refuted()) json["refuted_by"] = one.refuted_by;
  if (!one.is_open()) return json;
  if (one.has_policy()) json["policy"] = rules_text(rules_of(one));
  json["limit"] = {one.limit, one.limit_high};
  const bool is_penalty = one.kind == LimiterKind::penalty;
  json[one.kind == LimiterKind::bucket ? "refill_us"
       : is_penalty                    ? "penalty_us"
                                       : "window_us"] = {one.low_us, one.high_us};
  if (is_penalty) json["window_at_most_us"] = one.high_us;
  if (one.row().aligned) json["edge_us"] = {one.edge_low_us, one.edge_high_us};
  json["denied_count"] = one.row().counts_denied;
  return json;
}

Json burst_json(const BurstFinding& found) {
  Json json{{"kind", name_of(found.kind)}, {"sent", found.sent}, {"admitted", found.admitted}};
  if (const Rules rules = rules_of(found); !rules.empty()) json["policy"] = rules_text(rules);
  if (found.kind == BurstKind::queue) json["gap_us"] = {found.gap_low_us, found.gap_high_us};
  return json;
}

std::string headers_text(const ProbeFindings& findings) {
  std::string text;
  if (findings.promises.tested > 0)
    text += fmt::format("Retry-After was obeyed {}: {} (tolerance {}: a round trip, and 1ms)\n",
                        counted(findings.promises.tested, "time"),
                        findings.promises.broken == 0
                            ? "the next request was admitted"
                            : counted(findings.promises.broken, "was", "were") + " denied again",
                        format_duration_for_people(findings.promises.tolerance_us));
  for (const HeaderFinding& one : findings.headers)
    text += fmt::format("headers: {}: {}\n", name_of(one.kind), one.words);
  return text;
}

Json headers_json(const ProbeFindings& findings) {
  Json json{{"retry_after_obeyed", findings.promises.tested},
            {"denied_again", findings.promises.broken}};
  json["findings"] = Json::array();
  for (const HeaderFinding& one : findings.headers)
    json["findings"].push_back({{"kind", name_of(one.kind)}, {"words", one.words}});
  return json;
}

Json identity_json(const ProbeFindings& findings) {
  Json list = Json::array();
  for (const IdentityFinding& one : findings.identity)
    list.push_back(
        {{"part", one.trial.name}, {"quota", name_of(one.answer)}, {"times", one.times}});
  for (const PartLeftOut& one : findings.left_out)
    list.push_back({{"part", one.name}, {"left_out", one.why}});
  return list;
}

std::string sent_text(const ProbeFindings& findings) {
  std::string text = fmt::format("sent: {}", counted(findings.requests(), "request"));
  if (findings.sent_beside.empty()) return text + "\n";
  text += fmt::format(": {} to examine", format_count(findings.examined_with()));
  for (const auto& [what, requests] : findings.sent_beside)
    text += fmt::format(", {} {}", format_count(requests), what);
  return text + "\n";
}

}  // namespace

std::int64_t ProbeFindings::requests() const {
  std::int64_t requests = examined_with();
  for (const auto& [what, beside] : sent_beside) requests += beside;
  return requests;
}

std::string probe_text(const ProbeFindings& findings) {
  return finding_text(findings.examination) + burst_text(findings.burst) + headers_text(findings) +
         (findings.clock ? clock_text(*findings.clock, findings.ahead_us) : "") +
         identity_text(findings.identity, findings.left_out) + sent_text(findings);
}

nlohmann::ordered_json probe_json(const ProbeFindings& findings, const std::string& limiter) {
  const Examination& examination = findings.examination;
  Json body{{"limiter", limiter},
            {"result", name_of(examination.end())},
            {"requests", findings.requests()},
            {"agree", examination.answers_that_agree()}};
  if (findings.interrupted) body["interrupted"] = true;
  if (const auto from = examination.unseen_from()) body["second_rule_unseen_from"] = *from;
  body["sent"]["to examine"] = findings.examined_with();
  for (const auto& [what, requests] : findings.sent_beside) body["sent"][what] = requests;
  const Undecided undecided = undecided_of(examination.log().records);
  for (const auto& [status, count] : undecided.by_status)
    body["undecided"]["status " + std::to_string(status)] = count;
  if (undecided.unanswered > 0) body["undecided"]["unanswered"] = undecided.unanswered;
  if (examination.began_again()) body["before_a_rest"] = examination.before().size();
  body["hypotheses"] = Json::array();
  for (const Hypothesis& one : examination.hypotheses())
    body["hypotheses"].push_back(hypothesis_json(one));
  if (findings.burst.sent > 0) body["burst"] = burst_json(findings.burst);
  if (const auto apart = examination.telling_more())
    body["would_tell_apart"] = {
        {"step", apart->tactic.name}, {"requests", apart->requests}, {"lasts_us", apart->lasts_us}};
  if (findings.clock) body["clock"] = name_of(*findings.clock);
  body["headers"] = headers_json(findings);
  body["identity"] = identity_json(findings);
  body["steps"] = examination.done();
  return body;
}

}  // namespace rlctl
