#include "inspect/doctor/hot_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/escape.h"
#include "base/text.h"
#include "base/units.h"
#include "inspect/limiter_words.h"
#include "io/clock.h"
#include "io/redis/command.h"
#include "io/redis/redis_error.h"

namespace rlctl {
namespace {

constexpr std::size_t kMostCounters = 1'000;
constexpr std::int64_t kBetweenUs = 250'000;
// Fewer requests than that are no load for a server.
constexpr double kHotPerSecond = 1'000;
constexpr double kHotShare = 0.2;
constexpr std::size_t kMostTold = 3;
// With the default lfu-log-factor: some 100,000 uses within a few minutes. Other keys have less.
constexpr std::int64_t kMuchUsed = 200;
constexpr std::int64_t kMostFrequency = 255;

std::string size_command(const Counter& counter) {
  const char* const command = counter.type == StateType::list   ? "LLEN"
                              : counter.type == StateType::zset ? "ZCARD"
                                                                : "GET";
  return encode_command(command, counter.key);
}

struct Size {
  std::optional<std::int64_t> count;
  std::int64_t at_us = 0;
};

Task<std::vector<Size>> read_sizes(Redis& redis, const std::vector<Counter>& counters) {
  std::vector<std::string> commands;
  for (const Counter& counter : counters) commands.push_back(size_command(counter));
  std::vector<Size> sizes;
  for (const Exchange& exchange : co_await send_all(redis, std::move(commands))) {
    Size size{std::nullopt, exchange.received_us};
    if (exchange.has_answer())
      size.count = exchange.reply.is_integer() ? exchange.reply.integer
                                               : parse_whole<std::int64_t>(exchange.reply.text);
    sizes.push_back(size);
  }
  co_return sizes;
}

double per_second(const Growth& growth) {
  return growth.in_us <= 0 ? 0
                           : static_cast<double>(growth.by) * static_cast<double>(kSecondUs) /
                                 static_cast<double>(growth.in_us);
}

}  // namespace

void FullestCounters::add(const KeyState& state, const KeyReading& reading) {
  const bool counts = reading.shape == Shape::log ||
                      (reading.shape == Shape::counter && !says_what_is_left(state.key));
  const std::optional<double> used = use_of(state, reading);
  if (!counts || !used) return;
  if (fullest_.size() == kMostCounters) {
    if (fullest_.top().used >= *used) return;
    fullest_.pop();
  }
  fullest_.push({state.key, state.type, *used});
}

std::vector<Counter> FullestCounters::take() {
  std::vector<Counter> counters;
  for (; !fullest_.empty(); fullest_.pop()) counters.push_back(fullest_.top());
  return counters;
}

Task<std::vector<Growth>> watch_growth(Loop& loop, Redis& redis, std::vector<Counter> counters) {
  std::vector<Growth> growths;
  if (counters.empty()) co_return growths;
  const std::vector<Size> before = co_await read_sizes(redis, counters);
  co_await loop.until(now_us() + kBetweenUs);
  const std::vector<Size> after = co_await read_sizes(redis, counters);
  for (std::size_t i = 0; i < counters.size(); ++i)
    if (before[i].count && after[i].count)
      growths.push_back({counters[i].key,
                         std::max<std::int64_t>(0, *after[i].count - *before[i].count),
                         after[i].at_us - before[i].at_us});
  co_return growths;
}

std::set<std::string> examine(const std::vector<Growth>& growths, HealthFindings& findings) {
  std::set<std::string> told;
  double all = 0;
  for (const Growth& growth : growths) all += static_cast<double>(growth.by);
  std::vector<Growth> hot;
  std::ranges::copy_if(growths, std::back_inserter(hot), [&](const Growth& growth) {
    return static_cast<double>(growth.by) >= kHotShare * all && per_second(growth) >= kHotPerSecond;
  });
  std::ranges::stable_sort(hot, std::ranges::greater{}, &Growth::by);
  if (hot.size() > kMostTold) hot.resize(kMostTold);
  for (const Growth& growth : hot) {
    told.insert(growth.key);
    findings.push_back(
        {Ailment::hot_key,
         fmt::format("{} grew by {} in {} ({}/s), {:.0f} % of what {} grew, read twice",
                     in_quotes(growth.key), format_count(growth.by),
                     format_duration_for_people(growth.in_us),
                     format_count(static_cast<std::int64_t>(per_second(growth))),
                     100 * static_cast<double>(growth.by) / all,
                     counted(static_cast<std::int64_t>(growths.size()), "counter"))});
  }
  return told;
}

void UsedKeys::add(const std::string& key, std::int64_t frequency) {
  const auto place =
      std::ranges::upper_bound(most_, frequency, std::ranges::greater{}, &Used::frequency);
  if (place == most_.end() && most_.size() > kMostTold) return;
  most_.insert(place, {key, frequency});
  if (most_.size() > kMostTold + 1) most_.pop_back();
}

// If many keys are used as much, none of them stands out.
void UsedKeys::examine(std::int64_t commands_per_s, const std::set<std::string>& told,
                       HealthFindings& findings) const {
  if (static_cast<double>(commands_per_s) < kHotPerSecond) return;
  const auto hot =
      std::ranges::count_if(most_, [](const Used& one) { return one.frequency >= kMuchUsed; });
  if (hot > static_cast<std::ptrdiff_t>(kMostTold)) return;
  for (const Used& one : most_)
    if (one.frequency >= kMuchUsed && !told.contains(one.key))
      findings.push_back(
          {Ailment::hot_key,
           fmt::format("{} is used so often that its OBJECT FREQ is {} of {}, at {} commands/s of "
                       "all clients",
                       in_quotes(one.key), one.frequency, kMostFrequency,
                       format_count(commands_per_s))});
}

Task<Frequencies> read_frequencies(Redis& redis, const std::vector<std::string>& keys) {
  std::vector<std::string> commands;
  for (const std::string& key : keys) commands.push_back(encode_command("OBJECT", "FREQ", key));
  Frequencies frequencies;
  for (const Exchange& exchange : co_await send_all(redis, std::move(commands))) {
    if (is_permission_error(exchange.reply)) frequencies.refusal = exchange.reply.text;
    frequencies.of_keys.emplace_back();
    if (exchange.has_answer() && exchange.reply.is_integer())
      frequencies.of_keys.back() = exchange.reply.integer;
  }
  co_return frequencies;
}

}  // namespace rlctl
