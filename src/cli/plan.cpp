// rlctl plan: which limit, and whom would it have hit.
#include "plan/plan.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/escape.h"
#include "base/json.h"
#include "cli/options/verify_options.h"
#include "cli/output/document.h"
#include "cli/output/output.h"
#include "cli/output/output_files.h"
#include "cli/output/progress.h"
#include "cli/verb.h"
#include "io/atomic_file.h"
#include "io/byte_source.h"
#include "log/log_file.h"
#include "log/log_header.h"
#include "plan/advice.h"
#include "plan/changes.h"
#include "plan/replay_scenario.h"
#include "policy/per.h"
#include "policy/rules_text.h"
#include "report/documents.h"
#include "report/page/formats.h"
#include "report/page/of_plan.h"
#include "report/plan_text.h"
#include "scenario/read/keys.h"
#include "scenario/read/part_readers.h"

namespace rlctl {
namespace {

struct PlanVerbOptions {
  VerifyOptions reading;
  std::vector<std::string> policies, by, only, exclude;
  std::string html, markdown, csv;
  std::string hurt, most, against, scenario;
  bool advise = false;
};

// What the options say, before a long log is read.
struct Question {
  std::vector<Rules> policies;
  std::vector<ClientBy> by;
  PlanOptions options;
  LogReadOptions reading;
  std::optional<double> hurt;  // empty: no advice
  Rules in_force;              // empty: nothing to compare with
};

// Of the first policy. What else the scenario has is not read, so it need not be playable here.
Rules rules_of_scenario(const std::string& file, const std::string& text) {
  const SourceText source(file, text);
  JsonDocument document = parse_json_document(source.text());
  std::vector<SourceProblem> found = std::move(document.problems);
  SourceProblems problems(found);
  Rules rules;
  const JsonValue* policies = document.root.find("policies");
  if (policies != nullptr && !policies->members.empty()) {
    const JsonMember& first = policies->members.front();
    ObjectFields fields(first.value, pointer_to("/policies", first.name),
                        keys_of(ScenarioObject::policy), problems);
    rules = read_policy_rules(fields);
  }
  if (found.empty()) return rules;
  const std::string mistakes = describe_all(source, std::move(found));
  throw Error(Exit::usage, "--against: " + mistakes.substr(0, mistakes.find_last_not_of('\n') + 1));
}

const Json* member(const Json& object, const char* name) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  return found == object.end() ? nullptr : &*found;
}

// Plans have a list of policies, scenarios an object.
Rules rules_in_force(const std::string& file) {
  const std::string text = whole_file(file);
  const Json document = Json::parse(text, nullptr, false, true);
  const Json* const policies = member(document, "policies");
  if (policies == nullptr || !policies->is_structured() || policies->empty())
    throw Error(Exit::usage, "--against: " + in_quotes(file) + " has no policy",
                "give the --json output of plan, or a scenario");
  if (policies->is_object()) return rules_of_scenario(file, text);
  const std::string option = "--against " + in_quotes(file);
  const Json* const planned = member(policies->front(), "policy");
  const bool is_text = planned != nullptr && planned->is_string();
  const Rules rules = parse_rules(is_text ? planned->get<std::string>() : "", option);
  require_usable(rules, option);
  return rules;
}

// The log that a scenario replays is beside it: out.jsonl of out.json.
std::string log_beside(const std::string& scenario) {
  if (scenario.empty()) return {};
  return std::filesystem::path(scenario).replace_extension(".jsonl").string();
}

// Logs of runs say which run they are of: those stay.
bool is_replay_log(const std::string& path) {
  try {
    ByteSource source(path);
    const std::string_view bytes = source.read();
    const std::string_view line = bytes.substr(0, bytes.find('\n'));
    return is_log_header(line) && parse_log_header(line).run_id.empty();
  } catch (const Error&) {
    return false;
  }
}

// Nobody named the log, so nobody knows that a file of this name is lost.
void check_log_beside(const std::string& scenario) {
  if (scenario == "-")
    throw Error(Exit::usage, "--scenario: standard output has no place for the log beside it",
                "name a file");
  const std::string log = log_beside(scenario);
  std::error_code error;
  if (!std::filesystem::exists(log, error)) return;
  // A pipe must not be read to see what it has, and one that nobody reads would stop the plan.
  if (std::filesystem::is_regular_file(log, error) && is_replay_log(log)) return;
  throw Error(Exit::usage,
              "--scenario " + in_quotes(scenario) + " would overwrite " + in_quotes(log) +
                  ", which is not a log of an earlier plan",
              "move that file, or name another scenario");
}

// What was typed and changes nothing, or can't be done, before a long log is read.
void check_company(const PlanVerbOptions& options, const Question& question) {
  if (!options.hurt.empty() && !options.advise)
    throw Error(Exit::usage, "--hurt does not apply without --advise", "add --advise");
  if (question.policies.empty() && !options.advise)
    throw Error(Exit::usage, "there is no policy to plan with", "add --policy 100/1m, or --advise");
  if (!options.scenario.empty() && (question.policies.size() != 1 || question.by.size() != 1))
    throw Error(Exit::usage, "--scenario is for one policy and one way of telling clients apart",
                "give --policy and --by once");
  std::vector<std::string> read = options.reading.logs();
  read.push_back(options.against);
  check_output_files({options.html, options.markdown, options.csv, options.scenario,
                      log_beside(options.scenario), options.reading.json() ? "-" : ""},
                     read);
  check_log_beside(options.scenario);
}

// Who asks twice gets one answer.
template <class Asked>
void add_new(Asked asked, std::vector<Asked>& all) {
  if (std::ranges::find(all, asked) == all.end()) all.push_back(std::move(asked));
}

Question question_of(const PlanVerbOptions& options) {
  Question question;
  for (const std::string& text : options.policies) {
    Rules rules = parse_rules(text, "--policy");
    require_usable(rules, "--policy");
    add_new(std::move(rules), question.policies);
  }
  for (const std::string& text : options.by) add_new(parse_client_by(text), question.by);
  if (question.by.empty()) question.by.push_back(parse_client_by("key"));
  for (const std::string& text : options.only)
    question.options.only.push_back(parse_request_filter(text, "--only"));
  for (const std::string& text : options.exclude)
    question.options.exclude.push_back(parse_request_filter(text, "--exclude"));
  if (options.advise)
    question.hurt = parse_share(options.hurt.empty() ? "0.1%" : options.hurt, "--hurt");
  check_company(options, question);
  if (!options.against.empty()) question.in_force = rules_in_force(options.against);
  question.reading = options.reading.read_options();
  for (const ClientBy& by : question.by)
    for (const std::string& part : by.parts) question.reading.columns.want(name_in_per(part));
  for (const auto* filters : {&question.options.only, &question.options.exclude})
    for (const RequestFilter& filter : *filters)
      if (filter.column != "status") question.reading.columns.want(filter.column);
  return question;
}

Log one_history(ParsedLogs& logs) {
  if (logs.histories.size() > 1)
    throw Error(Exit::usage, "the logs have several histories, such as several algorithms",
                "give logs of one service");
  return std::move(logs.histories.front().log);
}

void add_advice(const std::vector<Advice>& advice, const Plan& plan, std::vector<Rules>& policies) {
  if (advice.empty()) {
    const std::string left_out = windows_left_out(plan);
    throw Error(
        Exit::usage,
        left_out.empty() ? "--advise has no limit, because no request has a client" : left_out,
        "try --policy, or a log of more than a few seconds");
  }
  for (const Advice& one : advice) {
    Rule rule;
    rule.limit = one.limit;
    rule.window_us = one.window_us;
    add_new(Rules{rule}, policies);
  }
}

// The last one is in force, and goes.
void compare_with_last(std::vector<PolicyPlan>& planned) {
  const PolicyPlan current = std::move(planned.back());
  planned.pop_back();
  for (PolicyPlan& policy : planned) policy.changes = changes(current, policy);
}

// Neither is of use without the other, so both are written before one of them appears.
void write_scenario(const std::string& path, const Arrivals& arrivals, const PolicyPlan& policy) {
  const std::string log = log_beside(path);
  AtomicFile scenario(path);
  LogWriter writer(log, AtomicFile::While::hidden);
  scenario.write(replay_scenario(policy, std::filesystem::path(log).filename().string()));
  writer.write(worst_hour(arrivals, policy));
  writer.close();
  scenario.close();
}

// Otherwise none would be in flight at once, whatever the limit.
void require_durations(const Question& question, const Plan& plan) {
  std::vector<Rules> all = question.policies;
  all.push_back(question.in_force);
  const auto counts = std::ranges::find_if(all, any_in_flight);
  if (!plan.lacks_durations || question.reading.longest_us || counts == all.end()) return;
  throw Error(
      Exit::usage,
      "the log has no durations, so how many requests were in flight at once is not known: " +
          in_quotes(rules_text(*counts)) + " can't be planned",
      "say how long a request may take with --longest 5s, or log the duration of each "
      "($request_time in nginx)");
}

Plan make_plan(const PlanVerbOptions& options, Question question) {
  Progress progress(!options.reading.quiet());
  question.options.watcher = progress.watcher();
  ParsedLogs logs = read_logs(options.reading.logs(), question.reading, question.options.watcher);
  Log log = one_history(logs);
  Arrivals arrivals(log, logs.columns, question.options);
  Plan plan = begin_plan(arrivals);
  plan.in_force = question.in_force;
  require_durations(question, plan);
  for (const ClientBy& by : question.by) {
    arrivals.tell_apart(by);
    std::vector<Rules> policies = question.policies;
    if (question.hurt) add_advice(advise(arrivals, plan, *question.hurt), plan, policies);
    if (!plan.in_force.empty()) policies.push_back(plan.in_force);
    std::vector<PolicyPlan> planned = plan_policies(arrivals, by, policies, question.options);
    if (!plan.in_force.empty()) compare_with_last(planned);
    std::ranges::move(planned, std::back_inserter(plan.policies));
  }
  if (!options.scenario.empty()) write_scenario(options.scenario, arrivals, plan.policies.front());
  plan.notes = notes_on_plan(plan);
  if (const std::string left_out = windows_left_out(plan); question.hurt && !left_out.empty())
    plan.notes.insert(plan.notes.begin(), left_out);
  plan.notes.insert(plan.notes.end(), logs.notes.begin(), logs.notes.end());
  return plan;
}

Exit run_plan(const PlanVerbOptions& options) {
  Question question = question_of(options);
  const auto most_or = [&](std::size_t usual) -> std::size_t {
    if (options.most.empty()) return usual;
    return options.most == "all" ? 0
                                 : static_cast<std::size_t>(parse_count(options.most, "--most"));
  };
  const std::size_t in_text = most_or(10);
  const Plan plan = make_plan(options, std::move(question));
  const Report report = report_of_plan(plan, in_text);
  write_file(options.html, html_page(report_of_plan(plan, most_or(100)), RLCTL_VERSION));
  write_file(options.markdown, report_markdown(report));
  write_file(options.csv, clients_csv(plan));
  const std::string files[] = {options.html, options.markdown, options.csv};
  const bool taken = std::ranges::find(files, "-") != std::end(files);
  if (options.reading.json())
    print_document(document_of(plan, most_or(100)));
  else
    print_beside(taken ? "-" : "", fitted(plan_text(report, columns_or(0))));
  return Exit::done;
}

Action add_plan_options(Options& app) {
  auto options = std::make_shared<PlanVerbOptions>();
  options->reading.add_for_plan_to(app);
  const auto add = [&](const char* name, auto& value, const char* help, const char* type) {
    app.add_option(name, value, help).type_name(type);
  };
  add("--policy", options->policies, "a policy to try; may be repeated", "RULES");
  app.add_flag("--advise", options->advise,
               "try the smallest limits of 1s, 10s, 1m, 10m and 1h that hurt few clients");
  add("--hurt", options->hurt,
      "--advise: the share of clients of which a request may be denied [0.1%]", "SHARE");
  add("--by", options->by,
      "what is one client: key, a column, 'ip/64', 'header x-api-key', or several: 'ip + user'; "
      "may "
      "be repeated [key]",
      "COLUMN");
  add("--only", options->only,
      "look only at requests like 'path=/api/*', method=POST, status=2xx; may be repeated",
      "COLUMN=PATTERN");
  add("--exclude", options->exclude, "leave out requests like 'user_agent=*bot*'; may be repeated",
      "COLUMN=PATTERN");
  add("--against", options->against,
      "compare with the policy in force, the first of this file: the --json of plan, or a scenario",
      "FILE");
  add("--scenario", options->scenario,
      "a scenario that replays the worst hour, whose log is written beside it, for rlctl run",
      "FILE.json");
  add("--most", options->most,
      "show at most N clients, worst first; or all [10; pages and JSON: 100]", "N");
  add("-o,--html", options->html, "HTML page that needs no network", "FILE");
  add("--markdown", options->markdown, "Markdown, for a change request", "FILE");
  add("--csv", options->csv, "CSV: one row per client that is or may be denied", "FILE");
  return [options] { return run_plan(*options); };
}

}  // namespace

const Verb kPlanVerb{"plan", "Shows whom a limit would have hit, from the log of a service.",
                     "  rlctl plan access.log --policy 100/1m --policy 'bucket 20 + 2/1s' --by ip\n"
                     "  rlctl plan access.log --advise --hurt 0.1% --by ip\n"
                     "  rlctl plan access.log --policy 10/1s --only 'path=/api/*' --by ip/24",
                     add_plan_options};

}  // namespace rlctl
