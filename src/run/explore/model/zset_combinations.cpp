// Commands that unite, intersect or subtract sorted sets. A plain set counts as one whose scores
// are 1. The order of the sums, and where 0 * inf becomes 0, are as in Redis's t_zset.c.
#include <algorithm>
#include <cmath>

#include "run/explore/model/command.h"

namespace rlctl {
namespace {

enum class Combination : std::uint8_t { unite, intersect, subtract };

double sum(double a, double b) { return std::isnan(a + b) ? 0 : a + b; }
double least(double a, double b) { return b < a ? b : a; }
double most(double a, double b) { return b > a ? b : a; }

using Scores = std::map<std::string, double>;

struct Source {
  Scores scores;
  double weight = 1;
};

struct Request {
  std::vector<Source> sources;
  double (*aggregate)(double, double) = sum;
  bool with_scores = false;
  std::int64_t most_counted = 0;  // 0: all
};

Scores scores_of(ModelKeyspace& keys, const std::string& key) {
  const ModelEntry* const entry = keys.find(key);
  Scores scores;
  if (entry == nullptr) return scores;
  if (const auto* zset = std::get_if<ModelZset>(&entry->value)) {
    for (const auto& [score, name] : *zset) scores[name] = score;
  } else if (const auto* set = std::get_if<ModelSet>(&entry->value)) {
    for (const std::string& name : *set) scores[name] = 1;
  } else {
    throw CommandRefused{kWrongType};
  }
  return scores;
}

// Which options a command takes.
struct Form {
  Combination how;
  bool stores = false, counts = false;

  bool weighs() const { return how != Combination::subtract && !counts; }
};

class RequestReader {
 public:
  RequestReader(ModelCall& call, const Form& form)
      : call_(call), words_(call.words), form_(form), at_(form.stores ? 2 : 1) {}

  Request read() {
    read_sources();
    while (at_ < words_.size()) read_option();
    return std::move(request_);
  }

 private:
  std::size_t left() const { return words_.size() - at_; }

  void read_sources() {
    const std::int64_t count = to_integer(words_[at_++]);
    if (count < 1)
      throw CommandRefused{"ERR at least 1 input key is needed for '" + words_[0] + "' command"};
    if (count > static_cast<std::int64_t>(left())) throw CommandRefused{kSyntaxError};
    for (std::int64_t i = 0; i < count; ++i)
      request_.sources.push_back({scores_of(call_.keys, words_[at_++])});
  }

  void read_option() {
    const std::string word = lower_case(words_[at_]);
    const std::size_t values = left() - 1;
    ++at_;
    if (word == "weights" && form_.weighs() && values >= request_.sources.size()) {
      for (Source& source : request_.sources)
        source.weight = to_double(words_[at_++], "ERR weight value is not a float");
    } else if (word == "aggregate" && form_.weighs() && values >= 1) {
      read_aggregate();
    } else if (word == "withscores" && !form_.stores && !form_.counts) {
      request_.with_scores = true;
    } else if (word == "limit" && form_.counts && values >= 1) {
      constexpr const char* kNegative = "ERR LIMIT can't be negative";
      request_.most_counted = to_integer(words_[at_++], kNegative);
      if (request_.most_counted < 0) throw CommandRefused{kNegative};
    } else {
      throw CommandRefused{kSyntaxError};
    }
  }

  void read_aggregate() {
    const std::string word = lower_case(words_[at_++]);
    request_.aggregate = word == "sum"   ? sum
                         : word == "min" ? least
                         : word == "max" ? most
                                         : nullptr;
    if (request_.aggregate == nullptr) throw CommandRefused{kSyntaxError};
  }

  ModelCall& call_;
  const Words& words_;
  Form form_;
  std::size_t at_;
  Request request_;
};

double weighed(const Source& source, double score) {
  const double value = source.weight * score;
  return std::isnan(value) ? 0 : value;
}

void unite(const Request& request, Scores& all) {
  for (const Source& source : request.sources)
    for (const auto& [name, score] : source.scores) {
      const double value = weighed(source, score);
      const auto [place, is_new] = all.try_emplace(name, value);
      if (!is_new) place->second = request.aggregate(place->second, value);
    }
}

void intersect(const Request& request, Scores& all) {
  const Source& first = request.sources.front();
  for (const auto& [name, score] : first.scores) {
    double value = weighed(first, score);
    bool in_all = true;
    for (std::size_t i = 1; i < request.sources.size() && in_all; ++i) {
      const Source& other = request.sources[i];
      const auto held = other.scores.find(name);
      in_all = held != other.scores.end();
      if (in_all) value = request.aggregate(value, held->second * other.weight);
    }
    if (in_all) all[name] = value;
  }
}

void subtract(const Request& request, Scores& all) {
  all = request.sources.front().scores;
  for (std::size_t i = 1; i < request.sources.size(); ++i)
    for (const auto& [name, score] : request.sources[i].scores) all.erase(name);
}

ModelZset combined(Request& request, Combination how) {
  if (how != Combination::subtract)
    std::ranges::stable_sort(request.sources, {},
                             [](const Source& source) { return source.scores.size(); });
  Scores all;
  if (how == Combination::unite) unite(request, all);
  if (how == Combination::intersect) intersect(request, all);
  if (how == Combination::subtract) subtract(request, all);
  ModelZset zset;
  for (const auto& [name, score] : all) zset.emplace(score, name);
  return zset;
}

Reply combine(ModelCall& call, const Form& form) {
  Request request = RequestReader(call, form).read();
  ModelZset zset = combined(request, form.how);
  if (form.stores) return store_zset(call, std::move(zset));
  if (!form.counts) return listed({zset.begin(), zset.end()}, request.with_scores);
  const auto count = static_cast<std::int64_t>(zset.size());
  return integer_reply(request.most_counted > 0 ? std::min(count, request.most_counted) : count);
}

template <Combination how, bool stores, bool counts = false>
Reply run(ModelCall& call) {
  return combine(call, {how, stores, counts});
}

constexpr ModelCommand kZsetCombinations[] = {
    {"zunion", -3, run<Combination::unite, false>},
    {"zinter", -3, run<Combination::intersect, false>},
    {"zdiff", -3, run<Combination::subtract, false>},
    {"zunionstore", -4, run<Combination::unite, true>},
    {"zinterstore", -4, run<Combination::intersect, true>},
    {"zdiffstore", -4, run<Combination::subtract, true>},
    {"zintercard", -3, run<Combination::intersect, false, true>},
};

}  // namespace

std::span<const ModelCommand> zset_combination_commands() { return kZsetCombinations; }

}  // namespace rlctl
