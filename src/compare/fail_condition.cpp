#include "compare/fail_condition.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>
#include <vector>

#include "base/error.h"
#include "base/escape.h"
#include "base/suggest.h"
#include "base/units.h"
#include "base/words.h"

namespace rlctl {
namespace {

constexpr const char* kField = "--fail-if";
constexpr const char* kExample =
    "such as 'p99 > +10%', 'accuracy < 100%' or 'p99{algo=fixed} > 5ms'";

class ConditionReader {
 public:
  explicit ConditionReader(std::string_view text) : text_(text), rest_(text) {}

  FailCondition read() {
    condition_.text = escape_for_terminal(text_);
    read_metric();
    read_selectors();
    read_comparison();
    read_value();
    return condition_;
  }

 private:
  [[noreturn]] void refuse(const std::string& what, const std::string& hint = kExample) const {
    throw Error(Exit::usage, fmt::format("{}: {}: {}", kField, in_quotes(text_), what), hint);
  }

  void skip_blanks() {
    const auto from = rest_.find_first_not_of(" \t");
    rest_.remove_prefix(from == rest_.npos ? rest_.size() : from);
  }

  std::string_view take_until(const char* ends) {
    skip_blanks();
    const auto to = std::min(rest_.find_first_of(ends), rest_.size());
    std::string_view taken = rest_.substr(0, to);
    rest_.remove_prefix(to);
    while (!taken.empty() && (taken.back() == ' ' || taken.back() == '\t')) taken.remove_suffix(1);
    return taken;
  }

  void read_metric() {
    std::string_view name = take_until(" \t{<>=!");
    if (name.empty()) refuse("the metric is missing");
    constexpr std::string_view kAsInScenarios = "latency.";
    if (name.starts_with(kAsInScenarios)) name.remove_prefix(kAsInScenarios.size());
    condition_.metric = &find_compared_metric(name, kField);
  }

  void read_selectors() {
    skip_blanks();
    if (!rest_.starts_with('{')) return;
    do {
      rest_.remove_prefix(1);
      read_selector();
    } while (rest_.starts_with(','));
    if (!rest_.starts_with('}')) refuse("the selectors are never closed", "add a }");
    rest_.remove_prefix(1);
  }

  void read_selector() {
    const std::string name(take_until("=,}"));
    if (!rest_.starts_with('=')) refuse("the selector " + in_quotes(name) + " has no value");
    rest_.remove_prefix(1);
    const std::string value(take_until(",}"));
    if (name == "algo" || name == "policy") {
      condition_.subject = escape_for_terminal(value);
    } else if (name == "traffic" || name == "phase") {
      condition_.traffic = escape_for_terminal(value);
    } else {
      const std::vector<std::string> names{"algo", "policy", "traffic", "phase"};
      const std::string hint = did_you_mean(name, names);
      refuse("there is no selector " + in_quotes(name),
             hint.empty() ? "the selectors are algo, policy, traffic and phase" : hint);
    }
  }

  void read_comparison() {
    skip_blanks();
    const auto to = std::min(rest_.find_first_not_of("<>=!"), rest_.size());
    const auto comparison = meaning_of<Comparison>(rest_.substr(0, to));
    if (!comparison) refuse("a comparison is missing: write one of < <= > >= == !=");
    condition_.comparison = *comparison;
    rest_.remove_prefix(to);
  }

  void read_value() {
    const std::string_view value = take_until("");
    condition_.relative = value.starts_with('+') || value.starts_with('-');
    if (condition_.relative)
      read_change(value);
    else
      condition_.value = read_amount(value);
  }

  std::optional<double> number(std::string_view text) const {
    double read = 0;
    const char* end = text.data() + text.size();
    const auto done = std::from_chars(text.data(), end, read, std::chars_format::fixed);
    if (done.ec != std::errc() || done.ptr != end || !std::isfinite(read) || read < 0)
      return std::nullopt;
    return read;
  }

  void read_change(std::string_view value) {
    const bool exact = condition_.comparison == Comparison::equal ||
                       condition_.comparison == Comparison::not_equal;
    if (exact) refuse("a change can't be compared with == or !=");
    const bool percent = value.ends_with('%');
    const auto share = percent ? number(value.substr(1, value.size() - 2)) : std::nullopt;
    if (!share) refuse(in_quotes(value) + " is not a change", "write a change such as +10% or -5%");
    condition_.value = value.front() == '+' ? 1 + *share / 100 : 1 - *share / 100;
    if (condition_.value <= 0) refuse("a figure can't fall by 100 % or more");
  }

  double read_amount(std::string_view value) const {
    const MetricUnit unit = condition_.metric->unit;
    if (value.empty()) refuse("a value is missing");
    if (unit == MetricUnit::percent && value.ends_with('%')) value.remove_suffix(1);
    if (unit == MetricUnit::per_second && value.ends_with("/s")) value.remove_suffix(2);
    if (value.ends_with('%'))
      refuse("a percentage without a sign",
             fmt::format("add + or - for a change against the base: {0} > +10%",
                         condition_.metric->name));
    if (unit == MetricUnit::microseconds && value.find_first_not_of("0123456789.") != value.npos)
      return static_cast<double>(parse_duration_us(value, kField));
    const auto read = number(value);
    if (!read) refuse(in_quotes(value) + " is not a value of " + condition_.metric->name);
    return *read;
  }

  std::string_view text_;
  std::string_view rest_;
  FailCondition condition_;
};

}  // namespace

FailCondition parse_fail_condition(std::string_view text) { return ConditionReader(text).read(); }

}  // namespace rlctl
