#include "cli/judged_logs.h"

#include <utility>

#include "base/error.h"

namespace rlctl {
namespace {

// Without a policy or contract only --infer is possible, because it needs neither.
bool can_judge(const Log& log, const VerifyOptions& options) {
  if (log.policy.window_us > 0) return true;
  if (log.contract.kind != ContractKind::none && log.contract.window_us > 0) return true;
  if (options.infer()) return false;
  throw Error(Exit::usage, "there is no limit and no window to judge by",
              "the log has no header with a policy; add --limit 100 --window 60s");
}

JudgedHistory judged(ParsedHistory parsed, const VerifyOptions& options,
                     const WorkWatcher& watcher) {
  JudgedHistory history{std::move(parsed), std::nullopt, std::nullopt};
  options.complete(history.parsed.log);
  const Log& log = history.log();
  JudgeOptions judge_options = options.judge_options(log.tolerance_us);
  judge_options.watcher = watcher;
  if (can_judge(log, options)) history.verdict = judge(log, judge_options);
  if (options.infer()) history.inference = infer(log, judge_options);
  return history;
}

}  // namespace

VerifyResult judge_logs(ParsedLogs logs, const VerifyOptions& options, const WorkWatcher& watcher) {
  VerifyResult result;
  result.most_keys = options.most_keys();
  result.source = std::move(logs);
  for (ParsedHistory& parsed : std::exchange(result.source.histories, {}))
    result.histories.push_back(judged(std::move(parsed), options, watcher));
  return result;
}

}  // namespace rlctl
