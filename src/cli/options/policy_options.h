// The limiter and its policy: options -> Script and Policy.
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "cli/options/options.h"
#include "inspect/layouts.h"
#include "limiter/registry.h"
#include "policy/policy.h"

namespace rlctl {

// --lua-dir, shared by every verb that names algorithms.
class RegistryOptions {
 public:
  void add_to(Options& app);
  Registry registry() const;

 private:
  std::vector<std::string> directories_;
};

// --layouts and --as, for verbs that read keys which other libraries wrote.
class LayoutOptions {
 public:
  void add_to(Options& app);
  Layouts layouts() const;
  const std::string& as() const { return as_; }

 private:
  std::vector<std::string> files_;
  std::string as_;
};

// --run: where scripts run, whatever their manifests say.
class RunOption {
 public:
  void add_to(Options& app);
  Script placed(Script script) const;

 private:
  std::string place_;
};

// --policy, its short form --limit and --window, and the block flag. Throws Error(Exit::usage) that
// names the option.
class PolicyOptions {
 public:
  // `shown_default`: what help says is used without them.
  void add_to(Options& app, const std::string& shown_default);
  // Without the block, for verbs that neither make nor judge decisions.
  void add_optional_to(Options& app);
  // Without the block flag's key, for logs.
  void add_for_logs_to(Options& app);

  bool given() const;
  Policy policy() const { return policy_or({}); }
  // Takes a missing limit or window from the rule; if that has none, it is an error.
  Policy policy_or(const Rule& missing) const;
  // The same for a log: also rules that no limiter can enforce, such as a limit of 0.
  Rules rules_or(const Rule& missing) const;
  // Empty (limit 0) if no option was given.
  Policy optional_policy() const;
  auto members() { return std::tie(rules_, limit_, window_, block_, block_key_); }

 private:
  void add_rules_to(Options& app, const std::string& shown_default);
  void add_block_to(Options& app);
  Rules short_form(const Rule& missing) const;

  std::string rules_;
  std::string limit_;
  std::string window_;
  std::string block_;
  std::string block_key_;
};

// For verbs that make decisions and do not judge them: tells which of several rules the script
// gets.
void tell_first_rule(const Rules& rules);

// For the same verbs: tells if the script promises another rule than the one that it gets.
void tell_other_promise(const Script& script, const Policy& policy, const Registry& registry);

// Throws Error(Exit::usage) if there is no rule, or no limiter can keep one of them.
void require_usable(const Rules& rules, const std::string& option);

// Throws Error(Exit::usage) if a rule has no window: for verbs whose requests are aimed at windows.
void require_windows(const Rules& rules, const std::string& verb);

}  // namespace rlctl
