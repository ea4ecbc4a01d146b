#include "inspect/doctor/finding.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>

#include "base/json.h"
#include "base/units.h"

namespace rlctl {

void sort_findings(HealthFindings& findings) {
  std::ranges::stable_sort(findings, {}, [](const HealthFinding& finding) {
    return std::tuple(-static_cast<int>(finding.row().severity), finding.kind);
  });
}

std::string in_words(const HealthFinding& finding) {
  const AilmentRow& row = finding.row();
  return fmt::format("{}: {}\n  seen  {}\n  then  {}\n  do    {}\n", name_of(row.severity),
                     row.name, finding.seen, row.consequence, row.remedy);
}

std::string count_in_words(const HealthFindings& findings) {
  if (findings.empty()) return "nothing found";
  std::string parts;
  for (const Severity severity : {Severity::critical, Severity::warning, Severity::info}) {
    const auto count = std::ranges::count(
        findings, severity, [](const HealthFinding& finding) { return finding.row().severity; });
    if (count > 0)
      parts += (parts.empty() ? ": " : ", ") + format_count(count) + ' ' + name_of(severity);
  }
  return counted(static_cast<std::int64_t>(findings.size()), "finding") + parts;
}

Json to_json(const HealthFinding& finding) {
  const AilmentRow& row = finding.row();
  return {{"finding", row.name},
          {"severity", name_of(row.severity)},
          {"seen", finding.seen},
          {"consequence", row.consequence},
          {"remedy", row.remedy}};
}

}  // namespace rlctl
