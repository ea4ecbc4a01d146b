// Shortens a schedule that was found at random: takes out whole clients, then single events, as
// long as what is left still reaches the goal. The result is not always the shortest one. Borrows
// the space. One thread.
#pragma once

#include <functional>
#include <vector>

#include "run/explore/space.h"

namespace rlctl {

std::vector<Choice> shortened(ExploreSpace& space, std::vector<Choice> choices,
                              const std::function<bool(ExploreSpace::State)>& reaches);

}  // namespace rlctl
