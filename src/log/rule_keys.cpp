#include "log/rule_keys.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/escape.h"
#include "base/units.h"
#include "log/formats/columns.h"
#include "log/interner.h"
#include "policy/per.h"
#include "policy/rules_text.h"

namespace rlctl {
namespace {

const NamedValues* values_of(const Log& log, std::string_view name) {
  const auto found = std::ranges::find(log.names, name, &NamedValues::name);
  return found == log.names.end() ? nullptr : &*found;
}

}  // namespace

void require_names(const Log& log, const Rules& rules, std::span<const std::string> columns) {
  for (const Rule& rule : rules) {
    const std::string name(name_in_per(rule.per));
    const NamedValues* values = values_of(log, name);
    const bool has_any = values != nullptr && values->values.size() > 1;
    if (rule.per.empty() || has_any || log.records.empty()) continue;
    const std::string found = columns.empty() ? "" : "; the columns are " + listed_columns(columns);
    throw Error(Exit::usage,
                fmt::format("the log has no column {} for {}", in_quotes(name),
                            in_quotes(rules_text({rule}))),
                fmt::format("if it has another name, add --name-column {}=COLUMN{}", name, found));
  }
}

std::vector<std::string> notes_on_names(const Log& log, const Rules& rules) {
  std::vector<std::string> notes;
  for (const Rule& rule : rules) {
    if (rule.per.empty()) continue;
    const RuleKeys keys(log, rule.per);
    std::int64_t without = 0;
    for (std::size_t i = 0; i < log.records.size(); ++i) without += keys.of(i) == kUncounted;
    if (without > 0)
      notes.push_back(fmt::format("{} {} no {}: {} does not count {}", counted(without, "request"),
                                  without == 1 ? "has" : "have", in_quotes(name_in_per(rule.per)),
                                  rate_in_words(rule), without == 1 ? "it" : "them"));
  }
  return notes;
}

bool have_different_keys(const Rules& rules) {
  return std::ranges::any_of(rules,
                             [&](const Rule& rule) { return rule.per != rules.front().per; });
}

RuleKeys::RuleKeys(const Log& log, const std::string& per)
    : log_(log), per_(per), values_(values_of(log, name_in_per(per))) {
  if (values_ == nullptr) return;
  Interner keys;
  key_of_value_.push_back(kUncounted);
  for (std::size_t value = 1; value < values_->values.size(); ++value)
    key_of_value_.push_back(keys.number_of(key_per(per, values_->values[value])));
  texts_ = keys.take();
}

std::uint32_t RuleKeys::of(std::size_t record) const {
  if (per_.empty()) return log_.records[record].key;
  return values_ == nullptr ? kUncounted : key_of_value_[values_->number_of(record)];
}

RecordsByKey::RecordsByKey(const Log& log, const RuleKeys& keys) {
  std::size_t count = keys.size();
  for (std::size_t i = 0; i < log.records.size(); ++i)
    if (keys.of(i) != kUncounted) count = std::max<std::size_t>(count, keys.of(i) + 1);
  begins_.assign(count + 1, 0);
  for (std::size_t i = 0; i < log.records.size(); ++i)
    if (keys.of(i) != kUncounted) ++begins_[keys.of(i) + 1];
  for (std::size_t key = 1; key <= count; ++key) begins_[key] += begins_[key - 1];
  indexes_.resize(begins_.back());
  std::vector<std::size_t> next(begins_.begin(), begins_.end() - 1);
  for (std::uint32_t i = 0; i < log.records.size(); ++i)
    if (keys.of(i) != kUncounted) indexes_[next[keys.of(i)]++] = i;
}

Log counted_by(const Log& log, const Rule& rule) {
  const RuleKeys keys(log, rule.per);
  Log counted = log.only([&](std::size_t record) { return keys.of(record) != kUncounted; });
  const RuleKeys kept(counted, rule.per);
  for (std::size_t i = 0; i < counted.records.size(); ++i) counted.records[i].key = kept.of(i);
  counted.keys = keys.texts();
  return counted;
}

std::optional<std::string> key_under(const Log& log, const Rule& rule, std::size_t record) {
  if (rule.per.empty()) return log.keys[log.records[record].key];
  const NamedValues* values = values_of(log, name_in_per(rule.per));
  if (values == nullptr || values->number_of(record) == 0) return {};
  return key_per(rule.per, values->of(record));
}

}  // namespace rlctl
