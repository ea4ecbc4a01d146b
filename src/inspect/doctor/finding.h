// What doctor can find: one row for each kind, with the consequence and the remedy; a HealthFinding
// adds what was seen. Plain values; what comes from outside is escaped in `seen`.
//
// inspect/doctor examines a Redis for what breaks limiters: the server (server_exam.h), the keys
// (key_exam.h), their memory and growth (memory_exam.h, hot_keys.h) and Lua sources
// (script_exam.h). It only reads.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "base/words.h"

namespace rlctl {

// The most severe last.
enum class Severity : std::uint8_t { info, warning, critical };
inline constexpr Word<Severity> kSeverityWords[] = {
    {"info", Severity::info}, {"warning", Severity::warning}, {"critical", Severity::critical}};
constexpr std::span<const Word<Severity>> words_of(Severity) { return kSeverityWords; }

enum class Ailment : std::uint8_t {
  unserved_slots,
  too_few_replicas,
  failed_save,
  full_memory,
  no_expiry,
  unlike_siblings,
  perhaps_no_expiry,
  endless_block,
  kept_for_ever,
  long_expiry,
  impossible_balance,
  mixed_types,
  perhaps_mixed_types,
  two_writers,
  crossed_slots,
  missing_scripts,
  eviction,
  nearly_full,
  little_room,
  hot_key,
  uneven_nodes,
  clock_offset,
  slow_scripts,
  no_persistence,
  snapshots_only,
  replica_lag,
  no_failover,
  writable_replica,
  no_replica_wait,
  member_is_time,
  time_loses_digits,
  writes_without_expiry,
  renewed_expiry,
  one_too_many,
  write_refused,
  time_before_write,
};

struct AilmentRow {
  const char* name;
  Ailment meaning;
  Severity severity;
  const char* consequence;
  const char* remedy;
};

inline constexpr AilmentRow kAilmentRows[] = {
    {"unserved-slots", Ailment::unserved_slots, Severity::critical,
     "limiters of these keys get no decisions, and fail open or closed",
     "start the node that is away, or let its replica take over (CLUSTER FAILOVER TAKEOVER); if no "
     "node has the slots: redis-cli --cluster fix HOST:PORT; cluster-require-full-coverage no "
     "serves all other keys meanwhile"},
    {"too-few-replicas", Ailment::too_few_replicas, Severity::critical,
     "every write is refused now (NOREPLICAS), and limiters fail open or closed",
     "bring the replicas back; to take writes meanwhile: CONFIG SET min-replicas-to-write 0"},
    {"failed-save", Ailment::failed_save, Severity::critical,
     "every write is refused now (MISCONF), and limiters fail open or closed",
     "see the server's log: is its disk full, is its folder writable? BGSAVE ends the state after "
     "a failed snapshot; to take writes meanwhile: CONFIG SET stop-writes-on-bgsave-error no"},
    {"full-memory", Ailment::full_memory, Severity::critical,
     "memory is full: writes are refused now (OOM), and limiters fail open or closed",
     "raise maxmemory, or remove keys (rlctl reset still works) and let them expire sooner"},
    {"no-expiry", Ailment::no_expiry, Severity::critical,
     "a count that is never reset denies its client for ever once it is full",
     "set the expiry in the same step as the first count; to free the clients: rlctl list --stuck, "
     "then rlctl reset"},
    {"unlike-siblings", Ailment::unlike_siblings, Severity::warning,
     "a key that counts requests as the others do is then never reset, and denies its client for "
     "ever once it is full",
     "if it counts: set the expiry in the same step as the first count, and remove the key with "
     "rlctl reset; if not: give it another prefix"},
    {"perhaps-no-expiry", Ailment::perhaps_no_expiry, Severity::info,
     "a number that counts requests is then never reset, and denies its client for ever once it is "
     "full",
     "if such keys count requests, name them, and they are examined as limits: rlctl doctor "
     "'rl:*'; to see them all: rlctl list --stuck"},
    {"endless-block", Ailment::endless_block, Severity::critical,
     "the client stays blocked until somebody removes the flag",
     "set block flags with an expiry; to free the clients: rlctl list --blocked, rlctl unblock"},
    {"kept-for-ever", Ailment::kept_for_ever, Severity::warning,
     "the keys of clients that never come back stay, and memory only grows",
     "set an expiry of one window or more at each write"},
    {"long-expiry", Ailment::long_expiry, Severity::warning,
     "keys are kept for more than ten windows, and memory holds clients that are long gone",
     "set the expiry to the window, or a little longer"},
    {"impossible-balance", Ailment::impossible_balance, Severity::critical,
     "a bucket in debt denies for longer than its policy says; one above its size admits too much",
     "refuse a cost that exceeds what is left before it is taken; rlctl reset repairs the key"},
    {"mixed-types", Ailment::mixed_types, Severity::critical,
     "a command on a key of the wrong type fails (WRONGTYPE), and its limiter with it",
     "find the two programs, or the two versions, that write these names; give each its own "
     "prefix"},
    {"perhaps-mixed-types", Ailment::perhaps_mixed_types, Severity::warning,
     "if two programs, or two versions, count one client in one name, a command on a key of the "
     "wrong type fails (WRONGTYPE)",
     "find out what writes these names; give each its own prefix"},
    {"two-writers", Ailment::two_writers, Severity::info,
     "if both count one client, each reads the other's value as its own, or fails",
     "if that can be: give each its own prefix"},
    {"crossed-slots", Ailment::crossed_slots, Severity::critical,
     "a script that uses both keys is refused (CROSSSLOT)",
     "put the part that they share in braces: rl:{203.0.113.7}:blocked"},
    {"missing-scripts", Ailment::missing_scripts, Severity::warning,
     "EVALSHA fails with NOSCRIPT on these nodes; a client without a fallback fails too",
     "rlctl load"},
    {"eviction", Ailment::eviction, Severity::critical,
     "when memory is full Redis removes limit keys, and their clients begin with a full quota",
     "set maxmemory-policy to noeviction, or give the limiters a Redis of their own"},
    {"nearly-full", Ailment::nearly_full, Severity::warning,
     "when memory is full every write is refused, and limiters fail open or closed",
     "raise maxmemory, or let keys expire sooner"},
    {"little-room", Ailment::little_room, Severity::warning,
     "memory is full before there are twice as many clients",
     "raise maxmemory, let keys expire sooner, or count in a smaller state (a log keeps an entry "
     "for each request)"},
    {"hot-key", Ailment::hot_key, Severity::warning,
     "one key is on one server, on one of its cores: more servers do not carry it",
     "refuse this client before Redis is asked (in the proxy, or in memory once it is denied), or "
     "let each instance take its requests in lots"},
    {"uneven-nodes", Ailment::uneven_nodes, Severity::warning,
     "the busiest node is full long before the cluster is",
     "look for what its keys have in common: a hot key, or the same text in braces"},
    {"clock-offset", Ailment::clock_offset, Severity::warning,
     "limiters that take the time from their clients count in shifted windows",
     "synchronize the clocks (chrony, ntpd), or take the time from Redis"},
    {"slow-scripts", Ailment::slow_scripts, Severity::warning,
     "Redis runs one script at a time: all other clients wait meanwhile",
     "measure the script with rlctl bench --algo FILE.lua; look for loops over all entries"},
    {"no-persistence", Ailment::no_persistence, Severity::info,
     "a restart forgets all counts and blocks: every client begins with a full quota",
     "if that matters: appendonly yes"},
    {"snapshots-only", Ailment::snapshots_only, Severity::info,
     "a crash forgets what was counted since the last snapshot", "if that matters: appendonly yes"},
    {"replica-lag", Ailment::replica_lag, Severity::warning,
     "a failover forgets what the replica has not got",
     "find out why it lags: its machine, the network, client-output-buffer-limit"},
    {"no-failover", Ailment::no_failover, Severity::warning,
     "if the master fails, no other takes its place: limiters fail open or closed until it is back",
     "start the replicas, or see in their logs why they do not connect; SENTINEL REPLICAS NAME "
     "lists those that Sentinels know"},
    {"writable-replica", Ailment::writable_replica, Severity::warning,
     "what limiters write here never reaches the master, and the next full sync removes it",
     "connect limiters to the master, and set replica-read-only to yes"},
    {"no-replica-wait", Ailment::no_replica_wait, Severity::info,
     "the master goes on counting without its replicas; a failover forgets these counts",
     "if that matters: min-replicas-to-write 1, or WAIT after the decision"},
    {"member-is-time", Ailment::member_is_time, Severity::warning,
     "two requests at the same instant are one entry, so more are admitted than the limit",
     "add a counter or a random part to the member"},
    {"time-loses-digits", Ailment::time_loses_digits, Severity::warning,
     "Lua writes 14 digits of a number: of a time in microseconds the last two are lost",
     "use string.format('%.0f', time), or join seconds and microseconds as text"},
    {"writes-without-expiry", Ailment::writes_without_expiry, Severity::warning,
     "the script leaves a key that stays for ever",
     "set an expiry in the script, in the same step as the write"},
    {"renewed-expiry", Ailment::renewed_expiry, Severity::info,
     "every request begins the window anew, unless the key's name tells the window: a client that "
     "goes on asking is never free again",
     "set the expiry only when the count is 1 (or EXPIRE with NX)"},
    {"one-too-many", Ailment::one_too_many, Severity::warning,
     "a count that is read before the request is added admits one more than the limit",
     "write <, or add first and then compare with <="},
    {"write-refused", Ailment::write_refused, Severity::critical,
     "this server refuses each write of a script after TIME or another random command",
     "call redis.replicate_commands() first (from Redis 3.2 on), or pass the time as an argument"},
    {"time-before-write", Ailment::time_before_write, Severity::info,
     "Redis before 5 refuses the write, Redis 5 and 6 only with lua-replicate-commands no; the "
     "servers examined accept it",
     "if it must run on such a server: redis.replicate_commands() first, or the time as an "
     "argument"},
};
constexpr std::span<const AilmentRow> words_of(Ailment) { return kAilmentRows; }

struct HealthFinding {
  Ailment kind = Ailment::no_expiry;
  std::string seen;

  const AilmentRow& row() const { return row_of(kind); }
};
using HealthFindings = std::vector<HealthFinding>;

// The most severe first, otherwise in the order of the table.
void sort_findings(HealthFindings& findings);

// "critical: eviction", and lines for what was seen, what follows and what to do. Findings of one
// kind are told once, as "eviction, 12 times" with the first of them. A blank line between kinds.
std::string in_words(std::span<const HealthFinding> sorted);
// "3 findings: 1 critical, 2 info"; "nothing found".
std::string count_in_words(const HealthFindings& findings);
nlohmann::ordered_json to_json(const HealthFinding& finding);

}  // namespace rlctl
