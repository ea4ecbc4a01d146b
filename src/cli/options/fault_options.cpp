#include "cli/options/fault_options.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/escape.h"
#include "base/text.h"
#include "scenario/playable.h"
#include "scenario/read/fault_reader.h"

namespace rlctl {

void FaultOptions::add_fault_to(Options& app) {
  std::vector<std::string> forms;
  for (const FaultRow& row : kFaultRows) forms.push_back(fault_form(row));
  app.add_option("--fault", faults_,
                 "what goes wrong, and when, such as redis_restart@2s:500ms; may be repeated: " +
                     joined(forms))
      .type_name("KIND@TIME[:VALUE]")
      .such_as(all_words<FaultKind>())
      .one_at_a_time();
  add_to(app);
}

void FaultOptions::add_to(Options& app) {
  app.add_flag(
      "--allow-faults", allowed_,
      "play faults that delete no key also on a Redis that rlctl did not start; client_kill "
      "closes the connections of other programs, too");
}

void FaultOptions::apply_to(Scenario& scenario) const {
  for (const std::string& text : faults_) {
    Fault fault = parse_fault(text, "--fault");
    if (const auto problem = why_too_late(scenario, fault.at))
      throw Error(Exit::usage, fmt::format("--fault {}: {}", in_quotes(text), problem->what()),
                  problem->hint());
    scenario.faults.push_back(fault);
  }
  if (given()) scenario.budgets.unknown_share = scenario.budgets.failed_share = 1;
  check_faults(scenario, allowed_);
}

}  // namespace rlctl
