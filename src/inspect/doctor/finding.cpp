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

namespace {

// What was seen of one ailment.
std::string seen_lines(std::span<const HealthFinding> alike) {
  constexpr std::size_t kMost = 3;
  std::string text;
  for (const HealthFinding& finding : alike.first(std::min(alike.size(), kMost)))
    text += (text.empty() ? "  seen  " : "        ") + finding.seen + "\n";
  if (alike.size() <= kMost) return text;
  return text + fmt::format("        and {} more; --json has all of them\n",
                            format_count(static_cast<std::int64_t>(alike.size() - kMost)));
}

std::string words_of_one(std::span<const HealthFinding> alike) {
  const AilmentRow& row = alike.front().row();
  const auto times = static_cast<std::int64_t>(alike.size());
  return fmt::format("{}: {}{}\n{}  then  {}\n  do    {}\n", name_of(row.severity), row.name,
                     times == 1 ? "" : ", " + format_count(times) + " times", seen_lines(alike),
                     row.consequence, row.remedy);
}

}  // namespace

std::string in_words(std::span<const HealthFinding> sorted) {
  std::string text;
  while (!sorted.empty()) {
    const auto other = std::ranges::find_if(
        sorted, [&](const HealthFinding& finding) { return finding.kind != sorted.front().kind; });
    const auto alike = sorted.first(static_cast<std::size_t>(other - sorted.begin()));
    text += (text.empty() ? "" : "\n") + words_of_one(alike);
    sorted = sorted.subspan(alike.size());
  }
  return text;
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
