#include "cli/options/verify_options.h"

#include <fmt/format.h>

#include <charconv>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "base/escape.h"
#include "base/text.h"
#include "base/timestamp.h"
#include "base/units.h"
#include "base/words.h"
#include "cli/output/output.h"
#include "io/workers.h"
#include "log/formats/known_formats.h"
#include "log/log_parts.h"
#include "log/rule_keys.h"
#include "policy/per.h"
#include "verdict/outcome/judged_parts.h"

namespace rlctl {
namespace {

std::int64_t parse_signed_duration(std::string_view text, std::string_view field) {
  const bool minus = text.starts_with('-');
  const std::int64_t us = parse_duration_us(text.substr(minus ? 1 : 0), field);
  return minus ? -us : us;
}

std::pair<std::int64_t, std::int64_t> parse_offset(std::string_view text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos)
    throw Error(Exit::usage, "--offset needs two durations, the lowest and the highest offset",
                "for example --offset -2ms..5ms: the limiter's clock minus the log's clock");
  const std::pair offset{parse_signed_duration(text.substr(0, dots), "--offset"),
                         parse_signed_duration(text.substr(dots + 2), "--offset")};
  if (offset.first > offset.second)
    throw Error(Exit::usage, "--offset: the lower value must come first, such as -2ms..5ms");
  return offset;
}

}  // namespace

void VerifyOptions::add_to(Options& app) {
  app.add_option("log", logs_, "logs of one history, compressed or not; - is standard input")
      .required()
      .type_name("LOG...");
  app.add_flag("--infer", infer_, "infer limit, window and bucket from the log");
  app.add_flag("--json", json_, "print one JSON object");
  app.add_option("--memory", memory_,
                 "hold so much of the log in memory, and the rest in a temporary file in TMPDIR "
                 "[all of it]")
      .type_name("SIZE");
  app.add_option("--part", part_,
                 "judge every N-th part of the keys, from the I-th on, and print JSON; verify with "
                 "the N outputs in place of the log gives the verdict")
      .type_name("I/N");
  add_shared(app);
}

void VerifyOptions::add_for_report_to(Options& app) {
  app.add_option("file", logs_,
                 "logs of one history, compressed or not, and the --json output of bench, run, "
                 "simulate and verify; - is standard input")
      .required()
      .type_name("LOG...");
  add_shared(app);
}

void VerifyOptions::add_for_plan_to(Options& app) {
  app.add_option("log", logs_, "logs of one history, compressed or not; - is standard input")
      .required()
      .type_name("LOG...");
  app.add_flag("--json", json_, "print one JSON object");
  app.add_flag("--quiet", quiet_, "no progress line");
  app.add_option("--budget-bad-lines", bad_lines_, "share of the lines that may be unreadable [1%]")
      .type_name("SHARE");
  add_reading(app);
}

void VerifyOptions::add_shared(Options& app) {
  app.add_flag("--quiet", quiet_, "no progress line");
  app.add_option("--most", most_,
                 "show at most N keys, worst first; or all [10; pages and JSON: 100]")
      .type_name("N");
  add_policy(app);
  add_judging(app);
  add_budgets(app);
  add_reading(app);
}

void VerifyOptions::add_policy(Options& app) {
  policy_.add_for_logs_to(app);
  app.add_option("--contract", contract_,
                 "what the limiter itself promises; may name limit, window and capacity [from the "
                 "log's header]")
      .type_name("RULES");
  app.add_flag("--counts-denied", counts_denied_,
               "denied attempts count: short for ', denied count' in the policy");
}

void VerifyOptions::add_judging(Options& app) {
  const auto add = [&](const char* name, std::string& value, const char* help, const char* type) {
    app.add_option(name, value, help).type_name(type);
  };
  const auto flag = [&](const char* name, bool& value, const char* help) {
    app.add_flag(name, value, help);
  };
  flag("--fresh", fresh_, "no key was used before the log begins [from the log's header]");
  flag("--closed", closed_, "an admission that is exactly one window old still counts");
  add("--history-from", history_from_, "the log is complete from this time on [its first record]",
      "TIME");
  add("--max-inflight", max_inflight_,
      "an unanswered request was decided within this time after sending, or never [from the log's "
      "header]",
      "DURATION");
  add("--held-at-least", held_at_least_,
      "N in flight: the work on a request takes at least this long and ends with its answer [from "
      "the log's header]",
      "DURATION");
  add("--tolerance", tolerance_,
      "the limiter's windows may end this much sooner or later [from the log's header, or 0s]",
      "DURATION");
  add("--offset", offset_, "the limiter's clock minus the log's clock, such as -2ms..5ms",
      "LO..HI");
}

void VerifyOptions::add_budgets(Options& app) {
  const auto add = [&](const char* name, std::string& value, const char* help) {
    app.add_option(name, value, help).type_name("SHARE");
  };
  add("--budget-false-denials", false_denials_,
      "share of the denials that may be wrong [from the log's header, or 0%]");
  add("--budget-unknown", budget_unknown_,
      "share of the requests that may have an unknown outcome [from the log's header, or 1%]");
  add("--budget-failed", budget_failed_,
      "share of the requests that may have failed before they were decided [from the log's header, "
      "or 1%]");
  add("--budget-late", budget_late_,
      "share of the requests that may be sent late, 10 ms or more behind their schedule [from the "
      "log's header, or 1%]");
  add("--budget-dropped", budget_dropped_,
      "share of the planned requests that may never be sent, as rlctl's own logs tell [from "
      "the log's header, or 0%]");
  add("--budget-bad-lines", bad_lines_, "share of the lines that may be unreadable [1%]");
}

void VerifyOptions::add_reading(Options& app) {
  const auto add = [&](const char* name, std::string& value, const char* help, const char* type) {
    return app.add_option(name, value, help).type_name(type);
  };
  add("--format", format_, "a name that rlctl formats lists, or an nginx log_format [detected]",
      "FORMAT")
      .such_as(format_names());
  add("--time-column", time_, "the column with the time, and its unit if needed: ts:ms",
      "NAME[:UNIT]");
  add("--key-column", key_,
      "the column with the key (nested in JSON: request.user.id; without its port: peer:host); - "
      "if the log has only one key",
      "NAME[:host]");
  add("--status-column", status_, "the column with the HTTP status, or with the decision as a word",
      "NAME");
  app.add_option(
         "--name-column", columns_,
         "the column with the values of a NAME that rules count by, if it has another name: "
         "user=client_id")
      .type_name("NAME=COLUMN");
  add("--duration-column", duration_, "the column with the duration of the request: took:ms",
      "NAME[:UNIT]");
  add("--stamp", stamp_, "whether a time is the start or the end of the request [end]", "start|end")
      .one_of(all_words<StampAt>());
  add("--longest", longest_,
      "if the log has no durations: the longest a request may have taken [0s, but a violation is "
      "reported only if requests of up to 1m cannot explain it]",
      "DURATION");
  add("--allowed", allowed_, "statuses that mean allowed [100-399]", "STATUS,...");
  add("--denied", denied_, "statuses that mean denied [429]", "STATUS,...");
}

std::optional<std::size_t> VerifyOptions::most_keys() const {
  if (most_.empty()) return std::nullopt;
  if (most_ == "all") return 0;
  return static_cast<std::size_t>(parse_count(most_, "--most"));
}

std::optional<std::int64_t> VerifyOptions::memory_bytes() const {
  if (memory_.empty()) return std::nullopt;
  return parse_memory_bytes(memory_, "--memory");
}

std::optional<Shard> VerifyOptions::part() const {
  if (part_.empty()) return std::nullopt;
  const Shard part = parse_shard(part_, "--part");
  if (part.count > LogParts::kParts)
    throw Error(Exit::usage,
                fmt::format("--part: a log has {} parts of keys, and N is {}", LogParts::kParts,
                            part.count),
                fmt::format("use at most {} machines", LogParts::kParts));
  return part;
}

std::string VerifyOptions::what_needs_all(const Log& head) const {
  // The clocks of several machines are compared with each other.
  if (head.shard != kWholeRun) return "a part of a run";
  if (infer_) return "--infer";
  if (judge_options(head).held_at_least_us > 0)
    return held_at_least_.empty() ? "held_at_least_us in the log's header" : "--held-at-least";
  Log completed = head;
  complete(completed);
  const bool by_key =
      can_judge_parts(completed.policy.rules) && can_judge_parts(completed.contract);
  return by_key ? "" : "a rule with 'per'";
}

LogReadOptions VerifyOptions::read_options() const {
  LogReadOptions options;
  options.format = format_;
  options.columns = LogColumns(parse_column_name(time_), parse_column_name(key_),
                               parse_column_name(status_), parse_column_name(duration_));
  for (const std::string& column : columns_) {
    const std::size_t equals = column.find('=');
    if (equals == 0 || equals == column.npos || equals + 1 == column.size())
      throw Error(Exit::usage, "--name-column: " + in_quotes(column) + " is not NAME=COLUMN",
                  "for example --name-column user=client_id");
    options.columns.want(column.substr(0, equals), column.substr(equals + 1));
  }
  // Their numbers do not matter here.
  constexpr RuleNumbers kAny{.limit = 1, .window_us = 1'000'000, .capacity = 1};
  const Rules policy = policy_.rules_or({.limit = 1, .window_us = 1'000'000});
  const Rules contract = contract_.empty() ? Rules() : parse_rules(contract_, "--contract", kAny);
  for (const Rules& rules : {policy, contract})
    for (const std::string& name : names_in(rules)) options.columns.want(name);
  if (!stamp_.empty()) options.stamp_at = *meaning_of<StampAt>(stamp_);
  if (!longest_.empty()) options.longest_us = parse_duration_us(longest_, "--longest");
  if (!allowed_.empty()) options.allowed = StatusSet(allowed_, "--allowed");
  if (!denied_.empty()) options.denied = StatusSet(denied_, "--denied");
  options.says_allowed = !allowed_.empty();
  options.says_denied = !denied_.empty();
  options.bad_lines = parse_share(bad_lines_, "--budget-bad-lines");
  options.threads = cores();
  return options;
}

JudgeOptions VerifyOptions::judge_options(const Log& log) const {
  JudgeOptions options(log.terms);
  if (!tolerance_.empty()) options.tolerance_us = parse_duration_us(tolerance_, "--tolerance");
  options.fresh = fresh_ || (log.terms.fresh && history_from_.empty());
  options.fresh_is_promised = fresh_ || (options.fresh && log.terms.fresh_is_promised);
  options.closed = closed_;
  if (!history_from_.empty())
    options.history_from_us = parse_instant_us(history_from_, "--history-from");
  if (!max_inflight_.empty())
    options.max_inflight_us = parse_duration_us(max_inflight_, "--max-inflight");
  if (!held_at_least_.empty())
    options.held_at_least_us = parse_duration_us(held_at_least_, "--held-at-least");
  if (!offset_.empty())
    std::tie(options.offset_low_us, options.offset_high_us) = parse_offset(offset_);
  if (!false_denials_.empty())
    options.allowed_false_denials = parse_share(false_denials_, "--budget-false-denials");
  options.budgets = budgets_for(log);
  return options;
}

Budgets VerifyOptions::budgets_for(const Log& log) const {
  Budgets budgets = log.budgets.value_or(kUsualBudgets);
  const std::string* const said[] = {&budget_unknown_, &budget_failed_, &budget_late_,
                                     &budget_dropped_};
  static_assert(std::size(said) == std::size(kBudgetShares));
  for (std::size_t i = 0; i < std::size(said); ++i)
    if (const auto& [name, share] = kBudgetShares[i]; !said[i]->empty())
      budgets.*share = parse_share(*said[i], std::string("--budget-") + name);
  return budgets;
}

// What the user wants does not change what the limiter promised: its contract stays.
void VerifyOptions::complete(Log& log) const {
  if (policy_.given()) {
    const Rule stated = log.policy.rules.empty() ? Rule{} : log.policy.rules.front();
    Policy policy =
        policy_of(policy_.rules_or({.limit = stated.limit, .window_us = stated.window_us}));
    policy.key = log.policy.key;
    policy.block_key = log.policy.block_key;
    log.policy = std::move(policy);
  }
  if (counts_denied_) {
    require_windows(log.policy.rules, "--counts-denied");
    for (Rule& rule : log.policy.rules) rule.counts_denied = true;
  }
  if (contract_.empty()) return;
  std::optional<RuleNumbers> names;
  if (!log.policy.rules.empty()) names = log.policy.numbers();
  log.contract = parse_rules(contract_, "--contract", names);
}

}  // namespace rlctl
