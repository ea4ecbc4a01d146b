#include "inspect/watch/feed.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/escape.h"
#include "base/suggest.h"
#include "base/units.h"
#include "inspect/limiter_keys.h"
#include "inspect/watch/view.h"
#include "io/clock.h"
#include "io/redis/keyspace.h"

namespace rlctl {
namespace {

constexpr std::int64_t kPausedUs = 100'000;
constexpr std::int64_t kNothingDueUs = 20'000;
constexpr std::int64_t kAfterTroubleUs = 500'000;

}  // namespace

WatchFeed::WatchFeed(Loop& loop, Deployment& redis, const WatchPlan& plan)
    : loop_(loop),
      policy_(plan.policy),
      pattern_(plan.pattern),
      server_(redis.endpoint().name()),
      interval_us_(plan.interval_us),
      connection_(redis.client([this](const std::string& words) {
        connection_trouble_ = connection_->is_open() ? "" : words + "; trying again";
        undisturbing_ = false;
        ++version_;
      })),
      redis_(loop, *connection_, plan.pacer),
      reader_(plan.registry, plan.algorithm, plan.layouts),
      overview_(policy_, reader_),
      sampler_(redis_, reader_, overview_, policy_, pattern_),
      is_cluster_(redis.is_cluster()) {}

Task<> WatchFeed::connect() {
  co_await connection_->connect();
  if (is_cluster_) co_return;
  replica_ = co_await read_replica(*connection_);
}

std::int64_t WatchFeed::server_now_us() const { return now_us() + redis_.clock_offset_us(); }

Task<> WatchFeed::told(Task<> look) {
  trouble_.clear();
  try {
    const bool undisturbing = std::exchange(undisturbing_, true);
    if (!undisturbing) co_await leave_idle_times_alone(redis_);
    co_await std::move(look);
  } catch (const Error& error) {
    trouble_ = with_hint(error.what(), error.hint());
    trouble_exit_ = error.exit();
  }
  redis_.account();
  ++version_;
  if (!trouble_.empty()) co_await loop_.until(now_us() + kAfterTroubleUs);
}

// Reads the known keys of each limiter, and its block flag, which can be set at any time.
Task<> WatchFeed::look_at_limiters(std::vector<std::string> names) {
  std::set<std::string> keys;
  for (const std::string& name : names) {
    const std::vector<std::string> known = overview_.keys_of(name);
    keys.insert(known.begin(), known.end());
    if (!known.empty()) keys.insert(block_key_beside(known.front()));
  }
  std::vector<std::string> all(keys.begin(), keys.end());
  co_await sampler_.look_at(std::move(all));
}

// Alternates between the shown limiters and the next page of all keys, so that neither starves.
Task<> WatchFeed::step(std::vector<std::string> shown) {
  const std::int64_t now = now_us();
  const bool shown_due = !shown.empty() && now >= looked_us_ + interval_us_;
  const bool further_due = !sampler_.at_start() || now >= pass_began_us_ + interval_us_;
  if (shown_due && !(further_due && further_next_)) {
    looked_us_ = now;
    further_next_ = true;
    co_await told(look_at_limiters(std::move(shown)));
  } else if (further_due) {
    further_next_ = false;
    if (sampler_.at_start()) pass_began_us_ = now;
    co_await told(sampler_.look_further(interval_us_ / 2));
  } else {
    co_await loop_.until(now + kNothingDueUs);
  }
}

Task<> WatchFeed::go_on(std::function<std::vector<std::string>()> wanted) {
  while (true) {
    if (paused_) {
      co_await loop_.until(now_us() + kPausedUs);
      continue;
    }
    co_await redis_.turn();
    co_await step(wanted());
  }
}

Task<> WatchFeed::look_once(std::size_t most) {
  while (sampler_.passes() == 0 && !loop_.interrupted()) {
    co_await told(sampler_.look_at_all(loop_, [this] { return redis_.turn(); }));
    if (!trouble_.empty()) throw Error(trouble_exit_, trouble_);
  }
  const std::int64_t until_us = now_us() + interval_us_;
  while (now_us() < until_us && !loop_.interrupted())
    co_await loop_.until(std::min(until_us, now_us() + kPausedUs));
  if (!loop_.interrupted()) co_await told(look_at_limiters(busiest(most)));
}

std::vector<std::string> WatchFeed::busiest(std::size_t most) const {
  std::vector<std::string> names;
  for (const LimiterRow& row : WatchView().arrange(overview_.rows(), server_now_us()))
    if (names.size() < most) names.push_back(row.name);
  return names;
}

Task<Inspection> WatchFeed::inspect(std::string name, std::int64_t most_entries) {
  LimiterKeys limiter{name, {}, block_key_beside(name)};
  const std::vector<std::string> keys = co_await keys_of(name);
  for (const std::string& key : keys)
    if (key != limiter.block_key) limiter.keys.push_back(key);
  InspectionOptions options;
  options.policy = policy_;
  options.most_entries = most_entries;
  co_return co_await inspect_limiter(*connection_, reader_, std::move(limiter), options);
}

Task<std::vector<std::string>> WatchFeed::keys_of(std::string name) {
  std::vector<std::string> keys = overview_.keys_of(name);
  const std::string flag = block_key_beside(name);
  if (std::ranges::find(keys, flag) == keys.end()) keys.push_back(flag);
  const std::vector<Existence> exist = co_await find_existing(*connection_, keys);
  std::vector<std::string> existing;
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (exist[i] != Existence::absent) existing.push_back(keys[i]);
  co_return existing;
}

Task<std::string> WatchFeed::remove(std::vector<std::string> keys) {
  std::int64_t removed = 0;
  std::string words;
  for (const RemovedKey& key : co_await remove_keys(*connection_, keys)) {
    if (key.what == Removal::removed) ++removed;
    if (key.what == Removal::refused || key.what == Removal::of_other_type)
      words = "; not removed: " + escape_for_terminal(key.words);
    if (key.what == Removal::unknown) words = "; no answer: " + escape_for_terminal(key.words);
  }
  co_await sampler_.look_at(std::move(keys));
  ++version_;
  co_return fmt::format("{} removed{}", counted(removed, "key"), words);
}

WatchStatus WatchFeed::status() const {
  WatchStatus status;
  status.server = server_ + (replica_ ? ", replica of " + replica_->master : "");
  status.pattern = pattern_;
  status.policy = in_words(policy_.rules);
  status.now_us = server_now_us();
  status.other_keys = overview_.other_keys();
  status.keys = sampler_.keys();
  status.pass = sampler_.pass_progress();
  status.passes = sampler_.passes();
  status.load = redis_.pacer().share_at(now_us());
  status.load_limit = redis_.pacer().limit();
  status.forgotten = overview_.forgotten();
  status.trouble = connection_trouble_.empty() ? trouble_ : connection_trouble_;
  if (const std::string unseen = connection_->unseen(); status.trouble.empty() && !unseen.empty())
    status.trouble = "partial: not seen: " + unseen;
  return status;
}

}  // namespace rlctl
