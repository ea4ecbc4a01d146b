// The result of `compare` as it is published ("rlctl.compare/1"), and its words. Plain
// values.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/error.h"
#include "base/words.h"
#include "result/fields.h"

namespace rlctl {

enum class Finding : std::uint8_t { alike, differs, too_few_rounds };
inline constexpr Word<Finding> kFindingWords[] = {{"no_difference_shown", Finding::alike},
                                                  {"differs", Finding::differs},
                                                  {"too_few_rounds", Finding::too_few_rounds}};
constexpr std::span<const Word<Finding>> words_of(Finding) { return kFindingWords; }

enum class ConditionHeld : std::uint8_t { fails, passes, undecided };
inline constexpr ResultWord<ConditionHeld> kConditionHeldWords[] = {
    {"fails", ConditionHeld::fails, Exit::violated},
    {"passes", ConditionHeld::passes, Exit::done},
    {"undecided", ConditionHeld::undecided, Exit::inconclusive}};
constexpr std::span<const ResultWord<ConditionHeld>> words_of(ConditionHeld) {
  return kConditionHeldWords;
}

struct DifferenceDocument {
  static constexpr const char* kName = "difference";
  Text name, base, fresh;
};

struct ComparedFigureDocument {
  static constexpr const char* kName = "compared_figure";
  Text name, base_name, traffic, metric;
  Number base, fresh, base_low, fresh_low;
  Number base_rounds;  // missing: the figure has no rounds, and nothing up to `p` is there
  Number fresh_rounds;
  bool in_yardsticks = false;
  Number ratio, ratio_low, ratio_high, p;
  Text finding, in_words;
};

struct ConditionDocument {
  static constexpr const char* kName = "condition";
  Text fail_if, name, traffic, result;
  Number p;
  Text because;
};

// One new run against the base.
struct ComparisonDocument {
  static constexpr const char* kName = "comparison";
  Text base, fresh;
  std::vector<DifferenceDocument> different, verdicts_changed;
  std::vector<ComparedFigureDocument> yardstick, figures;
  std::vector<ConditionDocument> conditions;
  std::vector<Text> notes;
};

struct CompareDocument {
  static constexpr const char* kSchema = "rlctl.compare/1";
  Text version;
  Number exit;
  std::vector<ComparisonDocument> comparisons;
};

void describe(Fields& fields, ComparisonDocument& comparison);
void describe(Fields& fields, CompareDocument& document);

}  // namespace rlctl
