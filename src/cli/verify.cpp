// rlctl verify: judges a log.

#include <functional>
#include <limits>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/escape.h"
#include "cli/judged_logs.h"
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
  read.threads = cores() - 1;  // one packs
  read.parts = [&options, memory](const Log& head) -> std::shared_ptr<LogParts> {
    const std::string needs_all = options.what_needs_all(head);
    if (needs_all.empty()) return std::make_shared<LogParts>(memory);
    const std::string by_parts_only = options.part()           ? "--part"
                                      : options.memory_bytes() ? "--memory"
                                                               : "";
    if (by_parts_only.empty()) return nullptr;
    throw Error(Exit::usage, by_parts_only + ": " + needs_all + " needs all records at once",
                "leave out " + by_parts_only);
  };
  return read;
}

// The parts say how they were judged.
VerifyResult joined(const LogsAndOthers& read, const Options& app) {
  if (read.logs)
    throw Error(Exit::usage,
                in_quotes(read.others.front().name) +
                    " is the output of verify --part, and another file is a log",
                "give the outputs of all parts and nothing else");
  for (const std::string& name : app.given())
    if (name.starts_with("-") && name != "--json" && name != "--quiet")
      throw Error(Exit::usage, name + " has no effect on the outputs of verify --part",
                  "the log is judged where they are made: give it there, to each of them");
  std::vector<LogPortion> portions;
  for (const OtherText& other : read.others)
    portions.push_back(read_portion(other.text, other.name, RLCTL_VERSION));
  return join_portions(std::move(portions));
}

std::variant<VerifyResult, LogPortion> read_and_judge(const VerifyOptions& options,
                                                      const Options& app) {
  const auto part = options.part();
  Progress progress(!options.quiet());
  const WorkWatcher watcher = progress.watcher();
  LogsAndOthers read =
      read_logs_and_others(options.logs(), by_parts(options), looks_like_portion, watcher);
  if (!read.others.empty()) return joined(read, app);
  if (part) return judge_portion(std::move(*read.logs), options, *part, watcher);
  return judge_logs(std::move(*read.logs), options, watcher);
}

Exit run_verify(const VerifyOptions& options, const Options& app) {
  options.judge_options(Log());  // report a wrong option before reading a long log
  const auto judged = read_and_judge(options, app);
  if (const auto* portion = std::get_if<LogPortion>(&judged)) {
    print_json(portion_document(*portion, RLCTL_VERSION));
    return Exit::done;
  }
  const auto& result = std::get<VerifyResult>(judged);
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
  return [options, app] { return run_verify(*options, app); };
}

}  // namespace

const Verb kVerifyVerb{"verify", "Judges a log: holds (exit 0), violated (1) or inconclusive (4).",
                       "  rlctl verify run.jsonl\n"
                       "  rlctl verify /var/log/nginx/access.log* --limit 100 --window 60s\n"
                       "  rlctl verify app.csv --time-column ts:ms --key-column user --infer\n"
                       "  rlctl verify huge.csv --policy 100/1m --part 1/3 > part1.json\n"
                       "  rlctl verify part1.json part2.json part3.json",
                       add_verify_options};

}  // namespace rlctl
