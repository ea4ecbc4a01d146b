#include "policy/rate_limit_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "base/timestamp.h"
#include "base/units.h"
#include "policy/structured_list.h"

namespace rlctl {
namespace {

// A number of seconds from here on is an instant (September 2001); as a delay it would be 31 years.
constexpr std::int64_t kFirstInstantUs = 1'000'000'000 * kSecondUs;

// A legacy field is one of these prefixes and one of these parts.
constexpr std::array<std::string_view, 3> kLegacyPrefixes{"x-ratelimit-", "x-rate-limit-",
                                                          "ratelimit-"};
constexpr std::array<std::string_view, 3> kLegacyParts{"limit", "remaining", "reset"};

// "remaining" for "X-RateLimit-Remaining"; empty: not a legacy field.
std::string_view legacy_part(std::string_view name) {
  for (const std::string_view prefix : kLegacyPrefixes) {
    if (name.size() <= prefix.size() ||
        !equals_ignoring_case(name.substr(0, prefix.size()), prefix))
      continue;
    for (const std::string_view part : kLegacyParts)
      if (equals_ignoring_case(name.substr(prefix.size()), part)) return part;
  }
  return {};
}

// Reads a whole number. It cuts decimals and takes the first of several numbers: the drafts up to
// 06 had `RateLimit-Limit: 100, 100;w=60`.
std::optional<std::int64_t> leading_count(std::string_view text) {
  text = trimmed(text.substr(0, text.find_first_of(",;")));
  const auto time = parse_number_of(text, TimeUnit::microseconds);
  const std::string_view whole = text.substr(0, text.find('.'));
  if (!time || whole.size() > 15) return std::nullopt;
  return time->us;
}

// Reads the fields of one response.
class Reading {
 public:
  Reading(std::span<const HeaderField> fields, std::int64_t now_us)
      : fields_(fields), now_us_(now_us) {
    if (const auto date = whole_field("date"))
      now_us_ = parse_http_date(trimmed(*date)).value_or(now_us);
  }

  RateLimitFields read() {
    read_retry_after();
    read_policies();
    read_limits();
    if (result_.limits.empty()) read_legacy();
    return std::move(result_);
  }

 private:
  void malformed(std::string_view name) { result_.malformed.emplace_back(name); }

  std::optional<std::string> whole_field(std::string_view name) const {
    std::optional<std::string> all;
    for (const HeaderField& field : fields_) {
      if (!equals_ignoring_case(field.name, name)) continue;
      if (all) all->append(", ");
      all = all.value_or("") + field.value;
    }
    return all;
  }

  void read_retry_after() {
    const auto field = whole_field("retry-after");
    if (!field) return;
    const std::string_view text = trimmed(*field);
    if (!text.empty() && std::ranges::all_of(text, is_digit)) {
      // Of any length, but without decimals (RFC 9110, 10.2.3).
      constexpr std::int64_t kMost = kLongestDurationUs / kSecondUs;
      const auto seconds = parse_whole<std::int64_t>(text).value_or(kMost);
      result_.retry_after_us = std::min(seconds, kMost) * kSecondUs;
    } else if (const auto date = parse_http_date(text)) {
      result_.retry_after_us = std::max<std::int64_t>(0, *date - now_us_);
      result_.retry_date_is_over = *date <= now_us_;
    } else {
      malformed("Retry-After");
    }
  }

  // Also accepts a draft's policy without a name: `100;w=60`.
  static std::optional<QuotaPolicy> policy_from(const ListItem& item) {
    const bool old = item.value.kind == BareItem::Kind::integer;
    if (!old && item.value.kind != BareItem::Kind::string) return std::nullopt;
    QuotaPolicy policy;
    policy.name = item.value.text;
    const auto quota = old ? std::optional(item.value.integer) : item.integer("q");
    if (!quota || *quota < 0) return std::nullopt;
    policy.quota = *quota;
    if (item.parameter("w") != nullptr) {
      const auto window = item.integer("w");
      if (!window || *window <= 0 || *window > kLastInstantUs / kSecondUs) return std::nullopt;
      policy.window_us = *window * kSecondUs;
    }
    if (const BareItem* unit = item.parameter("qu")) policy.unit = unit->text;
    return policy;
  }

  static std::optional<ServiceLimit> limit_from(const ListItem& item) {
    const auto remaining = item.integer("r");
    if (item.value.kind != BareItem::Kind::string || !remaining || *remaining < 0)
      return std::nullopt;
    ServiceLimit limit{item.value.text, *remaining, kNoTime};
    if (item.parameter("t") != nullptr) {
      const auto reset = item.integer("t");
      if (!reset || *reset < 0 || *reset > kLastInstantUs / kSecondUs) return std::nullopt;
      limit.reset_us = *reset * kSecondUs;
    }
    return limit;
  }

  // Reads every member of the field with `read_one`. One invalid member makes the whole field
  // malformed.
  template <typename T, typename ReadOne>
  void read_list(std::string_view name, std::string_view text, std::vector<T>& into,
                 ReadOne read_one) {
    const auto list = parse_structured_list(text);
    std::vector<T> members;
    for (const ListItem& item : list.value_or(std::vector<ListItem>())) {
      auto member = read_one(item);
      if (!member) return malformed(name);
      members.push_back(std::move(*member));
    }
    if (!list) return malformed(name);
    into = std::move(members);
  }

  void read_policies() {
    if (const auto field = whole_field("ratelimit-policy"))
      read_list("RateLimit-Policy", *field, result_.policies, policy_from);
  }

  void read_limits() {
    const auto field = whole_field("ratelimit");
    if (!field) return;
    if (!read_dictionary(*field)) read_list("RateLimit", *field, result_.limits, limit_from);
  }

  // Draft 07: `RateLimit: limit=100, remaining=50, reset=30`.
  bool read_dictionary(std::string_view text) {
    const auto members = parse_structured_dictionary(text);
    if (!members || members->empty()) return false;
    ServiceLimit limit{"", -1, kNoTime};
    for (const auto& [name, item] : *members) {
      if (item.value.kind != BareItem::Kind::integer || item.value.integer < 0) continue;
      if (name == "remaining") limit.remaining = item.value.integer;
      if (name == "reset") limit.reset_us = item.value.integer * kSecondUs;
      if (name == "limit") add_legacy_quota(item.value.integer);
    }
    if (limit.remaining < 0) return false;
    result_.limits.push_back(std::move(limit));
    return true;
  }

  void add_legacy_quota(std::int64_t quota) {
    if (result_.policies.empty()) result_.policies.push_back({"", quota, kNoTime, "requests"});
  }

  void read_legacy() {
    ServiceLimit limit{"", -1, kNoTime};
    for (const HeaderField& field : fields_) {
      const std::string_view part = legacy_part(field.name);
      if (part.empty()) continue;
      const auto count = leading_count(field.value);
      if (part == "reset") {
        limit.reset_us = reset_from(field.value);
        if (limit.reset_us == kNoTime) malformed(field.name);
      } else if (!count) {
        malformed(field.name);
      } else if (part == "limit") {
        add_legacy_quota(*count);
      } else {
        limit.remaining = *count;
      }
    }
    if (limit.remaining >= 0) result_.limits.push_back(std::move(limit));
  }

  std::int64_t reset_from(std::string_view text) const {
    text = trimmed(text);
    std::optional<std::int64_t> instant_us = parse_http_date(text);
    if (const auto time = parse_calendar_time(text)) instant_us = time->us;
    if (const auto seconds = parse_number_of(text, TimeUnit::seconds)) {
      if (seconds->us < kFirstInstantUs) return seconds->us;
      instant_us = seconds->us;
    } else if (const auto milliseconds = parse_number_of(text, TimeUnit::milliseconds)) {
      instant_us = milliseconds->us;
    }
    return instant_us ? std::max<std::int64_t>(0, *instant_us - now_us_) : kNoTime;
  }

  std::span<const HeaderField> fields_;
  std::int64_t now_us_;
  RateLimitFields result_;
};

std::int64_t seconds_rounded_up(std::int64_t us) { return us <= 0 ? 0 : (us - 1) / kSecondUs + 1; }

}  // namespace

std::int64_t RateLimitFields::remaining() const {
  std::int64_t least = -1;
  for (const ServiceLimit& limit : limits)
    if (least < 0 || limit.remaining < least) least = limit.remaining;
  return least;
}

std::int64_t RateLimitFields::exhausted_reset_us() const {
  std::int64_t longest_us = kNoTime;
  for (const ServiceLimit& limit : limits)
    if (limit.remaining == 0) longest_us = std::max(longest_us, limit.reset_us);
  return longest_us;
}

std::int64_t RateLimitFields::wait_us() const {
  return retry_after_us != kNoTime ? retry_after_us : exhausted_reset_us();
}

bool is_rate_limit_field(std::string_view name) {
  if (name.empty()) return false;
  switch (lower(name.front())) {  // most fields end here
    case 'd':
      return equals_ignoring_case(name, "date");
    case 'r':
      return equals_ignoring_case(name, "retry-after") || equals_ignoring_case(name, "ratelimit") ||
             equals_ignoring_case(name, "ratelimit-policy") || !legacy_part(name).empty();
    case 'x':
      return !legacy_part(name).empty();
    default:
      return false;
  }
}

RateLimitFields read_rate_limit_fields(std::span<const HeaderField> fields, std::int64_t now_us) {
  return Reading(fields, now_us).read();
}

std::string format_retry_after(std::int64_t wait_us) {
  return std::to_string(seconds_rounded_up(wait_us));
}

std::string format_rate_limit_policy(std::span<const QuotaPolicy> policies) {
  std::string text;
  for (const QuotaPolicy& policy : policies) {
    if (!text.empty()) text += ", ";
    text += fmt::format("{};q={}", format_structured_string(policy.name), policy.quota);
    if (policy.unit != "requests") text += ";qu=" + format_structured_string(policy.unit);
    if (policy.window_us != kNoTime)
      text += fmt::format(";w={}", std::max<std::int64_t>(1, seconds_rounded_up(policy.window_us)));
  }
  return text;
}

std::string format_rate_limit(std::span<const ServiceLimit> limits) {
  std::string text;
  for (const ServiceLimit& limit : limits) {
    if (!text.empty()) text += ", ";
    text += fmt::format("{};r={}", format_structured_string(limit.name), limit.remaining);
    if (limit.reset_us != kNoTime) text += fmt::format(";t={}", seconds_rounded_up(limit.reset_us));
  }
  return text;
}

}  // namespace rlctl
