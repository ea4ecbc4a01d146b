#include "report/compare_text.h"
#include "report/documents.h"

namespace rlctl {
namespace {

ComparedFigureDocument document_of(const ComparedFigure& figure) {
  ComparedFigureDocument document{.name = figure.subject,
                                  .base_name = figure.base_subject,
                                  .traffic = figure.traffic,
                                  .metric = figure.metric->field,
                                  .base = figure.base,
                                  .fresh = figure.fresh,
                                  .finding = name_of(figure.finding),
                                  .in_words = finding_in_words(figure)};
  if (!is_exact(figure)) {
    document.base_low = figure.base_low;
    document.fresh_low = figure.fresh_low;
  }
  if (!figure.ratio) return document;
  document.base_rounds = figure.base_rounds;
  document.fresh_rounds = figure.fresh_rounds;
  document.in_yardsticks = figure.in_yardsticks;
  document.ratio = figure.ratio->ratio;
  document.ratio_low = figure.ratio->low;
  document.ratio_high = figure.ratio->high;
  if (figure.finding != Finding::too_few_rounds) document.p = figure.p;
  return document;
}

std::vector<ComparedFigureDocument> documents_of(const std::vector<ComparedFigure>& figures) {
  std::vector<ComparedFigureDocument> documents;
  for (const ComparedFigure& figure : figures) documents.push_back(document_of(figure));
  return documents;
}

std::vector<DifferenceDocument> documents_of(
    const std::vector<DifferentCircumstance>& differences) {
  std::vector<DifferenceDocument> documents;
  for (const DifferentCircumstance& one : differences)
    documents.push_back({one.name, one.base, one.fresh});
  return documents;
}

}  // namespace

ComparisonDocument document_of(const RunComparison& comparison,
                               std::span<const FailCondition> conditions) {
  ComparisonDocument document{.base = comparison.base_path,
                              .fresh = comparison.fresh_path,
                              .different = documents_of(comparison.different),
                              .verdicts_changed = documents_of(comparison.verdicts),
                              .yardstick = documents_of(comparison.machine),
                              .figures = documents_of(comparison.figures),
                              .conditions = {},
                              .notes = texts_of(comparison.notes)};
  for (const JudgedCondition& judged : comparison.conditions)
    document.conditions.push_back({.fail_if = conditions[judged.condition].text,
                                   .name = judged.subject,
                                   .traffic = judged.traffic,
                                   .result = name_of(judged.held),
                                   .p = judged.p,
                                   .because = judged.because});
  return document;
}

}  // namespace rlctl
