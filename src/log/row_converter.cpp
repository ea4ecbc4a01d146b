#include "log/row_converter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "base/escape.h"
#include "base/text.h"
#include "base/units.h"
#include "base/words.h"

namespace rlctl {
namespace {

// Accepts only a whole number from `low` to `high`.
template <class Number>
bool read_whole(std::string_view text, Number low, Number high, Number& value) {
  const auto number = parse_whole<Number>(text);
  value = number.value_or(value);
  return number && value >= low && value <= high;
}

// If the field is absent or empty, `us` stays kNoTime.
bool read_instant(const LogRow& row, Field field, std::int64_t& us) {
  const std::string_view text = row[field];
  return text.empty() || read_whole<std::int64_t>(text, 0, kLastInstantUs, us);
}

// The words that programs use for a decision; some are from nginx's $limit_req_status.
std::optional<Outcome> outcome_in_words(std::string_view text) {
  static constexpr std::array kAllowed{"allowed", "allow",  "accepted", "accept", "ok",
                                       "pass",    "passed", "true",     "delayed"};
  static constexpr std::array kDenied{"denied",  "deny",      "rejected", "reject",
                                      "limited", "throttled", "blocked",  "false"};
  const std::string word = lower_case(text.substr(0, 16));
  if (std::find(kAllowed.begin(), kAllowed.end(), word) != kAllowed.end()) return Outcome::allowed;
  if (std::find(kDenied.begin(), kDenied.end(), word) != kDenied.end()) return Outcome::denied;
  return meaning_of<Outcome>(word);
}

// Without times of the client, the limiter's two stamps are the interval.
const char* set_stamps(std::int64_t from_us, std::int64_t to_us, Record& record) {
  if (to_us == kNoTime)
    return from_us == kNoTime ? nullptr : "server_from_us is given without server_us";
  if (from_us == kNoTime) from_us = to_us;
  if (from_us > to_us) return "server_from_us is after server_us";
  const bool kept = set_server_stamps(record, from_us, to_us);
  if (record.sent_us != kNoTime) return nullptr;
  record.sent_us = from_us;
  if (!kept) record.received_us = to_us;
  return nullptr;
}

TimeUnit unit_of_stamp(const LogReadOptions& options, TimeUnit known, std::string_view text) {
  if (options.columns.time().unit != TimeUnit::detected) return options.columns.time().unit;
  return known != TimeUnit::detected ? known : likely_unit(text);
}

bool has_duration(const LogRow& row) {
  const std::string_view text = row[Field::duration];
  return !text.empty() && text != "-";
}

bool has_begun(const LogRow& row) {
  const std::string_view text = row[Field::begun];
  return !text.empty() && text != "-";
}

// "0.012s": the unit at the end, which is removed.
TimeUnit take_unit(std::string_view& text) {
  const std::size_t number = text.find_last_of("0123456789.") + 1;
  if (number == text.size()) return TimeUnit::detected;
  const std::string_view word = text.substr(number);
  const auto unit = meaning_of<TimeUnit>(word == "µs" ? "us" : word);
  if (unit) text = text.substr(0, number);
  return unit.value_or(TimeUnit::detected);
}

// Go writes "1h2m3.5s" and "1m0s": the hours and minutes at the front, which are removed.
std::int64_t take_minutes(std::string_view& text) {
  std::int64_t us = 0;
  for (const auto& [sign, unit_us] : {std::pair{'h', kHourUs}, std::pair{'m', kMinuteUs}}) {
    const std::size_t end = text.find(sign);
    if (end == text.npos || end + 1 == text.size() || !is_digit(text[end + 1])) continue;
    const auto count = parse_whole<std::int32_t>(text.substr(0, end));
    if (!count || *count < 0) break;
    us += *count * unit_us;
    text.remove_prefix(end + 1);
  }
  return us;
}

bool starts_as_number(std::string_view text) {
  return text.find_first_not_of("0123456789.") == std::string_view::npos;
}

}  // namespace

void RowConverter::begin_file() {
  units_ = {};
  stamp_at_ = StampAt::detected;
  is_own_ = false;
}

void RowConverter::set_units(const Units& named) {
  if (named.time != TimeUnit::detected) units_.time = named.time;
  if (named.duration != TimeUnit::detected) units_.duration = named.duration;
}

const char* RowConverter::convert(const LogRow& row, ReadRow& converted) {
  converted = ReadRow();
  Record& record = converted.record;
  const char* problem =
      row.has(Field::time) ? convert_stamp(row, converted) : convert_own_times(row, record);
  if (problem == nullptr) problem = convert_outcome(row, record);
  if (problem == nullptr) problem = convert_names(row, converted.names);
  if (problem == nullptr) problem = convert_other_names(row, converted.names);
  if (problem == nullptr) problem = convert_finish(row, record, converted.finish);
  converted.is_stamped = row.has(Field::time);
  converted.has_duration = !converted.is_stamped || has_duration(row) || has_begun(row);
  converted.has_sent = row.has(Field::sent);
  return problem;
}

const char* RowConverter::convert_own_times(const LogRow& row, Record& record) const {
  std::int64_t from_us = kNoTime;
  std::int64_t to_us = kNoTime;
  const bool fits = read_instant(row, Field::sent, record.sent_us) &&
                    read_instant(row, Field::received, record.received_us) &&
                    read_instant(row, Field::server_from, from_us) &&
                    read_instant(row, Field::server, to_us) &&
                    read_instant(row, Field::intended, record.intended_us);
  if (!fits) return "a time is not a whole number of µs between the years 1970 and 9999";
  if (record.sent_us == kNoTime) record.sent_us = record.received_us;
  if (const char* problem = set_stamps(from_us, to_us, record)) return problem;
  // What failed before it was sent never had one.
  if (record.sent_us == kNoTime && row[Field::outcome] != name_of(Outcome::failed))
    return "the line has no time: name the column with --time-column";
  if (record.received_us != kNoTime && record.received_us < record.sent_us)
    return "the receive time is before the send time";
  const std::string_view retry = row[Field::retry_after];
  const bool numbers =
      (retry.empty() ||
       read_whole<std::int64_t>(retry, 0, kLongestDurationUs, record.retry_after_us)) &&
      (row[Field::remaining].empty() ||
       read_whole<std::int32_t>(row[Field::remaining], -1, std::numeric_limits<std::int32_t>::max(),
                                record.remaining));
  return numbers ? nullptr : "retry_after_us or remaining is not a whole number in range";
}

const char* RowConverter::convert_finish(const LogRow& row, const Record& record,
                                         Finish& finish) const {
  const std::string_view cost = row[Field::actual_cost];
  if (!read_instant(row, Field::finish_sent, finish.sent_us) ||
      !read_instant(row, Field::finish_received, finish.received_us))
    return "a time of the finish is not a whole number of µs between the years 1970 and 9999";
  if (!cost.empty() && !read_whole<std::int64_t>(cost, 0, std::numeric_limits<std::uint32_t>::max(),
                                                 finish.actual_cost))
    return "the actual cost is not a whole number in range";
  if (finish.sent_us == kNoTime) {
    if (finish.received_us == kNoTime) return nullptr;
    return "the line has finish_received_us without finish_sent_us";
  }
  if (record.sent_us != kNoTime && finish.sent_us < record.sent_us)
    return "the finish was sent before the request";
  if (finish.received_us != kNoTime && finish.received_us < finish.sent_us)
    return "the finish was received before it was sent";
  return nullptr;
}

const char* RowConverter::convert_stamp(const LogRow& row, ReadRow& converted) {
  Record& record = converted.record;
  Timestamp stamp;
  if (const char* problem = read_stamp(time_of(row), stamp)) return problem;
  converted.widened_us = stamp.resolution_us - 1;
  if (has_begun(row)) return convert_both_stamps(row, stamp, converted);
  std::int64_t duration_us = 0;
  if (const char* problem = read_duration(row, duration_us)) return problem;
  record.lacks_duration = !options_.longest_us && lacks_duration(row);
  const StampAt at = stamp_at();
  const std::int64_t last_us = stamp.us + stamp.resolution_us - 1;
  record.sent_us = at == StampAt::start ? stamp.us : stamp.us - duration_us;
  record.received_us = at == StampAt::end ? last_us : last_us + duration_us;
  return nullptr;
}

// "10:00:05" and a date in a column of its own.
std::string_view RowConverter::time_of(const LogRow& row) {
  const std::string_view time = row[Field::time];
  if (!row.has(Field::date) || time.find(':') != 2) return time;
  date_and_time_.assign(row[Field::date]).append(" ").append(time);
  return date_and_time_;
}

const char* RowConverter::read_stamp(std::string_view text, Timestamp& stamp) {
  std::optional<Timestamp> read;
  if (starts_as_number(text)) {
    const TimeUnit unit = unit_of_stamp(options_, units_.time, text);
    if (unit == TimeUnit::detected)
      return "the time has no unit: add one with --time-column NAME:s, ms, us or ns";
    units_.time = unit;
    read = parse_number_of(text, unit);
  } else {
    read = parse_calendar_time(text);
  }
  if (!read) {
    problem_ = fmt::format("the time {} is not valid, or not between the years 1970 and 9999",
                           in_quotes(text, 40));
    return problem_.c_str();
  }
  stamp = *read;
  return nullptr;
}

const char* RowConverter::convert_both_stamps(const LogRow& row, const Timestamp& end,
                                              ReadRow& converted) {
  Record& record = converted.record;
  Timestamp begun;
  if (const char* problem = read_stamp(row[Field::begun], begun)) return problem;
  record.sent_us = begun.us;
  record.received_us = end.us + end.resolution_us - 1;
  return record.sent_us <= record.received_us ? nullptr : "the request ends before it begins";
}

StampAt RowConverter::stamp_at() const {
  return options_.stamp_at != StampAt::detected ? options_.stamp_at : stamp_at_;
}

void RowConverter::allow_slow_requests(Log& log) const {
  // After so long nginx, load balancers and most servers give a request up.
  constexpr std::int64_t kLongestRequestUs = 60'000'000;
  if (stamp_at() != StampAt::start) log.slow_before_us = kLongestRequestUs;
  if (stamp_at() != StampAt::end) log.slow_after_us = kLongestRequestUs;
}

// A word tells of a decision, at its time; a status tells of a request.
bool RowConverter::lacks_duration(const LogRow& row) const {
  const std::string_view status = row[Field::status];
  return !has_duration(row) && !status.empty() && starts_as_number(status);
}

// Sets `us`: the longest that it may have been. If the log has no duration, uses the user's value
// for all requests (--longest).
const char* RowConverter::read_duration(const LogRow& row, std::int64_t& us) {
  if (!has_duration(row)) {
    us = options_.longest_us.value_or(0);
    return nullptr;
  }
  std::string_view text = row[Field::duration];
  if (text.starts_with('+')) text.remove_prefix(1);  // HAProxy: the log came before the end
  const std::int64_t minutes_us = take_minutes(text);
  TimeUnit unit = take_unit(text);
  if (unit == TimeUnit::detected) unit = options_.columns.duration().unit;
  if (unit == TimeUnit::detected) unit = units_.duration;
  if (unit == TimeUnit::detected && (text == "0" || text.find('.') != std::string_view::npos))
    unit = TimeUnit::seconds;
  if (unit == TimeUnit::detected)
    return "the duration has no unit: add one with --duration-column NAME:s, ms or us";
  const auto duration = parse_number_of(text, unit);
  if (!duration || minutes_us + duration->us > kLongestDurationUs)
    return "the duration is not valid";
  // Most servers cut digits, and do not round.
  us = minutes_us + duration->us + duration->resolution_us - 1;
  return nullptr;
}

const char* RowConverter::convert_outcome(const LogRow& row, Record& record) const {
  const std::string_view cost = row[Field::cost];
  if (!cost.empty() &&
      !read_whole<std::uint32_t>(cost, 1, std::numeric_limits<std::uint32_t>::max(), record.cost))
    return "the cost must be a whole number of 1 or more";
  const std::string_view status = row[Field::status];
  const std::string_view outcome = row[Field::outcome];
  int code = 0;
  const bool is_code = !status.empty() && read_whole<int>(status, 0, 999, code);
  record.status = static_cast<std::uint16_t>(code);
  if (!outcome.empty()) return convert_logged_outcome(outcome, record);
  if (is_code) {
    record.outcome = meaning_of_status(code);
  } else if (const auto known = outcome_in_words(status)) {
    record.outcome = *known;
  } else if (status.empty()) {
    return "the line has no outcome: name the column with --status-column";
  } else if (status != "-") {
    return "the outcome is neither a status code nor a word such as allowed or denied";
  }
  return nullptr;
}

Outcome RowConverter::meaning_of_status(int code) const {
  if (options_.denied.has(code)) return Outcome::denied;
  return options_.allowed.has(code) ? Outcome::allowed : Outcome::unknown;
}

// What the user says of statuses goes before what the run made of them.
const char* RowConverter::convert_logged_outcome(std::string_view outcome, Record& record) const {
  const auto known = meaning_of<Outcome>(outcome);
  if (!known) return "the outcome must be allowed, denied, unknown or failed";
  const bool has_answer = record.status != 0 && record.sent_us != kNoTime;
  record.outcome = has_answer ? corrected(*known, record.status) : *known;
  return nullptr;
}

Outcome RowConverter::corrected(Outcome logged, int code) const {
  if (options_.says_denied && options_.denied.has(code)) return Outcome::denied;
  if (options_.says_allowed && options_.allowed.has(code)) return Outcome::allowed;
  const bool is_excluded = (logged == Outcome::denied && options_.says_denied) ||
                           (logged == Outcome::allowed && options_.says_allowed);
  return is_excluded ? Outcome::unknown : logged;
}

bool RowConverter::read_name(const LogRow::Name& name, std::string& decoded,
                             std::string_view& bytes) const {
  bytes = name.text;
  if (name.base64.empty()) return true;
  const auto original = from_base64(name.base64);
  if (!original) return false;
  bytes = decoded = *original;
  return true;
}

// What rules may count by.
const char* RowConverter::convert_other_names(const LogRow& row, HistoryBuilder::Names& names) {
  const std::size_t wanted = options_.columns.names().size();
  others_.resize(wanted);
  for (std::size_t i = 0; i < wanted; ++i)
    if (!read_name(row.name(i), others_[i], names.others.emplace_back()))
      return "a name is not valid base64";
  return nullptr;
}

const char* RowConverter::convert_names(const LogRow& row, HistoryBuilder::Names& names) {
  const bool fits = read_name({row[Field::key], row[Field::key_b64]}, key_, names.key) &&
                    read_name({row[Field::who], row[Field::who_b64]}, who_, names.who) &&
                    read_name({row[Field::phase], row[Field::phase_b64]}, phase_, names.phase) &&
                    read_name({row[Field::target], row[Field::target_b64]}, target_, names.target);
  if (!fits) return "a name is not valid base64";
  if (options_.columns.one_key()) {
    names.key = "(all)";
  } else if (!row.has(Field::key) && !row.has(Field::key_b64)) {
    return "the line has no key: name the column with --key-column";
  } else if (names.key.empty() && !is_own_) {
    return "the key is empty: name another column with --key-column, or let --budget-bad-lines "
           "leave such lines out";
  }
  return nullptr;
}

}  // namespace rlctl
