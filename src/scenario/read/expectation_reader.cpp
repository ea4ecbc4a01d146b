#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/escape.h"
#include "base/units.h"
#include "scenario/metrics.h"
#include "scenario/read/keys.h"
#include "scenario/read/part_readers.h"

namespace rlctl {
namespace {

const std::array<std::string, 5>& selector_names() {
  static const std::array<std::string, 5> names{"phase", "who", "policy", "key", "fault"};
  return names;
}

// Ends the reading of one expectation early; its problem is already reported.
struct Stop {};

class ExpectationReader {
 public:
  ExpectationReader(const JsonValue& value, std::string pointer, ScenarioContext& context)
      : value_(value), text_(value.text), pointer_(std::move(pointer)), context_(context) {}

  std::optional<Expectation> read() {
    expectation_.text = value_.text;
    expectation_.place = context_.place_of(value_.span);
    try {
      skip_blanks();
      read_metric();
      read_selectors();
      read_comparison();
      read_value();
      return expectation_;
    } catch (const Stop&) {
      return std::nullopt;
    }
  }

 private:
  // Adds a problem at bytes [begin, end) of the text; at the whole value if the text has escapes.
  void report(std::size_t begin, std::size_t end, std::string what, std::string hint = {}) {
    SourceSpan span = value_.span;
    if (value_.plain) span = {span.begin + 1 + begin, span.begin + 1 + std::max(end, begin)};
    context_.problems.add(span, pointer_, std::move(what), std::move(hint));
  }

  [[noreturn]] void stop(std::size_t begin, std::size_t end, std::string what,
                         std::string hint = {}) {
    report(begin, end, std::move(what), std::move(hint));
    throw Stop{};
  }

  bool next_is(char c) const { return at_ < text_.size() && text_[at_] == c; }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }

  std::string_view take_until(std::string_view ends) {
    const std::size_t begin = at_;
    at_ = std::min(text_.find_first_of(ends, at_), text_.size());
    return text_.substr(begin, at_ - begin);
  }

  const MetricRow& row() const { return row_of(expectation_.metric); }

  void read_metric() {
    const std::size_t begin = at_;
    const std::string_view name = take_until(" \t{<>=!");
    const std::size_t dot = name.find('.');
    const auto metric = meaning_of<Metric>(name.substr(0, dot));
    const auto statistic = dot == name.npos ? std::optional(Statistic::none)
                                            : meaning_of<Statistic>(name.substr(dot + 1));
    if (metric) expectation_.metric = *metric;
    if (statistic) expectation_.statistic = *statistic;
    const bool whole = metric && statistic && row().statistics == (dot != name.npos);
    if (whole) return;
    if (metric && row().statistics && dot == name.npos)
      stop(begin, at_, fmt::format("{} has no statistic", in_quotes(name)),
           one_of(all_words<Statistic>()) + fmt::format("; write {}.p99", name));
    stop(begin, at_,
         name.empty() ? "the metric is missing" : "there is no metric " + in_quotes(name),
         suggestion(name, metric_names()));
  }

  void read_selectors() {
    skip_blanks();
    if (!next_is('{')) return;
    const std::size_t open = at_++;
    do {
      skip_blanks();
      if (next_is('}')) break;
      read_selector(open);
      skip_blanks();
    } while (next_is(',') && ++at_ > 0);
    if (!next_is('}')) stop(open, open + 1, "the selectors are never closed", "add a }");
    ++at_;
  }

  void read_selector(std::size_t open) {
    const std::size_t begin = at_;
    const std::string_view name = trimmed(take_until("=,}"));
    const auto names = std::span<const std::string>(selector_names());
    if (std::find(names.begin(), names.end(), name) == names.end())
      stop(begin, begin + name.size(), "there is no selector " + in_quotes(name),
           suggestion(name, names));
    if (!next_is('='))
      stop(begin, at_, fmt::format("the selector {} has no value", name),
           fmt::format("write {}=…", name));
    ++at_;
    skip_blanks();
    const std::size_t value_begin = at_;
    const std::string value = selector_value(open);
    select(name, value, value_begin, begin);
  }

  std::string selector_value(std::size_t open) {
    const char quote = next_is('"') ? '"' : next_is('\'') ? '\'' : '\0';
    if (quote == '\0') return std::string(trimmed(take_until(",}")));
    const std::size_t begin = ++at_;
    at_ = text_.find(quote, at_);
    if (at_ == text_.npos) {
      at_ = text_.size();
      stop(open, open + 1, "a quote in the selectors is never closed");
    }
    return std::string(text_.substr(begin, at_++ - begin));
  }

  static std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
  }

  void select(std::string_view name, const std::string& value, std::size_t begin,
              std::size_t name_begin) {
    Selection& selection = expectation_.selection;
    const Scenario& scenario = context_.scenario;
    if (name == "phase") return pick(selection.phase, name, value, scenario.phases, begin);
    if (name == "who") return pick(selection.who, name, value, scenario.identities, begin);
    if (name == "policy") return pick(selection.policy, name, value, scenario.policies, begin);
    if (name == "key") {
      if (selection.key) report(name_begin, at_, "the selector key comes twice");
      if (!row().by_key)
        report(name_begin, at_, fmt::format("{} can't be measured by key", row().name));
      selection.key = value;
      return;
    }
    if (selection.fault) report(name_begin, at_, "the selector fault comes twice");
    if (!row().by_fault)
      report(name_begin, at_, fmt::format("{} can't be measured by fault", row().name),
             "only recovery can be measured by fault");
    selection.fault = meaning_of<FaultKind>(value);
    if (!selection.fault)
      report(begin, at_, "there is no fault " + in_quotes(value),
             suggestion(value, all_words<FaultKind>()));
  }

  template <typename Named>
  void pick(std::optional<std::uint32_t>& index, std::string_view name, const std::string& value,
            const std::vector<Named>& entries, std::size_t begin) {
    if (index) report(begin, at_, fmt::format("the selector {} comes twice", name));
    index = index_of(entries, value);
    if (index) return;
    report(begin, at_,
           fmt::format("there is no {} {}", name == "who" ? "client" : name, in_quotes(value)),
           suggestion(value, names_of(entries)));
    index = 0;
  }

  void read_comparison() {
    skip_blanks();
    const std::size_t begin = at_;
    while (at_ < text_.size() && std::string_view("<>=!").find(text_[at_]) != text_.npos) ++at_;
    const std::string_view written = text_.substr(begin, at_ - begin);
    const auto comparison = meaning_of<Comparison>(written);
    if (!comparison)
      stop(begin, std::max(at_, begin + 1),
           written.empty() ? "expected a comparison here"
                           : in_quotes(written) + " is not a comparison",
           written == "=" ? "write ==" : one_of(all_words<Comparison>()));
    expectation_.comparison = *comparison;
  }

  void read_value() {
    skip_blanks();
    const std::size_t begin = at_;
    const std::string_view written = trimmed(text_.substr(at_));
    const std::size_t end = begin + written.size();
    if (written.empty()) stop(begin, end, "the value is missing", values_of(row()));
    try {
      parse_value(written);
    } catch (const Error& error) {
      const std::string what = error.what();
      stop(begin, end, what.substr(what.find(": ") + 2), values_of(row()));
    }
    const ValueUnit unit = expectation_.unit;
    const bool fits = (unit == ValueUnit::number && row().number) ||
                      (unit == ValueUnit::percent && row().percent) ||
                      (unit == ValueUnit::duration && row().duration);
    if (!fits)
      stop(begin, end, fmt::format("{} can't be compared with this", row().name),
           "it takes " + values_of(row()));
  }

  void parse_value(std::string_view written) {
    constexpr std::string_view kField = "value";
    const bool has_letters = std::any_of(written.begin(), written.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    });
    if (has_letters) {
      expectation_.unit = ValueUnit::duration;
      expectation_.value = parse_duration_us(written, kField);
      return;
    }
    const bool percent = written.ends_with('%');
    expectation_.unit = percent ? ValueUnit::percent : ValueUnit::number;
    expectation_.value =
        parse_millionths(written.substr(0, written.size() - (percent ? 1 : 0)), kField);
  }

  const JsonValue& value_;
  std::string_view text_;
  std::string pointer_;
  ScenarioContext& context_;
  Expectation expectation_;
  std::size_t at_ = 0;
};

void read_one(const JsonValue& value, const std::string& pointer, const std::string& why,
              ScenarioContext& context) {
  auto expectation = ExpectationReader(value, pointer, context).read();
  if (!expectation) return;
  expectation->why = why;
  context.scenario.expectations.push_back(std::move(*expectation));
}

}  // namespace

void read_expectations(const JsonValue& value, const std::string& pointer,
                       ScenarioContext& context) {
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    const JsonValue& item = value.items[i];
    const std::string inner = pointer_to(pointer, i);
    if (item.kind == JsonKind::string) {
      read_one(item, inner, {}, context);
      continue;
    }
    if (item.kind != JsonKind::object) {
      context.problems.add(item.span, inner,
                           fmt::format("expected a text, not {}", name_of(item.kind)),
                           R"(write "over_admitted == 0")");
      continue;
    }
    ObjectFields fields(item, inner, keys_of(ScenarioObject::expectation), context.problems);
    fields.require("that", R"("that": "over_admitted == 0")");
    const std::string that = fields.text("that");
    const std::string why = fields.text("why");
    const JsonValue* written = fields.find("that");
    if (written != nullptr && written->kind == JsonKind::string)
      read_one(*written, pointer_to(inner, "that"), why, context);
  }
}

}  // namespace rlctl
