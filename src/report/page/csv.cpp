#include <algorithm>

#include "base/escape.h"
#include "base/words.h"
#include "report/page/formats.h"

namespace rlctl {
namespace {

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n\r ") == std::string::npos) return text;
  std::string cell = "\"";
  for (const char c : text) {
    if (c == '"') cell += '"';
    cell += c;
  }
  return cell + "\"";
}

std::string csv_text(const std::string& text) { return quoted(protected_cell(text)); }

// In the order in which they first appear.
std::vector<std::string> figure_names(const Report& report) {
  std::vector<std::string> names;
  for (const ReportRun& run : report.runs)
    for (const NamedFigure& figure : run.figures)
      if (std::ranges::find(names, figure.name) == names.end()) names.push_back(figure.name);
  return names;
}

std::string csv_value(const ReportRun& run, const std::string& name) {
  const auto found = std::ranges::find(run.figures, name, &NamedFigure::name);
  if (found == run.figures.end()) return "";
  const bool is_number = found->value.find_first_not_of("+-.0123456789e") == std::string::npos;
  return is_number ? quoted(found->value) : csv_text(found->value);
}

}  // namespace

std::string report_csv(const Report& report) {
  const std::vector<std::string> names = figure_names(report);
  std::string text = "run,verdict,reason";
  for (const std::string& name : names) text += "," + quoted(name);
  text += "\r\n";
  for (const ReportRun& run : report.runs) {
    text += csv_text(run.name) + "," + csv_text(run.verdict) + "," + csv_text(run.sentence);
    for (const std::string& name : names) text += "," + csv_value(run, name);
    text += "\r\n";
  }
  return text;
}

}  // namespace rlctl
