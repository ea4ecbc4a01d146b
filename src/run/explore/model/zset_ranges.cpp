// Commands on ranges of a sorted set, by index and by score.
#include <algorithm>

#include "base/error.h"
#include "run/explore/model/command.h"

namespace rlctl {
namespace {

constexpr const char* kNotARange = "ERR min or max is not a float";

// A score, or `(score`, which excludes that score.
struct Bound {
  double score = 0;
  bool open = false;
};

struct ScoreRange {
  Bound low, high;

  bool holds(double score) const {
    if (low.open ? score <= low.score : score < low.score) return false;
    return !(high.open ? score >= high.score : score > high.score);
  }
};

Bound to_bound(const std::string& text) {
  const bool open = text.starts_with('(');
  return {to_double(open ? text.substr(1) : text, kNotARange), open};
}

ScoreRange score_range(const std::string& low, const std::string& high) {
  ScoreRange range;
  range.low = to_bound(low);
  range.high = to_bound(high);
  return range;
}

Members members_by_score(const ModelZset& zset, const ScoreRange& range) {
  Members members;
  for (const auto& member : zset)
    if (range.holds(member.first)) members.push_back(member);
  return members;
}

struct RangeOptions {
  bool by_score = false, reverse = false, with_scores = false, limited = false;
  std::int64_t offset = 0, count = -1;
};

// `fixed`: order and kind are given by the command's name, so the options for them are not allowed.
RangeOptions range_options(const Words& words, RangeOptions options, bool fixed) {
  for (std::size_t i = 4; i < words.size(); ++i) {
    const std::string word = lower_case(words[i]);
    if (word == "withscores") {
      options.with_scores = true;
    } else if (word == "limit" && i + 2 < words.size()) {
      options.limited = true;
      options.offset = to_integer(words[i + 1]);
      options.count = to_integer(words[i + 2]);
      i += 2;
    } else if (word == "byscore" && !fixed) {
      options.by_score = true;
    } else if (word == "rev" && !fixed) {
      options.reverse = true;
    } else if (word == "bylex" && !fixed) {
      throw Error(Exit::usage, "the model of Redis does not know ZRANGE with BYLEX",
                  "`rlctl simulate` plays the script on a real Redis");
    } else {
      throw CommandRefused{kSyntaxError};
    }
  }
  if (options.limited && !options.by_score)
    throw CommandRefused{
        "ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX"};
  return options;
}

Members cut(Members members, const RangeOptions& options) {
  const auto size = static_cast<std::int64_t>(members.size());
  if (options.offset < 0 || options.offset >= size) return {};
  members.erase(members.begin(), members.begin() + options.offset);
  if (options.count >= 0 && options.count < size - options.offset)
    members.resize(static_cast<std::size_t>(options.count));
  return members;
}

Members range_by_score(ModelCall& call, const RangeOptions& options) {
  const std::string& first = call.words[2];
  const std::string& second = call.words[3];
  const ScoreRange range =
      options.reverse ? score_range(second, first) : score_range(first, second);
  const ModelZset* const zset = call.find<ModelZset>();
  if (zset == nullptr) return {};
  Members members = members_by_score(*zset, range);
  if (options.reverse) std::reverse(members.begin(), members.end());
  return cut(std::move(members), options);
}

Members range_by_index(ModelCall& call, const RangeOptions& options) {
  const std::int64_t first = to_integer(call.words[2]), last = to_integer(call.words[3]);
  const ModelZset* const zset = call.find<ModelZset>();
  if (zset == nullptr) return {};
  Members all(zset->begin(), zset->end());
  if (options.reverse) std::reverse(all.begin(), all.end());
  const IndexRange clipped = clip_range(first, last, all.size());
  return {all.begin() + clipped.first, all.begin() + clipped.last + 1};
}

Members members_of(ModelCall& call, const RangeOptions& options) {
  return options.by_score ? range_by_score(call, options) : range_by_index(call, options);
}

Reply range(ModelCall& call, RangeOptions options, bool fixed) {
  options = range_options(call.words, options, fixed);
  return listed(members_of(call, options), options.with_scores);
}

// Without its first word, ZRANGESTORE is ZRANGE.
Reply store_range(ModelCall& call) {
  const Words words(call.words.begin() + 1, call.words.end());
  const RangeOptions options = range_options(words, {}, false);
  if (options.with_scores) throw CommandRefused{kSyntaxError};
  ModelCall source{call.keys, words};
  const Members members = members_of(source, options);
  return store_zset(call, {members.begin(), members.end()});
}

Reply range_any(ModelCall& call) { return range(call, {}, false); }

Reply range_reverse(ModelCall& call) {
  RangeOptions options;
  options.reverse = true;
  return range(call, options, true);
}

Reply range_score(ModelCall& call) {
  RangeOptions options;
  options.by_score = true;
  return range(call, options, true);
}

Reply range_score_reverse(ModelCall& call) {
  RangeOptions options;
  options.by_score = options.reverse = true;
  return range(call, options, true);
}

Reply count(ModelCall& call) {
  const ScoreRange wanted = score_range(call.words[2], call.words[3]);
  const ModelZset* const zset = call.find<ModelZset>();
  return integer_reply(zset == nullptr ? 0 : members_by_score(*zset, wanted).size());
}

Reply remove_members(ModelCall& call, ModelZset& zset, const Members& members) {
  for (const auto& member : members) zset.erase(member);
  if (!members.empty()) call.touch();
  call.keys.drop_if_empty(call.key());
  return integer_reply(members.size());
}

Reply remove_by_score(ModelCall& call) {
  const ScoreRange wanted = score_range(call.words[2], call.words[3]);
  ModelZset* const zset = call.find<ModelZset>();
  if (zset == nullptr) return integer_reply(0L);
  return remove_members(call, *zset, members_by_score(*zset, wanted));
}

Reply remove_by_rank(ModelCall& call) {
  const std::int64_t first = to_integer(call.words[2]), last = to_integer(call.words[3]);
  ModelZset* const zset = call.find<ModelZset>();
  if (zset == nullptr) return integer_reply(0L);
  const IndexRange clipped = clip_range(first, last, zset->size());
  const Members all(zset->begin(), zset->end());
  return remove_members(call, *zset, {all.begin() + clipped.first, all.begin() + clipped.last + 1});
}

constexpr ModelCommand kZsetRangeCommands[] = {
    {"zrange", -4, range_any},
    {"zrangestore", -5, store_range},
    {"zrevrange", -4, range_reverse},
    {"zrangebyscore", -4, range_score},
    {"zrevrangebyscore", -4, range_score_reverse},
    {"zcount", 4, count},
    {"zremrangebyscore", 4, remove_by_score},
    {"zremrangebyrank", 4, remove_by_rank},
};

}  // namespace

std::span<const ModelCommand> zset_range_commands() { return kZsetRangeCommands; }

}  // namespace rlctl
