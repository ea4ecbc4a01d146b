// The worked histories of vectors.json; each is a test with its name. Times there are in ms and are
// used unchanged, since the unit does not matter.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "verdict/algorithm/clock_offset.h"
#include "verdict/verdict.h"

namespace {

using nlohmann::json;
using namespace rlctl;

json vectors() {
  std::ifstream in(RLCTL_UNIT_DIR "/verdict/vectors.json");
  REQUIRE(in.good());
  return json::parse(in).at("vectors");
}

Outcome outcome_of(const std::string& name) {
  if (name == "allow") return Outcome::allowed;
  if (name == "deny") return Outcome::denied;
  REQUIRE(name == "unknown");
  return Outcome::unknown;
}

std::uint32_t index_of(std::vector<std::string>& names, const std::string& name) {
  const auto at = std::find(names.begin(), names.end(), name);
  if (at == names.end()) names.push_back(name);
  return static_cast<std::uint32_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

Log log_of(const json& ops, bool one_key = false) {
  Log log;
  for (const json& op : ops) {
    Record record;
    record.sent_us = op.at("s");
    if (!op.at("r").is_null()) record.received_us = op.at("r");
    record.outcome = outcome_of(op.at("d"));
    record.key = index_of(log.keys, one_key ? "all" : op.at("key").get<std::string>());
    log.records.push_back(record);
  }
  return log;
}

Rule contract_of(const json& policy) {
  Rule contract;
  const std::string kind = policy.at("kind");
  if (kind == "token_bucket") {
    contract.kind = RuleKind::bucket;
    contract.capacity = policy.at("capacity");
    contract.limit = policy.at("rate_per_ms").at(0);
    contract.window_us = policy.at("rate_per_ms").at(1);
    return contract;
  }
  contract.kind = kind == "fixed_aligned" ? RuleKind::fixed : RuleKind::sliding;
  contract.limit = policy.at("limit");
  contract.window_us = policy.at("window_ms");
  contract.phase_us = policy.value("phase_ms", 0);
  contract.counts_denied = policy.value("counts_denied", false);
  return contract;
}

JudgeOptions options_of(const json& policy) {
  JudgeOptions options;
  options.fresh = policy.value("key_known_fresh", true);
  options.closed = policy.value("boundary", "half_open") == "closed";
  const auto optional = [&](const char* name) -> std::optional<std::int64_t> {
    if (!policy.contains(name) || policy.at(name).is_null()) return {};
    return policy.at(name).get<std::int64_t>();
  };
  options.max_inflight_us = optional("max_inflight_ms");
  options.history_from_us = optional("history_complete_from_ms");
  return options;
}

json ids_of(const json& ops, const std::vector<std::uint32_t>& records) {
  json ids = json::array();
  for (const std::uint32_t record : records) ids.push_back(ops.at(record).at("id"));
  return ids;
}

// Compares every figure that `expect` names.
void check(const json& expect, const Figures& figures, const json& ops) {
  const std::string over = name_of(figures.over_admission);
  const json given = {
      {"max_certain", figures.max_certain},
      {"max_possible", figures.max_possible},
      {"over_admission", over},
      {"proof", name_of(figures.proof)},
      {"excess_certain", figures.excess_certain},
      {"excess", figures.excess_certain},
      {"count", figures.max_certain},
      {"indeterminate", figures.unknown},
      {"max_in_any_window_certain", figures.peak},
      {"burst_factor", figures.burst_factor},
      {"certain_false_denials", ids_of(ops, figures.certain_false_denials)},
      {"worst_window", {figures.worst_window.from_us, figures.worst_window.to_us}},
      {"n", figures.decisions},
      {"ok", figures.right},
      {"wrong", figures.wrong},
      {"undecided", figures.undecided},
  };
  for (const auto& [name, value] : expect.items()) {
    if (!given.contains(name)) continue;
    INFO(name);
    CHECK(given.at(name) == (value == "none_proven" ? json("none") : value));
  }
  if (expect.contains("unverifiable_denials")) {
    CHECK(figures.unverifiable_denials ==
          static_cast<std::int64_t>(expect.at("unverifiable_denials").size()));
  }
  if (expect.contains("accuracy_low")) {
    CHECK(figures.accuracy_low == doctest::Approx(expect.at("accuracy_low").get<double>()));
    CHECK(figures.accuracy_high == doctest::Approx(expect.at("accuracy_high").get<double>()));
  }
}

Figures judged(const json& vector, const JudgeOptions& options) {
  return judge_rules(log_of(vector.at("ops")), {contract_of(vector.at("policy"))}, options).totals;
}

void check_keys(const json& vector) {
  const json& ops = vector.at("ops");
  const Rule contract = contract_of(vector.at("policy"));
  const JudgeOptions options = options_of(vector.at("policy"));
  const Log log = log_of(ops);
  const Judgement judgement = judge_rules(log, {contract}, options);
  CHECK(judgement.keys.size() == vector.at("expect").at("per_key").size());
  for (const KeyFigures& key : judgement.keys) {
    INFO(log.keys[key.key]);
    check(vector.at("expect").at("per_key").at(log.keys[key.key]), key.figures, ops);
  }
  check(vector.at("expect").at("if_global"),
        judge_rules(log_of(ops, true), {contract}, options).totals, ops);
}

void check_offsets(const json& vector) {
  JudgeOptions options = options_of(vector.at("policy"));
  check(vector.at("expect").at("offset_0"), judged(vector, options), vector.at("ops"));
  options.offset_low_us = -10;
  options.offset_high_us = 10;
  check(vector.at("expect").at("offset_pm10"), judged(vector, options), vector.at("ops"));
}

void check_clock(const json& vector) {
  Log log;
  for (const json& sample : vector.at("samples")) {
    Record record;
    record.sent_us = sample.at("s");
    record.received_us = sample.at("r");
    record.server_us = sample.at("tau");
    record.outcome = Outcome::allowed;
    log.records.push_back(record);
  }
  const ClockOffset all = clock_offset(log);
  CHECK(all.low_us == vector.at("expect").at("all").at("lo"));
  CHECK(all.high_us == vector.at("expect").at("all").at("hi"));
  CHECK(all.step_us == vector.at("expect").at("step_at_least_ms"));
  CHECK_FALSE(all.usable());
  log.records.resize(3);
  const ClockOffset three = clock_offset(log);
  CHECK(three.low_us == vector.at("expect").at("first_three").at("lo"));
  CHECK(three.high_us == vector.at("expect").at("first_three").at("hi"));
  CHECK(three.usable());
}

void check_vector(const json& vector) {
  if (vector.contains("samples")) return check_clock(vector);
  const json& expect = vector.at("expect");
  if (expect.contains("per_key")) return check_keys(vector);
  if (expect.contains("offset_0")) return check_offsets(vector);
  check(expect, judged(vector, options_of(vector.at("policy"))), vector.at("ops"));
  if (!vector.contains("variant_last_at_1000")) return;
  json variant = vector;
  variant.at("ops").back()["s"] = variant.at("ops").back()["r"] = 1000;
  check(vector.at("variant_last_at_1000"), judged(variant, options_of(vector.at("policy"))),
        variant.at("ops"));
}

}  // namespace

TEST_CASE("every worked history gives its figures") {
  for (const json& vector : vectors()) {
    SUBCASE(vector.at("name").get<std::string>().c_str()) { check_vector(vector); }
  }
}
