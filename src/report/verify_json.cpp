#include "report/verify_json.h"

#include <algorithm>

#include "base/escape.h"
#include "base/json.h"
#include "policy/policy_json.h"

namespace rlctl {
namespace {

// Longest list of line numbers; the counts next to the lists are always complete.
constexpr std::size_t kMostLines = 1'000;

class Writer {
 public:
  explicit Writer(const VerifyResult& result) : result_(result) {}

  Json history(const JudgedHistory& history) const {
    Json json = Json::object();
    if (!history.log().algorithm.empty()) put_bytes(json, "algorithm", history.log().algorithm);
    if (!history.log().history.empty()) put_bytes(json, "history", history.log().history);
    if (history.verdict) add_verdict(history, *history.verdict, json);
    if (history.inference) json["inferred"] = inferred(*history.inference);
    return json;
  }

 private:
  void add_verdict(const JudgedHistory& history, const Verdict& verdict, Json& json) const {
    json["verdict"] = name_of(verdict.verdict);
    json["violations"] = violations(verdict);
    json["reason"] = verdict.reason;
    if (!verdict.remedy.empty()) json["remedy"] = verdict.remedy;
    json["notes"] = verdict.notes;
    json["policy"] = nullptr;
    if (history.log().policy.window_us > 0) {
      json["policy"] = policy_to_json(history.log().policy);
      json["policy"]["verdict"] = name_of(verdict.policy.verdict);
    }
    json["own_contract"] = own_contract(history, verdict);
    json["totals"] = figures(history, verdict.policy.totals);
    json["keys"] = keys(history, verdict.policy.keys);
  }

  static Json violations(const Violations& violations) {
    Json names = Json::array();
    if (violations.over_admission) names.push_back("over_admission");
    if (violations.false_denial) names.push_back("false_denial");
    return names;
  }

  static Json violations(const Verdict& verdict) {
    Violations either = verdict.policy.violations;
    if (verdict.own) {
      either.over_admission = either.over_admission || verdict.own->violations.over_admission;
      either.false_denial = either.false_denial || verdict.own->violations.false_denial;
    }
    return violations(either);
  }

  Json own_contract(const JudgedHistory& history, const Verdict& verdict) const {
    if (!verdict.own) return nullptr;
    return {{"contract", contract_to_json(verdict.own->contract)},
            {"verdict", name_of(verdict.own->verdict)},
            {"violations", violations(verdict.own->violations)},
            {"reason", verdict.own->reason},
            {"totals", figures(history, verdict.own->totals)}};
  }

  Json lines(const JudgedHistory& history, const std::vector<std::uint32_t>& records) const {
    Json lines = Json::array();
    const std::size_t most = result_.most_keys == 0 ? records.size() : kMostLines;
    for (std::size_t i = 0; i < std::min(most, records.size()); ++i)
      lines.push_back(history.parsed.lines.line_of(records[i]).line);
    return lines;
  }

  // Only with several files, where a line number alone is ambiguous.
  Json files(const JudgedHistory& history, const std::vector<std::uint32_t>& records) const {
    Json files = Json::array();
    const std::size_t most = result_.most_keys == 0 ? records.size() : kMostLines;
    for (std::size_t i = 0; i < std::min(most, records.size()); ++i) {
      const auto& name = result_.source.files.at(history.parsed.lines.line_of(records[i]).file);
      files.push_back(escape_for_terminal(name));
    }
    return files;
  }

  Json window(const JudgedHistory& history, const WorstWindow& window) const {
    if (window.records.empty()) return nullptr;
    Json json{{"from_us", window.from_us},
              {"to_us", window.to_us},
              {"records", lines(history, window.records)}};
    if (result_.source.files.size() > 1) json["files"] = files(history, window.records);
    return json;
  }

  Json figures(const JudgedHistory& history, const Figures& figures) const {
    Json json{{"operations", figures.operations},
              {"allowed", figures.allowed},
              {"denied", figures.denied},
              {"unknown", figures.unknown},
              {"failed", figures.failed},
              {"max_certain", figures.max_certain},
              {"max_possible", figures.max_possible},
              {"over_admission", name_of(figures.over_admission)},
              {"proof", name_of(figures.proof)},
              {"excess_certain", figures.excess_certain},
              {"certain_false_denials", figures.certain_false_denials.size()},
              {"certain_false_denial_lines", lines(history, figures.certain_false_denials)}};
    if (result_.source.files.size() > 1)
      json["certain_false_denial_files"] = files(history, figures.certain_false_denials);
    json["unverifiable_denials"] = figures.unverifiable_denials;
    json["peak"] = figures.peak;
    json["burst_factor"] = figures.burst_factor;
    json["slack_us"] = figures.slack_us;
    json["accuracy_low"] = figures.decisions > 0 ? Json(figures.accuracy_low) : Json(nullptr);
    json["accuracy_high"] = figures.decisions > 0 ? Json(figures.accuracy_high) : Json(nullptr);
    json["undecided"] = figures.undecided;
    json["worst_window"] = window(history, figures.worst_window);
    return json;
  }

  Json keys(const JudgedHistory& history, const std::vector<KeyFigures>& keys) const {
    Json list = Json::array();
    for (const KeyFigures& key : keys) {
      if (result_.most_keys > 0 && list.size() >= result_.most_keys) break;
      Json json;
      put_bytes(json, "key", history.log().keys[key.key]);
      json.update(figures(history, key.figures));
      list.push_back(std::move(json));
    }
    return list;
  }

  static Json bucket(const std::optional<InferredBucket>& bucket) {
    if (!bucket) return nullptr;
    return {{"capacity", bucket->capacity}, {"rate_per_window", bucket->rate_per_window}};
  }

  static Json inferred(const Inference& inference) {
    Json json{{"admissions", inference.admissions},
              {"limit", inference.limit},
              {"window_us", inference.window_us},
              {"tightest_limit", or_null(inference.tightest_limit)},
              {"possible_limit", or_null(inference.possible_limit)},
              {"widest_window_us", or_null(inference.widest_window_us)},
              {"bucket_at_rate", bucket(inference.bucket_at_rate)},
              {"bucket_at_limit", bucket(inference.bucket_at_limit)}};
    json["envelope"] = Json::array();
    for (const EnvelopePoint& point : inference.envelope)
      json["envelope"].push_back({{"span_us", point.span_us}, {"admissions", point.admissions}});
    return json;
  }

  const VerifyResult& result_;
};

}  // namespace

Json verify_json(const VerifyResult& result) {
  const Writer writer(result);
  Json json = writer.history(worst_of(result));
  json["lines"] = result.source.lines;
  json["bad_lines"] = result.source.bad_lines;
  json["bad_line_examples"] = result.source.examples;
  if (!json.contains("notes")) json["notes"] = Json::array();
  for (const std::string& note : result.source.notes) json["notes"].push_back(note);
  if (result.histories.size() > 1) {
    json["histories"] = Json::array();
    for (const JudgedHistory& history : result.histories)
      json["histories"].push_back(writer.history(history));
  }
  return json;
}

}  // namespace rlctl
