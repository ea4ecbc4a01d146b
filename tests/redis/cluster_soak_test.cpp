// Traffic over a cluster of three masters and three replicas, with a fault after the other: slots
// move, replicas take over, masters end and hang, connections are cut, slow or silent, memory is
// full. Nothing may be lost or invented: every request has one outcome, what Redis has at the end
// agrees with it request by request, the log is judged as `verify` does it, and the memory that the
// clients need does not grow. What a replica that lagged may have forgotten is unknown, and
// counted. RLCTL_SOAK_S: its seconds.
#include <doctest/doctest.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <set>

#include "io/clock.h"
#include "log/log_file.h"
#include "redis/private_redis.h"
#include "redis/soak_faults.h"
#include "redis/soak_traffic.h"
#include "tools/folder.h"
#include "verdict/verdict.h"

using namespace rlctl;
using namespace rlctl::test;

namespace {

// Every admission stays, under the number of its request. Two keys in one slot: while it moves,
// one may be here and one there.
constexpr const char* kListOfTickets =
    "-- Every admission of the run, in two lists.\n"
    "-- rlctl: keys     = <key>, <key>:twice\n"
    "-- rlctl: args     = limit, uuid\n"
    "-- rlctl: reply    = allowed\n"
    "-- rlctl: contract = limit/window\n"
    "local n = redis.call('LLEN', KEYS[1])\n"
    "if redis.call('LLEN', KEYS[2]) ~= n then return redis.error_reply('ERR they differ') end\n"
    "if n >= tonumber(ARGV[1]) then return 0 end\n"
    "redis.call('RPUSH', KEYS[1], ARGV[2])\n"
    "redis.call('RPUSH', KEYS[2], ARGV[2])\n"
    "return 1\n";

constexpr std::size_t kSoakUsers = 12;
constexpr std::int64_t kFaultEveryUs = 500'000;
constexpr const char* kShipped[] = {"sliding-list", "sliding", "fixed", "gcra"};

#ifdef __SANITIZE_ADDRESS__
constexpr std::int64_t kGrowthMib = 300;  // freed memory stays in its quarantine
#else
constexpr std::int64_t kGrowthMib = 16;
#endif

std::int64_t resident_mib() {
  std::int64_t whole = 0;
  std::int64_t resident = 0;
  std::ifstream("/proc/self/statm") >> whole >> resident;
  return resident * sysconf(_SC_PAGESIZE) / (1 << 20);
}

std::int64_t soak_s() {
  const char* seconds = std::getenv("RLCTL_SOAK_S");
  return std::atoll(seconds != nullptr ? seconds : "60");
}

// As the records of a run come back from their file.
Log written_and_read(const Folder& folder, const Log& log) {
  const std::string path = folder / (log.algorithm + ".jsonl");
  LogWriter writer(path);
  writer.write(log);
  writer.close();
  ParsedLogs read = read_logs({{path}}, {});
  CHECK(read.bad_lines == 0);
  REQUIRE(read.histories.size() == 1);
  return std::move(read.histories.front().log);
}

Verdict judged(const Log& log) {
  JudgeOptions options;
  options.tolerance_us = log.terms.tolerance_us;
  options.fresh = true;
  return judge(log, options);
}

// What was decided before a master's writes were forgotten becomes unknown: an admission explains a
// denial before that, and no later one. Returns their number.
std::int64_t forgive(Log& log, const std::vector<SoakFaults::Forgotten>& times) {
  std::int64_t forgiven = 0;
  for (Record& record : log.records)
    for (const SoakFaults::Forgotten& time : times) {
      if (record.outcome > Outcome::denied) continue;
      if (record.received_us < time.from_us || record.sent_us > time.to_us) continue;
      record.outcome = Outcome::unknown;
      ++forgiven;
    }
  return forgiven;
}

void check_all_accounted_for(const SoakLimiter& limiter, const Verdict& verdict) {
  const Figures& all = verdict.policy.totals;
  CHECK(limiter.offered == static_cast<std::int64_t>(limiter.log.records.size()));
  CHECK(limiter.offered == all.allowed + all.denied + all.unknown + all.failed);
  CHECK(all.denied > 0);
  CHECK(all.allowed > 0);
  MESSAGE(limiter.log.algorithm << ": " << std::string(name_of(verdict.verdict)) << "; "
                                << limiter.offered << " offered, " << all.allowed << " allowed, "
                                << all.denied << " denied, " << all.unknown << " unknown, "
                                << all.failed << " failed");
}

// What the lists in Redis say, request by request.
struct ReadBack {
  std::int64_t entries = 0;
  std::int64_t lost = 0;            // allowed, and not there
  std::int64_t invented = 0;        // denied or failed, and there
  std::int64_t admitted_after = 0;  // unknown, and there: it was admitted
  std::int64_t unknown = 0;
  Log truth;  // with these as admissions
};

std::set<std::uint32_t> entries_of(Loop& loop, Redis& redis, const std::string& key) {
  std::set<std::uint32_t> entries;
  const Exchange list = loop.run(send_words(redis, {"LRANGE", key, "0", "-1"}));
  REQUIRE(list.has_answer());
  for (const Reply& one : list.reply.elements)
    entries.insert(static_cast<std::uint32_t>(std::stoul(one.text)));
  CHECK(entries.size() == list.reply.elements.size());
  return entries;
}

ReadBack read_back(Loop& loop, Redis& redis, const SoakLimiter& limiter) {
  ReadBack found{.truth = limiter.log};
  std::vector<std::set<std::uint32_t>> entries;
  for (const std::string& key : limiter.log.keys) {
    entries.push_back(entries_of(loop, redis, key));
    found.entries += static_cast<std::int64_t>(entries.back().size());
  }
  for (std::size_t i = 0; i < limiter.tickets.size(); ++i) {
    Record& record = found.truth.records[i];
    const bool is_there = entries[record.key].contains(limiter.tickets[i]);
    found.unknown += record.outcome == Outcome::unknown;
    found.lost += record.outcome == Outcome::allowed && !is_there;
    found.invented +=
        (record.outcome == Outcome::denied || record.outcome == Outcome::failed) && is_there;
    if (record.outcome != Outcome::unknown || !is_there) continue;
    ++found.admitted_after;
    record.outcome = Outcome::allowed;
    if (record.received_us == kNoTime)  // no later than the cluster may have had it
      record.received_us = record.sent_us + 4 * limiter.log.timeout_us;
  }
  return found;
}

void check_read_back(Loop& loop, Redis& redis, const SoakLimiter& limiter, const Verdict& verdict) {
  const ReadBack found = read_back(loop, redis, limiter);
  MESSAGE(found.admitted_after << " of " << found.unknown << " unknown requests were admitted");
  CHECK(found.lost == 0);
  CHECK(found.invented == 0);
  CHECK(found.entries == verdict.policy.totals.allowed + found.admitted_after);
  for (const KeyFigures& key : verdict.policy.keys) {
    const auto in_redis =
        static_cast<std::int64_t>(entries_of(loop, redis, limiter.log.keys[key.key]).size());
    CHECK(in_redis >= key.figures.max_certain);
    CHECK(in_redis <= key.figures.max_possible);
    CHECK(in_redis <= limiter.log.policy.limit);
  }
  CHECK(judged(found.truth).verdict != VerdictKind::violated);
}

}  // namespace

TEST_CASE("soak: over a cluster under faults nothing is lost and nothing is invented") {
  TestCluster servers({3, 3});
  servers.wait_until_replicas_are_listed();
  Loop& loop = servers.loop();
  const auto proxy = std::make_shared<Proxy>(loop, 1);
  Endpoint endpoint = servers.endpoint();
  endpoint.detour = proxy;
  Deployment deployment(loop, endpoint);
  loop.run(deployment.discover());

  const auto most = static_cast<std::size_t>(soak_s()) * 200;
  std::vector<std::unique_ptr<SoakLimiter>> limiters;
  SoakTraffic traffic(loop, deployment);
  const auto add = [&](Script script, const Rule& rule) {
    limiters.push_back(
        std::make_unique<SoakLimiter>(std::move(script), rule, endpoint.timeout_us, most));
    traffic.add(*limiters.back());
  };
  // Full after half of the time.
  add(make_script("tickets.lua", kListOfTickets),
      {.limit = 5 + soak_s() * 2, .window_us = 7'200'000'000});
  for (const char* name : kShipped)
    add(Registry().find(name), {.limit = 5, .window_us = 2'000'000});

  const std::int64_t began_us = now_us();
  const std::int64_t until_us = began_us + soak_s() * 1'000'000;
  traffic.start(kSoakUsers, until_us);
  SoakFaults faults(servers, *proxy);
  std::int64_t warm_mib = 0;
  while (now_us() < until_us) {
    if (warm_mib == 0 && now_us() > began_us + (until_us - began_us) / 3) warm_mib = resident_mib();
    faults.play(soak_key(faults.played() % kSoakKeys, "probe"));
    loop.run(pause(loop, kFaultEveryUs));
  }
  const std::int64_t end_mib = resident_mib();
  loop.run(loop.join());
  CHECK(traffic.stuck() == 0);

  MESSAGE(faults.played() << " faults; " << warm_mib << " MiB after a third, " << end_mib
                          << " at the end");
  CHECK(faults.problem() == "");
  CHECK(faults.played() >= 11);
  CHECK_FALSE(faults.forgotten().empty());
  CHECK(end_mib <= warm_mib + kGrowthMib);
  const std::unique_ptr<RedisClient> reader = deployment.client();
  loop.run(reader->connect());
  const Folder folder;
  for (const auto& limiter : limiters) {
    const std::int64_t forgiven = forgive(limiter->log, faults.forgotten());
    MESSAGE(limiter->log.algorithm << ": " << forgiven << " decisions in "
                                   << faults.forgotten().size()
                                   << " takeovers by a replica that lagged may be forgotten");
    const Verdict verdict = judged(written_and_read(folder, limiter->log));
    CAPTURE(limiter->log.algorithm);
    CAPTURE(verdict.reason);
    check_all_accounted_for(*limiter, verdict);
    // The policy is a sliding window; some promise less.
    CHECK((verdict.own ? verdict.own->verdict : verdict.verdict) != VerdictKind::violated);
    if (limiter == limiters.front()) check_read_back(loop, *reader, *limiter, verdict);
  }
}
