#include "log/log_encoder.h"

#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/escape.h"
#include "base/json.h"
#include "base/utf8.h"
#include "base/words.h"
#include "policy/policy_json.h"

namespace rlctl {
namespace {

Json faults_to_json(const std::vector<LoggedFault>& faults) {
  Json list = Json::array();
  for (const LoggedFault& fault : faults) {
    Json json;
    put_bytes(json, "kind", fault.kind);
    json["at_us"] = fault.at_us;
    json["ended_us"] = fault.ended_us;
    list.push_back(std::move(json));
  }
  return list;
}

Json phases_to_json(const std::vector<LoggedPhase>& phases) {
  Json list = Json::array();
  for (const auto& [name, started_us, ended_us, dropped, completed] : phases)
    list.push_back({{"name", name},
                    {"started_us", started_us},
                    {"ended_us", ended_us},
                    {"dropped", dropped},
                    {"completed", completed}});
  return list;
}

Json expectations_to_json(const std::vector<LoggedExpectation>& expectations) {
  Json list = Json::array();
  for (const LoggedExpectation& expectation : expectations) {
    Json& json = list.emplace_back(Json::object());
    put_bytes(json, "that", expectation.that);
    put_bytes(json, "result", expectation.result);
    put_bytes(json, "measured", expectation.measured);
  }
  return list;
}

Json names_to_json(const std::vector<std::string>& names) {
  Json list = Json::array();
  for (const std::string& name : names) put_bytes(list.emplace_back(Json::object()), "name", name);
  return list;
}

void put_terms(Json& json, const JudgingTerms& terms) {
  if (terms.tolerance_us > 0) json["tolerance_us"] = terms.tolerance_us;
  if (terms.fresh) json["fresh"] = true;
  if (terms.fresh_is_promised) json["fresh_is_promised"] = true;
  if (terms.max_inflight_us) json["max_inflight_us"] = *terms.max_inflight_us;
  if (terms.held_at_least_us > 0) json["held_at_least_us"] = terms.held_at_least_us;
  if (terms.allowed_false_denials > 0) json["false_denials"] = terms.allowed_false_denials;
}

Json budgets_to_json(const Budgets& budgets) {
  Json json{{"late_after_us", budgets.late_after_us}};
  for (const auto& [name, share] : kBudgetShares)
    if (budgets.*share) json[name] = *(budgets.*share);
  return json;
}

Json header_to_json(const Log& log) {
  Json json{{"rlctl_log", 2}, {"ends", true}};
  put_bytes(json, "algorithm", log.algorithm);
  if (!log.history.empty()) put_bytes(json, "history", log.history);
  json["policy"] = policy_to_json(log.policy);
  json["contract"] = rules_to_json(log.contract);
  if (log.has_finishes) json["finishes"] = true;
  if (log.timeout_us > 0) json["timeout_us"] = log.timeout_us;
  put_terms(json, log.terms);
  if (log.budgets) json["budgets"] = budgets_to_json(*log.budgets);
  json["seed"] = log.seed;
  put_bytes(json, "run_id", log.run_id);
  put_bytes(json, "shard", log.shard);
  put_bytes(json, "command", log.command);
  for (const auto& [name, text] :
       {std::pair{"expected", &log.expected}, std::pair{"expected_own", &log.expected_own},
        std::pair{"version", &log.version}, std::pair{"server", &log.server},
        std::pair{"clock", &log.clock}})
    if (!text->empty()) put_bytes(json, name, *text);
  if (log.servers > 1) json["servers"] = log.servers;
  if (!log.names.empty()) {
    std::vector<std::string> names;
    for (const NamedValues& values : log.names) names.push_back(values.name);
    json["names"] = names_to_json(names);
  }
  if (log.targets.size() > 1) json["targets"] = names_to_json(log.targets);
  return json;
}

void append_number(std::string& out, std::int64_t value) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  out.append(digits, end);
}

void append_field(std::string& out, std::string_view name, std::int64_t value) {
  out += name;
  if (value == kNoTime)
    out += "null";
  else
    append_number(out, value);
}

void append_cell(std::string& out, std::int64_t value) {
  if (value != kNoTime) append_number(out, value);
  out += ',';
}

// RFC 4180: cells with commas or quotes are put in quotes, and quotes are doubled.
std::string quoted_cell(std::string_view text) {
  if (text.find_first_of(",\" ") == std::string_view::npos) return std::string(text);
  std::string cell = "\"";
  for (const char c : text) {
    if (c == '"') cell += '"';
    cell += c;
  }
  return cell + "\"";
}

// "text,bytes": the second cell is empty if the text equals the bytes.
std::string csv_name(std::string_view bytes) {
  const std::string shown = escape_for_terminal(bytes);
  if (shown == bytes) return quoted_cell(protected_cell(bytes)) + ",";
  return quoted_cell(protected_cell(shown)) + "," + base64(bytes);
}

std::string json_name(std::string_view name, std::string_view bytes) {
  Json json;
  put_bytes(json, std::string(name), bytes);
  const std::string object = dump_json(json);
  return "," + object.substr(1, object.size() - 2);
}

const std::string& at(const std::vector<std::string>& names, std::size_t index) {
  static const std::string none;
  return index < names.size() ? names[index] : none;
}

}  // namespace

LogFormat log_format_of(std::string_view path) {
  return path.ends_with(".csv") ? LogFormat::csv : LogFormat::json_lines;
}

LogEncoder::Names LogEncoder::prepared(std::string_view name,
                                       const std::vector<std::string>& texts) const {
  Names names;
  names.reserve(texts.size());
  for (const std::string& text : texts)
    names.push_back(format_ == LogFormat::csv ? csv_name(text) : json_name(name, text));
  return names;
}

void LogEncoder::append_header(const Log& log, std::string& out) {
  keys_ = prepared("key", log.keys);
  identities_ = prepared("who", log.identities);
  phases_ = prepared("phase", log.phases);
  targets_ = log.targets.size() > 1 ? prepared("decided_by", log.targets) : Names();
  others_.clear();
  for (const NamedValues& values : log.names) {
    others_.push_back(prepared(values.name, values.values));
    others_.back().front() = format_ == LogFormat::csv ? "," : "";
  }
  append_line(dump_json(header_to_json(log)), out);
  if (format_ == LogFormat::csv) append_columns(log, out);
}

void LogEncoder::append_end(const Log& log, std::string& out) const {
  Json end{{"records", log.records.size()}};
  if (!log.faults.empty()) end["faults"] = faults_to_json(log.faults);
  if (!log.expectations.empty()) end["expectations"] = expectations_to_json(log.expectations);
  if (!log.stopped.empty()) end["stopped"] = log.stopped;
  if (log.began_us != kNoTime) end["began_us"] = log.began_us;
  if (!log.played.empty()) end["phases"] = phases_to_json(log.played);
  if (log.server_ahead.is_known() && log.server_ahead.width_us() >= 0)
    end["server_ahead_us"] = {log.server_ahead.low_us, log.server_ahead.high_us};
  append_line(dump_json(Json{{"rlctl_log_end", std::move(end)}}), out);
}

void LogEncoder::append_turn(std::size_t number, std::string& out) const {
  append_line(dump_json(Json{{"rlctl_log", 3}, {"continues", number}}), out);
}

void LogEncoder::append_line(const std::string& json, std::string& out) const {
  if (format_ == LogFormat::csv) out += "# ";
  out += json + "\n";
}

// Every log has the same columns, so that several logs in one file open as one table; the names
// that rules count by come last.
void LogEncoder::append_columns(const Log& log, std::string& out) {
  out +=
      "sent_us,received_us,server_from_us,server_us,intended_us,retry_after_us,cost,remaining,"
      "status,outcome,finish_sent_us,finish_received_us,actual_cost,key,key_b64,who,who_b64,phase,"
      "phase_b64,decided_by,decided_by_b64";
  for (const NamedValues& values : log.names)
    out += "," + quoted_cell(values.name) + "," + quoted_cell(values.name + "_b64");
  out += '\n';
}

void LogEncoder::append_record(const Log& log, std::size_t index, std::string& out) const {
  std::string others;
  for (std::size_t i = 0; i < others_.size(); ++i) {
    if (format_ == LogFormat::csv) others += ',';
    others += others_[i][log.names[i].number_of(index)];
  }
  if (format_ == LogFormat::csv)
    append_csv_record(log.records[index], log.finish_of(index), others, out);
  else
    append_json_record(log.records[index], log.finish_of(index), others, out);
}

void LogEncoder::append_json_record(const Record& record, const Finish& finish,
                                    const std::string& others, std::string& out) const {
  append_field(out, "{\"sent_us\":", record.sent_us);
  append_field(out, ",\"received_us\":", record.received_us);
  if (record.server_span_us > 0) append_field(out, ",\"server_from_us\":", server_from_us(record));
  append_field(out, ",\"server_us\":", record.server_us);
  if (record.intended_us != kNoTime) append_field(out, ",\"intended_us\":", record.intended_us);
  out += ",\"outcome\":\"";
  out += name_of(record.outcome);
  out += '"';
  out += at(keys_, record.key);
  out += at(identities_, record.who);
  out += at(phases_, record.phase);
  out += at(targets_, record.target);
  out += others;
  if (record.cost != 1) append_field(out, ",\"cost\":", record.cost);
  if (record.status != 0) append_field(out, ",\"status\":", record.status);
  if (record.retry_after_us != kNoTime)
    append_field(out, ",\"retry_after_us\":", record.retry_after_us);
  if (record.remaining >= 0) append_field(out, ",\"remaining\":", record.remaining);
  if (finish.sent_us != kNoTime) append_field(out, ",\"finish_sent_us\":", finish.sent_us);
  if (finish.received_us != kNoTime)
    append_field(out, ",\"finish_received_us\":", finish.received_us);
  if (finish.actual_cost >= 0) append_field(out, ",\"actual_cost\":", finish.actual_cost);
  out += "}\n";
}

void LogEncoder::append_csv_record(const Record& record, const Finish& finish,
                                   const std::string& others, std::string& out) const {
  append_cell(out, record.sent_us);
  append_cell(out, record.received_us);
  append_cell(out, record.server_span_us > 0 ? server_from_us(record) : kNoTime);
  append_cell(out, record.server_us);
  append_cell(out, record.intended_us);
  append_cell(out, record.retry_after_us);
  append_cell(out, record.cost);
  append_cell(out, record.remaining >= 0 ? record.remaining : kNoTime);
  append_cell(out, record.status != 0 ? record.status : kNoTime);
  out += name_of(record.outcome);
  out += ',';
  append_cell(out, finish.sent_us);
  append_cell(out, finish.received_us);
  if (finish.actual_cost >= 0) append_number(out, finish.actual_cost);
  for (const std::string* name : {&at(keys_, record.key), &at(identities_, record.who),
                                  &at(phases_, record.phase), &at(targets_, record.target)}) {
    out += ',';
    out += name->empty() ? std::string_view(",") : std::string_view(*name);
  }
  out += others;
  out += '\n';
}

}  // namespace rlctl
