#include "inspect/limiter_words.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/units.h"
#include "inspect/stored_time.h"

namespace rlctl {
namespace {

enum class Says : std::uint8_t {
  used,
  left,
  amount,  // what is used, or left
  limit,   // how much is allowed
  pace,    // the window, the refill
  denies,  // that the client is blocked
  since,   // when it was counted last, or from when on
  until,   // when it ends
  kind,    // of a key: what it is for
  leases,  // of a key: who holds, until when
};

// A word that is common in other software proves nothing alone: only an amount beside a time is a
// limiter's, and perhaps not.
struct LimiterWord {
  std::string_view word;
  Says says;
  bool is_common = false;
};
constexpr LimiterWord kWords[] = {
    {"attempts", Says::used},
    {"calls", Says::used},
    {"cnt", Says::used},
    {"consumed", Says::used},
    {"count", Says::used},
    {"counter", Says::used},
    {"hits", Says::used},
    {"leaked", Says::used},
    {"level", Says::used},
    {"n", Says::used, true},
    {"num", Says::used, true},
    {"requests", Says::used},
    {"used", Says::used},
    {"water", Says::used},
    {"allowance", Says::left},
    {"available", Says::left, true},
    {"budget", Says::left, true},
    {"credits", Says::left, true},
    {"left", Says::left, true},
    {"permits", Says::left},
    {"quota", Says::left},
    {"remaining", Says::left},
    {"tokens", Says::left},
    {"points", Says::amount, true},
    {"rate", Says::amount, true},
    {"capacity", Says::limit, true},
    {"limit", Says::limit},
    {"max", Says::limit, true},
    {"maximum", Says::limit, true},
    {"leak", Says::pace},
    {"refill", Says::pace},
    {"refills", Says::pace},
    {"window", Says::pace},
    {"banned", Says::denies, true},
    {"blocked", Says::denies, true},
    {"denied", Says::denies, true},
    {"locked", Says::denies, true},
    {"last", Says::since, true},
    {"refilled", Says::since},
    {"start", Says::since, true},
    {"started", Says::since, true},
    {"ts", Says::since, true},
    {"updated", Says::since, true},
    {"expires", Says::until, true},
    {"reset", Says::until, true},
    {"tat", Says::until},
    {"till", Says::until, true},
    {"until", Says::until, true},
    {"limiter", Says::kind},
    {"limits", Says::kind},
    {"ratelimit", Says::kind},
    {"ratelimiter", Says::kind},
    {"ratelimits", Says::kind},
    {"rl", Says::kind},
    {"throttle", Says::kind},
    {"throttled", Says::kind},
    {"concurrency", Says::leases},
    {"concurrent", Says::leases},
    {"inflight", Says::leases},
    {"lease", Says::leases},
    {"leases", Says::leases},
    {"sem", Says::leases},
    {"semaphore", Says::leases},
    {"slots", Says::leases},
};

// The end of the first word in `lastRefill`, `last_refill` or `REFILL`.
std::size_t end_of_word(std::string_view name) {
  const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  std::size_t end = 1;
  if (!is_letter(name.front())) return end;
  while (end < name.size() && is_letter(name[end]) &&
         (!is_upper(name[end]) || is_upper(name[end - 1])))
    ++end;
  return end;
}

// The words of a name, in lower case. Whole words: a discount is no count. A letter is one only if
// it is the name.
std::vector<std::string> words_of_name(std::string_view name) {
  std::vector<std::string> words;
  for (const std::string_view all = name; !name.empty();) {
    const std::size_t end = end_of_word(name);
    if (end > 1 || all.size() == 1) words.push_back(lower_case(name.substr(0, end)));
    name.remove_prefix(end);
  }
  return words;
}

// The rows of the words in this name.
std::vector<LimiterWord> rows_in(std::string_view name) {
  std::vector<LimiterWord> rows;
  for (const std::string& word : words_of_name(name))
    if (const auto row = std::ranges::find(kWords, word, &LimiterWord::word);
        row != std::end(kWords))
      rows.push_back(*row);
  return rows;
}

template <typename Is>
bool has_word(std::string_view name, Is is) {
  return std::ranges::any_of(rows_in(name), is);
}

bool has(const std::vector<LimiterWord>& rows, Says says) {
  return std::ranges::find(rows, says, &LimiterWord::says) != rows.end();
}

// The windows that are counted by their number since 1970, as limiters choose them. A number that
// is not of today, and a time that is not of these months, is anything, such as that of an article.
constexpr std::int64_t kWindowsS[] = {5,   10,  15,  20,    30,    60,    120,
                                      300, 600, 900, 1'800, 3'600, 86'400};
constexpr std::int64_t kDayS = 86'400;

struct WindowField {
  bool is_window = false;
  bool is_current = false;
};

WindowField window_of(std::string_view field, std::int64_t now_us) {
  if (const auto time = stored_time_in(field))
    return {now_us <= 0 || std::abs(time->us - now_us) <= 400 * kDayS * kSecondUs, false};
  const auto number = parse_whole<std::int64_t>(field);
  if (!number || now_us <= 0) return {};
  const std::int64_t now_s = now_us / kSecondUs;
  for (const std::int64_t window_s : kWindowsS) {
    const std::int64_t current = now_s / window_s;
    if (*number <= current + 1 && *number >= (now_s - kDayS) / window_s)
      return {true, *number == current};
  }
  return {};
}

// The units in the names of windows; without one a window is in seconds.
constexpr std::pair<std::string_view, std::int64_t> kWindowUnits[] = {
    {"us", 1},
    {"ms", 1'000},
    {"millis", 1'000},
    {"milliseconds", 1'000},
    {"minutes", kMinuteUs},
    {"hours", 60 * kMinuteUs},
    {"days", kDayS* kSecondUs},
};

std::int64_t unit_us_in(std::string_view field) {
  for (const std::string& word : words_of_name(field))
    for (const auto& [name, us] : kWindowUnits)
      if (name == word) return us;
  return kSecondUs;
}

bool is_negation(std::string_view field) {
  constexpr std::string_view kNegations[] = {"never", "no", "non", "not"};
  return std::ranges::any_of(words_of_name(field), [&](const std::string& word) {
    return std::ranges::find(kNegations, word) != std::end(kNegations);
  });
}

// The times in a hash, the latest of each kind: Redis gives the fields in any order.
class FieldTimes {
 public:
  // `window_us`: of the user; 0: that which the hash names.
  FieldTimes(std::int64_t now_us, std::int64_t window_us)
      : now_us_(now_us), window_us_(window_us), is_told_(window_us > 0) {}

  // `time`: that of the value.
  void add(const std::string& field, const std::string& value, std::optional<StoredTime> time,
           const std::vector<LimiterWord>& rows) {
    const bool is_past = has(rows, Says::since);  // last_reset is no end
    const bool is_end = !is_past && has(rows, Says::until);
    if (now_us_ <= 0) time.reset();
    if (!time) add_window(field, value, rows);
    for (const LimiterWord& row : rows)
      if (row.says == Says::denies && !is_past) add_denial(row, value, time, is_end);
    if (!time) return;
    if (is_past) take(since_us_, time->us);
    if (is_end) take(has(rows, Says::denies) ? denied_until_us_ : until_us_, time->us);
  }

  std::optional<std::int64_t> since_us() const { return since_us_; }
  std::optional<std::int64_t> until_us() const { return until_us_ ? until_us_ : denied_until_us_; }
  bool is_window_over() const {
    return is_over() || (since_us_ && window_us_ > 0 && *since_us_ + window_us_ <= now_us_);
  }
  bool is_over() const { return until_us().value_or(now_us_ + 1) <= now_us_; }

  // A block ends when the field of the same word says, `blocked_until`; else with the window.
  bool denies() const {
    return std::ranges::any_of(denials_, [&](const auto& of_word) {
      const Denial& denial = of_word.second;
      const auto end_us = denial.end_us ? denial.end_us : until_us_;
      return (denial.is_set || denial.end_us) && end_us && *end_us > now_us_;
    });
  }

 private:
  struct Denial {
    bool is_set = false;
    std::optional<std::int64_t> end_us;
  };

  static void take(std::optional<std::int64_t>& latest_us, std::int64_t us) {
    latest_us = std::max(latest_us.value_or(us), us);
  }
  void add_window(const std::string& field, const std::string& value,
                  const std::vector<LimiterWord>& rows) {
    const auto number = parse_whole<double>(value);
    if (is_told_ || !number || std::ranges::find(rows, "window", &LimiterWord::word) == rows.end())
      return;
    const auto unit_us = static_cast<double>(unit_us_in(field));
    window_us_ = std::max(window_us_, rounded_us(std::min(*number * unit_us, 1e17)));
  }
  // `denied 2` is a count.
  void add_denial(const LimiterWord& row, const std::string& value,
                  const std::optional<StoredTime>& time, bool is_end) {
    Denial& denial = denials_[row.word];
    denial.is_set = denial.is_set || (!is_end && (value == "1" || lower_case(value) == "true"));
    if (time && (is_end || time->us > now_us_)) take(denial.end_us, time->us);
  }

  std::int64_t now_us_;
  std::int64_t window_us_;
  bool is_told_;
  std::optional<std::int64_t> since_us_, until_us_, denied_until_us_;
  std::map<std::string_view, Denial> denials_;  // by word
};

// What is left until the end of a window is left now; what is left since the last request was
// refilled since.
FieldsSay said_by(const FieldsReading& reading, bool denies) {
  if (denies) return FieldsSay::blocked;
  if (reading.left && reading.frees_us)
    return *reading.left < 1 ? FieldsSay::full : FieldsSay::free;
  if (reading.used && reading.limit)
    return *reading.limit - *reading.used < 1 ? FieldsSay::full : FieldsSay::free;
  return reading.used || reading.left ? FieldsSay::no_limit : FieldsSay::nothing;
}

}  // namespace

FieldsReading read_fields(const KeyState& hash, const KeyContext& context) {
  FieldsReading reading;
  bool has_amount = false, has_time = false, is_proven = false;
  int counts = 0, rests = 0, limits = 0;
  FieldTimes times(context.now_us, context.policy.window_us);
  for (const auto& [field, value] : hash.fields) {
    const WindowField window = window_of(field, context.now_us);
    const auto time = stored_time_in(value);
    const auto number = parse_whole<double>(value);
    std::vector<LimiterWord> rows = rows_in(field);
    std::erase_if(rows, [](const LimiterWord& row) { return row.says >= Says::kind; });
    if (!rows.empty() && is_negation(field)) rows.clear();
    times.add(field, value, time, rows);
    for (const LimiterWord& row : rows) {
      is_proven = is_proven || !row.is_common;
      has_amount = has_amount || row.says <= Says::amount || row.says == Says::denies;
      has_time = has_time || (time && row.says >= Says::since);
    }
    is_proven = is_proven || window.is_window;
    // max_tokens is no balance: the limit goes before what it is a limit of.
    if (!time && has(rows, Says::limit)) {
      if (number.value_or(1) <= 0) continue;  // 0 and -1 stand for none
      ++limits;
      reading.limit = number;
    } else if (const bool is_left = has(rows, Says::left);
               is_left || window.is_current || has(rows, Says::used)) {
      ++(is_left ? rests : counts);
      (is_left ? reading.left : reading.used) = number;
    }
  }
  reading.is_limiter = is_proven || (has_amount && has_time);
  reading.may_be_other = reading.is_limiter && !is_proven;
  reading.since_us = times.since_us();
  if (const auto until_us = times.until_us()) reading.frees_us = *until_us - context.now_us;
  if (counts != 1 || times.is_window_over()) reading.used.reset();
  if (rests != 1 || counts > 0 || times.is_over()) reading.left.reset();
  if (limits != 1) reading.limit.reset();
  reading.says = said_by(reading, times.denies());
  return reading;
}

bool is_name_of_limiter(std::string_view name) {
  return has_word(name, [](const LimiterWord& row) { return !row.is_common; });
}

bool is_name_of_leases(std::string_view name) {
  return has_word(name, [](const LimiterWord& row) { return row.says == Says::leases; });
}

bool says_what_is_left(std::string_view name) {
  const auto is_part = [](char c) { return is_letter(c) || is_digit(c); };
  while (!name.empty() && !is_part(name.back())) name.remove_suffix(1);
  const std::string words = lower_case(name);
  return std::ranges::any_of(kWords, [&](const LimiterWord& row) {
    return row.says == Says::left && words.ends_with(row.word);
  });
}

}  // namespace rlctl
