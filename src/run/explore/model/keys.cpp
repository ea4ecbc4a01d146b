// Commands on keys of any type: deletion, expiry.
#include "run/explore/model/command.h"

namespace rlctl {
namespace {

Reply remove_keys(ModelCall& call) {
  std::int64_t removed = 0;
  for (std::size_t i = 1; i < call.words.size(); ++i) {
    if (!call.keys.erase(call.words[i])) continue;
    call.keys.touch(call.words[i]);
    ++removed;
  }
  return integer_reply(removed);
}

Reply count_existing(ModelCall& call) {
  std::int64_t count = 0;
  for (std::size_t i = 1; i < call.words.size(); ++i)
    if (call.keys.find(call.words[i]) != nullptr) ++count;
  return integer_reply(count);
}

Reply type(ModelCall& call) {
  constexpr const char* kNames[] = {"string", "list", "hash", "set", "zset"};
  const ModelEntry* const entry = call.keys.find(call.key());
  return status_reply(entry == nullptr ? "none" : kNames[entry->value.index()]);
}

// NX: only without expiry. XX: only with. GT, LT: only later or earlier; no expiry is the latest.
struct ExpiryCondition {
  bool nx = false, xx = false, gt = false, lt = false;

  bool met(std::int64_t old_ms, std::int64_t new_ms) const {
    const bool has_expiry = old_ms != kNeverExpires;
    if (nx && has_expiry) return false;
    if (xx && !has_expiry) return false;
    if (gt && (!has_expiry || new_ms <= old_ms)) return false;
    return !(lt && has_expiry && new_ms >= old_ms);
  }
};

ExpiryCondition condition_of(const Words& words) {
  ExpiryCondition condition;
  for (std::size_t i = 3; i < words.size(); ++i) {
    const std::string word = lower_case(words[i]);
    bool* const flag = word == "nx"   ? &condition.nx
                       : word == "xx" ? &condition.xx
                       : word == "gt" ? &condition.gt
                       : word == "lt" ? &condition.lt
                                      : nullptr;
    if (flag == nullptr) throw CommandRefused{"ERR Unsupported option " + words[i]};
    *flag = true;
  }
  if (condition.nx && (condition.xx || condition.gt || condition.lt))
    throw CommandRefused{"ERR NX and XX, GT or LT options at the same time are not compatible"};
  if (condition.gt && condition.lt)
    throw CommandRefused{"ERR GT and LT options at the same time are not compatible"};
  return condition;
}

Reply expire(ModelCall& call, std::int64_t unit_ms, bool relative) {
  const ExpiryCondition condition = condition_of(call.words);
  const std::int64_t at_ms = expiry_of(call, call.words[2], unit_ms, relative, true);
  ModelEntry* const entry = call.keys.find(call.key());
  if (entry == nullptr || !condition.met(entry->expires_ms, at_ms)) return integer_reply(0L);
  if (at_ms <= call.keys.now_ms())
    call.keys.erase(call.key());
  else
    entry->expires_ms = at_ms;
  call.touch();
  return integer_reply(1L);
}

Reply expire_s(ModelCall& call) { return expire(call, 1000, true); }
Reply expire_ms(ModelCall& call) { return expire(call, 1, true); }
Reply expire_at_s(ModelCall& call) { return expire(call, 1000, false); }
Reply expire_at_ms(ModelCall& call) { return expire(call, 1, false); }

Reply persist(ModelCall& call) {
  ModelEntry* const entry = call.keys.find(call.key());
  if (entry == nullptr || entry->expires_ms == kNeverExpires) return integer_reply(0L);
  entry->expires_ms = kNeverExpires;
  call.touch();
  return integer_reply(1L);
}

// -2: no such key; -1: it never expires.
Reply time_left(ModelCall& call, std::int64_t unit_ms, bool relative) {
  const ModelEntry* const entry = call.keys.find(call.key());
  if (entry == nullptr) return integer_reply(-2L);
  if (entry->expires_ms == kNeverExpires) return integer_reply(-1L);
  const std::int64_t ms = relative ? entry->expires_ms - call.keys.now_ms() : entry->expires_ms;
  return integer_reply((ms + unit_ms / 2) / unit_ms);
}

Reply ttl(ModelCall& call) { return time_left(call, 1000, true); }
Reply pttl(ModelCall& call) { return time_left(call, 1, true); }
Reply expire_time(ModelCall& call) { return time_left(call, 1000, false); }
Reply pexpire_time(ModelCall& call) { return time_left(call, 1, false); }

Reply time_now(ModelCall& call) {
  const std::int64_t now_us = call.keys.now_us();
  return array_reply({text_reply(std::to_string(now_us / 1'000'000)),
                      text_reply(std::to_string(now_us % 1'000'000))});
}

Reply ping(ModelCall& call) {
  if (call.words.size() > 2) throw CommandRefused{call.wrong_arity()};
  return call.words.size() == 1 ? status_reply("PONG") : text_reply(call.words[1]);
}

Reply echo(ModelCall& call) { return text_reply(call.words[1]); }

constexpr ModelCommand kKeyCommands[] = {
    {"del", -2, remove_keys},
    {"unlink", -2, remove_keys},
    {"exists", -2, count_existing},
    {"type", 2, type},
    {"expire", -3, expire_s},
    {"pexpire", -3, expire_ms},
    {"expireat", -3, expire_at_s},
    {"pexpireat", -3, expire_at_ms},
    {"persist", 2, persist},
    {"ttl", 2, ttl},
    {"pttl", 2, pttl},
    {"expiretime", 2, expire_time},
    {"pexpiretime", 2, pexpire_time},
    {"time", 1, time_now},
    {"ping", -1, ping},
    {"echo", 2, echo},
};

}  // namespace

std::span<const ModelCommand> key_commands() { return kKeyCommands; }

}  // namespace rlctl
