#include "cli/output/removal_record.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "base/escape.h"
#include "base/json.h"
#include "base/suggest.h"
#include "base/units.h"
#include "cli/output/key_words.h"
#include "cli/output/output.h"
#include "cli/output/progress.h"
#include "io/redis/redis_error.h"

namespace rlctl {
namespace {

constexpr std::size_t kMostTold = 20;  // of the keys that are still there

const char* name_of(Removal what, bool dry_run) {
  switch (what) {
    case Removal::removed:
      return dry_run ? "would be removed" : "removed";
    case Removal::of_other_type:
    case Removal::other_data:
    case Removal::perhaps_other:
      return "left alone";
    case Removal::refused:
      return "refused";
    case Removal::unknown:
      return "no answer";
    case Removal::absent:
      break;
  }
  return "absent";
}

bool is_left(Removal what) {
  return what != Removal::removed && what != Removal::absent && what != Removal::unknown;
}

std::string hint_of(const RemovedKey& key) {
  if (key.what == Removal::refused) return hint_for_error(key.words);
  if (key.what == Removal::of_other_type) return "redis-cli UNLINK removes it";
  if (key.what == Removal::other_data) return "--any-data removes such keys, too";
  if (key.what == Removal::perhaps_other) return "if it limits the client: ";
  return {};
}

}  // namespace

// What to do is the same for all keys that are left for the same reason: it is told once, with the
// first of them.
std::string RemovalRecord::why_left(const RemovedKey& key) {
  std::string hint = hint_of(key);
  if (hint == std::exchange(last_hint_, hint))
    hint.clear();
  else if (key.what == Removal::perhaps_other)
    hint += rlctl_command("reset " + words_for_key(key.key), endpoint_);
  return with_hint(in_quotes(key.key) + " not removed: " + escape_for_terminal(key.words), hint);
}

std::string RemovalRecord::line_of(const RemovedKey& key) const {
  if (key.what != Removal::removed) return {};
  const std::string holds = dry_run_ && !key.holds.empty() ? ": " + key.holds : "";
  return escape_for_terminal(key.key) + ": " + name_of(key.what, dry_run_) + holds + "\n";
}

std::string RemovalRecord::head() const {
  return fmt::format(R"({{"schema":"rlctl.reset/1","version":"{}","dry_run":{},"keys":[)",
                     RLCTL_VERSION, dry_run_);
}

std::string RemovalRecord::element_of(const RemovedKey& key) {
  Json element;
  put_bytes(element, "key", key.key);
  element["state"] = name_of(key.what, dry_run_);
  if (key.what != Removal::removed && !key.words.empty()) put_bytes(element, "reason", key.words);
  if (!key.holds.empty()) element["holds"] = key.holds;
  const bool first = std::reduce(counts_.begin(), counts_.end()) == 0;
  return (first ? head() : ",") + (stdout_is_terminal() ? "\n  " : "") + dump_json(element);
}

void RemovalRecord::add(const std::vector<RemovedKey>& keys) {
  std::string text;
  for (const RemovedKey& key : keys) {
    if (key.what == Removal::absent) continue;
    text += json_ ? element_of(key) : line_of(key);
    ++counts_[static_cast<std::size_t>(key.what)];
    if (is_left(key.what) && left_.size() < kMostTold) left_.push_back(why_left(key));
  }
  if (text.empty()) return;
  print(progress_wipe());
  print(text);
  flush_output();
}

std::int64_t RemovalRecord::left() const {
  std::int64_t left = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i)
    if (is_left(static_cast<Removal>(i))) left += counts_[i];
  return left;
}

void RemovalRecord::finish(bool complete) {
  if (json_) {
    const bool none = std::reduce(counts_.begin(), counts_.end()) == 0;
    print(fmt::format("{}],\"removed\":{},\"complete\":{}}}\n", none ? head() : "",
                      dry_run_ ? 0 : count(Removal::removed), complete));
  }
  const std::int64_t removed = dry_run_ ? 0 : count(Removal::removed);
  if (!flush_output() && removed > 0)
    tell(counted(removed, "key was", "keys were") +
         " removed; not all are listed on standard output, which failed");
  for (const std::string& why : left_) tell(why);
  const std::int64_t more = left() - static_cast<std::int64_t>(left_.size());
  if (more > 0) tell("and " + counted(more, "more key") + " not removed; --json names each");
}

}  // namespace rlctl
