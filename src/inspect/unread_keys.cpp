#include "inspect/unread_keys.h"

#include "base/units.h"
#include "io/redis/redis_error.h"

namespace rlctl {

void UnreadKeys::add(const KeyState& state) {
  if (state.problem.empty() || !met_.add(state.key)) return;
  if (keys_++ == 0) first_problem_ = state.problem;
}

std::string UnreadKeys::in_words() const {
  if (keys_ == 0) return {};
  return counted(keys_, "key") + " can't be read: " + error_with_hint(first_problem_);
}

}  // namespace rlctl
