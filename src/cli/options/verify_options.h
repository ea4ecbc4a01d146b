// The options of verify, converted for the log reader and the judge. Throws Error(Exit::usage) that
// names the option.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "arrivals/shard.h"
#include "cli/options/options.h"
#include "cli/options/policy_options.h"
#include "log/log_options.h"
#include "verdict/figures.h"

namespace rlctl {

class VerifyOptions {
 public:
  void add_to(Options& app);

  // For report, which also accepts the results of other verbs.
  void add_for_report_to(Options& app);

  // For plan: what is read, and not how it is judged.
  void add_for_plan_to(Options& app);

  const std::vector<std::string>& logs() const { return logs_; }
  bool json() const { return json_; }
  bool quiet() const { return quiet_; }
  bool infer() const { return infer_; }
  std::optional<std::int64_t> memory_bytes() const;  // empty: as much as there is
  // Why a log that begins like this can't be judged by parts of its keys: "--infer". Empty: it can.
  std::string what_needs_all(const Log& head) const;
  std::optional<std::size_t> most_keys() const;  // 0: all

  LogReadOptions read_options() const;
  // What no option says is as the log's header says.
  JudgeOptions judge_options(const Log& log) const;

  std::optional<Shard> part() const;  // of the keys, for one of several machines
  // What decides how a log is read and judged: all machines must agree on it.
  auto members() {
    return std::tie(columns_, policy_, contract_, format_, time_, key_, status_, duration_, stamp_,
                    longest_, allowed_, denied_, bad_lines_, budget_unknown_, budget_failed_,
                    budget_late_, budget_dropped_, history_from_, max_inflight_, held_at_least_,
                    tolerance_, offset_, false_denials_, most_, fresh_, closed_, counts_denied_);
  }

  // Sets the policy and the contract of the log; the options of the user replace its own.
  void complete(Log& log) const;

 private:
  void add_shared(Options& app);
  void add_policy(Options& app);
  void add_reading(Options& app);
  void add_judging(Options& app);
  void add_budgets(Options& app);
  Budgets budgets_for(const Log& log) const;

  std::vector<std::string> logs_;
  std::vector<std::string> columns_;
  PolicyOptions policy_;
  std::string contract_;
  std::string format_, time_, key_, status_, duration_, stamp_, longest_, allowed_, denied_;
  std::string bad_lines_ = "1%";
  std::string budget_unknown_, budget_failed_, budget_late_, budget_dropped_;
  std::string history_from_, max_inflight_, held_at_least_, tolerance_, offset_, false_denials_;
  std::string most_, memory_, part_;
  bool fresh_ = false;
  bool closed_ = false;
  bool counts_denied_ = false;
  bool infer_ = false;
  bool json_ = false;
  bool quiet_ = false;
};

}  // namespace rlctl
