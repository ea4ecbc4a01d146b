#include "inspect/watch/snapshot.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/escape.h"
#include "base/json.h"
#include "base/timestamp.h"
#include "base/units.h"
#include "inspect/watch/words.h"

namespace rlctl {
std::string watch_text(const std::vector<LimiterRow>& rows, const WatchStatus& status,
                       std::size_t most, std::size_t width) {
  RowCounts counts = count_rows(rows, status.now_us);
  counts.limiters = status.limiters;
  std::string text = format_instant(status.now_us).substr(0, 19) + " UTC: " + in_words(counts) +
                     (status.is_live ? "; " + load_in_words(status) : "") + "\n";
  if (status.passes == 0) text += "not all keys are known yet\n";
  if (!status.trouble.empty()) text += status.trouble + "\n";
  if (status.forgotten > 0)
    text += "there are more limiters: only the most used were kept; rlctl list counts all\n";
  const std::span<const LimiterRow> shown(rows.data(), std::min(most, rows.size()));
  return text + limiter_table(
                    shown, {kNameColumn, kUsedColumn, kAllowedColumn, kDeniedColumn, kStateColumn},
                    status.now_us, width);
}

Json watch_json(const std::vector<LimiterRow>& rows, const WatchStatus& status, std::size_t most) {
  Json json;
  json["at_us"] = status.now_us;
  json["total"] = status.limiters;
  json["more"] = status.forgotten > 0;
  json["other_keys"] = status.other_keys;
  json["load_percent"] = status.load * 100;
  json["load_limit_percent"] = status.load_limit * 100;
  if (!status.trouble.empty()) json["trouble"] = status.trouble;
  json["limiters"] = Json::array();
  for (const LimiterRow& row : rows) {
    if (most-- == 0) break;
    json["limiters"].push_back(to_json(row, status.now_us));
  }
  return json;
}

}  // namespace rlctl
