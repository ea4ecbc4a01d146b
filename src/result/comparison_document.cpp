#include "result/comparison_document.h"

namespace rlctl {
void describe(Fields& fields, DifferenceDocument& difference) {
  fields.text({"name"}, difference.name);
  fields.text({"base"}, difference.base);
  fields.text({"new"}, difference.fresh);
}

void describe(Fields& fields, ComparedFigureDocument& figure) {
  fields.text({"name", "the algorithm or the policy"}, figure.name);
  fields.text({"base_name", "its name in the base"}, figure.base_name);
  fields.text({"traffic", "admitted or denied", kOrNull}, figure.traffic);
  fields.text({"metric"}, figure.metric);
  fields.number({"base", "the most that it may be"}, figure.base);
  fields.number({"new", "the most that it may be"}, figure.fresh);
  fields.number({"base_low", "the least; missing: both are known exactly", kIfAny},
                figure.base_low);
  fields.number({"new_low", "the least; missing: both are known exactly", kIfAny},
                figure.fresh_low);
  fields.when(figure.base_rounds.is_known(), [&] {
    fields.count({"base_rounds"}, figure.base_rounds);
    fields.count({"new_rounds"}, figure.fresh_rounds);
    fields.flag({"in_yardsticks", "in units of each round's yardstick"}, figure.in_yardsticks);
    fields.number({"ratio", "the median of new / base of all pairs of rounds"}, figure.ratio);
    fields.number({"ratio_low", "of the interval at 95 %"}, figure.ratio_low);
    fields.number({"ratio_high", "of the interval at 95 %"}, figure.ratio_high);
    fields.number({"p", "adjusted for all figures; null: too few rounds", kOrNull}, figure.p);
  });
  fields.word<Finding>({"finding"}, figure.finding);
  fields.text({"in_words"}, figure.in_words);
}

void describe(Fields& fields, ConditionDocument& condition) {
  fields.text({"fail_if", "as written"}, condition.fail_if);
  fields.text({"name", "the algorithm or the policy", kOrNull}, condition.name);
  fields.text({"traffic", "admitted or denied", kOrNull}, condition.traffic);
  fields.word<ConditionHeld>({"result"}, condition.result);
  fields.number({"p", "adjusted for all conditions", kOrNull}, condition.p);
  fields.text({"because"}, condition.because);
}

void describe(Fields& fields, ComparisonDocument& comparison) {
  fields.bytes({"base", "the file"}, comparison.base);
  fields.bytes({"new", "the file"}, comparison.fresh);
  fields.list({"different", "conditions of the measurement"}, comparison.different);
  fields.list({"verdicts_changed"}, comparison.verdicts_changed);
  fields.list({"yardstick", "the machine itself"}, comparison.yardstick);
  fields.list({"figures"}, comparison.figures);
  fields.list({"conditions", "of --fail-if"}, comparison.conditions);
  fields.list({"notes"}, comparison.notes);
}

void describe(Fields& fields, CompareDocument& document) {
  fields.heading(CompareDocument::kSchema, document.version);
  fields.count({"exit"}, document.exit);
  fields.list({"comparisons", "one for each new run"}, document.comparisons);
}

}  // namespace rlctl
