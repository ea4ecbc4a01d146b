// The worst windows of a Report close up, as one SVG: a panel for each of the first runs, with one
// scale, to show in a README or a mail. Text only, light and dark, no script. Pure.
#pragma once

#include <string>

#include "report/report.h"

namespace rlctl {

// Throws Error(Exit::usage) where no run has a worst window to draw.
std::string svg_picture(const Report& report);

}  // namespace rlctl
