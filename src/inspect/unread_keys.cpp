#include "inspect/unread_keys.h"

#include "base/units.h"
#include "io/redis/redis_error.h"

namespace rlctl {

void UnreadKeys::add(const KeyState& state) {
  const bool is_read = state.problem.empty();
  const std::string& problem = is_read ? state.expiry_problem : state.problem;
  if (problem.empty() || !met_.add(state.key)) return;
  (is_read ? without_expiry_ : unread_).add(problem);
}

void UnreadKeys::Tally::add(const std::string& problem) {
  if (keys++ == 0) first_problem = problem;
}

std::string UnreadKeys::Tally::in_words(const char* of) const {
  if (keys == 0) return {};
  return of + counted(keys, "key") + " can't be read: " + error_with_hint(first_problem);
}

std::string UnreadKeys::in_words() const {
  const std::string unread = unread_.in_words("");
  const std::string without_expiry = without_expiry_.in_words("the expiry of ");
  return unread + (unread.empty() || without_expiry.empty() ? "" : "; ") + without_expiry;
}

}  // namespace rlctl
