#include "inspect/limiter_words.h"

#include <algorithm>
#include <cstdlib>
#include <string>

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

// Calls `take` with each row of a word in this name. Whole words: a discount is no count. A letter
// is one only if it is the name.
template <typename Take>
void for_words(std::string_view name, Take take) {
  const std::string_view all = name;
  while (!name.empty()) {
    const std::size_t end = end_of_word(name);
    const std::string word = lower_case(name.substr(0, end));
    const auto row = std::ranges::find(kWords, word, &LimiterWord::word);
    if (row != std::end(kWords) && (end > 1 || all.size() == 1)) take(*row);
    name.remove_prefix(end);
  }
}

template <typename Is>
bool has_word(std::string_view name, Is is) {
  bool has = false;
  for_words(name, [&](const LimiterWord& row) { has = has || is(row); });
  return has;
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

// What is left until the end of a window is left now; what is left since the last request was
// refilled since.
FieldsSay said_by(const FieldsReading& reading, bool denies) {
  const bool is_of_now = reading.frees_us.has_value();
  if (denies && is_of_now) return FieldsSay::blocked;
  if (reading.left && is_of_now) return *reading.left < 1 ? FieldsSay::full : FieldsSay::free;
  if (reading.used && reading.limit)
    return *reading.limit - *reading.used < 1 ? FieldsSay::full : FieldsSay::free;
  return reading.used || reading.left ? FieldsSay::no_limit : FieldsSay::nothing;
}

}  // namespace

FieldsReading read_fields(const KeyState& hash, const KeyContext& context) {
  FieldsReading reading;
  bool has_amount = false, has_time = false, is_proven = false, denies = false;
  int counts = 0, rests = 0, limits = 0;
  for (const auto& [field, value] : hash.fields) {
    const WindowField window = window_of(field, context.now_us);
    const auto time = stored_time_in(value);
    const auto number = parse_whole<double>(value);
    bool is_used = window.is_current, is_left = false, is_limit = false;
    for_words(field, [&](const LimiterWord& row) {
      if (row.says >= Says::kind) return;
      is_proven = is_proven || !row.is_common;
      has_amount = has_amount || row.says <= Says::amount || row.says == Says::denies;
      has_time = has_time || (time && row.says >= Says::since);
      is_used = is_used || row.says == Says::used;
      is_left = is_left || row.says == Says::left;
      is_limit = is_limit || (row.says == Says::limit && !time);
      denies = denies || (row.says == Says::denies && number.value_or(0) > 0);
      if (!time || context.now_us <= 0) return;
      if (row.says == Says::until) reading.frees_us = time->us - context.now_us;
      if (row.says == Says::since) reading.since_us = time->us;
    });
    is_proven = is_proven || window.is_window;
    // max_tokens is no balance: the limit goes before what it is a limit of.
    if (is_limit) {
      ++limits;
      reading.limit = number;
    } else if (is_used || is_left) {
      ++(is_left ? rests : counts);
      (is_left ? reading.left : reading.used) = number;
    }
  }
  reading.is_limiter = is_proven || (has_amount && has_time);
  reading.may_be_other = reading.is_limiter && !is_proven;
  const bool is_over = reading.frees_us.value_or(1) <= 0;
  const std::int64_t window_us = context.policy.window_us;
  const bool is_old =
      reading.since_us && window_us > 0 && *reading.since_us + window_us <= context.now_us;
  if (counts != 1 || is_over || is_old) reading.used.reset();
  if (rests != 1 || counts > 0 || is_over) reading.left.reset();
  if (limits != 1) reading.limit.reset();
  reading.says = said_by(reading, denies && !is_over);
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
