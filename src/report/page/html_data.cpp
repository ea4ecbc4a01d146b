#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/escape.h"
#include "base/json.h"
#include "base/units.h"
#include "report/page/html_parts.h"

namespace rlctl {
namespace {

void put_slices(const Timeline& timeline, Json& json) {
  json["start"] = timeline.start_us;
  json["slice"] = timeline.slice_us;
  for (const char* name : {"allowed", "denied", "other"}) json[name] = Json::array();
  for (const TimelineSlice& slice : timeline.slices) {
    json["allowed"].push_back(slice.allowed);
    json["denied"].push_back(slice.denied);
    json["other"].push_back(slice.other);
  }
}

Json timeline_json(const RunPicture& picture) {
  if (picture.timeline.slices.empty()) return nullptr;
  Json json;
  put_slices(picture.timeline, json);
  json["rate"] = Json::array();
  for (const double rate : picture.per_second) json["rate"].push_back(std::round(rate * 100) / 100);
  return json;
}

Json close_up_json(const RunPicture& picture) {
  if (!picture.close_up) return nullptr;
  const CloseUp& close_up = *picture.close_up;
  Json json;
  put_slices(close_up.timeline, json);
  json["fill"] = close_up.fill;
  json["over"] = name_of(close_up.over);
  json["possible"] = close_up.possible.empty() ? Json(nullptr) : Json(close_up.possible);
  json["limit"] = close_up.limit;
  json["windowText"] = format_duration(close_up.window_us);
  json["zero"] = close_up.window_from_us;
  json["from"] = close_up.window_from_us;
  json["to"] = close_up.window_to_us;
  return json;
}

Json envelope_json(const RunPicture& picture) {
  Json json = Json::array();
  for (const PromisedPoint& point : picture.envelope) {
    Json by_rule = Json::array();
    for (const auto& most : point.by_rule) by_rule.push_back(or_null(most));
    json.push_back({point.span_us, point.admissions, or_null(point.policy), or_null(point.own),
                    std::move(by_rule), or_null(point.possible)});
  }
  return json.empty() ? Json(nullptr) : json;
}

Json curve_json(const LatencyCurve& curve) {
  Json points = Json::array();
  for (const LatencyPoint& point : curve.points)
    points.push_back({point.parts_per_million, point.us});
  return {{"n", curve.samples}, {"points", points}};
}

Json latency_json(const ReportRun& run) {
  const RunPicture& picture = *run.picture;
  const bool measured = picture.from_intended.samples > 0 || picture.from_sent.samples > 0;
  if (run.on_virtual_time || !measured) return nullptr;
  return {{"intended", curve_json(picture.from_intended)}, {"sent", curve_json(picture.from_sent)}};
}

Json evidence_json(const ReportRun& run) {
  if (!run.evidence) return nullptr;
  const Evidence& evidence = *run.evidence;
  Json rows = Json::array();
  std::int64_t before_us = 0;
  std::int64_t after_us = 0;
  for (const EvidenceRow& row : evidence.rows) {
    const std::int64_t sent = row.sent_us - evidence.from_us;
    const std::int64_t received = row.received_us - evidence.from_us;
    before_us = std::max(before_us, -sent);
    after_us = std::max(after_us, received);
    rows.push_back(
        {{"no", row.number},
         {"place", row.place},
         {"span", {sent, received}},
         {"decided",
          {row.decided_from_us - evidence.from_us, row.decided_to_us - evidence.from_us}},
         {"over", row.too_many}});
  }
  return {{"from", evidence.from_us},
          {"before", before_us},
          {"after", after_us},
          {"proof", evidence.is_proof},
          {"rows", rows}};
}

Json faults_json(const RunPicture& picture) {
  Json json = Json::array();
  for (const SeenFault& fault : picture.faults)
    json.push_back({{"kind", escape_for_terminal(fault.kind)},
                    {"at", fault.at_us},
                    {"recovery", or_null(fault.recovery_us)}});
  return json;
}

Json run_json(const ReportRun& run) {
  if (!run.picture) return {{"timeline", nullptr}, {"closeUp", nullptr}};
  const RunPicture& picture = *run.picture;
  return {
      {"timeline", timeline_json(picture)},
      {"closeUp", close_up_json(picture)},
      {"over", name_of(picture.over)},
      {"envelope", envelope_json(picture)},
      {"rules", picture.rules},
      {"latency", latency_json(run)},
      {"evidence", evidence_json(run)},
      {"edges", {{"window", picture.edge_window_us}, {"phase", or_null(picture.edge_phase_us)}}},
      {"faults", faults_json(picture)}};
}

Json bars_json(const BarChart& chart) {
  Json values = Json::array();
  for (const auto& set : chart.values) {
    Json list = Json::array();
    for (const auto& value : set) list.push_back(or_null(value));
    values.push_back(std::move(list));
  }
  return {{"unit", chart.unit},
          {"groups", chart.groups},
          {"series", chart.series},
          {"values", std::move(values)},
          {"limit", or_null(chart.limit)},
          {"logarithmic", chart.is_logarithmic}};
}

}  // namespace

std::string html_data(const Report& report) {
  Json json{{"runs", Json::array()}, {"bars", Json::array()}};
  for (const ReportRun& run : report.runs) json["runs"].push_back(run_json(run));
  for (const BarChart& chart : report.bars) json["bars"].push_back(bars_json(chart));
  const std::string text = dump_json(json);
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    if (c == '<')
      safe += "\\u003c";
    else
      safe += c;
  }
  return safe;
}

}  // namespace rlctl
