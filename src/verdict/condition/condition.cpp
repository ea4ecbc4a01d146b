#include "verdict/condition/condition.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/escape.h"
#include "base/object_fields.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/units.h"

namespace rlctl {
namespace {

bool is_in(SelectorKind kind, AskedIn place) {
  return place == AskedIn::scenario || kind == SelectorKind::policy || kind == SelectorKind::phase;
}

bool takes(const MetricRow& metric, SelectorKind kind) {
  if (kind == SelectorKind::key) return metric.is(kByKey);
  return kind != SelectorKind::fault || metric.is(kByFault);
}

// A bare number is a percentage in --fail-if; a time must name its unit.
bool takes(const MetricRow& metric, AskedIn place, ValueUnit unit) {
  switch (unit) {
    case ValueUnit::percent:
      return metric.unit == MetricUnit::percent ||
             (place == AskedIn::scenario && metric.is(kAsShare));
    case ValueUnit::per_second:
      return metric.unit == MetricUnit::per_second;
    case ValueUnit::duration:
      return metric.unit == MetricUnit::microseconds;
    case ValueUnit::number:
      break;
  }
  return metric.unit == MetricUnit::count || metric.unit == MetricUnit::ratio ||
         (place == AskedIn::comparison && metric.unit != MetricUnit::microseconds);
}

ValueUnit unit_of(std::string_view written) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (written.ends_with('%')) return ValueUnit::percent;
  if (written.ends_with("/s")) return ValueUnit::per_second;
  return std::ranges::any_of(written, is_letter) ? ValueUnit::duration : ValueUnit::number;
}

std::int64_t amount_of(std::string_view written, ValueUnit unit) {
  constexpr std::string_view kField = "value";
  if (unit == ValueUnit::duration) return parse_duration_us(written, kField);
  const std::size_t suffix = unit == ValueUnit::percent ? 1 : unit == ValueUnit::per_second ? 2 : 0;
  return parse_millionths(written.substr(0, written.size() - suffix), kField);
}

class ConditionReader {
 public:
  ConditionReader(std::string_view text, AskedIn place, std::vector<TextMistake>& mistakes)
      : text_(text), place_(place), mistakes_(mistakes) {}

  std::optional<Condition> read() {
    if (read_metric() && read_selectors() && read_comparison() && read_value()) return condition_;
    return std::nullopt;
  }

 private:
  void report(SourceSpan span, std::string what, std::string hint = {}) {
    mistakes_.push_back({span, std::move(what), std::move(hint)});
  }
  bool stop(SourceSpan span, std::string what, std::string hint = {}) {
    report(span, std::move(what), std::move(hint));
    return false;
  }

  bool next_is(char c) const { return at_ < text_.size() && text_[at_] == c; }
  void skip_blanks() { at_ = std::min(text_.find_first_not_of(kBlanks, at_), text_.size()); }

  // Up to one of `ends`, without the blanks around it.
  SourceSpan take_until(std::string_view ends) {
    skip_blanks();
    const std::size_t begin = at_;
    at_ = std::min(text_.find_first_of(ends, at_), text_.size());
    std::size_t end = at_;
    while (end > begin && kBlanks.find(text_[end - 1]) != kBlanks.npos) --end;
    return {begin, end};
  }
  std::string_view slice(SourceSpan span) const {
    return text_.substr(span.begin, span.end - span.begin);
  }

  const MetricRow& metric() const { return *condition_.metric; }
  std::string metric_name() const { return metric().name_in(place_); }

  bool read_metric() {
    const SourceSpan span = take_until(" \t{<>=!");
    condition_.metric = find_metric(slice(span), place_);
    return condition_.metric != nullptr || refuse_metric(span);
  }

  bool refuse_metric(SourceSpan span) {
    const std::string_view name = slice(span);
    std::vector<std::string> usual;
    std::vector<std::string> all;
    std::vector<std::string> longer;
    for (const MetricRow* row : metrics_in(place_)) {
      usual.emplace_back(row->name_in(place_));
      for (std::string& one : names_of(*row)) {
        if (one.starts_with(std::string(name) + ".")) longer.push_back(one);
        all.push_back(std::move(one));
      }
    }
    if (name.empty()) return stop(span, "the metric is missing", one_of(usual));
    if (!longer.empty()) return stop(span, in_quotes(name) + " has no statistic", one_of(longer));
    const bool elsewhere =
        find_metric(name, place_ == AskedIn::scenario ? AskedIn::comparison : AskedIn::scenario);
    if (elsewhere)
      return stop(span,
                  fmt::format("{} is not measured by {}", in_quotes(name),
                              place_ == AskedIn::scenario ? "a scenario" : "a comparison"),
                  one_of(usual));
    const std::string near = did_you_mean(name, all);
    return stop(span, "there is no metric " + in_quotes(name), near.empty() ? one_of(usual) : near);
  }

  bool read_selectors() {
    skip_blanks();
    if (!next_is('{')) return true;
    const SourceSpan open{at_, at_ + 1};
    do {
      ++at_;
      skip_blanks();
      if (next_is('}')) break;
      if (!read_selector(open)) return false;
      skip_blanks();
    } while (next_is(','));
    if (!next_is('}')) return stop(open, "the selectors are never closed", "add a }");
    ++at_;
    return true;
  }

  bool read_selector(SourceSpan open) {
    const SourceSpan span = take_until("=,}");
    Selector selector;
    selector.name = slice(span);
    const auto kind = meaning_of<SelectorKind>(selector.name);
    if (!kind || !is_in(*kind, place_))
      return stop(span, "there is no selector " + in_quotes(selector.name),
                  suggestion(selector.name, selector_names()));
    selector.kind = *kind;
    const bool given = next_is('=');
    if (given && !read_selector_value(selector, open)) return false;
    if (!given || selector.value_span.begin == selector.value_span.end)
      return stop(span, fmt::format("the selector {} has no value", selector.name),
                  fmt::format("write {}=NAME", selector.name));
    check_selector(selector, {span.begin, selector.value_span.end});
    condition_.selectors.push_back(std::move(selector));
    return true;
  }

  // Of the metric, in this place.
  std::vector<std::string> selector_names() const {
    std::vector<std::string> names;
    for (const Word<SelectorKind>& word : kSelectorWords)
      if (is_in(word.meaning, place_) && takes(metric(), word.meaning))
        names.emplace_back(word.name);
    return names;
  }

  bool read_selector_value(Selector& selector, SourceSpan open) {
    ++at_;
    skip_blanks();
    if (!next_is('"') && !next_is('\'')) {
      selector.value_span = take_until(",}");
      selector.value = slice(selector.value_span);
      return true;
    }
    const std::size_t begin = at_;
    const std::size_t end = text_.find(text_[begin], begin + 1);
    if (end == text_.npos) return stop(open, "a quote in the selectors is never closed");
    at_ = end + 1;
    selector.value_span = {begin, at_};
    selector.value = slice({begin + 1, end});
    return true;
  }

  void check_selector(const Selector& selector, SourceSpan span) {
    const auto is_same = [&](const Selector& other) { return other.kind == selector.kind; };
    if (std::ranges::any_of(condition_.selectors, is_same))
      report(span, fmt::format("the selector {} comes twice", selector.name));
    if (takes(metric(), selector.kind)) return;
    report(span, fmt::format("{} can't be measured by {}", metric_name(), selector.name),
           fmt::format("its selectors are {}", joined(selector_names())));
  }

  bool read_comparison() {
    skip_blanks();
    const std::size_t begin = at_;
    at_ = std::min(text_.find_first_not_of("<>=!", at_), text_.size());
    const std::string_view written = text_.substr(begin, at_ - begin);
    if (const auto comparison = meaning_of<Comparison>(written)) {
      condition_.comparison = *comparison;
      return true;
    }
    return stop({begin, std::max(at_, begin + 1)},
                written.empty() ? "expected a comparison here"
                                : in_quotes(written) + " is not a comparison",
                written == "=" ? "write ==" : one_of(all_words<Comparison>()));
  }

  std::string what_it_takes() const { return "it takes " + values_of(metric(), place_); }

  bool read_value() {
    const SourceSpan span = take_until("");
    const std::string_view written = slice(span);
    ConditionValue& value = condition_.value;
    if (written.empty()) return stop(span, "the value is missing", what_it_takes());
    value.is_change = written.starts_with('+') || written.starts_with('-');
    if (value.is_change) return read_change(span);
    value.unit = unit_of(written);
    if (!takes(metric(), place_, value.unit)) return refuse_value(span);
    return read_amount(span, written);
  }

  bool refuse_value(SourceSpan span) {
    if (place_ == AskedIn::comparison && condition_.value.unit == ValueUnit::percent)
      return stop(
          span, "a percentage without a sign",
          fmt::format("add + or - for a change against the base: {} > +10%", metric_name()));
    return stop(span,
                fmt::format("{} can't be compared with {}", metric_name(), in_quotes(slice(span))),
                what_it_takes());
  }

  bool read_change(SourceSpan span) {
    const std::string_view written = slice(span);
    if (place_ == AskedIn::scenario)
      return stop(span, "an expectation has no base to measure a change", what_it_takes());
    if (is_exact(condition_.comparison) && metric().is(kByRound))
      return stop(span, "a change can't be compared with == or !=", "use <, <=, > or >=");
    if (!written.ends_with('%'))
      return stop(span, in_quotes(written) + " is not a change",
                  "write a change such as +10% or -5%");
    ConditionValue& value = condition_.value;
    value.unit = ValueUnit::percent;
    if (!read_amount(span, written.substr(1))) return false;
    if (written.front() == '-') value.amount = -value.amount;
    return value.amount > -100 * kMillion || stop(span, "a figure can't fall by 100 % or more");
  }

  bool read_amount(SourceSpan span, std::string_view written) {
    try {
      condition_.value.amount = amount_of(written, condition_.value.unit);
      return true;
    } catch (const Error& error) {
      const std::string what = error.what();
      return stop(span, what.substr(what.find(": ") + 2), what_it_takes());
    }
  }

  std::string_view text_;
  AskedIn place_;
  std::vector<TextMistake>& mistakes_;
  Condition condition_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<Condition> read_condition(std::string_view text, AskedIn place,
                                        std::vector<TextMistake>& mistakes) {
  return ConditionReader(text, place, mistakes).read();
}

}  // namespace rlctl
