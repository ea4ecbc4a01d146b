// The limiter of a verb that makes decisions: --algo, --command, --as and --manifest -> a name for
// the Registry, and manifest lines.
#pragma once

#include <string>
#include <vector>

#include "cli/options/options.h"
#include "limiter/registry.h"

namespace rlctl {

class LimiterOptions {
 public:
  // `usual`: what is used without them. Without --allowed, which HttpOptions has.
  void add_to(Options& app, const std::string& usual);
  // The usual one is that of the rule: name_for().
  void add_by_rule_to(Options& app);
  // The same with --allowed, for verbs that ask no HTTP service.
  void add_by_rule_with_allowed_to(Options& app);
  // For verbs that take several limiters; without --allowed.
  void add_several_to(Options& app, const std::vector<std::string>& usual);

  bool is_command() const { return !command_.empty(); }
  bool given() const { return is_command() || !names_.empty(); }
  // The algorithm, or a file; empty for a command.
  std::string name() const;
  // The same, but without them the shipped algorithm that keeps such a rule.
  std::string name_for(const Rule& rule) const;
  const std::vector<std::string>& names() const { return names_; }
  // The lines that belong to it. `allowed`: the value of --allowed, if it is not here.
  // Error(Exit::usage) for options that have no effect.
  std::string manifest(const std::string& allowed = {}) const;
  Script find(const Registry& registry, const std::string& allowed = {}) const;
  std::vector<Script> find_all(const Registry& registry, const std::string& allowed) const;

 private:
  void add_all_to(Options& app, bool several, const std::string& shown_usual);
  void check(const std::string& allowed) const;
  std::string lines_of_script() const;
  std::string lines_of_command(const std::string& allowed) const;

  std::vector<std::string> usual_;
  std::vector<std::string> names_;
  std::vector<std::string> command_;  // at most one
  std::string allowed_;
  std::string as_;
  std::string manifest_;
};

}  // namespace rlctl
