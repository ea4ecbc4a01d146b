#include "inspect/doctor/server_exam.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/escape.h"
#include "base/text.h"
#include "base/units.h"
#include "io/redis/command.h"
#include "io/redis/deployment/hash_slot.h"
#include "io/redis/redis_error.h"
#include "io/redis/server_info.h"

namespace rlctl {
namespace {

constexpr std::int64_t kSlowUs = 5'000;
constexpr std::int64_t kClockOffUs = 100'000;
constexpr std::int64_t kLagBytes = 1'000'000;
constexpr std::int64_t kSilentS = 5;  // a replica reports every second
constexpr double kNearlyFull = 0.9;
constexpr std::int64_t kLoadedCommands = 100'000;  // less is no load
constexpr double kUnevenTimes = 2;

std::int64_t number_in(const std::string& info, const char* name) {
  return parse_whole<std::int64_t>(info_field(info, name)).value_or(0);
}

// "ip=127.0.0.1,port=6380,state=online,offset=14,lag=1"
ReplicaFacts replica_in(const std::string& line, std::int64_t master_offset) {
  const auto value = [&](std::string_view name) {
    for (const std::string& part : split(line, ','))
      if (part.starts_with(name) && part[name.size()] == '=') return part.substr(name.size() + 1);
    return std::string();
  };
  const auto offset = parse_whole<std::int64_t>(value("offset")).value_or(0);
  return {value("ip") + ":" + value("port"), value("state") == "online",
          std::max<std::int64_t>(0, master_offset - offset),
          parse_whole<std::int64_t>(value("lag")).value_or(0)};
}

// Of "7.0.15"; 0: not known.
int major_of(std::string_view version) {
  return parse_whole<int>(take_until(version, '.')).value_or(0);
}

void note_refusal(const std::string& what, const std::string& error, ServerFacts& facts) {
  const std::string hint = hint_for_error(error);
  facts.refused.push_back(what + (hint.empty() ? "" : " (" + hint + ")"));
}

// An error reply is data: this user, or this server, does not answer the command.
Task<Reply> asked(Redis& redis, std::string what, std::string wire, ServerFacts& facts) {
  Exchange exchange = co_await redis.send(wire);
  if (exchange.state != Exchange::State::replied) reply_or_throw(exchange);
  if (exchange.reply.is_error()) note_refusal(what, exchange.reply.text, facts);
  co_return std::move(exchange.reply);
}

Task<std::string> setting(Redis& redis, std::string name, ServerFacts& facts) {
  std::string wire = encode_command("CONFIG", "GET", name);
  const Reply reply = co_await asked(redis, "CONFIG GET " + name, std::move(wire), facts);
  co_return reply.elements.size() == 2 ? reply.elements[1].text : std::string("?");
}

// The narrowest of some measurements.
Task<> read_clock(Redis& redis, ServerFacts& facts) {
  constexpr int kTries = 5;
  std::int64_t best_us = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < kTries; ++i) {
    const Exchange exchange = co_await redis.send(encode_command("TIME"));
    if (!exchange.has_answer() || exchange.reply.elements.size() != 2) {
      note_refusal("TIME", exchange.reply.text, facts);
      co_return;
    }
    const auto part = [&](std::size_t at) {
      return parse_whole<std::int64_t>(exchange.reply.elements[at].text).value_or(0);
    };
    const std::int64_t server_us = part(0) * kSecondUs + part(1);
    if (exchange.received_us - exchange.sent_us >= best_us) continue;
    best_us = exchange.received_us - exchange.sent_us;
    facts.clock_low_us = server_us - exchange.received_us;
    facts.clock_high_us = server_us - exchange.sent_us;
  }
}

bool runs_a_script(const std::string& command) {
  const std::string name = lower_case(command);
  return name.starts_with("eval") || name.starts_with("fcall");
}

// [id, when, µs, [command …], …]
Task<> read_slow_scripts(Redis& redis, ServerFacts& facts) {
  std::string wire = encode_command("SLOWLOG", "GET", "128");
  const Reply log = co_await asked(redis, "SLOWLOG", std::move(wire), facts);
  for (const Reply& entry : log.elements) {
    if (entry.elements.size() < 4 || entry.elements[3].elements.size() < 2) continue;
    const std::vector<Reply>& words = entry.elements[3].elements;
    const std::int64_t took_us = entry.elements[2].integer;
    if (took_us < kSlowUs || !runs_a_script(words[0].text)) continue;
    ++facts.slow_scripts;
    if (took_us <= facts.slowest_us) continue;
    facts.slowest_us = took_us;
    facts.slowest = words[0].text + " ";
    facts.slowest += trimmed(words[1].text, kBlanksAndLineEnds).substr(0, 40);
  }
}

// Whether writes are refused then depends on the settings; PING is refused as they are.
Task<> read_refusal_of_unsaved(Redis& redis, ServerFacts& facts) {
  if (facts.failed_save.empty()) co_return;
  const Exchange ping = co_await redis.send(encode_command("PING"));
  facts.refuses_unsaved = ping.is_refused() && error_code(ping.reply) == "MISCONF";
  if (ping.is_refused() && !facts.refuses_unsaved) note_refusal("PING", ping.reply.text, facts);
}

Task<> read_cluster(Redis& redis, ServerFacts& facts) {
  if (facts.name.empty()) co_return;
  const Reply info =
      co_await asked(redis, "CLUSTER INFO", encode_command("CLUSTER", "INFO"), facts);
  if (info.is_text()) facts.cluster = read_cluster_info(info.text);
}

std::string at(const ServerFacts& facts) {
  return facts.name.empty() ? "" : escape_for_terminal(facts.name) + ": ";
}

void examine_memory(const ServerFacts& facts, HealthFindings& findings) {
  if (facts.max_memory == 0) return;
  const std::string bound = "maxmemory " + format_bytes(facts.max_memory) + ", " +
                            format_bytes(facts.used_memory) + " used";
  if (facts.eviction_policy != "noeviction") {
    std::string seen = at(facts) + bound + ", " + escape_for_terminal(facts.eviction_policy);
    if (facts.evicted_keys > 0) seen += ", " + counted(facts.evicted_keys, "key") + " evicted";
    findings.push_back({Ailment::eviction, std::move(seen)});
  } else if (facts.master.empty() &&  // a replica takes what its master sends
             facts.used_memory - facts.uncounted_memory > facts.max_memory) {
    findings.push_back({Ailment::full_memory, at(facts) + bound});
  } else if (static_cast<double>(facts.used_memory) >
             kNearlyFull * static_cast<double>(facts.max_memory)) {
    findings.push_back({Ailment::nearly_full, at(facts) + bound});
  }
}

void examine_writes(const ServerFacts& facts, HealthFindings& findings) {
  if (facts.refuses_unsaved)
    findings.push_back({Ailment::failed_save, at(facts) + facts.failed_save});
  // A replica has the setting for the day on which it is the master.
  if (!facts.master.empty() || !facts.good_replicas) return;
  const std::int64_t least = facts.least_replicas.value_or(1);
  if (*facts.good_replicas >= least) return;
  findings.push_back(
      {Ailment::too_few_replicas,
       fmt::format("{}min-replicas-to-write needs {}, and {} connected and in time "
                   "(min-replicas-max-lag)",
                   at(facts), facts.least_replicas ? counted(least, "replica") : "replicas",
                   counted(*facts.good_replicas, "is", "are"))});
}

void examine_role(const ServerFacts& facts, HealthFindings& findings) {
  if (facts.takes_writes)
    findings.push_back({Ailment::writable_replica, at(facts) + "it is a replica of " +
                                                       escape_for_terminal(facts.master) +
                                                       ", and replica-read-only is no"});
  if (facts.sentinels > 0 && facts.role == "master" && facts.replicas.empty())
    findings.push_back({Ailment::no_failover, at(facts) + "Sentinels watch this master, but no "
                                                          "replica is connected to it"});
}

void examine_replicas(const ServerFacts& facts, HealthFindings& findings) {
  for (const ReplicaFacts& replica : facts.replicas) {
    const std::string name = at(facts) + "the replica " + escape_for_terminal(replica.name);
    if (!replica.online)
      findings.push_back({Ailment::replica_lag, name + " is not online"});
    else if (replica.behind > kLagBytes || replica.silent_s > kSilentS)
      findings.push_back({Ailment::replica_lag,
                          fmt::format("{} is {} behind, and was last heard of {} s ago", name,
                                      format_bytes(replica.behind), replica.silent_s)});
  }
  if (!facts.replicas.empty() && facts.least_replicas == 0)
    findings.push_back({Ailment::no_replica_wait,
                        at(facts) + "min-replicas-to-write is 0, with " +
                            counted(static_cast<std::int64_t>(facts.replicas.size()), "replica")});
}

// The two clocks that are furthest apart for certain, unless one has been told beside ours.
void examine_clocks(std::span<const ServerFacts> all, HealthFindings& findings) {
  const ServerFacts& ahead = *std::ranges::max_element(all, {}, &ServerFacts::clock_low_us);
  const ServerFacts& behind = *std::ranges::min_element(all, {}, &ServerFacts::clock_high_us);
  const std::int64_t apart_us = ahead.clock_low_us - behind.clock_high_us;
  const bool told = ahead.clock_low_us > kClockOffUs || behind.clock_high_us < -kClockOffUs;
  if (apart_us <= kClockOffUs || told) return;
  findings.push_back(
      {Ailment::clock_offset,
       fmt::format("the clock of {} is {} ahead of that of {}", escape_for_terminal(ahead.name),
                   format_duration_for_people(apart_us), escape_for_terminal(behind.name))});
}

// One finding for all of them: by the node that sees the most of it.
void examine_slots(std::span<const ServerFacts> all, HealthFindings& findings) {
  const auto ill = [](const ServerFacts& facts) {
    const ClusterFacts cluster = facts.cluster.value_or(ClusterFacts{});
    return std::pair(cluster.is_down, cluster.unserved);
  };
  const auto worst = std::ranges::max_element(all, {}, ill);
  if (worst == all.end() || ill(*worst) == std::pair(false, std::int64_t{0})) return;
  findings.push_back(
      {Ailment::unserved_slots,
       fmt::format("{}{} of {} slots {} not served; cluster_state is {}", at(*worst),
                   format_count(worst->cluster->unserved), format_count(kSlots),
                   worst->cluster->unserved == 1 ? "is" : "are",
                   worst->cluster->is_down
                       ? "fail: all keys are refused (CLUSTERDOWN)"
                       : "ok: only the keys of these slots are refused, or get no answer")});
}

double commands_per_second(const ServerFacts& facts) {
  return static_cast<double>(facts.commands) /
         static_cast<double>(std::max<std::int64_t>(1, facts.uptime_s));
}

void examine_load(std::span<const ServerFacts> all, HealthFindings& findings) {
  const ServerFacts& busiest = *std::ranges::max_element(all, {}, commands_per_second);
  double others = 0;
  for (const ServerFacts& facts : all)
    if (&facts != &busiest) others += commands_per_second(facts);
  others /= static_cast<double>(all.size() - 1);
  const double most = commands_per_second(busiest);
  if (busiest.commands < kLoadedCommands || most < kUnevenTimes * others) return;
  const std::string mean = format_count(static_cast<std::int64_t>(others));
  findings.push_back(
      {Ailment::uneven_nodes,
       fmt::format("{}{} commands per second since its start {} ago, the {}", at(busiest),
                   format_count(static_cast<std::int64_t>(most)),
                   format_duration_for_people(busiest.uptime_s * kSecondUs),
                   all.size() == 2 ? "other " + mean : "others " + mean + " on average")});
}

}  // namespace

void read_info(const std::string& info, ServerFacts& facts) {
  facts.max_memory = number_in(info, "maxmemory");
  facts.used_memory = number_in(info, "used_memory");
  facts.eviction_policy = info_field(info, "maxmemory_policy");
  facts.evicted_keys = number_in(info, "evicted_keys");
  facts.uncounted_memory = number_in(info, "mem_not_counted_for_evict");
  facts.role = info_field(info, "role");
  if (facts.role == "slave")
    facts.master = info_field(info, "master_host") + ":" + info_field(info, "master_port");
  facts.takes_writes = info_field(info, "slave_read_only") == "0";
  facts.good_replicas = parse_whole<std::int64_t>(info_field(info, "min_slaves_good_slaves"));
  if (info_field(info, "rdb_last_bgsave_status") == "err")
    facts.failed_save = "the last snapshot failed (rdb_last_bgsave_status:err)";
  if (info_field(info, "aof_last_write_status") == "err")
    facts.failed_save = "the last write to the append-only file failed (aof_last_write_status:err)";
  const std::int64_t offset = number_in(info, "master_repl_offset");
  for (std::int64_t i = 0; i < number_in(info, "connected_slaves"); ++i)
    facts.replicas.push_back(replica_in(info_field(info, "slave" + std::to_string(i)), offset));
  facts.commands = number_in(info, "total_commands_processed");
  facts.commands_per_s = number_in(info, "instantaneous_ops_per_sec");
  facts.uptime_s = number_in(info, "uptime_in_seconds");
  facts.version = info_field(info, "redis_version");
  facts.unsaved_changes = number_in(info, "rdb_changes_since_last_save");
  facts.appends = info_field(info, "aof_enabled") == "1";
  if (facts.appends) facts.persists = true;
}

// A node that alone holds that another is away counts only if its cluster is down.
std::optional<ClusterFacts> read_cluster_info(const std::string& text) {
  const std::string info = '\n' + text;  // its first line is a field
  const std::string state = info_field(info, "cluster_state");
  if (state.empty()) return std::nullopt;
  ClusterFacts facts{state == "fail", kSlots - number_in(info, "cluster_slots_assigned")};
  facts.unserved += number_in(info, "cluster_slots_fail");
  if (facts.is_down) facts.unserved += number_in(info, "cluster_slots_pfail");
  return facts;
}

Task<ServerFacts> read_server_facts(Redis& redis, std::string name) {
  ServerFacts facts;
  facts.name = std::move(name);
  const Reply info = co_await asked(redis, "INFO", encode_command("INFO"), facts);
  if (info.is_text()) read_info(info.text, facts);
  if (!facts.persists) {
    const std::string save = co_await setting(redis, "save", facts);
    if (save != "?") facts.persists = !save.empty();
  }
  if (const int major = major_of(facts.version); major == 5 || major == 6) {
    const std::string effects = co_await setting(redis, "lua-replicate-commands", facts);
    if (effects != "?") facts.replicates_effects = effects == "yes";
  }
  if (!facts.replicas.empty() || facts.good_replicas) {
    const std::string least = co_await setting(redis, "min-replicas-to-write", facts);
    facts.least_replicas = parse_whole<std::int64_t>(least);
  }
  co_await read_refusal_of_unsaved(redis, facts);
  co_await read_cluster(redis, facts);
  co_await read_slow_scripts(redis, facts);
  co_await read_clock(redis, facts);
  co_return facts;
}

void examine(const ServerFacts& facts, HealthFindings& findings) {
  examine_memory(facts, findings);
  examine_writes(facts, findings);
  examine_role(facts, findings);
  examine_replicas(facts, findings);
  if (facts.persists == false)
    findings.push_back({Ailment::no_persistence, at(facts) + "save \"\" and appendonly no"});
  if (facts.persists == true && !facts.appends)
    findings.push_back({Ailment::snapshots_only, at(facts) + "appendonly no, " +
                                                     counted(facts.unsaved_changes, "change") +
                                                     " since the last snapshot"});
  if (facts.slow_scripts > 0)
    findings.push_back(
        {Ailment::slow_scripts,
         fmt::format("{}{} of {} or more in SLOWLOG, up to {}: {}", at(facts),
                     counted(facts.slow_scripts, "call"), format_duration(kSlowUs),
                     format_duration_for_people(facts.slowest_us), in_quotes(facts.slowest))});
  const bool ahead = facts.clock_low_us > kClockOffUs;
  if (!ahead && facts.clock_high_us >= -kClockOffUs) return;
  findings.push_back(
      {Ailment::clock_offset,
       fmt::format("{}the server's clock is {} {} that of this machine", at(facts),
                   format_duration_for_people(ahead ? facts.clock_low_us : -facts.clock_high_us),
                   ahead ? "ahead of" : "behind")});
}

void examine_together(std::span<const ServerFacts> all, HealthFindings& findings) {
  examine_slots(all, findings);
  if (all.size() < 2) return;
  examine_clocks(all, findings);
  examine_load(all, findings);
}

std::string clock_in_words(const ServerFacts& facts) {
  const auto [low_us, high_us] = std::pair(facts.clock_low_us, facts.clock_high_us);
  if (low_us == 0 && high_us == 0) return "its clock is not known";
  if (low_us <= 0 && high_us >= 0)
    return "its clock is at most " + format_duration_for_people(std::max(-low_us, high_us)) +
           " from that of this machine";
  return fmt::format("its clock is {} to {} {} that of this machine",
                     format_duration_for_people(low_us > 0 ? low_us : -high_us),
                     format_duration_for_people(low_us > 0 ? high_us : -low_us),
                     low_us > 0 ? "ahead of" : "behind");
}

bool refuses_random_scripts(const ServerFacts& facts) {
  const int major = major_of(facts.version);
  return major > 0 && (major < 5 || facts.replicates_effects == false);
}

bool counts_uses(const ServerFacts& facts) { return facts.eviction_policy.ends_with("-lfu"); }

std::optional<std::int64_t> room_of(std::span<const ServerFacts> all) {
  std::int64_t room = 0;
  for (const ServerFacts& facts : all) {
    if (facts.max_memory == 0) return std::nullopt;
    room += std::max<std::int64_t>(0, facts.max_memory - facts.used_memory);
  }
  return room;
}

}  // namespace rlctl
