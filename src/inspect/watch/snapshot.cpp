#include "inspect/watch/snapshot.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/escape.h"
#include "base/json.h"
#include "base/timestamp.h"
#include "base/units.h"
#include "inspect/watch/words.h"

namespace rlctl {
namespace {

Json row_json(const LimiterRow& row, std::int64_t now_us) {
  Json json;
  put_bytes(json, "limiter", row.name);
  json["kind"] = row.keys == 0 ? "flag only" : name_of(row.shape);
  json["keys"] = row.keys;
  json["used"] = or_null(row.used);
  json["limit"] = or_null(row.limit);
  json["allowed_per_second"] = or_null(row.allowed_per_s);
  json["denied_per_second"] = or_null(row.denied_per_s);
  json["blocked"] = row.is_blocked_at(now_us);
  if (row.is_blocked_at(now_us) && row.block.left_us)
    json["blocked_left_us"] = row.block.ends_us - now_us;
  if (row.frees_at_us) json["frees_us"] = *row.frees_at_us - now_us;
  json["stuck"] = row.is_stuck();
  if (!row.problem.empty()) put_bytes(json, "problem", row.problem);
  return json;
}

}  // namespace

std::string watch_text(const std::vector<LimiterRow>& rows, const WatchStatus& status,
                       std::size_t most) {
  const auto count = [&](auto is) { return std::ranges::count_if(rows, is); };
  const std::int64_t blocked =
      count([&](const LimiterRow& row) { return row.is_blocked_at(status.now_us); });
  std::string text = format_instant(status.now_us).substr(0, 19) + " UTC: " +
                     counts_in_words(status.limiters, blocked, count(&LimiterRow::is_full)) + "; " +
                     load_in_words(status) + "\n";
  if (!status.trouble.empty()) text += status.trouble + "\n";
  const std::span<const LimiterRow> shown(rows.data(), std::min(most, rows.size()));
  return text + limiter_table(
                    shown, {kNameColumn, kUsedColumn, kAllowedColumn, kDeniedColumn, kStateColumn},
                    status.now_us);
}

Json watch_json(const std::vector<LimiterRow>& rows, const WatchStatus& status, std::size_t most) {
  Json json;
  json["at_us"] = status.now_us;
  json["total"] = status.limiters;
  json["other_keys"] = status.other_keys;
  json["load_percent"] = status.load * 100;
  json["load_limit_percent"] = status.load_limit * 100;
  if (!status.trouble.empty()) json["trouble"] = status.trouble;
  json["limiters"] = Json::array();
  for (const LimiterRow& row : rows) {
    if (most-- == 0) break;
    json["limiters"].push_back(row_json(row, status.now_us));
  }
  return json;
}

}  // namespace rlctl
