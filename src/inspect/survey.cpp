#include "inspect/survey.h"

#include <algorithm>

#include "inspect/block_flag.h"
#include "inspect/limiter_keys.h"

namespace rlctl {

bool Survey::shows_what_is_wanted(const KeyState& state, const KeyReading& reading, bool flag,
                                  std::int64_t now_us) const {
  if (wanted_.any()) return true;
  const bool set = flag && flag_of(state, now_us).is_set;
  if (wanted_.blocked && !set) return false;
  return !wanted_.stuck || (state.ttl_ms == kNoExpiry && (set || reading.needs_expiry()));
}

void Survey::add(const KeyState& state, const KeyReading& reading, std::int64_t now_us) {
  if (!state.exists()) return;  // expired since SCAN saw it
  const bool flag = is_block_flag(state);
  if (!flag && reading.shape == Shape::none && state.problem.empty()) {
    other_keys_ += met_others_.add(state.key) ? 1 : 0;
    return;
  }
  if (!state.problem.empty()) all_readable_ = false;
  if (!shows_what_is_wanted(state, reading, flag, now_us)) return;
  const std::string name = limiter_name(layouts_, state.key);
  limiters_ += met_.add(name) ? 1 : 0;
  choose(name, state.key,
         flag || !state.problem.empty() ? -1 : use_of(state, reading).value_or(-1));
}

// The use of a limiter is the greatest of its keys. One that was dropped had less than all that
// are chosen, and comes back if a later key of it has more: so no name needs to be kept for that.
void Survey::choose(std::string_view name, std::string_view key, double used) {
  const bool bounded = wanted_.any() && used_.size() >= most_;
  if (bounded && (most_ == 0 || !(Use{used, name} < *by_use_.rbegin()))) return;
  const auto [entry, is_new] = used_.try_emplace(std::string(name));
  if (!is_new && used <= entry->second.used) return;
  if (!is_new) by_use_.erase({entry->second.used, entry->first});
  entry->second = {used, std::string(key)};
  by_use_.insert({used, entry->first});
  if (!wanted_.any() || used_.size() <= most_) return;
  const auto last = std::prev(by_use_.end());
  const std::string dropped(last->name);
  by_use_.erase(last);
  used_.erase(dropped);
}

std::vector<Survey::Chosen> Survey::chosen() const {
  std::vector<Chosen> chosen;
  for (const auto& [name, most] : used_) chosen.push_back({name, most.key});
  std::ranges::sort(chosen, {}, &Chosen::name);
  return chosen;
}

}  // namespace rlctl
