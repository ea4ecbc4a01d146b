#include "report/compare_json.h"

#include "base/json.h"
#include "report/compare_text.h"

namespace rlctl {
namespace {

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json figure_json(const ComparedFigure& figure) {
  Json json{{"name", figure.subject},
            {"base_name", figure.base_subject},
            {"traffic", text_or_null(figure.traffic)},
            {"metric", figure.metric->name},
            {"base", figure.base},
            {"new", figure.fresh}};
  if (figure.ratio) {
    json["base_rounds"] = figure.base_rounds;
    json["new_rounds"] = figure.fresh_rounds;
    json["in_yardsticks"] = figure.in_yardsticks;
    json["ratio"] = figure.ratio->ratio;
    json["ratio_low"] = figure.ratio->low;
    json["ratio_high"] = figure.ratio->high;
    json["p"] = figure.finding == Finding::too_few_rounds ? Json(nullptr) : Json(figure.p);
  }
  json["finding"] = name_of(figure.finding);
  json["in_words"] = finding_in_words(figure);
  return json;
}

Json figures_json(const std::vector<ComparedFigure>& figures) {
  Json list = Json::array();
  for (const ComparedFigure& figure : figures) list.push_back(figure_json(figure));
  return list;
}

Json different_json(const std::vector<DifferentCircumstance>& different) {
  Json list = Json::array();
  for (const DifferentCircumstance& one : different)
    list.push_back({{"name", one.name}, {"base", one.base}, {"new", one.fresh}});
  return list;
}

}  // namespace

Json comparison_json(const RunComparison& comparison, std::span<const FailCondition> conditions) {
  Json json;
  put_bytes(json, "base", comparison.base_path);
  put_bytes(json, "new", comparison.fresh_path);
  json["different"] = different_json(comparison.different);
  json["verdicts_changed"] = different_json(comparison.verdicts);
  json["yardstick"] = figures_json(comparison.machine);
  json["figures"] = figures_json(comparison.figures);
  json["conditions"] = Json::array();
  for (const JudgedCondition& judged : comparison.conditions)
    json["conditions"].push_back({{"fail_if", conditions[judged.condition].text},
                                  {"name", text_or_null(judged.subject)},
                                  {"traffic", text_or_null(judged.traffic)},
                                  {"result", name_of(judged.held)},
                                  {"p", judged.p ? Json(*judged.p) : Json(nullptr)},
                                  {"because", judged.because}});
  json["notes"] = comparison.notes;
  return json;
}

}  // namespace rlctl
