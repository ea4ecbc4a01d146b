#include "result/log_portion.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/escape.h"
#include "log/log_encoder.h"
#include "log/log_header.h"
#include "result/stored.h"

namespace rlctl {

// All members, or it does not compile: one that is forgotten would be lost on the way.
static auto members_of(WorstWindow& window) {
  auto& [from_us, to_us, records] = window;
  return std::tie(from_us, to_us, records);
}

static auto members_of(Figures& figures) {
  auto& [operations, allowed, denied, unknown, failed, max_certain, max_possible, over_admission,
         proof, excess_certain, certain_false_denials, unverifiable_denials, peak, burst_factor,
         overshoot, slack_us, decisions, right, wrong, undecided, accuracy_low, accuracy_high,
         worst_window, in_flight_share, admitted_in_blocks, together, contradictions, against,
         rule] = figures;
  return std::tie(operations, allowed, denied, unknown, failed, max_certain, max_possible,
                  over_admission, proof, excess_certain, certain_false_denials,
                  unverifiable_denials, peak, burst_factor, overshoot, slack_us, decisions, right,
                  wrong, undecided, accuracy_low, accuracy_high, worst_window, in_flight_share,
                  admitted_in_blocks, together, contradictions, against, rule);
}

static auto members_of(KeyFigures& key) {
  auto& [number, figures, text] = key;
  return std::tie(number, figures, text);
}

static auto members_of(LoggedPhase& phase) {
  auto& [name, started_us, ended_us, dropped, completed] = phase;
  return std::tie(name, started_us, ended_us, dropped, completed);
}

static auto members_of(TargetCounts& counts) {
  auto& [target, requests, allowed, denied, unknown, failed] = counts;
  return std::tie(target, requests, allowed, denied, unknown, failed);
}

static auto members_of(ClockEvidence& clock) {
  auto& [grain_us, stamps, widest_us, highest_low_us, lowest_high_us, by_key, lowest_low_us,
         highest_high_us, step_us, stepped_keys, ahead_key, behind_key] = clock;
  return std::tie(grain_us, stamps, widest_us, highest_low_us, lowest_high_us, by_key,
                  lowest_low_us, highest_high_us, step_us, stepped_keys, ahead_key, behind_key);
}

static auto members_of(LogFacts& facts) {
  auto& [operations, failed, allowed, denied, unknown, late, unknown_by_status, any_status,
         has_actual_costs, targets, clock, from_us, to_us, first_answer_us, first_stamp_us,
         most_in_flight] = facts;
  return std::tie(operations, failed, allowed, denied, unknown, late, unknown_by_status, any_status,
                  has_actual_costs, targets, clock, from_us, to_us, first_answer_us, first_stamp_us,
                  most_in_flight);
}

static auto members_of(KeptPromises& promises) {
  auto& [tested, broken, breaks, error_us, tolerance_us, early, early_us, early_records] = promises;
  return std::tie(tested, broken, breaks, error_us, tolerance_us, early, early_us, early_records);
}

static auto members_of(SourceLine& source) {
  auto& [file, line] = source;
  return std::tie(file, line);
}

static auto members_of(Finish& finish) {
  auto& [sent_us, received_us, actual_cost] = finish;
  return std::tie(sent_us, received_us, actual_cost);
}

static auto members_of(SummedKeys& keys) {
  auto& [sums, kept] = keys;
  return std::tie(sums, kept);
}

// std::tie refuses bit-fields.
static Json stored(const Record& record) {
  const auto& [intended_us, sent_us, received_us, server_us, retry_after_us, key, cost, remaining,
               reset_ms, server_span_us, who, status, target, phase, outcome, lacks_duration] =
      record;
  return Json::array({intended_us, sent_us, received_us, server_us, retry_after_us, key, cost,
                      remaining, reset_ms, server_span_us, who, unsigned{status}, unsigned{target},
                      phase, stored(Outcome{outcome}), bool{lacks_duration}});
}

static void restore(const Json& json, Record& record) {
  std::uint16_t status = 0;
  std::uint16_t target = 0;
  Outcome outcome = Outcome::unknown;
  bool lacks_duration = false;
  restore(json, std::tie(record.intended_us, record.sent_us, record.received_us, record.server_us,
                         record.retry_after_us, record.key, record.cost, record.remaining,
                         record.reset_ms, record.server_span_us, record.who, status, target,
                         record.phase, outcome, lacks_duration));
  record.status = status & 0x3ffU;
  record.target = target & 0x3fU;
  record.outcome = outcome;
  record.lacks_duration = lacks_duration;
}

namespace {

constexpr std::string_view kSchema = "rlctl.verify_part/1";

// What a header has not.
auto unwritten(Log& log) {
  return std::tie(log.slow_before_us, log.slow_after_us, log.lacks_durations, log.widened_us,
                  log.lacks_latencies, log.cut, log.stopped, log.runs, log.played, log.identities,
                  log.phases);
}

Json stored_head(const Log& head) {
  std::string line;
  LogEncoder(LogFormat::json_lines).append_header(head, line);
  Log copy = head;
  return Json::array({line, stored(unwritten(copy))});
}

Log restored_head(const Json& json) {
  std::string line;
  restore(list_in(json, 2)[0], line);
  Log head = parse_log_header(line);
  restore(json[1], unwritten(head));
  return head;
}

Json agreed_on(const LogPortion& portion) {
  Json histories = Json::array();
  for (const JudgedPortion& history : portion.histories)
    histories.push_back({stored_head(history.head), stored(history.facts),
                         stored(history.assumed_us), stored(history.promises)});
  Json agreed = Json::object();
  agreed["options"] = Json::parse(portion.options);
  agreed["files"] = portion.source.files.size();
  agreed["lines"] = portion.source.lines;
  agreed["bad_lines"] = portion.source.bad_lines;
  agreed["digest"] = portion.source.digest;
  agreed["histories"] = std::move(histories);
  return agreed;
}

const Json& member(const Json& json, const char* name) {
  if (!json.is_object() || !json.contains(name)) refuse_stored();
  return json[name];
}

// What is used as an index.
void check(SummedKeys keys, std::size_t rules, const Log& head, std::size_t files) {
  keys.sums.each_figures([&](const Figures& figures) {
    if (figures.rule >= rules) refuse_stored();
  });
  if (!keys.kept.has_named(keys.sums)) refuse_stored();
  Log log;
  LineMap lines;
  keys.kept.make_log(head, log, lines);
  for (std::uint32_t i = 0; i < log.records.size(); ++i) {
    const Record& record = log.records[i];
    const auto is_named = [](std::size_t index, const std::vector<std::string>& names) {
      return index == 0 || index < names.size();
    };
    if (!is_named(record.who, log.identities) || !is_named(record.phase, log.phases) ||
        !is_named(record.target, log.targets) || lines.line_of(i).file >= files)
      refuse_stored();
  }
}

void check(const JudgedPortion& history, std::size_t files) {
  const auto assumed = UnansweredBounds::only_assumed(history.assumed_us);
  std::size_t way = 0;
  each_way({history.head, history.facts, assumed}, {}, [&](const FramedRules& framed) {
    if (way == history.ways.size()) refuse_stored();
    check(history.ways[way++], framed.rules.size(), history.head, files);
  });
  if (way != history.ways.size()) refuse_stored();
}

void restore_histories(const Json& document, LogPortion& portion) {
  const Json& agreed = list_in(member(member(document, "agreed"), "histories"));
  const Json& judged = list_in(member(document, "judged"), agreed.size());
  for (std::size_t i = 0; i < agreed.size(); ++i) {
    JudgedPortion& history = portion.histories.emplace_back();
    history.head = restored_head(list_in(agreed[i], 4)[0]);
    restore(agreed[i][1], history.facts);
    restore(agreed[i][2], history.assumed_us);
    restore(agreed[i][3], history.promises);
    restore(judged[i], history.ways);
    check(history, portion.source.files.size());
  }
}

void restore_source(const Json& document, ParsedLogs& source) {
  restore(member(member(document, "agreed"), "lines"), source.lines);
  restore(member(member(document, "agreed"), "bad_lines"), source.bad_lines);
  restore(member(document, "files"), source.files);
  restore(member(document, "bad_line_examples"), source.examples);
  restore(member(document, "notes"), source.notes);
}

LogPortion restored(const Json& document, const std::string& version) {
  std::string text;
  restore(member(document, "version"), text);
  if (text != version)
    throw Error(Exit::usage,
                "it was written by rlctl " + in_quotes(text) + ", and this is " + version,
                "use one version for all parts");
  LogPortion portion;
  restore(member(document, "part"), text);
  portion.part = parse_shard(text, "part");
  portion.options = dump_json(member(member(document, "agreed"), "options"));
  portion.agreed = dump_json(member(document, "agreed"));
  restore_source(document, portion.source);
  restore_histories(document, portion);
  return portion;
}

[[noreturn]] void refuse(const LogPortion& portion, const std::string& why,
                         const std::string& hint) {
  throw Error(Exit::usage, in_quotes(portion.name) + ": " + why, hint);
}

}  // namespace

Json portion_document(const LogPortion& portion, const std::string& version) {
  Json document = Json::object();
  document["schema"] = kSchema;
  document["version"] = version;
  document["part"] = portion.part.text();
  document["files"] = stored(portion.source.files);
  document["bad_line_examples"] = stored(portion.source.examples);
  document["notes"] = stored(portion.source.notes);
  document["agreed"] = agreed_on(portion);
  Json& judged = document["judged"] = Json::array();
  for (const JudgedPortion& history : portion.histories) judged.push_back(stored(history.ways));
  return document;
}

bool looks_like_portion(std::string_view text) {
  return text.substr(0, 64).find(kSchema) != std::string_view::npos;
}

LogPortion read_portion(std::string_view text, const std::string& name,
                        const std::string& version) {
  const auto is_shallow = [](int depth, Json::parse_event_t, Json&) {
    return depth < static_cast<int>(kDeepestJson);
  };
  try {
    LogPortion portion = restored(Json::parse(text, is_shallow, false), version);
    portion.name = name;
    return portion;
  } catch (const Error& error) {
    const std::string hint = error.hint();
    throw Error(Exit::usage, in_quotes(name) + ": " + error.what(),
                hint.empty() ? "make it again: rlctl verify LOG --part I/N" : hint);
  }
}

void check_portions(const std::vector<LogPortion>& portions) {
  const LogPortion& first = portions.front();
  std::set<std::uint32_t> found;
  for (const LogPortion& portion : portions) {
    if (portion.part.count != first.part.count)
      refuse(portion,
             fmt::format("it is part {}, and {} is part {}", portion.part.text(),
                         in_quotes(first.name), first.part.text()),
             "join the parts of one log, of which all are I/N with the same N");
    if (portion.agreed != first.agreed)
      refuse(portion,
             "it is of another log than " + in_quotes(first.name) +
                 ", or was judged with other options",
             "make all parts from the same log with the same options");
    if (!found.insert(portion.part.index).second)
      refuse(portion, fmt::format("part {} is there twice", portion.part.text()),
             "give every part once");
  }
  for (std::uint32_t i = 1; i <= first.part.count; ++i)
    if (!found.contains(i))
      throw Error(Exit::usage, fmt::format("part {} is missing", Shard{i, first.part.count}.text()),
                  fmt::format("make it: rlctl verify LOG --part {} with the options of the others",
                              Shard{i, first.part.count}.text()));
}

}  // namespace rlctl
