// Commands on sorted sets that change them or look at single members; ranges are in
// zset_ranges.cpp.
#include <algorithm>
#include <cmath>

#include "run/explore/model/command.h"

namespace rlctl {
namespace {

ModelZset::const_iterator member_of(const ModelZset& zset, const std::string& name) {
  return std::find_if(zset.begin(), zset.end(),
                      [&](const auto& member) { return member.second == name; });
}

struct AddOptions {
  bool nx = false, xx = false, gt = false, lt = false, changed = false, increment = false;
  std::size_t first = 2;  // the first word that is a score
};

AddOptions add_options(const Words& words) {
  AddOptions options;
  for (; options.first < words.size(); ++options.first) {
    const std::string word = lower_case(words[options.first]);
    bool* const flag = word == "nx"     ? &options.nx
                       : word == "xx"   ? &options.xx
                       : word == "gt"   ? &options.gt
                       : word == "lt"   ? &options.lt
                       : word == "ch"   ? &options.changed
                       : word == "incr" ? &options.increment
                                        : nullptr;
    if (flag == nullptr) break;
    *flag = true;
  }
  const std::size_t rest = words.size() - options.first;
  if (rest == 0 || rest % 2 != 0) throw CommandRefused{kSyntaxError};
  if (options.nx && options.xx)
    throw CommandRefused{"ERR XX and NX options at the same time are not compatible"};
  if ((options.gt && options.nx) || (options.lt && options.nx) || (options.gt && options.lt))
    throw CommandRefused{"ERR GT, LT, and/or NX options at the same time are not compatible"};
  if (options.increment && rest != 2)
    throw CommandRefused{"ERR INCR option supports a single increment-element pair"};
  return options;
}

struct AddResult {
  bool added = false, updated = false, done = false;
  double score = 0;
};

AddResult add_member(ModelZset& zset, double score, const std::string& name,
                     const AddOptions& options) {
  AddResult result;
  const auto held = member_of(zset, name);
  if (held == zset.end()) {
    if (options.xx) return result;
    zset.emplace(score, name);
    return {true, false, true, score};
  }
  if (options.nx) return result;
  const double old = held->first;
  if (options.increment) score += old;
  if (std::isnan(score)) throw CommandRefused{"ERR resulting score is not a number (NaN)"};
  if ((options.gt && score <= old) || (options.lt && score >= old)) return result;
  result = {false, score != old, true, score};
  if (!result.updated) return result;
  zset.erase(held);
  zset.emplace(score, name);
  return result;
}

Reply zset_add(ModelCall& call, const AddOptions& options) {
  std::vector<double> scores;
  for (std::size_t i = options.first; i < call.words.size(); i += 2)
    scores.push_back(to_double(call.words[i]));
  const bool missing = call.find<ModelZset>() == nullptr;
  if (missing && options.xx) return options.increment ? nil_reply() : integer_reply(0L);
  ModelZset& zset = call.find_or_make<ModelZset>();
  std::int64_t added = 0, updated = 0;
  AddResult last;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    last = add_member(zset, scores[i], call.words[options.first + 2 * i + 1], options);
    added += last.added ? 1 : 0;
    updated += last.updated ? 1 : 0;
  }
  if (added + updated > 0) call.touch();
  call.keys.drop_if_empty(call.key());
  if (options.increment) return last.done ? text_reply(format_score(last.score)) : nil_reply();
  return integer_reply(options.changed ? added + updated : added);
}

Reply zset_add(ModelCall& call) { return zset_add(call, add_options(call.words)); }

Reply zset_increment(ModelCall& call) {
  AddOptions options;
  options.increment = true;
  return zset_add(call, options);
}

Reply zset_remove(ModelCall& call) {
  ModelZset* const zset = call.find<ModelZset>();
  if (zset == nullptr) return integer_reply(0L);
  std::int64_t removed = 0;
  for (std::size_t i = 2; i < call.words.size(); ++i) {
    const auto held = member_of(*zset, call.words[i]);
    if (held == zset->end()) continue;
    zset->erase(held);
    ++removed;
  }
  if (removed > 0) call.touch();
  call.keys.drop_if_empty(call.key());
  return integer_reply(removed);
}

Reply size(ModelCall& call) {
  const ModelZset* const zset = call.find<ModelZset>();
  return integer_reply(zset == nullptr ? 0 : zset->size());
}

Reply score_in(const ModelZset* zset, const std::string& name) {
  if (zset == nullptr) return nil_reply();
  const auto held = member_of(*zset, name);
  return held == zset->end() ? nil_reply() : text_reply(format_score(held->first));
}

Reply score(ModelCall& call) { return score_in(call.find<ModelZset>(), call.words[2]); }

Reply scores(ModelCall& call) {
  const ModelZset* const zset = call.find<ModelZset>();
  std::vector<Reply> all;
  for (std::size_t i = 2; i < call.words.size(); ++i) all.push_back(score_in(zset, call.words[i]));
  return array_reply(std::move(all));
}

Reply rank(ModelCall& call, bool reverse) {
  const ModelZset* const zset = call.find<ModelZset>();
  if (zset == nullptr) return nil_reply();
  const auto held = member_of(*zset, call.words[2]);
  if (held == zset->end()) return nil_reply();
  const std::int64_t before = std::distance(zset->begin(), held);
  return integer_reply(reverse ? static_cast<std::int64_t>(zset->size()) - 1 - before : before);
}

Reply rank_up(ModelCall& call) { return rank(call, false); }
Reply rank_down(ModelCall& call) { return rank(call, true); }

Reply zset_pop(ModelCall& call, bool least) {
  if (call.words.size() > 3) throw CommandRefused{kSyntaxError};
  std::int64_t count = 1;
  if (call.words.size() == 3) count = to_integer(call.words[2], kNotPositive);
  if (count < 0) throw CommandRefused{kNotPositive};
  ModelZset* const zset = call.find<ModelZset>();
  std::vector<Reply> taken;
  while (zset != nullptr && count-- > 0 && !zset->empty()) {
    const auto member = least ? zset->begin() : std::prev(zset->end());
    taken.push_back(text_reply(member->second));
    taken.push_back(text_reply(format_score(member->first)));
    zset->erase(member);
  }
  if (!taken.empty()) call.touch();
  call.keys.drop_if_empty(call.key());
  return array_reply(std::move(taken));
}

Reply pop_least(ModelCall& call) { return zset_pop(call, true); }
Reply pop_most(ModelCall& call) { return zset_pop(call, false); }

constexpr ModelCommand kZsetCommands[] = {
    {"zadd", -4, zset_add},    {"zincrby", 4, zset_increment}, {"zrem", -3, zset_remove},
    {"zcard", 2, size},        {"zscore", 3, score},           {"zmscore", -3, scores},
    {"zrank", 3, rank_up},     {"zrevrank", 3, rank_down},     {"zpopmin", -2, pop_least},
    {"zpopmax", -2, pop_most},
};

}  // namespace

Reply listed(const Members& members, bool with_scores) {
  std::vector<Reply> all;
  for (const auto& [score, name] : members) {
    all.push_back(text_reply(name));
    if (with_scores) all.push_back(text_reply(format_score(score)));
  }
  return array_reply(std::move(all));
}

Reply store_zset(ModelCall& call, ModelZset zset) {
  const std::size_t size = zset.size();
  const bool existed = call.keys.erase(call.key());
  if (size > 0) call.keys.put(call.key(), std::move(zset));
  if (existed || size > 0) call.touch();
  return integer_reply(size);
}

std::span<const ModelCommand> zset_commands() { return kZsetCommands; }

}  // namespace rlctl
