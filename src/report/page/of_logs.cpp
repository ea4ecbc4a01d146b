#include "report/page/of_logs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/escape.h"
#include "base/timestamp.h"
#include "base/units.h"
#include "base/words.h"
#include "log/run_parts.h"
#include "log/target_counts.h"
#include "report/page/cells.h"
#include "report/page/evidence.h"
#include "report/page/fault_tables.h"
#include "scenario/scenario_result.h"
#include "verdict/notes.h"

namespace rlctl {
namespace {

// At most this many runs get charts; the tables list all runs.
constexpr std::size_t kMostPictures = 24;
constexpr std::size_t kDenialsShown = 50;

struct DrawingPlan {
  const JudgedWith& judged_with;
  std::int64_t close_up_length_us = 0;  // the longest of all runs, so that all have one scale
};

ReportCell number(std::int64_t value) {
  return {format_count(value), static_cast<double>(value), Mood::neutral};
}

ReportCell count_of_wrong(std::int64_t value) {
  ReportCell cell = number(value);
  if (value > 0) cell.mood = Mood::bad;
  return cell;
}

ReportCell accuracy_of(const Figures& figures) {
  if (figures.decisions == 0) return {"-", std::nullopt, Mood::neutral};
  return {format_accuracy(figures.accuracy_low, figures.accuracy_high), figures.accuracy_low,
          Mood::neutral};
}

ReportCell most_of(const Figures& figures) {
  std::string text = format_count(figures.max_certain);
  if (figures.max_possible > figures.max_certain)
    text += " to " + format_count(figures.max_possible);
  return {text, static_cast<double>(figures.max_certain), Mood::neutral};
}

std::vector<ReportCell> key_row(const std::string& name, const Figures& figures) {
  return {{name, std::nullopt, Mood::neutral},
          number(figures.allowed),
          number(figures.denied),
          number(figures.unknown),
          most_of(figures),
          count_of_wrong(figures.excess_certain),
          count_of_wrong(static_cast<std::int64_t>(figures.certain_false_denials.size())),
          accuracy_of(figures)};
}

ReportTable key_table(const VerifyResult& result, const Log& log, const Judgement& judgement) {
  const std::string most = "most in " + span_of_keys(judgement);
  ReportTable table;
  table.title = "Keys, worst first";
  table.columns = {{"key", false},          {"allowed", true},    {"denied", true},
                   {"unknown", true},       {most, true},         {"too many", true},
                   {"false denials", true}, {"accuracy, %", true}};
  const std::size_t all = judgement.keys.size();
  const std::size_t shown = result.most_keys == 0 ? all : std::min(result.most_keys, all);
  table.most_in_summary = result.most_keys_in_text;
  for (std::size_t i = 0; i < shown; ++i) {
    const KeyFigures& key = judgement.keys[i];
    table.rows.push_back(key_row(judgement.name_of(log, key), key.figures));
  }
  if (shown < all)
    table.note = fmt::format("the worst {} of {} keys; use --most all to list every key", shown,
                             format_count(static_cast<std::int64_t>(all)));
  return table;
}

std::vector<ReportTable> contradiction_table(const VerifyResult& result,
                                             const JudgedHistory& history,
                                             const Judgement& judgement) {
  const auto found = contradiction_of(result, history, judgement, kDenialsShown);
  if (!found) return {};
  ReportTable table;
  table.title = found->title;
  for (const std::string& column : found->columns) table.columns.push_back({column, false});
  for (const std::vector<std::string>& row : found->rows) {
    std::vector<ReportCell>& cells = table.rows.emplace_back();
    for (const std::string& cell : row) cells.push_back({cell, {}, Mood::neutral});
  }
  if (found->rows.size() < found->all)
    table.note = fmt::format("the first {} of {}", found->rows.size(), found->all);
  return {table};
}

std::vector<ReportTable> denial_table(const VerifyResult& result, const JudgedHistory& history,
                                      const Judgement& judgement) {
  const auto& denials = judgement.totals.certain_false_denials;
  if (!judgement.violations.false_denial || denials.empty()) return {};
  const Log& log = history.log();
  const bool counted = explained_by_admissions(judgement.rule());
  ReportTable table;
  table.title = "Wrong denials (the limit had not been reached)";
  table.columns = {{"where", false}, {"key", false}, {"denied at (UTC)", false}};
  if (counted)
    table.columns.push_back(
        {"admitted in the " + format_duration(judgement.rule().window_us) + " before", true});
  const std::size_t shown = std::min(denials.size(), kDenialsShown);
  for (std::size_t i = 0; i < shown; ++i) {
    const Record& record = log.records[denials[i]];
    std::vector<ReportCell> row{{place_in_log(result, history, denials[i]), {}, Mood::neutral},
                                {in_quotes(log.keys[record.key]), {}, Mood::neutral},
                                {format_instant(decided_in(record).from_us), {}, Mood::neutral}};
    if (counted) {
      const std::int64_t before = most_before(log, denials[i], judgement.rule());
      row.push_back(
          {fmt::format("{} of {}", format_count(before), format_count(judgement.rule().limit)),
           static_cast<double>(before), Mood::neutral});
    }
    table.rows.push_back(std::move(row));
  }
  if (shown < denials.size())
    table.note = fmt::format("the first {} of {}", shown,
                             format_count(static_cast<std::int64_t>(denials.size())));
  return {table};
}

// Of several rules, each with its own worst window.
std::vector<ReportTable> rule_tables(const Judgement& judgement) {
  if (judgement.by_rule.empty()) return {};
  ReportTable table;
  table.title = "Rules";
  table.columns = {{"rule", false},    {"verdict", false},    {"most in a window", true},
                   {"too many", true}, {"from (UTC)", false}, {"to (UTC)", false}};
  for (std::size_t i = 0; i < judgement.by_rule.size(); ++i) {
    const Figures& figures = judgement.by_rule[i];
    const bool broken = figures.over_admission == OverAdmission::certain;
    const WorstWindow& window = figures.worst_window;
    const bool any = !window.records.empty();
    table.rows.push_back(
        {text_cell(in_words(judgement.rules[i])),
         text_cell(broken ? "broken" : "not broken", broken ? Mood::bad : Mood::good),
         most_of(figures), count_of_wrong(figures.excess_certain),
         text_cell(any ? format_instant(window.from_us) : "-"),
         text_cell(any ? format_instant(window.to_us) : "-")});
  }
  return {table};
}

std::vector<ReportTable> target_tables(const Log& log) {
  const std::vector<TargetCounts> counts = counts_by_target(log);
  if (counts.empty()) return {};
  ReportTable table = empty_target_table();
  for (const TargetCounts& count : counts)
    table.rows.push_back({text_cell(escape_for_terminal(count.target),
                                    count.decided() > 0 ? Mood::neutral : Mood::bad),
                          number(count.requests), number(count.allowed), number(count.denied),
                          number(count.unknown), number(count.failed)});
  return {table};
}

// What came of what the run asked for.
struct Asked {
  Mood mood;
  std::string word;  // a verdict: nothing was asked
  std::string sentence;

  std::string word_of_outcome() const {
    if (meaning_of<VerdictKind>(word)) return {};
    return name_of(mood == Mood::good  ? ScenarioOutcome::passed
                   : mood == Mood::bad ? ScenarioOutcome::failed
                                       : ScenarioOutcome::inconclusive);
  }
};

Asked asked_of(VerdictKind found, const std::string& reason, const std::string& expected) {
  const std::string word = name_of(found);
  if (expected.empty()) return {mood_of(found), word, reason};
  if (expected == word)
    return {Mood::good, "passed",
            found == VerdictKind::holds ? "holds: " + reason : word + ", as expected: " + reason};
  const bool unclear = found == VerdictKind::inconclusive;
  return {unclear ? Mood::doubtful : Mood::bad, unclear ? "could not tell" : "failed",
          fmt::format("expected {}, found {}: {}", expected, word, reason)};
}

// The run asked for no verdict, only for what its expectations say.
Asked asked_of_any(const Verdict& verdict) {
  const bool unclear = verdict.verdict == VerdictKind::inconclusive;
  return {unclear ? Mood::doubtful : Mood::good, unclear ? "could not tell" : "passed",
          std::string(name_of(verdict.verdict)) + ": " + verdict.reason};
}

// The verdict that is asked of one log; empty: none. A run with several policies has a log of each,
// and the verdict that it expects is that of the worst.
std::string expected_of(const VerifyResult& result, const JudgedHistory& judged) {
  const Log& log = judged.log();
  const bool is_met = std::ranges::any_of(result.histories, [&](const JudgedHistory& other) {
    return !log.run_id.empty() && other.log().run_id == log.run_id &&
           name_of(other.verdict->verdict) == log.expected &&
           other.verdict->verdict > judged.verdict->verdict;
  });
  return is_met ? std::string() : log.expected;
}

Asked asked_of_verdicts(const Log& log, const Verdict& verdict, const std::string& expected) {
  if (expected.empty() && !log.expectations.empty()) return asked_of_any(verdict);
  if (log.expected_own.empty() || !verdict.own)
    return asked_of(verdict.verdict, verdict.reason, expected);
  Asked policy = asked_of(verdict.policy.verdict, verdict.policy.reason, expected);
  Asked own = asked_of(verdict.own->verdict, verdict.own->reason, log.expected_own);
  if (policy.mood == own.mood || policy.mood == Mood::bad || own.mood == Mood::good) return policy;
  own.sentence = "the limiter's own promise: " + own.sentence;
  return own;
}

std::string message_of(const LoggedExpectation& expectation) {
  const char* const word =
      expectation.result == "could_not_tell" ? "could not tell: " : "measured ";
  return word + escape_for_terminal(expectation.measured);
}

// What failed comes before what was found as expected.
Asked asked_of(const Log& log, const Verdict& verdict, const std::string& expected) {
  Asked worst = asked_of_verdicts(log, verdict, expected);
  for (const LoggedExpectation& expectation : log.expectations) {
    const Mood mood = mood_of_word(expectation.result);
    if (mood <= worst.mood) continue;
    worst = {mood, mood == Mood::bad ? "failed" : "could not tell",
             escape_for_terminal(expectation.that) + ": " + message_of(expectation)};
  }
  return worst;
}

ReportCheck check_of(std::string name, const Judgement& judgement, const std::string& expected) {
  const Asked outcome = asked_of(judgement.verdict, judgement.reason, expected);
  return {std::move(name), outcome.mood,
          expected.empty() ? outcome.word + ": " + outcome.sentence : outcome.sentence};
}

std::vector<ReportCheck> checks_of(const Log& log, const Verdict& verdict,
                                   const std::string& expected) {
  // Without an expectation of its own, the own contract is part of the verdict that was expected:
  // whichever is the worse is that verdict.
  const bool apart = !log.expected_own.empty() || !verdict.own;
  const auto wanted_of = [&](const Judgement& judgement) {
    return apart || judgement.verdict == verdict.verdict ? expected : std::string();
  };
  std::vector<ReportCheck> checks;
  if (!log.policy.rules.empty())
    checks.push_back(check_of("policy: " + in_words(log.policy.rules), verdict.policy,
                              wanted_of(verdict.policy)));
  if (verdict.own)
    checks.push_back(check_of("own contract: " + in_words(verdict.own->rules), *verdict.own,
                              apart ? log.expected_own : wanted_of(*verdict.own)));
  for (const LoggedExpectation& expectation : log.expectations)
    checks.push_back({escape_for_terminal(expectation.that), mood_of_word(expectation.result),
                      message_of(expectation)});
  return checks;
}

// The judgement that decided the verdict; its records are the evidence.
const Judgement& deciding(const Verdict& verdict) {
  const bool own = verdict.own && verdict.policy.verdict != VerdictKind::violated &&
                   verdict.own->verdict == VerdictKind::violated;
  return own ? *verdict.own : verdict.policy;
}

void add_totals(const Verdict& verdict, std::vector<NamedFigure>& figures) {
  const Figures& totals = verdict.policy.totals;
  const auto add = [&](const char* name, auto value) {
    figures.push_back({name, fmt::format("{}", value)});
  };
  figures.push_back({"policy_verdict", name_of(verdict.policy.verdict)});
  if (verdict.own) figures.push_back({"own_contract_verdict", name_of(verdict.own->verdict)});
  add("operations", totals.operations);
  add("allowed", totals.allowed);
  add("denied", totals.denied);
  add("unknown", totals.unknown);
  add("failed", totals.failed);
  add("peak", totals.peak);
  add("burst_factor", totals.burst_factor);
  add("overshoot", totals.overshoot);
  add("max_certain", totals.max_certain);
  add("max_possible", totals.max_possible);
  add("excess_certain", totals.excess_certain);
  add("certain_false_denials", totals.certain_false_denials.size());
  add("slack_us", totals.slack_us);
  if (totals.decisions == 0) return;
  add("accuracy_low", totals.accuracy_low);
  add("accuracy_high", totals.accuracy_high);
}

std::string percentile_name(const char* from, std::int64_t parts) {
  if (parts == 1'000'000) return fmt::format("latency_{}_max_us", from);
  std::string digits = fmt::format("{:06d}", parts);
  while (digits.size() > 2 && digits.back() == '0') digits.pop_back();
  return fmt::format("latency_{}_p{}_us", from, digits);
}

void add_latency(const char* from, const LatencyCurve& curve, std::vector<NamedFigure>& figures) {
  for (const LatencyPoint& point : curve.points)
    for (const std::int64_t told :
         {500'000, 900'000, 950'000, 990'000, 999'000, 999'900, 1'000'000})
      if (point.parts_per_million == told)
        figures.push_back({percentile_name(from, told), fmt::format("{}", point.us)});
}

void add_picture(const Log& log, const Verdict& verdict, const DrawingPlan& plan, ReportRun& run) {
  run.picture = picture_of(log, verdict, plan.judged_with(log), plan.close_up_length_us);
  if (run.picture->close_up) run.key = run.picture->close_up->key;
  if (run.on_virtual_time) return;
  add_latency("intended", run.picture->from_intended, run.figures);
  add_latency("sent", run.picture->from_sent, run.figures);
}

// The settings that the pictures of all runs share.
DrawingPlan plan_for(const VerifyResult& result, const JudgedWith& judged_with) {
  DrawingPlan plan{judged_with};
  for (std::size_t i = 0; i < std::min(result.histories.size(), kMostPictures); ++i)
    plan.close_up_length_us =
        std::max(plan.close_up_length_us, close_up_length_us(*result.histories[i].verdict));
  return plan;
}

std::optional<std::vector<FaultDocument>> faults_of(const JudgedHistory& history,
                                                    const DrawingPlan& plan) {
  const Log& log = history.log();
  // What a fault did is told by planned times, which the logs of others lack.
  const bool planned = std::ranges::none_of(
      log.records, [](const Record& record) { return record.intended_us == kNoTime; });
  if (log.faults.empty() || log.records.empty() || !planned) return std::nullopt;
  const FaultedLog faulted{log, *history.verdict, plan.judged_with};
  std::vector<FaultTime> times;
  for (const LoggedFault& fault : log.faults) times.push_back({fault.at_us, fault.ended_us});
  const std::vector<FaultFigures> figures = fault_figures({&faulted, 1}, times);
  const std::int64_t start_us =
      std::ranges::min_element(log.records, {}, &Record::intended_us)->intended_us;
  std::vector<FaultDocument> faults;
  for (std::size_t i = 0; i < figures.size(); ++i)
    faults.push_back(document_of(
        log.faults[i].kind, {times[i].at_us - start_us, times[i].ended_us - start_us}, figures[i]));
  return faults;
}

std::string name_of_run(const Log& log) {
  std::string name = log.algorithm.empty() ? "log" : escape_for_terminal(log.algorithm);
  if (!log.history.empty()) name = escape_for_terminal(log.history) + ", " + name;
  return name;
}

ReportRun run_of(const VerifyResult& result, const JudgedHistory& history, const DrawingPlan& plan,
                 bool drawn) {
  const Log& log = history.log();
  const Verdict& verdict = *history.verdict;
  ReportRun run;
  run.name = name_of_run(log);
  if (log.runs.empty()) run.run_id = escape_for_terminal(log.run_id);
  const std::string expected = expected_of(result, history);
  const Asked outcome = asked_of(log, verdict, expected);
  run.mood = outcome.mood;
  run.verdict = outcome.word;
  run.found = name_of(verdict.verdict);
  run.outcome = outcome.word_of_outcome();
  run.sentence = outcome.sentence;
  run.remedy = verdict.remedy;
  run.on_virtual_time = log.clock == "virtual";
  run.checks = checks_of(log, verdict, expected);
  run.notes = verdict.notes;
  if (log.lacks_durations && slow_requests_note(log).empty())
    run.notes.push_back("the log has no durations: there is no chart of latencies");
  add_totals(verdict, run.figures);
  if (drawn) {
    add_picture(log, verdict, plan, run);
    const Judgement& judgement = deciding(verdict);
    run.evidence = run.picture->close_up && &judgement == &verdict.policy
                       ? possible_evidence_of(result, history, judgement,
                                              run.picture->close_up->possible_records)
                       : evidence_of(result, history, judgement);
    run.tables = target_tables(log);
    for (ReportTable& table : rule_tables(verdict.policy)) run.tables.push_back(std::move(table));
    for (const auto tables_of : {denial_table, contradiction_table})
      for (ReportTable& table : tables_of(result, history, judgement))
        run.tables.push_back(std::move(table));
    for (ReportTable& table : fault_tables(faults_of(history, plan)))
      run.tables.push_back(std::move(table));
    run.tables.push_back(key_table(result, log, verdict.policy));
  }
  return run;
}

ReportTable run_table(const VerifyResult& result, const std::vector<ReportRun>& runs) {
  ReportTable table;
  table.title = "Side by side";
  table.columns = {{"run", false},
                   {"policy", false},
                   {"own contract", false},
                   {"allowed", true},
                   {"denied", true},
                   {"unknown", true},
                   {"worst window", true},
                   {"times the limit", true},
                   {"too many", true},
                   {"false denials", true},
                   {"accuracy over all requests, %", true}};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Verdict& verdict = *result.histories[i].verdict;
    const Figures& totals = verdict.policy.totals;
    const auto word = [](VerdictKind kind) -> ReportCell {
      return {name_of(kind), std::nullopt, mood_of(kind)};
    };
    table.rows.push_back(
        {{runs[i].name, std::nullopt, Mood::neutral},
         word(verdict.policy.verdict),
         verdict.own ? word(verdict.own->verdict) : ReportCell{"none", {}, Mood::neutral},
         number(totals.allowed),
         number(totals.denied),
         number(totals.unknown),
         number(totals.peak),
         {fmt::format("{:.2f}", totals.burst_factor), totals.burst_factor, Mood::neutral},
         count_of_wrong(totals.excess_certain),
         count_of_wrong(static_cast<std::int64_t>(totals.certain_false_denials.size())),
         accuracy_of(totals)});
  }
  return table;
}

void add_source(const VerifyResult& result, Report& report) {
  std::string files;
  for (const std::string& file : result.source.files)
    files += (files.empty() ? "" : ", ") + escape_for_terminal(file);
  add_fact({"Log", files}, report.facts);
  add_fact({"Records", format_count(static_cast<std::int64_t>(result.source.lines))}, report.facts);
  for (const std::string& note : result.source.notes) report.notes.push_back(note);
  for (const std::string& example : result.source.examples)
    report.notes.push_back("unreadable line: " + example);
}

void add_origin(const Log& log, Report& report) {
  const auto add = [&](const char* name, const std::string& value) {
    add_fact({name, escape_for_terminal(value)}, report.facts);
  };
  add("Policy", in_words(log.policy.rules));
  if (log.seed != 0) add("Seed", std::to_string(log.seed));
  add("Run", log.runs.empty() ? log.run_id : runs_in_words(log.runs));
  add("Server", log.server);
  if (!log.version.empty()) add("Played by", "rlctl " + log.version);
  add("Clock", log.clock);
  if (!log.runs.empty()) return;  // its command plays only the first of them
  const std::string command = escape_command(log.command);
  if (!command.empty() && std::ranges::find(report.commands, command) == report.commands.end())
    report.commands.push_back(command);
}

}  // namespace

Report report_of_logs(const VerifyResult& result, const JudgedWith& judged_with) {
  Report report;
  add_source(result, report);
  const DrawingPlan plan = plan_for(result, judged_with);
  for (const JudgedHistory& history : result.histories) {
    report.runs.push_back(run_of(result, history, plan, report.runs.size() < kMostPictures));
    add_origin(history.log(), report);
  }
  if (report.runs.size() > 1) report.tables.push_back(run_table(result, report.runs));
  if (report.runs.size() > kMostPictures)
    report.notes.push_back(
        fmt::format("only the first {} of {} runs have charts; the table lists all", kMostPictures,
                    report.runs.size()));
  add_headline(report);
  return report;
}

}  // namespace rlctl
