// LimiterSampler: keeps a LiveOverview up to date, one step at a time. It repeatedly looks at the
// limiters on the screen, and pages through all keys by SCAN. It only reads. The caller paces
// the steps (io/redis/paced_redis.h).
//
// Borrows all its arguments. Throws Error(Exit::target) if Redis does not answer; the next step
// continues. One thread, one step at a time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "inspect/key_reading.h"
#include "inspect/unread_keys.h"
#include "inspect/watch/live_overview.h"
#include "io/redis/keyspace.h"
#include "io/redis/redis.h"

namespace rlctl {

class LimiterSampler {
 public:
  // `pattern` as in SCAN.
  LimiterSampler(Redis& redis, KeyReader& reader, LiveOverview& overview, Policy policy,
                 std::string pattern)
      : redis_(redis),
        reader_(reader),
        overview_(overview),
        policy_(std::move(policy)),
        pattern_(std::move(pattern)) {}

  // Looks at these keys now, some at a time. They need not exist.
  Task<> look_at(std::vector<std::string> keys);

  // Looks at the next page of all keys, except those that were looked at within `fresh_us`.
  Task<> look_further(std::int64_t fresh_us);

  // A whole pass, as fast as the server can. Not in the middle of another one.
  Task<> look_at_all(Loop& loop, KeyScan::Turn turn);

  std::int64_t passes() const { return passes_; }       // finished passes over all keys
  const UnreadKeys& unread() const { return unread_; }  // that this pass has found
  bool at_start() const { return cursor_ == "0"; }
  double pass_progress() const;                // 0 to 1
  std::int64_t keys() const { return keys_; }  // of the database; -1: not known

 private:
  enum class Given : std::uint8_t { by_scan, by_name };

  Task<> begin_pass();
  void end_pass();
  Task<> look_in_steps(std::vector<std::string> keys, std::size_t at_once, Given given);
  Task<> look_at_some(std::vector<std::string> keys, Given given);
  bool is_known(const std::string& key) const;

  Redis& redis_;
  KeyReader& reader_;
  LiveOverview& overview_;
  Policy policy_;
  std::string pattern_;
  std::string cursor_ = "0";
  std::int64_t visited_ = 0;  // keys of this pass, approximately
  std::int64_t keys_ = -1;
  std::int64_t passes_ = 0;
  UnreadKeys unread_;
  bool sparse_ = false;  // few keys of the last page matched
};

}  // namespace rlctl
