// A plan as a Report: all formats show the same tables. Pure.
#pragma once

#include <cstddef>
#include <string>

#include "plan/plan.h"
#include "report/page/report.h"

namespace rlctl {

// `most_clients`: of each policy, the worst ones.
Report report_of_plan(const Plan& plan, std::size_t most_clients);

// Every client that a policy hits or may hit, one a line (RFC 4180), with times in µs. Cells that a
// spreadsheet would read as formulas are marked.
std::string clients_csv(const Plan& plan);

}  // namespace rlctl
