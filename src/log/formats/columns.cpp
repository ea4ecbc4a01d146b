#include "log/formats/columns.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/escape.h"
#include "base/text.h"

namespace rlctl {
namespace {

struct Known {
  std::string_view name;
  Field field;
  TimeUnit unit = TimeUnit::detected;
};

// The columns that rlctl writes (log_encoder.cpp).
constexpr std::array kOwn{
    Known{"sent_us", Field::sent},
    Known{"received_us", Field::received},
    Known{"server_us", Field::server},
    Known{"server_from_us", Field::server_from},
    Known{"intended_us", Field::intended},
    Known{"finish_sent_us", Field::finish_sent},
    Known{"finish_received_us", Field::finish_received},
    Known{"actual_cost", Field::actual_cost},
    Known{"retry_after_us", Field::retry_after},
    Known{"cost", Field::cost},
    Known{"remaining", Field::remaining},
    Known{"status", Field::status},
    Known{"outcome", Field::outcome},
    Known{"key", Field::key},
    Known{"key_b64", Field::key_b64},
    Known{"who", Field::who},
    Known{"who_b64", Field::who_b64},
    Known{"phase", Field::phase},
    Known{"phase_b64", Field::phase_b64},
    Known{"decided_by", Field::target},
    Known{"decided_by_b64", Field::target_b64},
};

// The columns that other programs write, the most reliable first: nginx's variables, then the usual
// names in structured logs.
constexpr std::array kUsual{
    Known{"msec", Field::time, TimeUnit::seconds},
    Known{"time_iso8601", Field::time},
    Known{"time_local", Field::time},
    Known{"timestamp", Field::time},
    Known{"@timestamp", Field::time},
    Known{"time", Field::time},
    Known{"ts", Field::time},
    Known{"date", Field::date},
    Known{"request_creation_time", Field::begun},
    Known{"EdgeStartTimestamp", Field::begun},
    Known{"datetime", Field::time},
    Known{"client_ip", Field::key},
    Known{"remote_addr", Field::key},
    Known{"remote_ip", Field::key},
    Known{"ip", Field::key},
    Known{"client", Field::key},
    Known{"user", Field::key},
    Known{"status_code", Field::status},
    Known{"code", Field::status},
    Known{"decision", Field::status},
    Known{"result", Field::status},
    Known{"allowed", Field::status},
    Known{"request_time", Field::duration, TimeUnit::seconds},
    Known{"duration", Field::duration},
    Known{"latency", Field::duration},
    Known{"elapsed", Field::duration},
    Known{"took", Field::duration},
};

// What other programs call the names that people ask for.
struct Alias {
  std::string_view name;
  std::string_view column;
  Piece piece = Piece::whole;
};

constexpr std::array kAliases{
    Alias{"ip", "remote_addr"},
    Alias{"ip", "client_ip"},
    Alias{"ip", "c-ip"},
    Alias{"ip", "ClientHost"},
    Alias{"ip", "ClientIP"},
    Alias{"ip", "request.client_ip"},
    Alias{"ip", "httpRequest.remoteIp", Piece::host},
    Alias{"ip", "downstream_remote_address", Piece::host},
    Alias{"method", "request", Piece::method},
    Alias{"method", "request_method"},
    Alias{"method", "cs-method"},
    Alias{"method", "RequestMethod"},
    Alias{"method", "ClientRequestMethod"},
    Alias{"method", "request.method"},
    Alias{"method", "httpRequest.requestMethod"},
    Alias{"path", "request", Piece::target},
    Alias{"path", "request_uri", Piece::path},
    Alias{"path", "uri", Piece::path},
    Alias{"path", "path", Piece::path},
    Alias{"path", "cs-uri-stem"},
    Alias{"path", "RequestPath", Piece::path},
    Alias{"path", "ClientRequestURI", Piece::path},
    Alias{"path", "ClientRequestPath"},
    Alias{"path", "request.uri", Piece::path},
    Alias{"path", "x-envoy-origin-path", Piece::path},
    Alias{"path", "httpRequest.requestUrl", Piece::path},
    Alias{"user_agent", "http_user_agent"},
    Alias{"user_agent", "cs(User-Agent)"},
    Alias{"user_agent", "request_User-Agent"},
    Alias{"user_agent", "user-agent"},
    Alias{"user_agent", "ClientRequestUserAgent"},
    Alias{"user_agent", "httpRequest.userAgent"},
};

// "/a" of "/a?b=1" and of "https://host/a?b=1".
std::string_view path_of(std::string_view text) {
  const std::size_t scheme = text.find("://");
  if (!text.starts_with('/') && scheme != std::string_view::npos) {
    text.remove_prefix(scheme + 3);
    text.remove_prefix(std::min(text.find('/'), text.size()));
  }
  return text.substr(0, text.find('?'));
}

// An IPv6 address without brackets has no port.
std::string_view host_of(std::string_view text) {
  if (text == "-") return {};
  if (text.starts_with('[')) return text.substr(1, text.find(']') - 1);
  const std::size_t colon = text.find(':');
  const bool has_port = colon != text.npos && text.find(':', colon + 1) == text.npos;
  return has_port ? text.substr(0, colon) : text;
}

std::string_view piece_of(std::string_view text, Piece piece) {
  if (piece == Piece::whole) return text;
  if (piece == Piece::host) return host_of(text);
  if (piece == Piece::path) return path_of(text);
  const std::size_t blank = text.find(' ');
  if (blank == std::string_view::npos) return {};
  if (piece == Piece::method) return text.substr(0, blank);
  const std::string_view rest = text.substr(blank + 1);
  return path_of(rest.substr(0, rest.find(' ')));
}

constexpr std::array kSuffixes{
    std::pair{std::string_view("_ms"), TimeUnit::milliseconds},
    std::pair{std::string_view("_us"), TimeUnit::microseconds},
    std::pair{std::string_view("_ns"), TimeUnit::nanoseconds},
    std::pair{std::string_view("_s"), TimeUnit::seconds},
};

bool is_blank(char c) { return c == ' ' || c == '\t'; }

bool is_name(Field field) { return field >= Field::key && field <= Field::target_b64; }

bool is_instant_or_length(Field field) { return field == Field::time || field == Field::duration; }

bool are_equal(std::string_view a, std::string_view b) { return a == b; }

// "took_ms" is "took" in milliseconds.
template <class Same>
std::pair<std::string_view, TimeUnit> without_unit(std::string_view name, Same same) {
  for (const auto& [suffix, unit] : kSuffixes) {
    if (name.size() <= suffix.size()) continue;
    const std::size_t stem = name.size() - suffix.size();
    if (same(name.substr(stem), suffix)) return {name.substr(0, stem), unit};
  }
  return {name, TimeUnit::detected};
}

TimeUnit unit_or(TimeUnit said, TimeUnit otherwise) {
  return said != TimeUnit::detected ? said : otherwise;
}

}  // namespace

std::string listed_columns(std::span<const std::string> names) {
  std::string list;
  for (const std::string& name : names) {
    if (!list.empty()) list += ", ";
    list += name.empty() ? "''" : escape_for_terminal(name);
    if (list.size() > 200) return list + " ...";
  }
  return list;
}

bool is_own_column(std::string_view name) {
  return std::ranges::find(kOwn, name, &Known::name) != kOwn.end();
}

ColumnName parse_column_name(std::string_view text) {
  constexpr std::string_view kHost = ":host";
  if (text.ends_with(kHost))
    return {std::string(text.substr(0, text.size() - kHost.size())), TimeUnit::detected,
            Piece::host};
  const std::size_t colon = text.rfind(':');
  if (colon != std::string_view::npos) {
    if (const auto unit = meaning_of<TimeUnit>(text.substr(colon + 1)))
      return {std::string(text.substr(0, colon)), *unit};
  }
  return {std::string(text), TimeUnit::detected};
}

LogColumns::LogColumns(ColumnName time, ColumnName key, ColumnName status, ColumnName duration)
    : time_(std::move(time)),
      key_(std::move(key)),
      status_(std::move(status)),
      duration_(std::move(duration)) {}

bool LogColumns::named_by_user(Field field) const {
  switch (field) {
    case Field::time:
    case Field::sent:
    case Field::received:
    case Field::server:
    case Field::server_from:
      return !time_.name.empty();
    case Field::key:
    case Field::key_b64:
      return !key_.name.empty();
    case Field::status:
    case Field::outcome:
      return !status_.name.empty();
    case Field::duration:
      return !duration_.name.empty();
    case Field::begun:  // a stamp of the user's own may be another moment
      return !time_.name.empty() && !keeps_begun_;
    default:
      return false;
  }
}

void LogColumns::want(std::string_view name, std::string_view column) {
  const auto known = std::ranges::find(names_, name, &Wanted::name);
  if (known == names_.end())
    names_.push_back({std::string(name), std::string(column.empty() ? name : column)});
}

void LogColumns::Meaning::set(std::string_view text, LogRow& row) const {
  set_field(text, row);
  set_names(text, row);
}

// Blanks belong to a name, and never to a number, a time or a word.
void LogColumns::Meaning::set_field(std::string_view text, LogRow& row) const {
  std::string_view value = piece_of(text, piece);
  if (!value.empty() && (is_blank(value.front()) || is_blank(value.back())) && !is_name(field)) {
    value = trimmed(value);
    if (value.empty()) return;
  }
  if (field != Field::none) row.set(field, value);
}

void LogColumns::Meaning::set_names(std::string_view text, LogRow& row) const {
  for (const Name& name : names) {
    const LogRow::Name known = row.name(name.number);
    const std::string_view value = piece_of(text, name.piece);
    const bool is_known = !(name.in_base64 ? known.base64 : known.text).empty();
    if (is_known && (name.is_loose || value.empty())) continue;
    row.set_name(name.number, name.in_base64, value);
  }
}

LogColumns::Meaning LogColumns::meaning_of(std::string_view name) const {
  Meaning meaning = field_of(name);
  add_names(name, are_equal, meaning);
  if (meaning.names.empty()) add_names(name, equals_ignoring_case, meaning);
  return meaning;
}

void LogColumns::add_names(std::string_view name, Same same, Meaning& meaning) const {
  const bool is_loose = same != Same(are_equal);
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const Wanted& wanted = names_[i];
    const auto alias = std::ranges::find_if(kAliases, [&](const Alias& known) {
      return wanted.name == wanted.column && known.name == wanted.name && same(known.column, name);
    });
    if (alias != kAliases.end())
      meaning.names.push_back({i, alias->piece, false, is_loose});
    else if (same(name, wanted.column) || same(name, wanted.column + "_b64"))
      meaning.names.push_back({i, Piece::whole, !same(name, wanted.column), is_loose});
  }
}

LogColumns::Meaning LogColumns::field_of(std::string_view name) const {
  Meaning meaning = field_said(name, are_equal);
  if (meaning.field == Field::none) meaning = field_known(name, are_equal);
  if (meaning.field != Field::none) return meaning;
  meaning = field_said(name, equals_ignoring_case);
  if (meaning.field == Field::none && !is_own_) meaning = field_known(name, equals_ignoring_case);
  meaning.rank += kLoose;
  return meaning;
}

// As the user says.
LogColumns::Meaning LogColumns::field_said(std::string_view name, Same same) const {
  const std::array said{std::pair{&time_, Field::time}, std::pair{&key_, Field::key},
                        std::pair{&status_, Field::status}, std::pair{&duration_, Field::duration}};
  for (const auto& [column, field] : said) {
    if (!column->name.empty() && same(column->name, name))
      return {field, 0, unit_or(column->unit, without_unit(name, same).second), column->piece};
  }
  return {};
}

// In another case than its own a name says only what every log must have: a `Cost` may be dollars.
LogColumns::Meaning LogColumns::field_known(std::string_view name, Same same) const {
  const bool is_loose = same != Same(are_equal);
  const auto is_needed = [](Field field) {
    return field == Field::time || field == Field::key || field == Field::status;
  };
  for (const Known& known : kOwn)
    if ((!is_loose || is_needed(known.field)) && same(known.name, name) &&
        !named_by_user(known.field))
      return {known.field, 0, known.unit};
  const auto [stem, suffix_unit] = without_unit(name, same);
  int rank = 0;
  for (const Known& known : kUsual) {
    ++rank;
    if (named_by_user(known.field) || (is_loose && !is_needed(known.field))) continue;
    if (same(known.name, name)) return {known.field, rank, known.unit};
    if (same(known.name, stem) && is_instant_or_length(known.field))
      return {known.field, rank, suffix_unit};
  }
  return {};
}

// Of several columns with the same meaning the most reliable one counts, then the first.
std::vector<LogColumns::Meaning> LogColumns::meanings_of(std::span<const std::string> names) const {
  std::vector<Meaning> meanings;
  std::array<std::size_t, kFields> best;
  best.fill(names.size());
  for (const std::string& name : names) {
    const Meaning& added = meanings.emplace_back(meaning_of(name));
    std::size_t& known = best[static_cast<std::size_t>(added.field)];
    if (known == names.size() || added.rank < meanings[known].rank) known = meanings.size() - 1;
  }
  for (std::size_t i = 0; i < meanings.size(); ++i)
    if (best[static_cast<std::size_t>(meanings[i].field)] != i) meanings[i].field = Field::none;
  return meanings;
}

}  // namespace rlctl
