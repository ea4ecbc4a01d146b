// Close-ups of the worst windows of a Report as one SVG, for a README or a mail: a panel for each
// of the first runs, all with one scale. A text file without scripts, for light and dark mode.
// Pure.
#pragma once

#include <string>

#include "report/page/report.h"

namespace rlctl {

// Throws Error(Exit::usage) if no run has a worst window to draw.
std::string svg_picture(const Report& report);

}  // namespace rlctl
