#include "inspect/watch/sampler.h"

#include <algorithm>

#include "inspect/companions.h"
#include "inspect/watch/younger_entries.h"
#include "io/redis/keyspace.h"

namespace rlctl {
namespace {

// A step must be short: other clients wait for it. Pages on which few keys match cost less.
constexpr std::int64_t kPageKeys = 100;
constexpr std::int64_t kMostPageKeys = 250;
constexpr std::size_t kMostAtOnce = 100;
constexpr std::size_t kMostInFullPass = 1000;  // the server's time is not limited

bool is_log(const KeyState& state) { return !state.time_unit.empty() && state.problem.empty(); }

// What is asked about one log: how many entries the window holds, and how many are new.
struct LogAnswers {
  std::optional<std::size_t> live;  // indexes of the questions
  std::optional<std::size_t> younger;
  std::optional<LiveEntries> live_entries;
  std::optional<std::int64_t> younger_entries;
};

class LogCounts {
 public:
  // `windows_us`: of each state, or 0.
  LogCounts(const std::vector<KeyState>& states, const LiveOverview& overview,
            const std::vector<std::int64_t>& windows_us, std::int64_t now_us)
      : answers_(states.size()) {
    for (std::size_t i = 0; i < states.size(); ++i)
      if (is_log(states[i])) ask(states[i], overview, windows_us[i], now_us, answers_[i]);
  }

  std::vector<LogQuestion> questions() const { return questions_; }

  void take(const std::vector<LiveEntries>& counts) {
    for (LogAnswers& answer : answers_) {
      if (answer.live) answer.live_entries = counts[*answer.live];
      if (answer.younger) answer.younger_entries = counts[*answer.younger].count;
    }
  }

  const LogAnswers& of(std::size_t key) const { return answers_[key]; }

 private:
  void ask(const KeyState& state, const LiveOverview& overview, std::int64_t window_us,
           std::int64_t now_us, LogAnswers& answer) {
    if (window_us > 0) {
      answer.live = questions_.size();
      questions_.push_back({&state, now_us - window_us});
    }
    const auto before_us = overview.newest_us(state.key);
    if (!before_us) return;
    if (state.entries.empty() || state.entries.back().at_us == before_us) {
      answer.younger_entries = 0;
      return;
    }
    answer.younger = questions_.size();
    questions_.push_back({&state, *before_us});
  }

  std::vector<LogQuestion> questions_;
  std::vector<LogAnswers> answers_;
};

}  // namespace

bool LimiterSampler::is_known(const std::string& key) const {
  const std::vector<std::string> keys = overview_.keys_of(key);
  return std::ranges::find(keys, key) != keys.end();
}

// A name that may not be read is of a key only if a scan has found it.
Task<> LimiterSampler::look_at_some(std::vector<std::string> keys, Given given) {
  std::vector<KeyState> states = co_await glance_at(redis_, std::move(keys));
  const ServerTime now = co_await read_time(redis_);
  const KeyContext context{policy_, now.us};
  co_await look_beside_flags(redis_, reader_, states, context);
  const std::vector<std::int64_t> windows_us =
      co_await windows_of_logs(redis_, reader_, states, context);
  LogCounts counts(states, overview_, windows_us, now.us);
  counts.take(co_await count_younger(redis_, counts.questions()));
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (given == Given::by_scan) unread_.add(states[i]);
    if (given == Given::by_name && !states[i].problem.empty() && !is_known(states[i].key)) continue;
    const LogAnswers& log = counts.of(i);
    states[i].live = log.live_entries;
    const KeyReading reading = reader_.read(states[i], context);
    overview_.add(states[i], reading, now.us, log.younger_entries);
  }
}

Task<> LimiterSampler::begin_pass() {
  keys_ = (co_await count_keys(redis_)).value_or(-1);
  visited_ = 0;
  unread_ = {};
  overview_.begin_pass();
}

Task<> LimiterSampler::look_further(std::int64_t fresh_us) {
  if (at_start()) co_await begin_pass();
  const std::int64_t page_keys = sparse_ ? kMostPageKeys : kPageKeys;
  ScanPage page = co_await scan_page(redis_, cursor_, pattern_, page_keys);
  sparse_ = static_cast<std::int64_t>(page.keys.size()) < kPageKeys / 4;
  const ServerTime now = co_await read_time(redis_);
  std::erase_if(page.keys,
                [&](const std::string& key) { return overview_.meet(key, now.us - fresh_us); });
  co_await look_in_steps(std::move(page.keys), kMostAtOnce, Given::by_scan);
  visited_ += page_keys;
  cursor_ = page.cursor;
  if (at_start()) end_pass();
}

Task<> LimiterSampler::look_at(std::vector<std::string> keys) {
  return look_in_steps(std::move(keys), kMostAtOnce, Given::by_name);
}

Task<> LimiterSampler::look_in_steps(std::vector<std::string> keys, std::size_t at_once,
                                     Given given) {
  for (std::size_t i = 0; i < keys.size(); i += at_once) {
    const auto first = keys.begin() + static_cast<std::ptrdiff_t>(i);
    const auto last =
        keys.begin() + static_cast<std::ptrdiff_t>(std::min(i + at_once, keys.size()));
    std::vector<std::string> some(first, last);
    co_await look_at_some(std::move(some), given);
  }
}

void LimiterSampler::end_pass() {
  overview_.end_pass();
  ++passes_;
}

Task<> LimiterSampler::look_at_all(Loop& loop, KeyScan::Turn turn) {
  co_await begin_pass();
  KeyScan scan(redis_, pattern_, std::move(turn));
  co_await look_at_pages(loop, scan, [&](std::vector<std::string> keys) {
    visited_ = scan.passed();
    return look_in_steps(std::move(keys), kMostInFullPass, Given::by_scan);
  });
  if (scan.done()) end_pass();
}

double LimiterSampler::pass_progress() const {
  if (at_start() && passes_ > 0) return 1;
  if (keys_ <= 0) return 0;
  return std::min(1.0, static_cast<double>(visited_) / static_cast<double>(keys_));
}

}  // namespace rlctl
