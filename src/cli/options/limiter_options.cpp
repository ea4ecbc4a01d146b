#include "cli/options/limiter_options.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "limiter/shipped/layout_call.h"

namespace rlctl {

void LimiterOptions::add_to(Options& app, const std::string& usual) {
  usual_ = {usual};
  add_all_to(app, false, usual);
}

void LimiterOptions::add_by_rule_to(Options& app) {
  usual_ = {row_of(RuleKind::sliding).algorithm};
  add_all_to(app, false, "by the kind of rule; " + usual_.front() + " for 100/1m");
}

void LimiterOptions::add_by_rule_with_allowed_to(Options& app) {
  add_by_rule_to(app);
  app.add_option("--allowed", allowed_,
                 "of --command: when its reply means allowed: 'reply[1] == 0'")
      .type_name("EXPRESSION");
}

void LimiterOptions::add_several_to(Options& app, const std::vector<std::string>& usual) {
  usual_ = usual;
  add_all_to(app, true, joined(usual_));
}

void LimiterOptions::add_all_to(Options& app, bool several, const std::string& shown_usual) {
  Option algorithm = app.add_option("--algo,--script", names_,
                                    "an algorithm of `rlctl algos`, or a file" +
                                        std::string(several ? "; may be repeated" : "") +
                                        (shown_usual.empty() ? "" : " [" + shown_usual + "]"));
  algorithm.type_name("NAME|FILE.lua");
  if (several)
    algorithm.one_at_a_time();
  else
    algorithm.expected(1, 1);
  app.add_option("--command", command_,
                 "a Redis command that decides, instead of a script, with --allowed: 'CL.THROTTLE "
                 "<key> 99 100 60 1'; words: <key>, and <limit>, <cost>, <window_ms> … as in "
                 "manifests")
      .expected(1, 1)
      .type_name("COMMAND");
  app.add_option(
         "--as", as_,
         "FILE.lua is the script of this library, unchanged: " + joined(layouts_with_call()))
      .type_name("LAYOUT")
      .such_as(layouts_with_call());
  app.add_option("--manifest", manifest_,
                 "manifest lines for FILE.lua or --command: 'reply = allowed'")
      .type_name("TEXT");
}

void LimiterOptions::check(const std::string& allowed) const {
  if (is_command() && trimmed(command_.front(), kBlanksAndLineEnds).empty())
    throw Error(Exit::usage, "--command is empty", "for example: 'CL.THROTTLE <key> 99 100 60 1'");
  const bool has_file = std::ranges::any_of(names_, is_script_file);
  if (!allowed.empty() && !is_command())
    throw Error(Exit::usage, "--allowed says what the reply of a command means", "add --command");
  if (!as_.empty() && !has_file)
    throw Error(Exit::usage, "--as says which library wrote a script", "add --script FILE.lua");
  if (!manifest_.empty() && !has_file && !is_command())
    throw Error(Exit::usage, "--manifest describes a script of your own",
                "add --algo FILE.lua, or --command");
  if (usual_.size() == 1 && is_command() && !names_.empty())
    throw Error(Exit::usage, "--command: one limiter decides", "use --algo or --command");
}

std::string LimiterOptions::lines_of_script() const {
  return manifest_ + (as_.empty() ? "" : "\nas = " + one_line(as_));
}

std::string LimiterOptions::lines_of_command(const std::string& allowed) const {
  return manifest_ + "\ncommand = " + one_line(command_.front()) +
         (allowed.empty() ? "" : "\nreply = allowed = " + one_line(allowed));
}

std::string LimiterOptions::name() const {
  if (is_command()) return {};
  return names_.empty() ? usual_.front() : names_.front();
}

std::string LimiterOptions::name_for(const Rule& rule) const {
  return given() ? name() : rule.row().algorithm;
}

std::string LimiterOptions::manifest(const std::string& allowed) const {
  const std::string& given = allowed.empty() ? allowed_ : allowed;
  check(given);
  return is_command() ? lines_of_command(given) : lines_of_script();
}

Script LimiterOptions::find(const Registry& registry, const std::string& allowed) const {
  return registry.find(name(), manifest(allowed));
}

std::vector<Script> LimiterOptions::find_all(const Registry& registry,
                                             const std::string& allowed) const {
  check(allowed);
  std::vector<Script> scripts;
  for (const std::string& one : given() ? names_ : usual_)
    scripts.push_back(registry.find(one, is_script_file(one) ? lines_of_script() : ""));
  if (is_command()) scripts.push_back(registry.find("", lines_of_command(allowed)));
  return scripts;
}

}  // namespace rlctl
