#include "report/page/of_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/escape.h"
#include "base/stats.h"
#include "base/timestamp.h"
#include "base/units.h"
#include "policy/rules_text.h"
#include "report/page/cells.h"

namespace rlctl {
namespace {

constexpr std::array<std::pair<const char*, std::int64_t>, 6> kShares{{{"p50", 500'000},
                                                                       {"p90", 900'000},
                                                                       {"p99", 990'000},
                                                                       {"p99.9", 999'000},
                                                                       {"p99.99", 999'900},
                                                                       {"most", 1'000'000}}};
constexpr auto kCertain = static_cast<std::size_t>(OverAdmission::certain);
constexpr auto kPossible = static_cast<std::size_t>(OverAdmission::possible);
constexpr auto kNone = static_cast<std::size_t>(OverAdmission::none);

ReportCell count_cell(std::int64_t count) {
  return {format_count(count), static_cast<double>(count)};
}

// "3 to 9": between what is certain and what is possible.
ReportCell range_cell(std::int64_t least, std::int64_t most) {
  ReportCell cell = count_cell(most);
  if (least < most) cell.text = format_count(least) + " to " + cell.text;
  return cell;
}

std::string name_of_policy(const PolicyPlan& policy) {
  return rules_text(policy.rules) + " by " + escape_for_terminal(policy.by.text);
}

// "1m": of the window in which a client's requests are counted.
std::string window_in_words(const PolicyPlan& policy) {
  return format_duration(policy.window_us());
}

ReportTable policies_table(const Plan& plan) {
  ReportTable table{"Policies",
                    "certain: denied in every case that the log leaves open; possible: in some; "
                    "as-stamped: if each "
                    "request came at the end of its interval",
                    {{"policy"},
                     {"by"},
                     {"clients certain", true},
                     {"clients possible", true},
                     {"clients none", true},
                     {"requests certain", true},
                     {"requests as-stamped", true},
                     {"requests at-most", true},
                     {"denied logged", true}},
                    {}};
  for (const PolicyPlan& policy : plan.policies)
    table.rows.push_back({text_cell(rules_text(policy.rules)),
                          text_cell(escape_for_terminal(policy.by.text)),
                          count_cell(policy.clients[kCertain]),
                          count_cell(policy.clients[kPossible]), count_cell(policy.clients[kNone]),
                          count_cell(policy.certain), count_cell(policy.as_stamped),
                          count_cell(policy.possible), count_cell(policy.denied_in_log)});
  return table;
}

// A picture to choose a limit by. Policies of one window and one way of telling clients apart have
// the same row.
ReportTable worst_windows_table(const Plan& plan) {
  ReportTable table{"Requests in each client's own worst window",
                    "of all clients; 1 to 9: the times of the log leave open how many of 9 lie in "
                    "one window",
                    {{"window"}, {"by"}},
                    {}};
  for (const auto& [name, share] : kShares) table.columns.push_back({name, true});
  for (const PolicyPlan& policy : plan.policies) {
    if (!policy.has_window()) continue;
    std::vector<ReportCell> row{text_cell(window_in_words(policy)),
                                text_cell(escape_for_terminal(policy.by.text))};
    for (const auto& [name, share] : kShares)
      row.push_back(
          range_cell(percentile(policy.worst, share), percentile(policy.worst_possible, share)));
    const auto same = [&](const std::vector<ReportCell>& other) {
      return other[0].text == row[0].text && other[1].text == row[1].text;
    };
    if (std::ranges::none_of(table.rows, same)) table.rows.push_back(std::move(row));
  }
  return table;
}

std::string hint_on(const ClientPlan& client) {
  constexpr double kRegular = 0.1;
  if (!client.irregularity || *client.irregularity >= kRegular) return {};
  return "at equal intervals: a program?";
}

ReportTable clients_table(const PolicyPlan& policy, std::size_t most) {
  ReportTable table{"Worst clients under " + name_of_policy(policy),
                    "",
                    {{"client", false, true},
                     {"requests", true},
                     {"certain", true},
                     {"as-stamped", true},
                     {"at-most", true},
                     {"denied logged", true}},
                    {}};
  if (policy.has_window()) {
    table.columns.push_back({"in " + window_in_words(policy), true});
    table.columns.push_back({"worst window"});
  }
  table.columns.push_back({"hint"});
  const std::size_t shown = most == 0 ? policy.hit.size() : std::min(most, policy.hit.size());
  if (shown < policy.hit.size())
    table.note = fmt::format("{} of {}", shown, counted(policy.hit.size(), "client"));
  for (std::size_t i = 0; i < shown; ++i) {
    const ClientPlan& client = policy.hit[i];
    table.rows.push_back({text_cell(escape_for_terminal(policy.names[client.client])),
                          count_cell(client.requests), count_cell(client.certain),
                          count_cell(client.as_stamped), count_cell(client.possible),
                          count_cell(client.denied_in_log)});
    std::vector<ReportCell>& row = table.rows.back();
    if (policy.has_window()) {
      row.push_back(range_cell(client.worst, client.worst_possible));
      row.push_back(text_cell(client.worst_from_us == kNoTime
                                  ? std::string("-")
                                  : format_instant(client.worst_from_us).substr(0, 19)));
    }
    row.push_back(text_cell(hint_on(client)));
  }
  return table;
}

// Who would newly be denied, and who freed.
ReportTable changes_table(const Plan& plan, const PolicyPlan& policy, std::size_t most) {
  ReportTable table{name_of_policy(policy) + " against " + rules_text(plan.in_force),
                    "",
                    {{"client", false, true},
                     {"change"},
                     {"requests", true},
                     {"certain", true},
                     {"as-stamped", true},
                     {"at-most", true}},
                    {}};
  const auto newly = std::ranges::count_if(policy.changes, &ClientChange::newly);
  const auto all = static_cast<std::ptrdiff_t>(policy.changes.size());
  table.note = fmt::format("{} newly hit, {} freed", counted(newly, "client"), all - newly);
  std::array<std::size_t, 2> shown{};
  for (const ClientChange& change : policy.changes) {
    if (most > 0 && shown[change.newly]++ >= most) continue;
    const ClientPlan& client = change.figures;
    table.rows.push_back({text_cell(escape_for_terminal(policy.names[client.client])),
                          text_cell(std::string(change.newly ? "newly hit" : "freed")),
                          count_cell(client.requests), count_cell(client.certain),
                          count_cell(client.as_stamped), count_cell(client.possible)});
  }
  return table;
}

// The worst hours, in order of time.
ReportTable hours_table(const PolicyPlan& policy, std::size_t most) {
  ReportTable table{"Hours with denials under " + name_of_policy(policy),
                    "as stamped; hours of UTC",
                    {{"hour"}, {"denied", true}, {"clients", true}},
                    {}};
  std::vector<std::pair<std::int64_t, HourPlan>> hours(policy.hours.begin(), policy.hours.end());
  if (most > 0 && hours.size() > most) {
    table.note += fmt::format("; the worst {} of {}", most, hours.size());
    std::ranges::stable_sort(
        hours, [](const auto& a, const auto& b) { return a.second.denied > b.second.denied; });
    hours.resize(most);
    std::ranges::sort(hours, {}, &std::pair<std::int64_t, HourPlan>::first);
  }
  for (const auto& [hour_us, hour] : hours)
    table.rows.push_back({text_cell(format_instant(hour_us).substr(0, 16)), count_cell(hour.denied),
                          count_cell(hour.clients_denied)});
  return table;
}

BarChart worst_windows_chart(const Plan& plan) {
  BarChart chart;
  chart.title = "Requests in each client's own worst window";
  chart.unit = "requests";
  chart.is_logarithmic = true;
  for (const auto& [name, share] : kShares) chart.groups.emplace_back(name);
  for (const PolicyPlan& policy : plan.policies) {
    if (!policy.has_window()) continue;
    const std::string series =
        "in " + window_in_words(policy) + " by " + escape_for_terminal(policy.by.text);
    if (std::ranges::find(chart.series, series) != chart.series.end()) continue;
    chart.series.push_back(series);
    std::vector<std::optional<double>>& values = chart.values.emplace_back();
    for (const auto& [name, share] : kShares)
      values.push_back(static_cast<double>(percentile(policy.worst_possible, share)));
  }
  return chart;
}

std::string sentence_of(const Plan& plan) {
  std::string sentence =
      fmt::format("{} within {}", counted(plan.requests, "request"),
                  format_duration_for_people(std::max<std::int64_t>(0, plan.to_us - plan.from_us)));
  if (plan.left_out > 0)
    sentence += fmt::format("; {} left out by filters", format_count(plan.left_out));
  return sentence;
}

void add_facts(const Plan& plan, Report& report) {
  report.facts.push_back({"from", format_instant(plan.from_us)});
  report.facts.push_back({"to", format_instant(plan.to_us)});
  report.facts.push_back(
      {"a request's time is known to", format_duration_for_people(plan.typical_width_us + 1)});
}

}  // namespace

Report report_of_plan(const Plan& plan, std::size_t most_clients) {
  Report report;
  report.verdict = "plan";
  report.sentence = sentence_of(plan);
  add_facts(plan, report);
  report.tables.push_back(policies_table(plan));
  if (std::ranges::any_of(plan.policies, &PolicyPlan::has_window)) {
    report.tables.push_back(worst_windows_table(plan));
    report.bars.push_back(worst_windows_chart(plan));
    report.bars_note = "Of all clients. Counted are requests that may lie in one window.";
  }
  const auto add = [&](ReportTable table) {
    table.most_in_summary = 0;  // it has the rows that were asked for
    report.tables.push_back(std::move(table));
  };
  for (const PolicyPlan& policy : plan.policies) {
    if (!policy.changes.empty()) add(changes_table(plan, policy, most_clients));
    if (policy.hit.empty()) continue;
    add(clients_table(policy, most_clients));
    if (!policy.hours.empty()) add(hours_table(policy, most_clients));
  }
  report.notes = plan.notes;
  return report;
}

std::string clients_csv(const Plan& plan) {
  std::string csv =
      "policy,by,client,denied,requests,certain,as_stamped,at_most,denied_in_log,worst,"
      "worst_from_us,worst_to_us,worst_at_most\n";
  const auto quoted = [](const std::string& text) {
    std::string cell = "\"";
    for (const char c : protected_cell(escape_for_terminal(text)))
      cell += c == '"' ? "\"\"" : std::string(1, c);
    return cell + "\"";
  };
  const auto instant = [](std::int64_t us) { return us == kNoTime ? "" : std::to_string(us); };
  for (const PolicyPlan& policy : plan.policies)
    for (const ClientPlan& client : policy.hit)
      csv += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}\n",
                         quoted(rules_text(policy.rules)), quoted(policy.by.text),
                         quoted(policy.names[client.client]), name_of(client.denied),
                         client.requests, client.certain, client.as_stamped, client.possible,
                         client.denied_in_log, client.worst, instant(client.worst_from_us),
                         instant(client.worst_to_us), client.worst_possible);
  return csv;
}

}  // namespace rlctl
