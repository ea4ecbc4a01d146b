#include "report/page/csv.h"

#include <algorithm>

#include "base/escape.h"
#include "base/words.h"


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

std::string text_cell(const std::string& text) { return quoted(protected_cell(text)); }

// In the order in which they first appear.
std::vector<std::string> names_of(const Report& report) {
  std::vector<std::string> names;
  for (const ReportRun& run : report.runs)
    for (const NamedFigure& figure : run.figures)
      if (std::ranges::find(names, figure.name) == names.end()) names.push_back(figure.name);
  return names;
}

std::string value_of(const ReportRun& run, const std::string& name) {
  const auto found = std::ranges::find(run.figures, name, &NamedFigure::name);
  if (found == run.figures.end()) return "";
  const bool is_number = found->value.find_first_not_of("+-.0123456789e") == std::string::npos;
  return is_number ? quoted(found->value) : text_cell(found->value);
}

}  // namespace

std::string report_csv(const Report& report) {
  const std::vector<std::string> names = names_of(report);
  std::string text = "run,verdict,reason";
  for (const std::string& name : names) text += "," + quoted(name);
  text += "\r\n";
  for (const ReportRun& run : report.runs) {
    text += text_cell(run.name) + "," + text_cell(run.verdict) + "," + text_cell(run.sentence);
    for (const std::string& name : names) text += "," + value_of(run, name);
    text += "\r\n";
  }
  return text;
}

}  // namespace rlctl
