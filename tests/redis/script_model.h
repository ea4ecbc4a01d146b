// The correct answers of the sound algorithms, computed in the simplest way: by searching the whole
// history of admissions. It also plays a script on a real server, with its arguments filled in by
// name. Times are µs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "limiter/registry.h"
#include "redis_fixture.h"

namespace rlctl::test {

struct Limits {
  std::int64_t limit = 0;
  std::int64_t window_us = 0;
  std::int64_t capacity = 0;
};

struct Answer {
  bool allowed = false;
  std::int64_t remaining = 0;
  std::int64_t retry_after_us = 0;
  std::int64_t decided_us = 0;
  std::int64_t delay_us = 0;
};

// Plays one script.
class Played {
 public:
  // `ttl_ms`: 0 is the window; on the virtual clock Redis must not expire the key by the real one.
  Played(Connection& redis, Script script, Limits rules, std::int64_t ttl_ms = 0)
      : redis_(redis), script_(std::move(script)), rules_(rules) {
    ttl_ms_ = ttl_ms > 0 ? ttl_ms : rules.window_us / 1000;
    if (redis.text({"SCRIPT", "LOAD", script_.text}) != script_.sha1) {
      throw std::runtime_error("Redis names the script otherwise");
    }
  }

  // `now`: a number, or empty for Redis's clock.
  Answer decide(const std::vector<std::string>& keys, std::int64_t cost,
                const std::string& now = {}) {
    const Answered reply = raw(keys, cost, now);
    if (reply.is_error()) throw std::runtime_error(script_.name + ": " + reply.text);
    if (reply.elements.size() != script_.manifest.reply.size()) {
      throw std::runtime_error(script_.name + ": the reply is not as the manifest says");
    }
    const auto& values = reply.elements;
    const std::int64_t delay_us = values.size() > 4 ? values[4].integer : 0;
    return {values[0].integer == 1, values[1].integer, values[2].integer, values[3].integer,
            delay_us};
  }
  Answer decide(const std::string& key, std::int64_t cost, const std::string& now = {}) {
    return decide(std::vector{key}, cost, now);
  }

  Answered raw(const std::vector<std::string>& keys, std::int64_t cost,
               const std::string& now = {}) {
    std::vector<std::string> words = {"EVALSHA", script_.sha1, std::to_string(keys.size())};
    words.insert(words.end(), keys.begin(), keys.end());
    for (const Argument& argument : script_.manifest.args) {
      words.push_back(value_of(argument, cost, now));
    }
    return redis_.command(words);
  }

  std::int64_t block_ms = 0;

 private:
  std::string value_of(const Argument& argument, std::int64_t cost, const std::string& now) const {
    switch (argument.kind) {
      case ArgumentKind::limit:
        return std::to_string(rules_.limit);
      case ArgumentKind::capacity:
        return std::to_string(rules_.capacity);
      case ArgumentKind::window_ms:
        return std::to_string(rules_.window_us / 1000);
      case ArgumentKind::ttl_ms:
        return std::to_string(ttl_ms_);
      case ArgumentKind::block_ms:
        return std::to_string(block_ms);
      case ArgumentKind::cost:
        return std::to_string(cost);
      case ArgumentKind::now_us:
        return now;
      case ArgumentKind::literal:
        return argument.literal;
      default:
        throw std::runtime_error("an argument that the tests do not know");
    }
  }

  Connection& redis_;
  Script script_;
  Limits rules_;
  std::int64_t ttl_ms_ = 0;
};

// What would be admitted, and how much is left, at `now` with the admissions so far.
class Model {
 public:
  explicit Model(Limits rules) : rules_(rules) {}
  virtual ~Model() = default;

  Answer decide(std::int64_t now, std::int64_t cost) {
    Answer answer;
    answer.decided_us = now;
    answer.delay_us = delay(now);
    answer.allowed = room(now) >= cost;
    if (answer.allowed) admissions_.push_back({now, cost});
    answer.remaining = std::max<std::int64_t>(0, room(now));
    return answer;
  }

  // The most that one request could cost at `now`.
  virtual std::int64_t room(std::int64_t now) const = 0;
  virtual std::int64_t delay(std::int64_t) const { return 0; }

 protected:
  struct Admission {
    std::int64_t at_us;
    std::int64_t cost;
  };
  // Admitted in [from, to).
  std::int64_t admitted(std::int64_t from, std::int64_t to) const {
    std::int64_t sum = 0;
    for (auto each = admissions_.rbegin(); each != admissions_.rend() && each->at_us >= from;
         ++each) {
      if (each->at_us < to) sum += each->cost;
    }
    return sum;
  }
  Limits rules_;
  std::vector<Admission> admissions_;
};

struct FixedModel : Model {
  using Model::Model;
  std::int64_t room(std::int64_t now) const override {
    const std::int64_t start = now - now % rules_.window_us;
    return rules_.limit - admitted(start, start + rules_.window_us);
  }
};

struct SlidingModel : Model {
  using Model::Model;
  std::int64_t room(std::int64_t now) const override {
    return rules_.limit - admitted(now - rules_.window_us + 1, now + 1);
  }
};

struct CounterModel : Model {
  using Model::Model;
  std::int64_t room(std::int64_t now) const override {
    const std::int64_t window = rules_.window_us;
    const std::int64_t start = now - now % window;
    const std::int64_t overlap = start + window - now;
    const std::int64_t older = admitted(start - window, start) * overlap;
    return rules_.limit - admitted(start, start + window) - (older + window - 1) / window;
  }
};

// The level of a bucket, computed by replaying every admission, in 1/window_us requests and 128
// bits.
struct BucketModel : Model {
  using Model::Model;
  std::int64_t room(std::int64_t now) const override {
    const Wide full = Wide(rules_.capacity) * rules_.window_us;
    return static_cast<std::int64_t>((full - level(now)) / rules_.window_us);
  }
  std::int64_t delay(std::int64_t now) const override {
    return static_cast<std::int64_t>((level(now) + rules_.limit - 1) / rules_.limit);
  }

 private:
  __extension__ using Wide = __int128;
  Wide level(std::int64_t now) const {
    Wide level = 0;
    std::int64_t at = 0;
    for (const Admission& each : admissions_) {
      level = std::max<Wide>(0, level - Wide(each.at_us - at) * rules_.limit);
      level += Wide(each.cost) * rules_.window_us;
      at = each.at_us;
    }
    return std::max<Wide>(0, level - Wide(now - at) * rules_.limit);
  }
};

inline std::unique_ptr<Model> model_of(const std::string& name, Limits rules) {
  if (name == "fixed") return std::make_unique<FixedModel>(rules);
  if (name == "sliding-counter") return std::make_unique<CounterModel>(rules);
  if (name.starts_with("sliding")) return std::make_unique<SlidingModel>(rules);
  return std::make_unique<BucketModel>(rules);
}

}  // namespace rlctl::test
