// ServerFacts: what one server says of itself that matters to limiters, and what follows from it.
// A command that is refused (ACL, an older server) is data: it is named in `refused`. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "inspect/doctor/finding.h"
#include "io/redis/redis.h"

namespace rlctl {

struct ReplicaFacts {
  std::string name;  // host:port
  bool online = false;
  std::int64_t behind = 0;    // bytes of the stream that it has not got
  std::int64_t silent_s = 0;  // since its last word
};

// What a node says of its cluster.
struct ClusterFacts {
  bool is_down = false;       // it refuses all keys
  std::int64_t unserved = 0;  // slots: no node has them, or their node is away
};

struct ServerFacts {
  std::string name;             // empty: the only server
  std::string role;             // "master", "slave"; empty: not known
  std::string master;           // host:port, if it is a replica: raw
  bool takes_writes = false;    // though it is a replica
  std::int64_t max_memory = 0;  // bytes; 0: no bound
  std::int64_t used_memory = 0;
  std::int64_t uncounted_memory = 0;  // of it, what maxmemory does not bound
  std::int64_t evicted_keys = 0;
  std::string eviction_policy;
  std::int64_t commands = 0;        // since its start
  std::int64_t commands_per_s = 0;  // at present
  std::int64_t uptime_s = 0;
  std::string version;                     // raw
  std::optional<bool> replicates_effects;  // lua-replicate-commands: Redis 5 and 6 have it
  std::optional<bool> persists;
  bool appends = false;              // to a file
  std::int64_t unsaved_changes = 0;  // since the last snapshot
  std::string failed_save;           // in words; empty: none has failed
  bool refuses_unsaved = false;      // writes, because of that
  std::vector<ReplicaFacts> replicas;
  // Connected and in time; INFO tells it only if min-replicas-to-write bounds it.
  std::optional<std::int64_t> good_replicas;
  std::optional<std::int64_t> least_replicas;  // min-replicas-to-write
  std::size_t sentinels = 0;                   // by which it was found: not its own word
  std::optional<ClusterFacts> cluster;
  std::int64_t slow_scripts = 0;  // in SLOWLOG
  std::int64_t slowest_us = 0;
  std::string slowest;  // its first words: raw
  // The server's clock minus ours lies between these; both 0 if it may not be asked.
  std::int64_t clock_low_us = 0;
  std::int64_t clock_high_us = 0;
  std::vector<std::string> refused;
};

// Error(Exit::target) if the connection is lost.
Task<ServerFacts> read_server_facts(Redis& redis, std::string name);

// Takes what it needs from the reply of INFO.
void read_info(const std::string& info, ServerFacts& facts);
// The same for the reply of CLUSTER INFO.
std::optional<ClusterFacts> read_cluster_info(const std::string& info);

void examine(const ServerFacts& facts, HealthFindings& findings);
// What only shows beside the others, or is one for all: a clock, a node that does most of the work,
// slots that nobody serves.
void examine_together(std::span<const ServerFacts> all, HealthFindings& findings);

// Its clock against ours, for a person.
std::string clock_in_words(const ServerFacts& facts);

// Whether it refuses a write of a script after a random command (TIME), as Redis before 5 does: it
// sent scripts to its replicas, not what they wrote.
bool refuses_random_scripts(const ServerFacts& facts);
// Whether it counts how often each key is used: OBJECT FREQ.
bool counts_uses(const ServerFacts& facts);
// Up to maxmemory, of all of them; empty if one has no bound.
std::optional<std::int64_t> room_of(std::span<const ServerFacts> all);

}  // namespace rlctl
