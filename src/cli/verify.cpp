// rlctl verify: judges a log.

#include <functional>
#include <limits>
#include <memory>
#include <utility>

#include "base/error.h"
#include "cli/options/verify_options.h"
#include "cli/output/document.h"
#include "cli/output/progress.h"
#include "cli/verb.h"
#include "io/workers.h"
#include "log/log_file.h"
#include "log/log_parts.h"
#include "log/spill_file.h"
#include "report/documents.h"
#include "report/verify_text.h"
#include "verdict/outcome/verify_result.h"

namespace rlctl {
namespace {

// Records are held by parts of the keys, unless a rule or an option needs all of them at once.
LogReadOptions by_parts(const VerifyOptions& options) {
  constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();
  const auto memory_bytes = options.memory_bytes();
  const auto memory = std::make_shared<PartsMemory>(
      memory_bytes ? *memory_bytes / 2 : kNoLimit,
      memory_bytes ? std::make_unique<SpillFile>() : std::unique_ptr<ByteStore>(),
      [assistant = std::make_shared<Assistant>()](std::function<void()> work) {
        assistant->begin(std::move(work));
      });
  LogReadOptions read = options.read_options();
  read.parts = [&options, memory](const Log& head) -> std::shared_ptr<LogParts> {
    if (options.can_judge_parts(head)) return std::make_shared<LogParts>(memory);
    if (!options.memory_bytes()) return nullptr;
    throw Error(Exit::usage,
                "--memory: rules with 'per', parts of a run, --infer and --held-at-least need all "
                "records at once",
                "leave out --memory");
  };
  return read;
}

VerifyResult read_and_judge(const VerifyOptions& options) {
  Progress progress(!options.quiet());
  const WorkWatcher watcher = progress.watcher();
  return judge_logs(read_logs(options.logs(), by_parts(options), watcher), options, watcher);
}

Exit run_verify(const VerifyOptions& options) {
  options.judge_options(0);  // report a wrong option before reading a long log
  const VerifyResult result = read_and_judge(options);
  if (options.json())
    print_document(VerifyDocument{.version = {}, .logs = document_of(result)});
  else
    print(fitted(verify_text(result, columns_or(0))));
  const JudgedHistory& worst = worst_of(result);
  return worst.verdict ? row_of(worst.verdict->verdict).exit : Exit::done;
}

Action add_verify_options(Options& app) {
  auto options = std::make_shared<VerifyOptions>();
  options->add_to(app);
  return [options] { return run_verify(*options); };
}

}  // namespace

const Verb kVerifyVerb{"verify", "Judges a log: holds (exit 0), violated (1) or inconclusive (4).",
                       "  rlctl verify run.jsonl\n"
                       "  rlctl verify /var/log/nginx/access.log* --limit 100 --window 60s\n"
                       "  rlctl verify app.csv --time-column ts:ms --key-column user --infer",
                       add_verify_options};

}  // namespace rlctl
