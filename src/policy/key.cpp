#include "policy/key.h"

#include <algorithm>

#include "base/error.h"
#include "base/glob.h"
#include "base/template_text.h"

namespace rlctl {
namespace {

// Calls text(part) and placeholder(name) for the parts of a template, in order. The environment has
// no part in keys.
template <typename Text, typename Placeholder>
void for_each_part(std::string_view key_template, Text text, Placeholder placeholder) {
  for (const TemplatePart& part : template_parts(key_template))
    part.kind == TemplatePart::Kind::word ? placeholder(part.name) : text(part.written);
}

[[noreturn]] void refuse(std::string_view name, std::span<const KeyFilling> fillings) {
  std::string known;
  for (const KeyFilling& filling : fillings) {
    known += (known.empty() ? "<" : ", <") + std::string(filling.first) + '>';
  }
  throw Error(Exit::usage, "the key's placeholder <" + std::string(name) + "> is not known here",
              known.empty() ? "no placeholder is allowed here" : "it is one of " + known);
}

// Null: none. A key is more than its ending.
const PeriodEnding* ending_of(std::string_view key) {
  for (const PeriodEnding& ending : kPeriodEndings)
    if (key.size() > ending.text.size() && key.ends_with(ending.text)) return &ending;
  return nullptr;
}

}  // namespace

std::string fill_key_template(std::string_view key_template, std::span<const KeyFilling> fillings) {
  std::string key;
  for_each_part(
      key_template, [&](std::string_view text) { key += text; },
      [&](std::string_view name) {
        const auto found = std::ranges::find(fillings, name, &KeyFilling::first);
        if (found == fillings.end()) refuse(name, fillings);
        key += found->second;
      });
  return key;
}

KeyMatch match_of(std::string_view key_template, std::string_view key) {
  std::string name;
  std::string pattern;
  bool is_pattern = false;
  const auto add = [&](std::string_view text) {
    name += text;
    pattern += escape_pattern(text);
  };
  for_each_part(key_template, add, [&](std::string_view placeholder) {
    if (placeholder == "key") return add(key);
    is_pattern = true;
    pattern += '*';
  });
  return {is_pattern ? pattern : name, is_pattern};
}

std::optional<std::int64_t> period_us(std::string_view key) {
  const PeriodEnding* ending = ending_of(key);
  return ending == nullptr ? std::nullopt : std::optional(ending->window_us);
}

std::string_view without_period(std::string_view key) {
  const PeriodEnding* ending = ending_of(key);
  if (ending != nullptr) key.remove_suffix(ending->text.size());
  return key;
}

std::string default_block_key(std::string_view key) {
  return std::string(without_period(key)) + ":blocked";
}

}  // namespace rlctl
