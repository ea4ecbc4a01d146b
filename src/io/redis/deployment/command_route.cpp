#include "io/redis/deployment/command_route.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "io/redis/command.h"

namespace rlctl {
namespace {

constexpr int kNoKey = 0;
constexpr int kCounted = -1;  // a number of keys stands before them, as the second argument

struct Row {
  std::string_view name;
  std::string_view subcommand;  // empty: for all of them
  int key;                      // its place after the name
  RequestPolicy request = RequestPolicy::by_key;
  ResponsePolicy response = ResponsePolicy::first;
};

constexpr auto kAny = RequestPolicy::any_shard;
constexpr auto kAll = RequestPolicy::all_shards;

constexpr std::array kRows{
    Row{"EVALSHA", {}, kCounted},
    Row{"EVAL", {}, kCounted},
    Row{"FCALL", {}, kCounted},
    Row{"EVALSHA_RO", {}, kCounted},
    Row{"EVAL_RO", {}, kCounted},
    Row{"FCALL_RO", {}, kCounted},
    Row{"OBJECT", {}, 2},
    Row{"MEMORY", "USAGE", 2},
    Row{"XINFO", {}, 2},
    Row{"XGROUP", {}, 2},
    Row{"BITOP", {}, 2},
    Row{"SCAN", {}, kNoKey, RequestPolicy::scan},
    Row{"SCRIPT", "EXISTS", kNoKey, kAll, ResponsePolicy::logical_and},
    Row{"SCRIPT", {}, kNoKey, kAll},
    Row{"FUNCTION", "LIST", kNoKey, kAny},
    Row{"FUNCTION", {}, kNoKey, kAll},
    Row{"DBSIZE", {}, kNoKey, kAll, ResponsePolicy::sum},
    Row{"FLUSHALL", {}, kNoKey, kAll},
    Row{"FLUSHDB", {}, kNoKey, kAll},
    Row{"CLIENT", {}, kNoKey, kAll},
    Row{"CONFIG", {}, kNoKey, kAll},
    Row{"WAIT", {}, kNoKey, kAll, ResponsePolicy::sum},
    Row{"MEMORY", {}, kNoKey, kAny},
    Row{"ACL", {}, kNoKey, kAny},
    Row{"CLUSTER", {}, kNoKey, kAny},
    Row{"COMMAND", {}, kNoKey, kAny},
    Row{"DISCARD", {}, kNoKey, kAny},
    Row{"ECHO", {}, kNoKey, kAny},
    Row{"EXEC", {}, kNoKey, kAny},
    Row{"INFO", {}, kNoKey, kAny},
    Row{"LASTSAVE", {}, kNoKey, kAny},
    Row{"MULTI", {}, kNoKey, kAny},
    Row{"PING", {}, kNoKey, kAny},
    Row{"PUBLISH", {}, kNoKey, kAny},
    Row{"RANDOMKEY", {}, kNoKey, kAny},
    Row{"ROLE", {}, kNoKey, kAny},
    Row{"TIME", {}, kNoKey, kAny},
    Row{"UNWATCH", {}, kNoKey, kAny},
};

const Row* row_of(std::string_view name, std::string_view subcommand) {
  for (const Row& row : kRows)
    if (equals_ignoring_case(row.name, name) &&
        (row.subcommand.empty() || equals_ignoring_case(row.subcommand, subcommand)))
      return &row;
  return nullptr;
}

// EVALSHA sha 0 has no key at all.
bool counts_none(std::string_view count) {
  return std::ranges::all_of(count, [](char c) { return c == '0'; });
}

CommandRoute of_key(std::string_view key) {
  return {RequestPolicy::by_key, ResponsePolicy::first, key};
}

}  // namespace

CommandRoute route_of(std::string_view wire) {
  CommandWords words(wire);
  const std::string_view name = words.next();
  const std::string_view first = words.next();
  const Row* row = row_of(name, first);
  if (row == nullptr) return of_key(first);
  if (row->key == kNoKey) return {row->request, row->response, {}};
  const std::string_view second = words.next();
  if (row->key != kCounted) return of_key(second);
  if (counts_none(second)) return {kAny, ResponsePolicy::first, {}};
  return of_key(words.next());
}

}  // namespace rlctl
