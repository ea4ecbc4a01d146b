#include "inspect/survey.h"

#include <algorithm>

#include "inspect/block_flag.h"
#include "inspect/limiter_keys.h"
#include "inspect/overview.h"

namespace rlctl {
bool Survey::shows_what_is_wanted(const KeyState& state, const KeyReading& reading,
                                  bool is_set_flag) const {
  if (wanted_.any()) return true;
  if (wanted_.blocked && !is_set_flag && reading.fields_say != FieldsSay::blocked) return false;
  return !wanted_.stuck || (state.ttl_ms == kNoExpiry && (is_set_flag || reading.needs_expiry()));
}

bool Survey::add(const KeyState& state, const KeyReading& reading, std::int64_t now_us) {
  if (!state.exists()) return false;  // expired since SCAN saw it
  const bool flag = is_block_flag(state, reading);
  if (!flag && reading.shape == Shape::none && state.problem.empty()) {
    other_keys_ += met_others_.add(state.key) ? 1 : 0;
    return false;
  }
  unread_.add(state);
  const BlockFlag set = flag ? flag_of(state, now_us) : BlockFlag{};
  if (!shows_what_is_wanted(state, reading, set.is_set)) return false;
  const std::string name = limiter_name(layouts_, state.key);
  limiters_ += met_.add(name) ? 1 : 0;
  return choose(name, state.key, urgency_of(state, reading, set, policy_, now_us));
}

// The use of a limiter is the greatest of its keys. One that was dropped had less than all that
// are chosen, and comes back if a later key of it has more: so no name needs to be kept for that.
bool Survey::choose(const std::string& name, const std::string& key, Urgency used) {
  // A flag does not tell which other keys belong to its limiter.
  const auto known = used_.find(name);
  if (known != used_.end() && is_block_key(known->second.key)) known->second.key = key;
  const bool bounded = wanted_.any() && used_.size() >= most_;
  if (bounded && (most_ == 0 || !(Use{used, name} < *by_use_.rbegin()))) return false;
  const auto [entry, is_new] = used_.try_emplace(name);
  MostUsed& most = entry->second;
  if (!is_new && used <= most.used) return true;
  if (is_new || !is_block_key(key)) most.key = key;
  if (!is_new) by_use_.erase({most.used, entry->first});
  most.used = used;
  by_use_.insert({used, entry->first});
  if (!wanted_.any() || used_.size() <= most_) return true;
  const auto last = std::prev(by_use_.end());
  const std::string dropped(last->name);
  by_use_.erase(last);
  used_.erase(dropped);
  return true;
}

std::vector<Survey::Chosen> Survey::chosen() const {
  std::vector<Chosen> chosen;
  for (const auto& [name, most] : used_) chosen.push_back({name, most.key});
  std::ranges::sort(chosen, {}, &Chosen::name);
  return chosen;
}

}  // namespace rlctl
