#include "inspect/limiter_row.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <tuple>

#include "base/escape.h"
#include "base/json.h"
#include "base/text.h"
#include "base/units.h"
#include "base/utf8.h"

namespace rlctl {
namespace {

std::string kind_cell(const LimiterRow& row) {
  if (!row.layouts.empty())
    return escape_for_terminal(joined(row.layouts, " or ")) + (row.guess ? "?" : "");
  if (row.keys > 0) return name_of(row.shape);
  return row.problem.empty() ? "flag only" : "?";
}

Json shape_json(const LimiterRow& row) {
  if (row.keys > 0) return name_of(row.shape);
  return row.problem.empty() ? Json("flag only") : Json(nullptr);
}

std::string short_value(const LimiterRow& row) {
  constexpr std::size_t kMost = 24;
  return cut_to_width(escape_for_terminal(row.value), kMost);
}

std::string per_second_in_words(double per_second) {
  if (per_second <= 0) return "0";
  if (per_second < 9.95) return fmt::format("{:.1f}", per_second);
  if (per_second < 9'999.5) return format_count(std::llround(per_second));
  return fmt::format("{:.1f}k", per_second / 1'000);
}

std::string expiry_cell(const LimiterRow& row) {
  if (row.keys == 0) return "-";
  if (row.ttl_ms == kNoExpiry) return "never";
  return row.ttl_ms < 0 ? "-" : format_duration_for_people(us_of_ms(row.ttl_ms));
}

}  // namespace

RowState LimiterRow::state_at(std::int64_t now_us) const {
  if (is_blocked_at(now_us) || is_perhaps_blocked()) return RowState::blocked;
  if (is_full()) return RowState::full;
  if (!problem.empty()) return RowState::unreadable;
  return is_stuck() ? RowState::stuck : RowState::fine;
}

Urgency urgency_of(const LimiterRow& row, std::int64_t now_us) {
  using Rank = Urgency::Rank;
  const double used = row.used.value_or(-1);
  if (row.is_blocked_at(now_us)) return {Rank::blocked, used};
  if (row.denies_at(now_us)) return {Rank::full, used};
  return {row.perhaps_denies() ? Rank::perhaps_denies : Rank::none, used};
}

bool is_nearer_full(const LimiterRow& one, const LimiterRow& other) {
  const bool by_share = one.limit.value_or(0) > 0 && other.limit.value_or(0) > 0;
  const auto rank = [&](const LimiterRow& row) {
    return std::tuple(row.is_full_for_certain(), row.rule_in_doubt,
                      row.used.value_or(-1) / (by_share ? *row.limit : 1));
  };
  return rank(one) > rank(other);
}

void RowCounts::add(const LimiterRow& row, std::int64_t now_us) {
  ++limiters;
  unreadable += row.keys == 0 && !row.block.is_set ? 1 : 0;
  blocked += row.is_blocked_at(now_us) ? 1 : 0;
  perhaps_blocked += row.is_perhaps_blocked() ? 1 : 0;
  (row.guess ? perhaps_full : full) += row.is_full() ? 1 : 0;
}

RowCounts count_rows(std::span<const LimiterRow> rows, std::int64_t now_us) {
  RowCounts counts;
  for (const LimiterRow& row : rows) counts.add(row, now_us);
  return counts;
}

std::string in_words(const RowCounts& counts) {
  std::string text = counted(counts.limiters - counts.unreadable, "limiter");
  if (counts.unreadable > 0)
    text += ", " + counted(counts.unreadable, "name") + " of which no key can be read";
  if (counts.blocked > 0) text += ", " + format_count(counts.blocked) + " blocked";
  if (counts.perhaps_blocked > 0) text += ", " + format_count(counts.perhaps_blocked) + " blocked?";
  if (counts.full > 0) text += ", " + format_count(counts.full) + " full";
  if (counts.perhaps_full > 0) text += ", " + format_count(counts.perhaps_full) + " full?";
  return text;
}

void LimiterRow::add_expiry(std::int64_t key_ttl_ms, bool is_hidden) {
  expiry_unknown = expiry_unknown || is_hidden;
  const bool lasts = ttl_ms == kNoExpiry || key_ttl_ms == kNoExpiry;
  ttl_ms = lasts ? kNoExpiry : std::max(ttl_ms, key_ttl_ms);
}

std::string name_cell(std::string_view name) {
  return name.empty() ? "''" : escape_for_terminal(name);
}

std::string format_use(double number) {
  constexpr double kTooManyDigits = 1e15;
  if (!(std::abs(number) < kTooManyDigits)) return fmt::format("{:.3g}", number);
  const double tenths = std::round(number * 10);
  if (std::fmod(tenths, 10) == 0) return format_count(std::llround(tenths / 10));
  return fmt::format("{:.1f}", tenths / 10);
}

std::string used_cell(const LimiterRow& row) {
  if (!row.used && row.left) return format_use(std::floor(*row.left)) + " left";
  if (row.is_unknown_number()) return "= " + short_value(row);
  if (!row.used) return row.value.empty() ? "-" : "= " + short_value(row);
  const std::string used = format_use(std::round(*row.used)) + (row.guess ? "?" : "");
  return row.limit ? used + "/" + format_use(*row.limit) : used;
}

std::string rate_cell(std::optional<double> per_second, bool guess) {
  if (!per_second) return "-";
  return per_second_in_words(*per_second) + (guess ? "?" : "");
}

std::string state_cell(const LimiterRow& row, std::int64_t now_us) {
  const std::string mark = row.guess ? "?" : "";
  switch (row.state_at(now_us)) {
    case RowState::unreadable:  // "NOPERM"; without an answer there is no such code
      if (row.problem.front() < 'A' || row.problem.front() > 'Z') return "not seen";
      return escape_for_terminal(row.problem.substr(0, row.problem.find(' ')));
    case RowState::blocked:
      if (row.is_perhaps_blocked()) return "blocked?";
      if (!row.block.left_us) return row.block.end_unknown ? "blocked" : "blocked for ever";
      return "blocked " + format_countdown(row.block.ends_us - now_us);
    case RowState::stuck:
      return row.guess ? "no expiry" : "STUCK: no expiry";
    case RowState::full:
      if (row.never_reset) return "full" + mark + ", no expiry";
      if (!row.frees_at_us || *row.frees_at_us <= now_us) return "full" + mark;
      return "full" + mark + " " + format_countdown(*row.frees_at_us - now_us);
    case RowState::fine:
      break;
  }
  return "";
}

std::string notes_on(std::span<const LimiterRow> rows) {
  const auto some = [&](auto is) { return std::ranges::any_of(rows, is); };
  std::vector<std::string> notes;
  if (some([](const LimiterRow& row) {
        return row.guess && ((row.used && row.limit) || row.allowed_per_s || row.denied_per_s);
      }))
    notes.emplace_back("a number with ? is a guess: it may count requests, or something else");
  if (some(&LimiterRow::rule_in_doubt))
    notes.emplace_back(
        "which rule of the policy is that of a key is not known for some of these: give one rule "
        "alone, with the pattern of its keys");
  if (some([](const LimiterRow& row) { return row.guess && !row.layouts.empty(); }))
    notes.emplace_back("a kind with ? is a guess: that library may have written the key, or not");
  if (some(&LimiterRow::is_unknown_number))
    notes.emplace_back(
        "= is a number that may be anything; if such numbers count requests, name their limit to "
        "see how much of it is used: --limit 20 --window 60s");
  if (some(&LimiterRow::is_flag_in_doubt))
    notes.emplace_back(
        "blocked? has the name of a block flag, but may be anything: it never expires or holds a "
        "text, and no limiter is beside it; or it is a hash, or its value says no");
  if (some([](const LimiterRow& row) { return row.fields_say >= FieldsSay::full; }))
    notes.emplace_back("full? or blocked? of a hash is what the names of its fields say");
  if (some([](const LimiterRow& row) { return row.fields_say == FieldsSay::no_limit; }))
    notes.emplace_back(kNoLimit);
  return joined(notes, "; ");
}

std::string cut_note(std::size_t shown, std::size_t total, std::string_view order) {
  if (shown >= total) return {};
  return fmt::format("{} of {} shown, {} first; --most {} shows more",
                     format_count(static_cast<std::int64_t>(shown)), counted(total, "limiter"),
                     order, total);
}

std::string state_in_json(const LimiterRow& row, std::int64_t now_us) {
  const RowState state = row.state_at(now_us);
  const bool guess = (state == RowState::full && row.guess) ||
                     (state == RowState::blocked && row.is_perhaps_blocked()) ||
                     (state == RowState::stuck && !row.is_stuck_for_certain());
  return std::string(name_of(state)) + (guess ? "?" : "");
}

void put_number(Json& json, const std::string& name, std::optional<double> number, bool guess) {
  json[name] = guess ? Json(nullptr) : or_null(number);
  if (guess && number) json[name + "_if_it_counts"] = *number;
}

Json to_json(const LimiterRow& row, std::int64_t now_us) {
  Json json;
  put_bytes(json, "limiter", row.name);
  json["keys"] = row.keys;
  json["shape"] = shape_json(row);
  json["state"] = state_in_json(row, now_us);
  put_number(json, "used", row.used, row.guess);
  json["limit"] = or_null(row.limit);
  put_number(json, "left", row.left, row.guess);
  json["guess"] = row.guess;
  json["layouts"] = row.layouts;
  if (!row.client.empty()) put_bytes(json, "client", row.client);
  if (!row.client_may_be.empty()) put_bytes(json, "client_may_be", row.client_may_be);
  if (!row.value.empty()) json["value"] = short_value(row);
  put_number(json, "allowed_per_second", row.allowed_per_s, row.guess);
  put_number(json, "denied_per_second", row.denied_per_s, row.guess);
  json["ttl_ms"] = row.ttl_ms >= 0 ? Json(row.ttl_ms) : nullptr;
  if (row.frees_at_us) json["frees_us"] = *row.frees_at_us - now_us;
  const bool stuck = row.is_stuck_for_certain();
  json["stuck"] = stuck || !row.may_be_stuck_unseen() ? Json(stuck) : nullptr;
  if (row.is_stuck() && !stuck) json["perhaps_stuck"] = true;
  json["blocked"] = row.is_blocked_at(now_us);
  if (row.is_perhaps_blocked()) json["perhaps_blocked"] = true;
  json["blocked_for_ever"] = row.is_blocked_for_ever();
  if (row.is_blocked_at(now_us) && row.block.left_us)
    json["blocked_left_us"] = row.block.ends_us - now_us;
  if (!row.problem.empty()) put_bytes(json, "problem", row.problem);
  return json;
}

const RowColumn kNameColumn{"limiter", Align::left,
                            [](const LimiterRow& row, std::int64_t) { return name_cell(row.name); },
                            20};
const RowColumn kKindColumn{"kind", Align::left,
                            [](const LimiterRow& row, std::int64_t) { return kind_cell(row); }, 12};
const RowColumn kUsedColumn{"used", Align::right,
                            [](const LimiterRow& row, std::int64_t) { return used_cell(row); }};
const RowColumn kExpiryColumn{"expires in", Align::right,
                              [](const LimiterRow& row, std::int64_t) { return expiry_cell(row); }};
const RowColumn kAllowedColumn{"allow/s", Align::right, [](const LimiterRow& row, std::int64_t) {
                                 return rate_cell(row.allowed_per_s, row.guess);
                               }};
const RowColumn kDeniedColumn{"deny/s", Align::right, [](const LimiterRow& row, std::int64_t) {
                                return rate_cell(row.denied_per_s, row.guess);
                              }};
const RowColumn kStateColumn{"state", Align::left, state_cell};

std::string limiter_table(std::span<const LimiterRow> rows, const std::vector<RowColumn>& columns,
                          std::int64_t now_us, std::size_t width) {
  constexpr std::size_t kWidestCell = 80;  // one long name must not widen all rows of a pipe
  std::vector<Column> heads;
  for (const RowColumn& column : columns)
    heads.push_back({column.header, column.align, column.least});
  Table table(std::move(heads));
  for (const LimiterRow& row : rows) {
    std::vector<std::string> cells;
    for (const RowColumn& column : columns) {
      cells.push_back(column.cell(row, now_us));
      if (width == 0 && column.least > 0) cells.back() = cut_in_middle(cells.back(), kWidestCell);
    }
    table.add_row(std::move(cells));
  }
  return table.empty() ? "" : table.text(width);
}

}  // namespace rlctl
