// The keys of a Redis, found by SCAN, never KEYS, and removed by UNLINK, never DEL, so that no
// other client has to wait. Throws Error(Exit::target) if Redis does not answer; a failure of a
// single key is data. One thread.
#pragma once

#include <coroutine>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/loop.h"
#include "io/redis/redis.h"

namespace rlctl {

// One call of SCAN from a cursor, over about `count` keys of the database. The cursor is "0" at the
// beginning and again at the end.
struct ScanPage {
  std::string cursor;
  std::vector<std::string> keys;
};
Task<ScanPage> scan_page(Redis& redis, std::string cursor, std::string pattern, std::int64_t count);

// How many keys there are (DBSIZE); empty if that is refused, or if a node of a cluster is away.
Task<std::optional<std::int64_t>> count_keys(Redis& redis);

// One pass over the keys that match a pattern, in constant memory. SCAN returns every key that
// exists all the time, but perhaps more than once, if keys come or go meanwhile.
class KeyScan {
 public:
  // Awaited before each page: PacedRedis::turn. False: it is not to be asked for.
  using Turn = std::function<Task<bool>()>;
  KeyScan(Redis& redis, std::string pattern, Turn turn = {})
      : redis_(redis), pattern_(std::move(pattern)), turn_(std::move(turn)) {}

  // The next page. It may be empty, before the end and after it. Several coroutines may wait for
  // their pages at once: a page can only be asked for when the one before it has come.
  Task<std::vector<std::string>> next();
  bool done() const { return done_ || stopped_; }

  // Enough is found: no other page is asked for, and none that is on its way is looked at.
  void stop() { stopped_ = true; }
  bool is_stopped() const { return stopped_; }

  // Approximate number of keys that SCAN has passed, whether they match or not.
  std::int64_t passed() const { return passed_; }

 private:
  Task<std::vector<std::string>> ask_for_page();
  void let_next_ask();

  Redis& redis_;
  std::string pattern_;
  Turn turn_;
  std::string cursor_ = "0";
  bool done_ = false;
  bool stopped_ = false;
  bool asking_ = false;
  std::deque<std::coroutine_handle<>> waiting_;
  std::int64_t passed_ = 0;
};

// Calls `look` with every page until the end, or until the loop is interrupted. Some pages are
// looked at side by side, so that Redis and this process work at the same time.
using LookAtKeys = std::function<Task<>(std::vector<std::string>)>;
Task<> look_at_pages(Loop& loop, KeyScan& scan, LookAtKeys look);

// For each key, whether it exists. If EXISTS is refused, TYPE is asked; if that is refused too,
// each counts as existing. A key that this user may not use does not (a SCAN would name it all the
// same).
enum class Existence : std::uint8_t {
  absent,
  exists,
  unknown,  // its node of a cluster does not answer
};
Task<std::vector<Existence>> find_existing(Redis& redis, std::vector<std::string> keys);

enum class Removal : std::uint8_t {
  removed,
  absent,
  of_other_type,  // of a type that no limiter uses
  other_data,     // no limiter's data (inspect/removable.h)
  perhaps_other,  // perhaps no limiter's data
  refused,
  unknown,
};
struct RemovedKey {
  std::string key;
  Removal what = Removal::absent;
  std::string words = {};  // why it is left, or why there is no answer: raw
  std::string holds = {};  // in words, escaped; empty: nobody has looked
};

// The types that limiters use.
inline constexpr std::string_view kRemovable[] = {"string", "list", "zset", "hash"};

RemovedKey of_other_type(std::string key, const std::string& type);

// What a person has seen of keys before: the type, then of a string the first kSeenBytes, of a hash
// some fields.
inline constexpr std::int64_t kSeenBytes = 641;
using SeenKeys = std::map<std::string, std::vector<std::string>>;

inline constexpr std::string_view kChangedSinceShown = "it has changed since it was shown";

// Unlinks the keys that can belong to a limiter, and of those in `seen` the ones that are still
// what was seen: a number may be another number. Each is checked and unlinked in one step. A lost
// connection is data (`unknown`), so that it is known what was removed. Pass some hundred keys at a
// time.
Task<std::vector<RemovedKey>> remove_keys(Redis& redis, std::vector<std::string> keys,
                                          SeenKeys seen = {});

}  // namespace rlctl
