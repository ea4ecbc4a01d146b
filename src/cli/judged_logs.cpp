#include "cli/judged_logs.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "base/error.h"
#include "base/escape.h"
#include "base/units.h"
#include "cli/output/output.h"
#include "io/workers.h"
#include "log/log_parts.h"
#include "log/rule_keys.h"
#include "result/stored.h"
#include "verdict/outcome/judged_parts.h"

namespace rlctl {
namespace {

// Without a policy or contract only --infer is possible, because it needs neither.
bool can_judge(const ParsedHistory& history, const std::vector<std::string>& files,
               const VerifyOptions& options) {
  if (!history.log.policy.rules.empty() || !history.log.contract.empty()) return true;
  if (options.infer()) return false;
  const std::string log = files.size() > 1 ? in_quotes(files[history.file]) : "the log";
  throw Error(Exit::usage, "there is no policy to judge by",
              log + " has no header with a policy; add --policy 100/1m");
}

// So many threads that what they judge at once fits into half of the memory; the other half holds
// what waits.
std::size_t threads_for(const LogParts& parts, const VerifyOptions& options) {
  const auto memory = options.memory_bytes();
  if (!memory) return cores();
  std::size_t largest = 0;
  for (std::size_t i = 0; i < LogParts::kParts; ++i)
    largest = std::max(largest, parts.records_of(i));
  const auto needed = static_cast<std::int64_t>(largest * LogParts::kJudgedRecordBytes);
  if (needed > *memory / 2)
    tell(
        fmt::format("--memory: {} have one key, or keys that are judged together: they take about "
                    "{} at once",
                    counted(static_cast<std::int64_t>(largest), "record"), format_bytes(needed)));
  const std::int64_t fitting = *memory / 2 / std::max<std::int64_t>(1, needed);
  return std::clamp<std::size_t>(static_cast<std::size_t>(fitting), 1, cores());
}

EachPart each_part(std::size_t threads, const WorkWatcher& watcher) {
  return [=](std::size_t parts, const PartWork& judge, const PartWork& join) {
    Work work{"judging", "parts of the keys", 0, static_cast<std::int64_t>(parts)};
    work_on_threads(threads, parts, judge, [&](std::size_t part) {
      join(part);
      ++work.done;
      if (watcher) watcher(work);
    });
  };
}

struct Judging {
  const VerifyOptions& options;
  WorkWatcher watcher;

  std::size_t most_keys() const { return options.most_keys().value_or(kMostKeys); }
  EachPart each_part_of(const LogParts& parts) const {
    return each_part(threads_for(parts, options), watcher);
  }
  JudgeOptions judge_options(const Log& log) const {
    JudgeOptions judge_options = options.judge_options(log);
    judge_options.watcher = watcher;
    return judge_options;
  }
};

void complete(Log& log, const VerifyOptions& options, std::span<const std::string> columns) {
  options.complete(log);
  require_names(log, log.policy.rules, columns);
  require_names(log, log.contract, columns);
}

// As the run told them, which had more: all headers.
void note_waits(const KeptPromises& promises, Verdict& verdict) {
  for (const HeaderFinding& finding : findings_on(promises))
    verdict.notes.push_back(note_on(finding));
}

void take(JudgedParts judged, JudgedHistory& history) {
  note_waits(judged.promises, judged.verdict);
  history.verdict = std::move(judged.verdict);
  history.parsed.log = std::move(judged.log);
  history.parsed.lines = std::move(judged.lines);
}

JudgedHistory judged(ParsedHistory parsed, const Judging& judging, const ParsedLogs& source) {
  JudgedHistory history;
  history.parsed = std::move(parsed);
  complete(history.parsed.log, judging.options, source.columns);
  const Log& log = history.log();
  const JudgeOptions judge_options = judging.judge_options(log);
  if (can_judge(history.parsed, source.files, judging.options)) {
    if (const auto parts = std::move(history.parsed.parts)) {
      take(judge_parts(log, *parts, judge_options, judging.most_keys(),
                       judging.each_part_of(*parts)),
           history);
    } else {
      history.verdict = judge(log, judge_options);
      note_waits(waits_in(log), *history.verdict);
    }
  }
  if (judging.options.infer()) history.inference = infer(log, judge_options);
  return history;
}

JudgedPortion portion_of(ParsedHistory parsed, const Judging& judging, const ParsedLogs& source,
                         const Shard& part) {
  complete(parsed.log, judging.options, source.columns);
  can_judge(parsed, source.files, judging.options);
  return judge_portion(parsed.log, *parsed.parts, judging.judge_options(parsed.log),
                       judging.most_keys(), judging.each_part_of(*parsed.parts),
                       {.index = part.index - 1, .count = part.count});
}

// Whoever reads only the verdict must know what it leaves out.
void note_expectations(VerifyResult& result) {
  for (const JudgedHistory& history : result.histories) {
    const std::vector<LoggedExpectation>& more = history.log().expectations;
    if (more.empty()) continue;
    result.source.notes.push_back(fmt::format(
        "the run expected more than a verdict ({}{}), which is not judged here; with its scenario, "
        "rlctl run SCENARIO --logs LOG... judges all",
        escape_for_terminal(more.front().that), more.size() > 1 ? ", ..." : ""));
    return;
  }
}

VerifyResult result_with(const VerifyOptions& options, ParsedLogs source) {
  VerifyResult result;
  if (const auto most = options.most_keys()) result.most_keys = result.most_keys_in_text = *most;
  result.source = std::move(source);
  return result;
}

}  // namespace

VerifyResult judge_logs(ParsedLogs logs, const VerifyOptions& options, const WorkWatcher& watcher) {
  VerifyResult result = result_with(options, std::move(logs));
  for (ParsedHistory& parsed : std::exchange(result.source.histories, {}))
    result.histories.push_back(judged(std::move(parsed), {options, watcher}, result.source));
  note_expectations(result);
  return result;
}

LogPortion judge_portion(ParsedLogs logs, const VerifyOptions& options, const Shard& part,
                         const WorkWatcher& watcher) {
  LogPortion portion;
  portion.part = part;
  portion.options = dump_json(stored(options));
  for (ParsedHistory& parsed : std::exchange(logs.histories, {}))
    portion.histories.push_back(portion_of(std::move(parsed), {options, watcher}, logs, part));
  portion.source = std::move(logs);
  return portion;
}

VerifyResult join_portions(std::vector<LogPortion> portions) {
  check_portions(portions);
  VerifyOptions options;
  restore(Json::parse(portions.front().options), options);
  VerifyResult result = result_with(options, std::move(portions.front().source));
  for (std::size_t i = 0; i < portions.front().histories.size(); ++i) {
    std::vector<JudgedPortion> of_history;
    for (LogPortion& portion : portions) of_history.push_back(std::move(portion.histories[i]));
    JudgedHistory& history = result.histories.emplace_back();
    const JudgeOptions judge_options = options.judge_options(of_history.front().head);
    take(join_portions(std::move(of_history), judge_options), history);
  }
  note_expectations(result);
  return result;
}

}  // namespace rlctl
