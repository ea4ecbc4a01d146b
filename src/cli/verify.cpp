// rlctl verify: what a log proves.
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/output.h"
#include "cli/verb.h"
#include "cli/verify_options.h"
#include "core/verify_result.h"
#include "io/log_reader.h"
#include "report/verify_json.h"
#include "report/verify_text.h"

namespace rlctl {
namespace {

// With nothing to judge by there is only --infer, which needs nothing.
bool can_judge(const Log& log, const VerifyOptions& options) {
  if (log.policy.window_us > 0) return true;
  if (log.contract.kind != ContractKind::none && log.contract.window_us > 0) return true;
  if (options.infer()) return false;
  throw Error(Exit::usage, "there is no limit and window to judge by",
              "the log has no header with a policy: give --limit 100 --window 60s");
}

JudgedHistory judged(ParsedHistory parsed, const VerifyOptions& options) {
  JudgedHistory history{std::move(parsed), std::nullopt, std::nullopt};
  options.complete(history.parsed.log);
  const Log& log = history.log();
  const JudgeOptions judge_options = options.judge_options(log.tolerance_us);
  if (can_judge(log, options)) history.verdict = judge(log, judge_options);
  if (options.infer()) history.inference = infer(log, judge_options);
  return history;
}

Exit exit_of(const JudgedHistory& worst) {
  if (!worst.verdict) return Exit::done;
  switch (worst.verdict->verdict) {
    case VerdictKind::holds:
      return Exit::done;
    case VerdictKind::violated:
      return Exit::violated;
    case VerdictKind::inconclusive:
      return Exit::inconclusive;
  }
  return Exit::inconclusive;
}

Exit run(const VerifyOptions& options) {
  VerifyResult result;
  result.most_keys = options.most_keys();
  options.judge_options(0);  // a wrong option is told before a long log is read
  result.source = read_logs(options.logs(), options.read_options());
  for (ParsedHistory& parsed : std::exchange(result.source.histories, {}))
    result.histories.push_back(judged(std::move(parsed), options));
  if (options.json())
    print_json("verify", verify_json(result));
  else
    print(verify_text(result));
  return exit_of(worst_of(result));
}

Action add_options(Options& app) {
  auto options = std::make_shared<VerifyOptions>();
  options->add_to(app);
  return [options] { return run(*options); };
}

}  // namespace

const Verb kVerifyVerb{
    "verify", "What a log proves: holds (exit 0), violated (1) or inconclusive (4).",
    "  rlctl verify run.jsonl\n"
    "  rlctl verify /var/log/nginx/access.log* --limit 100 --window 60s\n"
    "  rlctl verify app.csv --time ts:ms --key user --status code --limit 20 --window 1m --infer",
    add_options};

}  // namespace rlctl
