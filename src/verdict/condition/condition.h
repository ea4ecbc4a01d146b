// A condition, `metric{selector=value,…} op value`: an expectation of a scenario, or a --fail-if.
// The reader turns the text into plain values and names every mistake with its place. Pure.
//
//   metric     a name of verdict/condition/metric.h
//   selectors  phase (or traffic), policy (or algo), who, key, fault; a value may be quoted
//   op         < <= > >= == !=
//   value      20, 0.1%, 500/s, 20ms; with a sign, +10%, a change against the base of a comparison
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/source_text.h"
#include "base/words.h"
#include "verdict/condition/metric.h"

namespace rlctl {

enum class Comparison : std::uint8_t { less, at_most, more, at_least, equal, not_equal };
inline constexpr Word<Comparison> kComparisonWords[] = {
    {"<", Comparison::less},      {"<=", Comparison::at_most}, {">", Comparison::more},
    {">=", Comparison::at_least}, {"==", Comparison::equal},   {"!=", Comparison::not_equal}};
constexpr std::span<const Word<Comparison>> words_of(Comparison) { return kComparisonWords; }

constexpr bool is_exact(Comparison comparison) {
  return comparison == Comparison::equal || comparison == Comparison::not_equal;
}

enum class SelectorKind : std::uint8_t { phase, who, policy, key, fault };
inline constexpr Word<SelectorKind> kSelectorWords[] = {
    {"phase", SelectorKind::phase},   {"who", SelectorKind::who},
    {"policy", SelectorKind::policy}, {"key", SelectorKind::key},
    {"fault", SelectorKind::fault},   {"algo", SelectorKind::policy},
    {"traffic", SelectorKind::phase}};
constexpr std::span<const Word<SelectorKind>> words_of(SelectorKind) { return kSelectorWords; }

struct Selector {
  SelectorKind kind = SelectorKind::phase;
  std::string name;  // as written: "traffic"
  std::string value;
  SourceSpan value_span;  // with its quotes
};

// How a value was written: 20, 0.1%, 500/s, 20ms.
enum class ValueUnit : std::uint8_t { number, percent, per_second, duration };

struct ConditionValue {
  ValueUnit unit = ValueUnit::number;
  std::int64_t amount = 0;  // a duration: µs; all others: millionths, so that 0.1 is exact
  bool is_change = false;   // had a sign; the amount is negative for -10%
};

struct Condition {
  const MetricRow* metric = nullptr;
  std::vector<Selector> selectors;
  Comparison comparison = Comparison::equal;
  ConditionValue value;
};

// Empty if the text cannot be read to its end. Adds to `mistakes`, also where it can be.
std::optional<Condition> read_condition(std::string_view text, AskedIn place,
                                        std::vector<TextMistake>& mistakes);

// All values from low to high are possible.
template <typename Number>
struct Between {
  Number low;
  Number high;
};

// Empty: it is true of some possible values, and false of others.
template <typename Number>
std::optional<bool> compares(Between<Number> a, Comparison comparison, Between<Number> b) {
  const auto negated = [](std::optional<bool> so) { return so ? std::optional(!*so) : so; };
  switch (comparison) {
    case Comparison::less:
      if (a.high < b.low) return true;
      return a.low >= b.high ? std::optional(false) : std::nullopt;
    case Comparison::more:
      return compares(b, Comparison::less, a);
    case Comparison::at_most:
      return negated(compares(b, Comparison::less, a));
    case Comparison::at_least:
      return negated(compares(a, Comparison::less, b));
    case Comparison::equal:
      if (a.high < b.low || b.high < a.low) return false;
      return a.low == a.high && b.low == b.high ? std::optional(true) : std::nullopt;
    case Comparison::not_equal:
      break;
  }
  return negated(compares(a, Comparison::equal, b));
}

}  // namespace rlctl
