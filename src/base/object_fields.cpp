#include "base/object_fields.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/escape.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/units.h"

namespace rlctl {

ObjectFields::ObjectFields(const JsonValue& value, std::string pointer,
                           std::span<const std::string> keys, SourceProblems& problems)
    : value_(value), pointer_(std::move(pointer)), problems_(problems) {
  if (value.kind != JsonKind::object) {
    complain_here(fmt::format("expected an object, not {}", name_of(value.kind)),
                  "the allowed keys are " + joined(keys));
  }
  for (const JsonMember& member : value.members) {
    if (std::find(keys.begin(), keys.end(), member.name) != keys.end()) continue;
    problems_.add(member.name_span, pointer_to(pointer_, member.name),
                  "unknown key " + in_quotes(member.name), suggestion(member.name, keys));
  }
}

const JsonValue* ObjectFields::find(std::string_view name) const { return value_.find(name); }

const JsonValue* ObjectFields::readable(std::string_view name) const {
  const JsonValue* value = find(name);
  return value != nullptr && !value->told ? value : nullptr;
}

void ObjectFields::complain(std::string_view name, std::string what, std::string hint) {
  const JsonValue* value = find(name);
  problems_.add(value != nullptr ? value->span : SourceSpan{value_.span.begin, value_.span.begin},
                pointer(name), std::move(what), std::move(hint));
}

void ObjectFields::complain_in_text(std::string_view name, TextMistake mistake) {
  problems_.add(span_in_text(*find(name), mistake.span), pointer(name), std::move(mistake.what),
                std::move(mistake.hint));
}

void ObjectFields::complain_here(std::string what, std::string hint) {
  // Underline only the opening brace, because an object may be long.
  problems_.add(
      {value_.span.begin, value_.kind == JsonKind::object || value_.kind == JsonKind::array
                              ? value_.span.begin + 1
                              : value_.span.end},
      pointer_, std::move(what), std::move(hint));
}

void ObjectFields::complain(std::string_view name, const Error& error) {
  std::string what = error.what();
  const std::string prefix = std::string(name) + ": ";
  if (what.starts_with(prefix)) what.erase(0, prefix.size());
  complain(name, what, error.hint());
}

void ObjectFields::expected(std::string_view name, const char* what, std::string hint) {
  complain(name, fmt::format("expected {}, not {}", what, name_of(find(name)->kind)),
           std::move(hint));
}

void ObjectFields::require(std::string_view name, std::string hint) {
  if (value_.kind != JsonKind::object || has(name)) return;
  complain_here(in_quotes(name) + " is missing", std::move(hint));
}

std::optional<std::string> ObjectFields::text_of(std::string_view name) {
  const JsonValue* value = readable(name);
  if (value == nullptr) return std::nullopt;
  if (value->kind == JsonKind::string) return value->text;
  const bool number = value->kind == JsonKind::number;
  expected(name, "a text",
           number ? "write it in double quotes: \"" + value->text + "\"" : std::string());
  return std::nullopt;
}

std::string ObjectFields::text(std::string_view name, std::string otherwise) {
  std::optional<std::string> written = text_of(name);
  return written ? std::move(*written) : std::move(otherwise);
}

bool ObjectFields::boolean(std::string_view name, bool otherwise) {
  const JsonValue* value = readable(name);
  if (value == nullptr) return otherwise;
  if (value->kind == JsonKind::boolean) return value->boolean;
  expected(name, "true or false");
  return otherwise;
}

std::int64_t ObjectFields::count(std::string_view name, std::int64_t otherwise, CountRange range) {
  const JsonValue* value = readable(name);
  if (value == nullptr) return otherwise;
  if (value->kind != JsonKind::number) {
    expected(name, "a whole number", "write it without quotes and without a unit");
    return otherwise;
  }
  try {
    const std::int64_t count = parse_count(value->text, name, range.min);
    if (count <= range.max) return count;
    complain(name, format_count(count) + " is too large",
             "the maximum is " + format_count(range.max));
  } catch (const Error& error) {
    complain(name, error);
  }
  return otherwise;
}

double ObjectFields::decimal(std::string_view name, double otherwise, double min, double max) {
  const JsonValue* value = readable(name);
  if (value == nullptr) return otherwise;
  if (value->kind != JsonKind::number) {
    expected(name, "a number", "write it without quotes");
    return otherwise;
  }
  const auto number = parse_whole<double>(value->text);
  if (number && *number >= min && *number <= max) return *number;
  complain(name, in_quotes(value->text) + " is out of range",
           fmt::format("use a number from {} to {}", min, max));
  return otherwise;
}

std::int64_t ObjectFields::duration(std::string_view name, std::int64_t otherwise) {
  const JsonValue* value = readable(name);
  if (value != nullptr && value->kind == JsonKind::number) {
    complain(name, "the duration has no unit",
             fmt::format("write \"{0}s\" or \"{0}ms\", in quotes", value->text));
    return otherwise;
  }
  const std::optional<std::string> written = text_of(name);
  if (!written) return otherwise;
  try {
    return parse_duration_us(*written, name);
  } catch (const Error& error) {
    complain(name, error);
    return otherwise;
  }
}

std::int64_t ObjectFields::positive_duration(std::string_view name, std::int64_t otherwise) {
  const std::size_t wrong_before = problems_.size();
  const std::int64_t us = duration(name, otherwise);
  if (!has(name) || us != 0 || problems_.size() != wrong_before) return us;
  complain(name, "must be more than 0");
  return otherwise;
}

std::int64_t ObjectFields::signed_duration(std::string_view name, std::int64_t otherwise) {
  const std::optional<std::string> written = text_of(name);
  if (!written) return otherwise;
  const bool has_sign = written->starts_with('+') || written->starts_with('-');
  try {
    const std::int64_t us = parse_duration_us(written->substr(has_sign ? 1 : 0), name);
    return written->starts_with('-') ? -us : us;
  } catch (const Error& error) {
    complain(name, error);
    return otherwise;
  }
}

std::optional<Rate> ObjectFields::rate(std::string_view name, std::int64_t least) {
  const JsonValue* value = readable(name);
  if (value != nullptr && value->kind == JsonKind::number) {
    complain(name, "the rate has no unit",
             fmt::format("write \"{0}/1s\" or \"{0}/1m\", in quotes", value->text));
    return std::nullopt;
  }
  const std::optional<std::string> written = text_of(name);
  if (!written) return std::nullopt;
  try {
    return parse_rate(*written, name, least);
  } catch (const Error& error) {
    complain(name, error);
    return std::nullopt;
  }
}

double ObjectFields::share(std::string_view name, double otherwise) {
  const JsonValue* value = readable(name);
  if (value != nullptr && value->kind == JsonKind::number) {
    complain(name, "the share has no unit", fmt::format("write \"{}%\", in quotes", value->text));
    return otherwise;
  }
  const std::optional<std::string> written = text_of(name);
  if (!written) return otherwise;
  try {
    return parse_share(*written, name);
  } catch (const Error& error) {
    complain(name, error);
    return otherwise;
  }
}

std::vector<const JsonValue*> ObjectFields::list(std::string_view name) {
  std::vector<const JsonValue*> items;
  const JsonValue* value = readable(name);
  if (value == nullptr) return items;
  if (value->kind != JsonKind::array) {
    expected(name, "a list", "write it in brackets: [ … ]");
    return items;
  }
  for (const JsonValue& item : value->items) items.push_back(&item);
  return items;
}

std::vector<std::string> ObjectFields::texts(std::string_view name) {
  const JsonValue* value = readable(name);
  if (value == nullptr) return {};
  if (value->kind == JsonKind::string) return {value->text};
  std::vector<std::string> texts;
  for (const JsonValue* item : list(name)) {
    if (item->kind == JsonKind::string || item->kind == JsonKind::number) {
      texts.push_back(item->text);
    } else {
      problems_.add(item->span, pointer(name),
                    fmt::format("expected texts, not {}", name_of(item->kind)));
    }
  }
  return texts;
}

void ObjectFields::refuse_word(std::string_view name, const std::string& written,
                               const std::vector<std::string>& words) {
  complain(name, in_quotes(written) + " is not allowed here", suggestion(written, words));
}

// They may be names of the file.
std::string one_of(std::span<const std::string> words) {
  std::vector<std::string> shown;
  for (const std::string& word : words) shown.push_back(escape_for_terminal(word));
  return "it is one of " + joined(shown);
}

std::string suggestion(std::string_view written, std::span<const std::string> words) {
  const std::string nearest = did_you_mean(written, words);
  if (!nearest.empty()) return nearest;
  return words.empty() ? std::string() : one_of(words);
}

}  // namespace rlctl
