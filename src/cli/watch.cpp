// rlctl watch: shows the limiters of a Redis, live.
#include <stdlib.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "cli/options/watch_options.h"
#include "cli/output/output.h"
#include "cli/output/paced_progress.h"
#include "cli/verb.h"
#include "inspect/watch/feed.h"
#include "inspect/watch/session.h"
#include "inspect/watch/snapshot.h"
#include "io/clock.h"
#include "io/terminal.h"

namespace rlctl {
namespace {

// Prints the limiters that a complete scan found, blocked and most used first. Returns all of them.
std::vector<LimiterRow> print_look(const WatchFeed& feed, const WatchOptions& options) {
  WatchStatus status = feed.status();
  std::vector<LimiterRow> rows = WatchView().arrange(feed.rows(), status.now_us);
  status.limiters = static_cast<std::int64_t>(rows.size());
  status.is_live = !options.once();
  if (options.json())
    print_json("watch", watch_json(rows, status, options.most()));
  else
    print(watch_text(rows, status, options.most(), columns_or(0)));
  return rows;
}

// Once, not at each look.
void tell_once(std::span<const LimiterRow> rows, const WatchOptions& options) {
  const std::span<const LimiterRow> shown = rows.first(std::min(rows.size(), options.most()));
  if (const std::string note = cut_note(shown.size(), rows.size()); !note.empty()) tell(note);
  if (options.json()) return;
  if (const std::string notes = notes_on(shown); !notes.empty()) tell(notes);
}

// What is missing in a complete scan.
Exit tell_what_is_partial(const WatchFeed& feed) {
  const std::string unseen = feed.unseen(), unread = feed.unread();
  if (!unseen.empty()) tell("partial: not seen: " + unseen);
  if (!unread.empty()) tell("partial: " + unread);
  return unseen.empty() && unread.empty() ? Exit::done : Exit::inconclusive;
}

// Waits in short steps, so that Ctrl-C ends it at once.
Task<> wait_for(Loop& loop, std::int64_t us) {
  constexpr std::int64_t kStepUs = 100'000;
  const std::int64_t until_us = now_us() + us;
  while (now_us() < until_us && !loop.interrupted())
    co_await loop.until(std::min(until_us, now_us() + kStepUs));
}

// Without a terminal: prints one complete scan, or goes on printing until it is stopped.
Exit print_looks(Loop& loop, Deployment& redis, const WatchPlan& plan,
                 const WatchOptions& options) {
  loop.watch_signals();
  WatchFeed feed(loop, redis, plan);
  loop.run(feed.connect());
  if (feed.replica()) tell(feed.replica()->remark());
  {
    const PacedProgress progress(loop, feed.redis(), options.quiet(), [&] {
      const WatchStatus status = feed.status();
      const std::int64_t all = std::max<std::int64_t>(0, status.keys);
      return Work{"scanning", "keys", std::llround(status.pass * static_cast<double>(all)), all};
    });
    loop.run(feed.look_once(options.most()));
  }
  if (loop.interrupted()) {
    tell("interrupted: not all keys were read");
    return Exit::interrupted;
  }
  tell_once(print_look(feed, options), options);
  if (options.once()) return tell_what_is_partial(feed);
  loop.spawn(feed.go_on([&] { return feed.busiest(options.most()); }));
  while (flush_output()) {
    loop.run(wait_for(loop, plan.interval_us));
    if (loop.interrupted()) return Exit::interrupted;
    print_look(feed, options);
  }
  return Exit::done;  // the reader has gone
}

bool is_utf8_terminal() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = getenv(name);
    if (value == nullptr || *value == '\0') continue;
    const std::string text = value;
    return text.find("UTF-8") != text.npos || text.find("utf8") != text.npos ||
           text.find("utf-8") != text.npos;
  }
  return false;
}

Exit run_watch(const WatchOptions& options) {
  const WatchPlan plan = options.plan();
  options.most();
  Loop loop;
  Deployment redis(loop, options.endpoint());
  loop.run(redis.discover());
  if (options.once() || options.json() || !Terminal::is_there())
    return print_looks(loop, redis, plan, options);
  const Paint paint = colour_is_wanted() ? Paint::colour : Paint::monochrome;
  WatchSession session(loop, redis, plan, {paint, is_utf8_terminal()});
  return session.play() ? Exit::done : Exit::interrupted;
}

Action add_watch_options(Options& app) {
  auto options = std::make_shared<WatchOptions>();
  options->add_to(app);
  return [options] { return run_watch(*options); };
}

}  // namespace

const Verb kWatchVerb{
    "watch", "Shows the limiters of a Redis live: use, bars, blocks, rates; press ? for help.",
    "  rlctl watch\n"
    "  rlctl watch 'ratelimit:ip:*' --limit 20 --window 60s\n"
    "  rlctl watch 'api:*' --once --json",
    add_watch_options};

}  // namespace rlctl
