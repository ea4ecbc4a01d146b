// The limiter and its policy: options -> Script and Policy.
#pragma once

#include <string>
#include <vector>

#include "cli/options/options.h"
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

// --run: where scripts run, whatever their manifests say.
class RunOption {
 public:
  void add_to(Options& app);
  Script placed(Script script) const;

 private:
  std::string place_;
};

// --limit, --window and related options. policy() converts the text to values; it throws
// Error(Exit::usage) that names the option.
class PolicyOptions {
 public:
  void add_to(Options& app, const std::string& default_limit, const std::string& default_window);
  Policy policy() const;

  // For verbs that work without a policy: --limit and --window, both or neither. A limit of 0 in
  // the policy means that they were not given.
  void add_optional_to(Options& app);
  Policy optional_policy() const;

  // For verbs whose defaults depend on other options: policy_or() replaces missing values by its
  // arguments.
  void add_with_defaults_to(Options& app, const std::string& shown_defaults);
  Policy policy_or(std::int64_t limit, std::int64_t window_us) const;

 private:
  void add_window_to(Options& app, const std::string& shown_limit, const std::string& shown_window);

  std::string limit_;
  std::string window_;
  std::string capacity_;
  std::string block_;
  std::string block_key_;
};

}  // namespace rlctl
