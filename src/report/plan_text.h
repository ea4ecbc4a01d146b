// A plan as text. Tables are at most `width` columns wide if possible; 0: no bound. Pure.
#pragma once

#include <cstddef>
#include <string>

#include "report/page/report.h"

namespace rlctl {

// Of a Report with tables, such as report_of_plan makes.
std::string plan_text(const Report& report, std::size_t width = 0);

}  // namespace rlctl
